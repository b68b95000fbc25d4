#!/usr/bin/env bash
# demo.sh ENGINE PHOTO PICTURE: starts the engine, sends it a photo over its socket, saves the annotated picture.
set -euo pipefail

engine=$1 photo=$2 picture=$3
folder=$(mktemp -d)
socket=$folder/face-engine.sock

"$engine" serve --socket "$socket" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; rm -rf "$folder"' EXIT

for _ in $(seq 100); do
  [ -S "$socket" ] && break
  kill -0 "$server" 2>/dev/null || {
    echo "demo: the engine did not start; its message is above" >&2
    exit 1
  }
  sleep 0.05
done
[ -S "$socket" ] || {
  echo "demo: the engine did not listen within 5 s; run '$engine serve' to see why" >&2
  exit 1
}

"$engine" detect --socket "$socket" --annotate "$picture" "$photo"
echo "The faces are marked in $picture"
