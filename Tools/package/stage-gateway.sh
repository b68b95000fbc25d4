#!/usr/bin/env bash
# stage-gateway.sh BUILD_FOLDER: gathers in BUILD_FOLDER/staged/share what an installation of the gateway has besides
# its program, its unit and its page: the manual page, completions, and the licences and notices of what is linked in.
# install.sh copies it.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
build=$1
share=$build/staged/share
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
rm -rf "$share.new"
trap 'rm -rf "$share.new"' EXIT
python3 Tools/package/manual.py "$build/face-engine-gateway" "$share.new/man/man1" "$version"
Tools/package/completions.sh "$build/face-engine-gateway" "$share.new"

# Of a package whose module is among the objects that were linked.
licences=$share.new/doc/face-engine-gateway/licences
mkdir -p "$licences"
modules=$(sed 's|.*/release/\([^/]*\)\.build/.*|\1|' "$build/face-engine-gateway.product/Objects.LinkFileList" | sort -u)
for package in Gateway/.build/checkouts/*; do
  name=${package##*/}
  if ! find "$package/Sources" -maxdepth 2 -type d -printf '%f\n' | grep -qxF "$modules"; then continue; fi
  for file in "$package"/LICENSE* "$package"/NOTICE*; do
    if [[ ! -e $file ]]; then continue; fi
    case ${file##*/} in
      LICENSE*) install -m 644 "$file" "$licences/$name.txt" ;;
      NOTICE*) install -m 644 "$file" "$licences/$name-notice.txt" ;;
    esac
  done
  [[ -e $licences/$name.txt ]] || {
    echo "stage: found no licence of $name in $package; an installation must have it" >&2
    exit 1
  }
done
install -m 644 Gateway/.build/checkouts/swift-nio/Sources/CNIOLLHTTP/LICENSE "$licences/llhttp.txt"

mkdir -p "$(dirname "$share")"
# What is the same stays in place: something may be installing it.
if ! diff -rq "$share.new" "$share" >/dev/null 2>&1; then
  rm -rf "$share"
  mv "$share.new" "$share"
fi
