#!/usr/bin/env bash
# release.sh BUILD_FOLDER: makes a release, and looks at it as who has downloaded it: the checksums hold; the tarball, unpacked in a
# folder with a space in its name, finds a face without this machine's models, cache or home; the bill of materials has the hashes
# of what was unpacked and names what is linked in.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Tools/package/release.sh "$1" "$folder/dist"
(cd "$folder/dist" && sha256sum --check --quiet SHA256SUMS)
mkdir "$folder/some where"
tar -xf "$folder"/dist/face-engine-*.tar.xz -C "$folder/some where"
cp Examples/photos/grace_hopper.jpg "$folder/photo.jpg"
root=$(echo "$folder/some where"/face-engine-*)
(cd / && env -i HOME=/nonexistent PATH=/usr/bin:/bin "$root/bin/face-engine" detect --accuracy high --landmarks "$folder/photo.jpg") |
  grep '1 face$'
python3 - "$root" "$folder"/dist/*.spdx.json <<'PYTHON'
import hashlib, json, pathlib, sys
root, bill = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
names = {package["name"] for package in bill["packages"]}
assert {"ncnn", "swift", "swift-log", "swift-argument-parser", "model-yunet", "libjpeg62-turbo"} <= names, names
listed = {file["fileName"][2:]: {one["algorithm"]: one["checksumValue"] for one in file["checksums"]} for file in bill["files"]}
there = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and not path.is_symlink()}
assert there - set(listed) == {"share/doc/face-engine/sbom.spdx.json"} and not set(listed) - there, there ^ set(listed)
for name, hashes in listed.items():
    assert hashes["SHA256"] == hashlib.sha256((root / name).read_bytes()).hexdigest(), name
print(f"release: {len(listed)} files in the bill of materials, {len(names)} packages")
PYTHON
