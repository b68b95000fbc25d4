#!/usr/bin/env bash
# run.sh BUILD MINUTES: chaos.py with the messages of the protocol made for it, then draw.py on what it wrote.
set -euo pipefail
cd "$(dirname "$0")/../.."
messages=$(mktemp -d)
trap 'rm -rf "$messages"' EXIT
protoc --python_out="$messages" -I Proto face_engine.proto ttrpc.proto
folder=${CHAOS_FOLDER:-.build/chaos}
mkdir -p "$folder"
[[ -s $folder/pictures.txt ]] || python3 Tests/Hostile/make_corpus.py "$folder/pictures" >"$folder/pictures.txt"
status=0
PYTHONPATH=$messages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 Tests/Chaos/chaos.py "$1" "$2" "$folder" || status=$?
[[ ! -s $folder/memory.csv ]] || python3 Tests/Chaos/draw.py "$folder/memory.csv" >"$folder/memory.svg" || true
exit "$status"
