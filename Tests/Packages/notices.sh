#!/usr/bin/env bash
# notices.sh PACKAGES_FOLDER: each package has the notices of what is in it. The gateway's has those of what is linked
# into the gateway; the copyright file of all others is the repository's, whether the gateway was built or not. And
# packages of libraries of two majors, such as libfaceengine1 and a later libfaceengine2, have no file in common.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
fail() {
  echo "notices: FAILED: $*" >&2
  exit 1
}
shopt -s nullglob
others=0
gateways=0
libraries=0
for file in "$1"/*.deb; do
  package=$(dpkg-deb --field "$file" Package)
  copyright=$(dpkg-deb --fsys-tarfile "$file" | tar --extract --to-stdout "./usr/share/doc/$package/copyright")
  [[ $copyright == "$(<Tools/package/debian/copyright)"* ]] || fail "$package lacks the notices of Tools/package/debian/copyright"
  if [[ $package == lib*[0-9] ]]; then
    shared=$(dpkg-deb --fsys-tarfile "$file" | tar --list | grep -vE "/$|[.]so[.]${package##*[!0-9]}([.]|$)|/$package(/|$)" || true)
    [[ -z $shared ]] || fail "$package has $shared, which the package of another major would have, too"
    libraries=$((libraries + 1))
  fi
  if [[ $package == face-engine-gateway ]]; then
    gateways=$((gateways + 1))
    [[ $copyright == *"$(<Tools/package/debian-gateway/copyright)" ]] || fail "$package lacks those of Tools/package/debian-gateway/copyright"
  else
    others=$((others + 1))
    [[ $copyright == "$(<Tools/package/debian/copyright)" ]] || fail "$package has notices of something that is not in it"
  fi
done
# With the doors, which need not be built.
most=$((9 + $(grep -vc '^#' Tools/doors.txt)))
((others >= 9 && others <= most)) || fail "$1 has $others packages beside the gateway's, not 9 to $most"
((libraries >= 2)) || fail "$1 has $libraries packages of libraries"
echo "notices: ok: $others packages, $libraries of libraries, and $gateways of the gateway"
