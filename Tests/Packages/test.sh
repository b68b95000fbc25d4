#!/usr/bin/env bash
# test.sh BUILD_FOLDER: makes the Debian packages of what was built and staged, has lintian look at them, and tries all that is
# released in places that have nothing else: the packages on Debian 12 and 13, a container, the wheel, older processors, Ray.
# What cannot be tried here is said to be SKIPPED.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Tools/package/deb.sh "$1" "$folder/new"
# An upgrade needs something older.
FACE_ENGINE_DEB_VERSION=0.1.9-1 Tools/package/deb.sh "$1" "$folder/old" >/dev/null 2>&1
# As root it warns of that alone.
lintian --allow-root --pedantic --fail-on error,warning "$folder/new"/*.changes
echo "packages: lintian: ok"
failed=()
try() { # NAME COMMAND...: status 77 is that it could not be tried, which the program has said
  local status=0
  "${@:2}" || status=$?
  ((status == 0 || status == 77)) || failed+=("$1")
}
try "Debian 12 and 13" Tests/Packages/debian.sh "$folder/new" "$folder/old"
try container Tests/Packages/container.sh "$folder/new"
try release Tests/Packages/release.sh "$1"
try wheel Tests/Packages/wheel.sh "$1"
try "older processors" Tests/Packages/processors.sh "$1"
# The package is the checkout's; Ray, if this Python has it.
ln -s "$(realpath "$1")/libfaceengine.so" "$folder/libfaceengine.so.1"
ln -s "$(realpath "$1")/libfaceengine-draw.so" "$folder/libfaceengine-draw.so.1"
try Ray env FACE_ENGINE_LIBRARIES="$folder" FACE_ENGINE_MODELS="$(realpath "$1")/staged/share/face-engine/Models" python3 Tests/Peers/ray/test.py
((${#failed[@]} == 0)) || { printf 'packages: FAILED: %s\n' "${failed[@]}" >&2; exit 1; }
