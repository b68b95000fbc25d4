#!/usr/bin/env bash
# inside.sh COMMAND: in the machine that machine.sh made, with the copy of the sources in /source, .build/arm64 in
# /build, and /proc, which the compiler looks for itself in.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2016 # expanded inside
exec unshare --mount --pid --fork --kill-child bash -euc '
  mkdir -p "$0/source" "$0/build"
  mount -t proc proc "$0/proc"
  mount --rbind /dev "$0/dev"
  mount --bind "$1/source" "$0/source"
  mount --bind "$1" "$0/build"
  exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    PKG_CONFIG_PATH=/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:/sysroot/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=/sysroot \
    bash -euc "cd /source && $2"' "$(Tools/arm64/machine.sh --root)" "$PWD/.build/arm64" "$1"
