#!/usr/bin/env bash
# part.sh NAME COMMAND [ARG...]: runs a part of the tests or checks. Each line of its output is shown behind the part's name, since
# parts run beside each other, and kept in .build/parts/NAME.log; .build/parts/NAME.tsv has its exit status and milliseconds, .times
# those of its tests where it tells them.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
(($# >= 2)) || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
name=$1
shift
mkdir -p .build/parts
rm -f ".build/parts/$name".{tsv,times}
export FACE_ENGINE_TEST_TIMES=$PWD/.build/parts/$name.times
started=${EPOCHREALTIME/./}
"$@" 2>&1 </dev/null | tee ".build/parts/$name.log" | sed -u "s/^/$name: /"
status=${PIPESTATUS[0]}
printf '%s\t%s\n' "$status" "$(((${EPOCHREALTIME/./} - started) / 1000))" >".build/parts/$name.tsv"
# 77: it could not be tried here, which it has said.
((status == 77)) || exit "$status"
