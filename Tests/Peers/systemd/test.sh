#!/usr/bin/env bash
# test.sh BUILD: the units of Tools/systemd under a systemd of their own, which is process 1 in namespaces of its own.
#
# Says "ok: …" of each thing that holds and stops at the first that does not; "skipped: …" where it cannot run, which
# needs root, systemd and weights that were fetched.
set -euo pipefail
cd "$(dirname "$0")/../../.."
skip() {
  echo "skipped: $*"
  exit 0
}
build=$(realpath "$1")
weights=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}/models
((EUID == 0)) || skip "needs root"
[[ -x /lib/systemd/systemd ]] || skip "there is no systemd"
[[ -d $weights ]] || skip "no weights were fetched"
unshare --mount --pid --fork --uts --ipc --cgroup --net true 2>/dev/null || skip "there are no namespaces to be had"

if [[ -z ${FACE_ENGINE_SYSTEMD_TEST:-} ]]; then
  FACE_ENGINE_SYSTEMD_TEST=$(mktemp -d)
  export FACE_ENGINE_SYSTEMD_TEST
  trap 'rm -rf "$FACE_ENGINE_SYSTEMD_TEST"' EXIT
  unshare --mount "$0" "$build"
  exit
fi

# In a mount namespace: a control group that takes what systemd makes below it.
folder=$FACE_ENGINE_SYSTEMD_TEST
mkdir "$folder/cgroup"
mount -t cgroup2 none "$folder/cgroup" 2>/dev/null || skip "there are no control groups (version 2)"
group=$folder/cgroup/face-engine-test-$$
mkdir "$group" 2>/dev/null || skip "control groups cannot be made"
# What was killed is gone only a moment later.
tidy() { for _ in {1..50}; do
  if find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; then return; fi
  sleep 0.1
done; }
trap tidy EXIT
(
  echo "$BASHPID" >"$group/cgroup.procs"
  # systemd has the output of its tests in a file and no terminal.
  exec timeout -s KILL 480 unshare --fork --kill-child --pid --mount --uts --ipc --cgroup --net \
    Tests/Peers/systemd/inside.sh "$build" "$weights" "$folder" <&- >"$folder/log" 2>&1
) || true
cat "$folder/output"
[[ -e $folder/passed ]] || {
  cat "$folder/log"
  exit 1
}
