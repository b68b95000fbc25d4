#!/usr/bin/env bash
# parts.sh TARGET...: makes targets of the Makefile beside each other, then says how long each part and the ten slowest tests
# took, and again what failed. One part more than there are processors: tests also wait.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
(($# >= 1)) || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
rm -rf .build/parts
started=$SECONDS
# Not what a make above this one has said of jobs.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make --no-print-directory --keep-going --jobs=$(($(nproc) + 1)) TESTS=1 "$@"
status=$?
Tools/parts_summary.py $((SECONDS - started)) || status=1
exit $status
