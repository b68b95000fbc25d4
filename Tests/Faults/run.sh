#!/usr/bin/env bash
# run.sh BUILD ARGUMENT...: faults.py with the engine, the libraries and the gateway that were built.
set -euo pipefail
cd "$(dirname "$0")/../.."
FACE_ENGINE=$(realpath "$1/face-engine")
libraries=$(mktemp -d)
trap 'rm -rf "$libraries"' EXIT
for name in libfaceengine libfaceengine-draw; do ln -s "$(realpath "$1/$name.so")" "$libraries/$name.so.1"; done
export FACE_ENGINE FACE_ENGINE_LIBRARIES=$libraries OPENBLAS_NUM_THREADS=1
Gateway/Tests/python.sh Tests/Faults/faults.py "${@:2}"
