#!/bin/sh
# install-units.sh [ROOT]: installs systemd's units of the tree that this file is in, wherever that was moved to, and
# their users: into
# /etc of ROOT, by default of this machine. As root, and again after each move.
set -eu
[ $# -le 1 ] || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
log() { echo "install-units: $*" >&2; }
# As it was called: a link to the tree stays one.
tree=$(cd "$(dirname "$0")/../.." && pwd)
etc=${1:-}/etc
[ -x "$tree/bin/face-engine" ] || {
  log "there is no $tree/bin/face-engine: run this file in the tree that was installed"
  exit 1
}
case $tree in
  *[!A-Za-z0-9/._+-]*)
    log "the path $tree would need quoting in a unit: move the tree to one of letters, digits and ._+- alone, as /opt/face-engine"
    exit 1
    ;;
  /home/* | /root/* | /run/user/* | /tmp/* | /var/tmp/*)
    log "the units keep the engine out of $tree (ProtectHome=, PrivateTmp=): move the tree, as to /opt, and run this again"
    ;;
esac
mkdir -p "$etc/systemd/system" "$etc/sysusers.d"
for unit in "$tree"/lib/systemd/system/face-engine*; do
  sed "s|^ExecStart=[^ ]*/bin/|ExecStart=$tree/bin/|" "$unit" >"$etc/systemd/system/${unit##*/}"
done
cp "$tree"/lib/sysusers.d/face-engine*.conf "$etc/sysusers.d"
echo "The units in $etc/systemd/system start $tree/bin/face-engine. Next, as root:
    systemd-sysusers && systemctl daemon-reload && systemctl enable --now face-engine.socket"
