#!/usr/bin/env bash
# test.sh BUILD_FOLDER: makes the Debian packages of what was built and staged, has lintian look at them, and tries them on machines
# of Debian 12 and 13 (debian.sh).
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
Tools/package/deb.sh "$1" "$folder/new"
# An upgrade needs something older.
FACE_ENGINE_DEB_VERSION=0.1.9-1 Tools/package/deb.sh "$1" "$folder/old" >/dev/null 2>&1
# As root it warns of that alone.
lintian --allow-root --pedantic --fail-on error,warning "$folder/new"/*.changes
echo "packages: lintian: ok"
status=0
Tests/Packages/debian.sh "$folder/new" "$folder/old" || status=$?
# What could not be tried has been said.
((status == 77)) || exit $status
