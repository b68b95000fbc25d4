#!/usr/bin/env bash
# emulated.sh COMMAND [ARG...]: runs a command in namespaces in which programs for ARM64 are run by qemu, as root of its
# own, and changes nothing for other processes of this machine (Linux 6.7 or later). What it has started ends with it.
# Status 77 where that cannot be had.
set -euo pipefail
(($# >= 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
skip() {
  echo "emulated: SKIPPED: $*" >&2
  exit 77
}
((EUID == 0)) || skip "this needs root"
emulator=$(command -v qemu-aarch64-static) || skip "qemu-aarch64-static is not installed: run Tools/setup/packages.sh test"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/go"
# A 64-bit program, little-endian, for aarch64 (183).
cat >"$folder/enter.sh" <<'ENTER'
set -euo pipefail
mount -t proc proc /proc
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc 2>/dev/null || { echo "emulated: SKIPPED: this kernel runs other processors' programs for all or none" >&2; exit 77; }
printf '%s' ':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:'"$EMULATOR:FP" \
  >/proc/sys/fs/binfmt_misc/register
exec "$@"
ENTER
# shellcheck disable=SC2016 # expanded inside
EMULATOR=$emulator unshare --user bash -c 'read -r _ <"$0/go"; exec unshare --mount --pid --fork --kill-child bash "$0/enter.sh" "$@"' \
  "$folder" "$@" &
process=$!
own=$(readlink /proc/self/ns/user)
until [[ $(readlink "/proc/$process/ns/user") != "$own" ]]; do sleep 0.05; done
# All users, which newuidmap would give only to those in its lists.
for map in uid_map gid_map; do echo "0 0 4294967295" >"/proc/$process/$map" || {
  kill $process
  skip "no namespace of users"
}; done
echo >"$folder/go"
wait $process
