#!/usr/bin/env bash
# Makes onnxruntime available to the tests of the plug-in onnxruntime, out of the Python index's wheel.
#
#   onnxruntime.sh             puts it into the cache, unless it is there
#   onnxruntime.sh --library   prints the path of its library there; prints nothing where no wheel is pinned for the
#                              processor
#
# FACE_ENGINE_CACHE names another cache folder.
set -euo pipefail

readonly version=1.31.1
case $(uname -m) in
  x86_64) readonly sha256=1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536 ;;
  aarch64) readonly sha256=0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc ;;
  *) exit 0 ;;
esac
wheel=onnxruntime-$version-cp312-cp312-manylinux_2_28_$(uname -m).whl
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
[[ $cache == /* ]] || cache=$PWD/$cache
readonly wheel here cache library=$cache/onnxruntime/$sha256/libonnxruntime.so.$version

if [[ ${1:-} == --library ]]; then
  printf '%s\n' "$library"
elif [[ ! -e $library ]]; then
  printf 'onnxruntime: fetching version %s\n' "$version" >&2
  mkdir -p "$(dirname "$library")"
  work=$(mktemp -d -p "$cache/onnxruntime")
  trap 'rm -rf "$work"' EXIT
  python3 "$here/index_file.py" onnxruntime "$wheel" "$sha256" "$work/$wheel"
  python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])' \
    "$work/$wheel" "onnxruntime/capi/${library##*/}" "$work"
  mv "$work/onnxruntime/capi/${library##*/}" "$library"
fi
