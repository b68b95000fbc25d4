#!/usr/bin/env bash
# release.sh BUILD_FOLDER: makes a release, and checks it like a user who has downloaded it: the checksums hold; the
# tarball, unpacked in a folder with a space in its name, finds a face without this machine's models, cache or home; the
# bill of materials has the hashes of what was unpacked and names what is linked in, with package URLs and licences.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Tools/package/release.sh "$1" "$folder/dist"
(cd "$folder/dist" && sha256sum --check --quiet SHA256SUMS)
mkdir "$folder/some where"
tar -xf "$folder"/dist/face-engine-*.tar.xz -C "$folder/some where"
cp Examples/photos/grace_hopper.jpg "$folder/photo.jpg"
root=$(echo "$folder/some where"/face-engine-*)
(cd / && env -i HOME=/nonexistent PATH=/usr/bin:/bin "$root/bin/face-engine" detect --accuracy high --landmarks "$folder/photo.jpg") \
  | grep '1 face$'
# The plug-in is found from where the command is.
mkdir "$folder/mine"
models=$root/share/face-engine/Models/yunet
sed '0,/ 9=1/s// 9=2 -23310=1,0.0/' "$models/yunet.param" >"$folder/mine/mine.param"
cp "$models/yunet.bin" "$folder/mine/mine.bin"
(cd / && env -i HOME=/nonexistent PATH=/usr/bin:/bin "$root/bin/face-engine" detect --model "$folder/mine" "$folder/photo.jpg") | grep '1 face$'
python3 Tests/Packages/test_debian_copyright.py
python3 Tests/Packages/bill.py "$root" "$folder"/dist/*.spdx.json
