#!/usr/bin/env bash
# inside.sh BUILD WEIGHTS FOLDER: process 1 of test.sh's namespaces. Installs, becomes systemd, and has a child that
# looks.
set -euo pipefail
build=$1 weights=$2 folder=$3
mount --make-rprivate /
mount -t proc proc /proc
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs tmpfs /var/cache
mount --bind "$folder" /mnt # to be seen when /tmp is the service's own
mount -t tmpfs tmpfs /run
mount --bind /dev/null "$(realpath /bin/kill)" # as on a small Debian without procps
readonly user=61010 socket=/run/face-engine/face-engine.sock log=/run/log
units=/run/units
engine=/run/usr/bin/face-engine

PREFIX=/run/usr Tools/package/install.sh install "$build" >/dev/null
mkdir -p /var/cache/face-engine "$units/face-engine.service.d"
cp -r "$weights" /var/cache/face-engine/models
chown -R $user:$user /var/cache/face-engine
cp Tools/systemd/face-engine.{service,socket} "$units"
# Nothing of the units is changed but where the engine lies, where it logs and how long the test takes.
cat >"$units/face-engine.service.d/test.conf" <<UNIT
[Service]
ExecStart=
ExecStart=$engine serve --log-level info
StandardOutput=file:$log
StandardError=inherit
WatchdogSec=5
UNIT
for target in sysinit basic shutdown sockets; do printf '[Unit]\nDescription=%s\n' "$target" >"$units/$target.target"; done
printf '[Unit]\nWants=face-engine.socket\n' >"$units/default.target"
cp /etc/passwd /etc/group /run
echo "face-engine:x:$user:$user::/:/usr/sbin/nologin" >>/run/passwd
echo "face-engine:x:$user:" >>/run/group
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group

ok() { echo "ok: $*"; }
fail() {
  echo "failed: $*"
  cat "$log"
  exit 1
}
property() { systemctl show -P "$1" face-engine.service; }
serves() { [[ $("$engine" status --socket "$socket") == *SERVING* ]]; }
belongs_to_group() { [[ $(stat -c '%a %G' "$socket") == "660 face-engine" ]]; }
# Tries for a minute.
eventually() {
  for _ in {1..600}; do
    if "$@"; then return; fi
    sleep 0.1
  done
  return 1
}

look() {
  eventually test -S "$socket" || fail "systemd listens"
  [[ $(property ActiveState) == inactive ]] || fail "nothing runs before somebody calls"
  # systemd gives it to the group a moment after it listens.
  eventually belongs_to_group || fail "the socket is the group's"
  serves || fail "the first caller starts the engine"
  [[ $(property ActiveState) == active ]] || fail "the engine says that it is ready"
  ok "the first caller starts the engine, which says that it is ready"

  if setpriv --reuid 61011 --regid 61011 --clear-groups "$engine" status --socket "$socket" 2>/dev/null; then
    fail "who is not in the group is not let in"
  fi
  setpriv --reuid 61011 --regid $user --clear-groups "$engine" status --socket "$socket" >/dev/null \
    || fail "who is in the group is let in"
  ok "the group's members may call and nobody else"

  local first process
  process=$(property MainPID)
  first=$(property WatchdogTimestampMonotonic)
  eventually fed "$first" || fail "the watchdog is fed"
  [[ $(property MainPID) == "$process" ]] || fail "an engine that is well stays"
  systemctl reload face-engine.service || fail "the models are loaded again"
  eventually grep -q "models reloaded" "$log" || fail "the engine hears of a reload"
  [[ $(property MainPID) == "$process" ]] || fail "a reload leaves the engine"
  ok "the watchdog is fed, and the models are loaded again on demand"

  kill -STOP "$process"
  eventually restarted || fail "an engine that hangs is started anew"
  serves || fail "who calls meanwhile is served by the next engine"
  [[ $(property MainPID) != "$process" ]] || fail "another engine runs"
  ok "an engine that hangs is started anew, and its callers wait"

  systemctl stop face-engine.service 2>/dev/null
  [[ $(property Result) == success && $(property ExecMainStatus) == 0 ]] || fail "the engine stops on request"
  grep -q "stopped" "$log" || fail "it has drained"
  [[ -S $socket ]] || fail "the socket stays"
  serves || fail "the next caller starts it again"
  ok "it stops in order, and the next caller starts it again"
  touch /mnt/passed
}
fed() { (($(property WatchdogTimestampMonotonic) > $1)); }
restarted() { [[ $(property NRestarts) == 1 ]]; }

export SYSTEMD_UNIT_PATH=$units
(
  (look) >/mnt/output 2>&1 || true
  kill -s RTMIN+13 1 # systemd ends, and all with it
) &
cd /
container=face-engine-test exec /lib/systemd/systemd --system --log-target=console --show-status=no
