#!/usr/bin/env bash
# units.sh ROOT [start|upgrade]: runs the packages' own tests of the engine and the gateway in ROOT, where they are
# installed, under its own systemd, which is process 1 of namespaces: the units as they are, with all that they and the
# programs forbid themselves; or inside.sh start or upgrade, which install packages. Nothing of this machine's systemd
# is touched. Status 77 where there are no control groups (version 2) to be had.
set -euo pipefail
(($# == 1 || $# == 2)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
root=$(realpath "$1")

if [[ -z ${UNITS_FOLDER:-} ]]; then
  UNITS_FOLDER=$(mktemp -d)
  export UNITS_FOLDER
  trap 'rm -rf --one-file-system "$UNITS_FOLDER"' EXIT
  status=0
  unshare --mount "$0" "$root" "${@:2}" || status=$?
  exit $status
fi

# In a mount namespace: a control group that takes what systemd makes below it.
skip() {
  echo "units: SKIPPED: $*" >&2
  exit 77
}
mkdir "$UNITS_FOLDER/cgroup"
mount -t cgroup2 none "$UNITS_FOLDER/cgroup" 2>/dev/null || skip "there are no control groups (version 2)"
group=$UNITS_FOLDER/cgroup/face-engine-units-$$
mkdir "$group" 2>/dev/null || skip "control groups cannot be made"
# What was killed is gone only a moment later.
tidy() { for _ in {1..50}; do
  if find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; then return; fi
  sleep 0.1
done; }
trap tidy EXIT

cat >"$UNITS_FOLDER/boot.sh" <<'BOOT'
set -euo pipefail
root=$1
what=${2-}
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 none "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
# What systemd keeps for services goes with it, though it is not stopped but ended.
for folder in tmp var/tmp; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
units=$root/run/units
mkdir -p "$units/service.d"
# Where there is no journal.
printf '[Service]\nStandardOutput=append:/run/log\nStandardError=inherit\n' >"$units/service.d/log.conf"
for target in sysinit basic shutdown sockets network; do printf '[Unit]\nDescription=%s\n' "$target" >"$units/$target.target"; done
path=/run/units
if [[ -n $what ]]; then
  # Where packages install and enable them, with the targets of before.
  path=$path:/etc/systemd/system:/lib/systemd/system
  printf '[Unit]\nDescription=default\n' >"$units/default.target"
else
  cp "$root"/lib/systemd/system/face-engine* "$units"
  printf '[Unit]\nWants=face-engine.socket\n' >"$units/default.target"
fi
cat >"$root/run/try.sh" <<'TRY'
try() {
  if [[ -n $1 ]]; then
    until systemctl list-units >/dev/null 2>&1; do sleep 0.1; done
    if bash /tests/inside.sh "$1"; then touch /run/passed; else cat /run/log; fi
    return
  fi
  until systemctl is-active --quiet face-engine.socket; do sleep 0.1; done
  for name in engine gateway; do
    if [[ $name == engine || -x /usr/bin/face-engine-gateway ]]; then
      "/tests/$name" || { echo "units: FAILED: $name"; cat /run/log; return; }
      echo "units: its test $name passes under $(systemctl --version | head -n 1)"
    fi
  done
  touch /run/passed
}
(try "${1-}"; [[ -e /run/passed ]] && touch /tests/passed; kill -s RTMIN+13 1) >/tests/units.log 2>&1 &
container=face-engine-test exec /lib/systemd/systemd --system --log-target=console --show-status=no
TRY
exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C SYSTEMD_UNIT_PATH=$path bash /run/try.sh "$what"
BOOT
rm -f "$root/tests/passed" "$root/tests/units.log"
(
  echo "$BASHPID" >"$group/cgroup.procs"
  # systemd has its output in a file and no terminal.
  exec timeout -s KILL 300 unshare --fork --kill-child --pid --mount --uts --ipc --cgroup --net \
    bash "$UNITS_FOLDER/boot.sh" "$root" "${@:2}" <&- >"$UNITS_FOLDER/log" 2>&1
) || true
[[ -e $root/tests/passed ]] || {
  cat "$UNITS_FOLDER/log" "$root/tests/units.log" >&2 || true
  exit 1
}
grep -E '^(units|inside): ' "$root/tests/units.log"
