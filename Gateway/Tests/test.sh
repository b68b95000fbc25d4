#!/usr/bin/env bash
# test.sh [NAME...]: runs the tests of the gateway, or those that are named as in test_http.PictureTests, against the engine and
# the gateway that were built; without names those of the page in a browser, too. Python's packages come from the package
# index, once, into Gateway/.build/venv.
set -euo pipefail
cd "$(dirname "$0")"
build=$PWD/../.build
python=$build/venv/bin/python
[[ -x $build/release/face-engine-gateway || -n ${FACE_ENGINE_GATEWAY-} ]] || { echo "test.sh: there is no gateway; run make gateway" >&2; exit 1; }
if ! cmp -s requirements.txt "$build/venv/requirements.txt"; then
  python3 -m venv --clear "$build/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
  cp requirements.txt "$build/venv"
fi
# KServe's own, for the tests of its client alone.
kserve=$build/kserve/bin/python
if [[ " ${*:-test_clients} " == *test_clients* ]] && ! cmp -s clients/kserve-requirements.txt "$build/kserve/requirements.txt"; then
  python3 -m venv --clear "$build/kserve"
  if "$kserve" -m pip install --quiet --disable-pip-version-check --requirement clients/kserve-requirements.txt; then
    cp clients/kserve-requirements.txt "$build/kserve/requirements.txt"
  else
    echo "test.sh: KServe cannot be installed, and is not tested" >&2
  fi
fi
[[ -f $build/kserve/requirements.txt ]] && export KSERVE_PYTHON=$kserve
mkdir -p "$build/stubs"
"$python" -m grpc_tools.protoc -I../../Proto --python_out="$build/stubs" --grpc_python_out="$build/stubs" face_engine.proto
export PYTHONPATH=$build/stubs PYTHONDONTWRITEBYTECODE=1
if (($# > 0)); then exec "$python" -m unittest "$@"; fi
failed=()
"$python" -m unittest discover -p 'test_*.py' || failed+=("the gateway")
# 77: there is no browser or no index for it, which was said.
page/run.py -q || (($? == 77)) || failed+=("the page")
((${#failed[@]} == 0)) || { printf 'test.sh: FAILED: %s\n' "${failed[@]}" >&2; exit 1; }
