#!/usr/bin/env bash
# run.sh BUILD MINUTES: chaos.py with the messages of the protocol made for it.
set -euo pipefail
cd "$(dirname "$0")/../.."
messages=$(mktemp -d)
trap 'rm -rf "$messages"' EXIT
protoc --python_out="$messages" -I Proto face_engine.proto ttrpc.proto
PYTHONPATH=$messages PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 Tests/Chaos/chaos.py "$1" "$2" "${CHAOS_FOLDER:-.build/chaos}"
