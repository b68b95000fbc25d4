#!/usr/bin/env bash
# run.sh OLDER NEWER: programs of two builds together, as they meet during an upgrade. OLDER has what the last release
# installed, or a build of it: face-engine, libfaceengine.so.1, and perhaps face-engine-gateway, gstreamer, java and
# qml; NEWER is today's build folder.
#
# Each command with the other one's engine, each engine taking over from the other, the older gateway with the newer
# engine and the other way round, and so element, classes and module with the library. What a build lacks is skipped, by
# name.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || {
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
older=$(realpath "$1") newer=$(realpath "$2")
folder=$(mktemp -d)
server=
# shellcheck disable=SC2046 # process numbers
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
fail() {
  echo "versions: FAILED: $*" >&2
  exit 1
}
readonly photo=Examples/photos/grace_hopper.jpg socket=$folder/engine.sock
export XDG_RUNTIME_DIR=$folder

# serve BUILD FLAG...: starts its engine, and waits until it serves.
serve() {
  "$1/face-engine" serve --socket "$socket" --model Models/yunet "${@:2}" >"$folder/log" 2>&1 &
  server=$!
  "$1/face-engine" status --socket "$socket" --wait-ready >"$folder/status" || {
    cat "$folder/log" >&2
    fail "the engine of $1 does not start"
  }
}

stop() {
  kill "$server"
  wait "$server" || fail "the engine ended with $?"
  server=
}

# asked BUILD: what its command gets of the engine that runs.
asked() {
  local command=$1/face-engine
  "$command" detect --json --landmarks --pose --quality --socket "$socket" "$photo"
  "$command" detect --json --track --min-hits 1 --socket "$socket" "$photo" "$photo"
  "$command" check --still --mask 268,227,160 --socket "$socket" "$photo"
}

# same_as FILE FILE: whether two files of JSON lines are equal in all that both know. A newer command prints more.
same_as() {
  python3 - "$@" <<'END'
import json, sys


def both(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return all(both(one[name], other[name]) for name in one.keys() & other.keys())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(both, one, other))
    return one == other


lines = [[json.loads(line) for line in open(path)] for path in sys.argv[1:]]
sys.exit(not (lines[0] and both(*lines)))
END
}

# The calls of an engine since its start, or since that of the one it took over from.
calls() {
  "$newer/face-engine" status --json --socket "$socket" | python3 -c '
import json, sys
print(sum(method["calls"] for method in json.load(sys.stdin)["methods"]))'
}

for builds in "$older $newer" "$newer $older"; do
  read -r first second <<<"$builds"
  serve "$first"
  asked "$first" >"$folder/own"
  asked "$second" >"$folder/other"
  [[ -s $folder/own ]] || fail "the command of $first finds nothing"
  same_as "$folder/own" "$folder/other" || fail "the command of $second gets something else from the engine of $first"
  echo "versions: ok: $second with the engine of $first"

  before=$(calls) former=$server
  serve "$second" --take-over
  wait "$former" || fail "the engine of $first ended with $? after the take-over"
  asked "$first" >"$folder/other"
  same_as "$folder/own" "$folder/other" || fail "after the take-over the command of $first gets something else"
  (($(calls) > before && before > 0)) || fail "the counters of $first are lost"
  stop
  echo "versions: ok: $second takes over from $first"
done

# found GATEWAY: what it answers with the engine that runs.
found() {
  local address gateway
  : >"$folder/gateway"
  "$1" --socket "$socket" --http 127.0.0.1:0 --no-grpc >>"$folder/gateway" 2>&1 &
  gateway=$!
  until address=$(sed -n 's/.*http listens at \([0-9.:]*\).*/\1/p' "$folder/gateway") && [[ -n $address ]]; do
    kill -0 "$gateway" 2>/dev/null || {
      cat "$folder/gateway" >&2
      fail "$1 does not start"
    }
    sleep 0.1
  done
  curl --silent --fail --data-binary "@$photo" "http://$address/v1/detect?landmarks&pose" || {
    cat "$folder/gateway" >&2
    fail "$1 does not answer"
  }
  kill "$gateway"
  wait "$gateway" || true
}

# gateway_of BUILD: the path of its gateway. In a checkout the gateway has a build folder of its own.
gateway_of() {
  local place
  for place in "$1" "${1%%/.build/*}/Gateway/.build/release"; do
    [[ ! -x $place/face-engine-gateway ]] || {
      echo "$place/face-engine-gateway"
      return
    }
  done
}
if [[ -n $(gateway_of "$older") && -n $(gateway_of "$newer") ]]; then
  for builds in "$older $newer" "$newer $older"; do
    read -r first second <<<"$builds"
    serve "$first"
    found "$(gateway_of "$first")" >"$folder/own"
    found "$(gateway_of "$second")" >"$folder/other"
    same_as "$folder/own" "$folder/other" || fail "the gateway of $second answers something else with the engine of $first"
    stop
    echo "versions: ok: the gateway of $second with the engine of $first"
  done
else
  echo "versions: SKIPPED: there are not two gateways"
fi

# functions FLAG FILE...: the library's functions that the files use (--undefined-only) or have (--defined-only).
functions() { find "${@:2}" -name '*.so*' -exec nm -D "$1" {} + 2>/dev/null | sed -n 's/.* \(face_[a-z_]*\)@.*/\1/p' | sort -u; }

# What is built on the library, each build's beside the other one's library and command.
for builds in "$older $newer" "$newer $older"; do
  read -r first second <<<"$builds"
  mixed=$folder/mixed
  rm -rf "$mixed"
  mkdir "$mixed"
  cp -d "$second"/libfaceengine*.so* "$mixed"
  [[ -e $mixed/libfaceengine.so ]] || ln -s libfaceengine.so.1 "$mixed/libfaceengine.so"
  ln -s "$second"/face-engine "$second"/*.resources "$mixed" 2>/dev/null || true
  while read -r _ door made _; do
    name=${made%%/*}
    [[ -d $first/$name ]] || {
      echo "versions: SKIPPED: $first has no $name"
      continue
    }
    cp -r "$first/$name" "$mixed"
    # The loader refuses it by the function's name.
    lacking=$(comm -23 <(functions --undefined-only "$mixed/$name") <(functions --defined-only "$mixed"/libfaceengine*.so.1) | paste -sd ' ')
    if [[ -n $lacking ]]; then
      [[ $first == "$newer" ]] || fail "the newer library lacks $lacking, which the $name of $first calls"
      echo "versions: SKIPPED: the library of $second lacks $lacking, which the $name of $first calls"
      continue
    fi
    "$door/Tests/test.sh" "$mixed" </dev/null >"$folder/door" 2>&1 || {
      tail -n 40 "$folder/door" >&2
      fail "the $name of $first with the library of $second"
    }
    echo "versions: ok: the $name of $first with the library of $second"
  done < <(grep -v '^#' Tools/doors.txt)
done
