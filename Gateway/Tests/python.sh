#!/usr/bin/env bash
# python.sh ARGUMENT...: Python with what the tests of the gateway need: packages from the index, installed once into
# Gateway/.build/venv, and code for the messages of Proto.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$here/..")/.build
python=$build/venv/bin/python
mkdir -p "$build/stubs"
# Another program that needs them may be started beside this one.
exec 9>"$build/stubs/lock"
flock 9
if ! cmp -s "$here/requirements.txt" "$build/venv/requirements.txt"; then
  python3 -m venv --clear "$build/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"
  cp "$here/requirements.txt" "$build/venv"
fi
if [[ -n $(find "$here/../../Proto" -name '*.proto' -newer "$build/stubs/ttrpc_pb2.py" 2>&1) ]]; then
  "$python" -m grpc_tools.protoc -I"$here/../../Proto" --python_out="$build/stubs" --grpc_python_out="$build/stubs" face_engine.proto ttrpc.proto
fi
exec 9>&-
PYTHONPATH=$build/stubs PYTHONDONTWRITEBYTECODE=1 exec "$python" "$@"
