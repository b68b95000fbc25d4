#!/usr/bin/env bash
# machine.sh [--root|--sysroot|--cached]: makes the machine that cross-builds for ARM64, in the cache, 5 GB; or prints
# its folder, or the folder of the system that is built for; or says by its status whether it is there.
#
# It is a Debian sid for amd64, whose swiftlang (6.2) compiles for both processors. In it are the standard library for
# arm64, in
# /swift-arm64, and in /sysroot the libraries and headers of Debian 12 for arm64 with dpkg's record of them, so that
# what is built runs there, too. Status 77 where it cannot be made: without root, mmdebstrap or Debian's packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
skip() {
  echo "arm64: SKIPPED: $*" >&2
  exit 77
}
log() { echo "arm64: $*" >&2; }
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
machine=$cache/debian/arm64-builder
readonly recipe=3 # raise it when what is below changes
case ${1-} in
  --root)
    echo "$machine"
    exit
    ;;
  --sysroot)
    echo "$machine/sysroot"
    exit
    ;;
  --cached)
    [[ -e $machine/ready-$recipe ]]
    exit
    ;;
esac
if [[ -e $machine/ready-$recipe ]]; then exit; fi
((EUID == 0)) || skip "this needs root, for chroot"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed: run Tools/setup/packages.sh test"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || skip "this machine has no archive of Debian"
# The archive may be a copy of some weeks ago.
readonly old=(--aptopt='Acquire::Check-Valid-Until "false"')
compiler=swiftlang,libswiftlang,swiftlang-dev,clang,lld,python3,pkg-config,git,ca-certificates
compiler+=,libsqlite3-0,libncurses6
readonly compiler
libraries=libc6-dev,libstdc++-12-dev,libprotobuf-c-dev,libjpeg62-turbo-dev,libpng-dev,libwebp-dev,libyuv-dev
libraries+=,libexif-dev,libcairo2-dev,libjansson-dev,libmd-dev
libraries+=,libgstreamer1.0-dev,libgstreamer-plugins-base1.0-dev,libnghttp2-dev,zlib1g-dev
readonly libraries

# unpack RELEASE FOLDER PACKAGES OPTION...: packages for arm64 and what they need, unpacked alone.
unpack() {
  mmdebstrap --quiet --mode=root --variant=extract --architectures=arm64 "${old[@]}" "${@:4}" --include="$3" "$1" "$2" "$mirror" >"$machine.log" 2>&1
}

# record FOLDER: dpkg's record of the packages in FOLDER/debs, as if it had installed them.
record() {
  local deb fields name database=$1/var/lib/dpkg
  for deb in "$1"/debs/*.deb; do
    fields=$(dpkg-deb --field "$deb")
    name=$(sed -n 's/^Package: //p' <<<"$fields")
    if grep -qx 'Multi-Arch: same' <<<"$fields"; then name+=:arm64; fi
    printf '%s\nStatus: install ok installed\n\n' "$fields" >>"$database/status"
    # Few have these two files.
    dpkg-deb --ctrl-tarfile "$deb" | tar -x -C "$database/info" --transform "s|^\./|$name.|" ./shlibs ./symbols 2>/dev/null || true
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\.||; s|/$||; s|^$|/.|; s|^/lib/|/usr/lib/|' >"$database/info/$name.list"
  done
}

log "making the machine, some minutes"
rm -rf --one-file-system "$machine"
mkdir -p "${machine%/*}"
trap 'tail -n 3 "$machine.log" >&2; rm -f "$machine.log"' ERR
mmdebstrap --quiet --mode=root --variant=minbase "${old[@]}" --include="$compiler" sid "$machine" "$mirror" >"$machine.log" 2>&1 \
  || skip "sid's swiftlang cannot be had: $(tail -n 1 "$machine.log")"
unpack sid "$machine/arm64" swiftlang || skip "sid's swiftlang for arm64 cannot be had: $(tail -n 1 "$machine.log")"
mkdir "$machine/swift-arm64"
mv "$machine"/arm64/usr/libexec/swift/lib/{clang,swift_static} "$machine/swift-arm64"
cp "$machine/arm64/usr/share/doc/swiftlang/copyright" "$machine/swift-arm64"
rm -rf "$machine/arm64"
# shellcheck disable=SC2016 # expanded by mmdebstrap
unpack bookworm "$machine/sysroot" "$libraries" --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
  --extract-hook='mkdir "$1/debs" && cp "$1"/var/cache/apt/archives/*.deb "$1/debs"' \
  || skip "Debian 12's libraries for arm64 cannot be had: $(tail -n 1 "$machine.log")"
record "$machine/sysroot"
rm -rf "$machine/sysroot/debs" "$machine.log"
# A linker would look for what they name in the machine's own root.
find "$machine/sysroot/usr/lib" -type l -lname '/*' | while IFS= read -r link; do
  ln -sfnr "$machine/sysroot$(readlink "$link")" "$link"
done
# Where Swift looks below the root of an SDK. There are no dynamic libraries, but Swift looks for them, too.
for name in swift swift_static; do ln -s ../../../swift-arm64/swift_static "$machine/sysroot/usr/lib/$name"; done
touch "$machine/ready-$recipe"
