#!/usr/bin/env bash
# release.sh BUILD_FOLDER OUTPUT_FOLDER: a release of what was built and staged: the Debian packages, the wheel, a
# tarball that may be unpacked anywhere, its bill of materials, and SHA256SUMS of them all. Two runs give the same
# bytes.
#
# FACE_ENGINE_ARM64, the root of a Debian 12 for ARM64: the build is for that, and its release joins what is in
# OUTPUT_FOLDER.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
build=$1
output=$2
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
SOURCE_DATE_EPOCH=$(date --date "$(sed -n 's/^ -- .*>  //p' Tools/package/debian/changelog | head -n 1)" +%s)
export SOURCE_DATE_EPOCH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
umask 022
machine=$(uname -m)
if [[ -n ${FACE_ENGINE_ARM64:-} ]]; then
  machine=aarch64
  export STRIP=aarch64-linux-gnu-strip
else
  rm -rf "$output"
fi
mkdir -p "$output"

Tools/package/deb.sh "$build" "$output"
# They name the machine that built them.
rm -f "$output"/*.buildinfo "$output"/*.changes

name=face-engine-$version-linux-$machine
PARTS=engine PREFIX=/$name DESTDIR=$folder Tools/package/install.sh install "$build"
bill=$output/face-engine-$version${FACE_ENGINE_ARM64:+-linux-$machine}.spdx.json
Tools/package/sbom.py "$folder/$name" "$bill"
install -m 644 "$bill" "$folder/$name/share/doc/face-engine/sbom.spdx.json"
tar --create --directory "$folder" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --format=gnu "$name" | xz -9 --threads=1 >"$output/$name.tar.xz"
python3 Tools/package/wheel.py "$build" "$output"
(cd "$output" && LC_ALL=C sha256sum ./*.deb ./*.json ./*.whl ./*.xz | sed 's|\./||' >SHA256SUMS)
for file in "$output"/*; do printf '%s: %s bytes\n' "$file" "$(stat -c %s "$file")"; done
