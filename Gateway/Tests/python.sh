#!/usr/bin/env bash
# python.sh ARGUMENT...: Python with what the tests of the gateway need: packages from the index, installed once into
# Gateway/.build/venv, and code for the messages of Proto.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$here/..")/.build
python=$build/venv/bin/python
if ! cmp -s "$here/requirements.txt" "$build/venv/requirements.txt"; then
  python3 -m venv --clear "$build/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$build/venv"
fi
mkdir -p "$build/stubs"
"$python" -m grpc_tools.protoc -I"$here/../../Proto" --python_out="$build/stubs" --grpc_python_out="$build/stubs" face_engine.proto ttrpc.proto
PYTHONPATH=$build/stubs PYTHONDONTWRITEBYTECODE=1 exec "$python" "$@"
