#!/usr/bin/env bash
# test.sh [NAME...]: runs the tests of the gateway, or those that are named as in test_http.PictureTests, against the
# engine and the gateway that were built; without names those of the page in a browser, too, as many modules at a time
# as there are processors. Python's packages come from the package index, once, into Gateway/.build/venv.
#
# FACE_ENGINE_LONG_TESTS=1    tests do more of the same
# FACE_ENGINE_TEST_TIMES=FILE a line `seconds<TAB>name` of each test is added to that file
set -euo pipefail
[[ -z ${FACE_ENGINE_TEST_TIMES-} ]] || FACE_ENGINE_TEST_TIMES=$(realpath -m "$FACE_ENGINE_TEST_TIMES")
cd "$(dirname "$0")"
[[ -x ../.build/release/face-engine-gateway || -n ${FACE_ENGINE_GATEWAY-} ]] || {
  echo "test.sh: there is no gateway; run make gateway" >&2
  exit 1
}
if [[ ${1-} == page/* ]]; then exec ./python.sh -m pytest -p no:cacheprovider --rootdir page -rsf --tb=short "$@"; fi
if (($# > 0)); then exec ./python.sh ../../Tests/durations.py "$@"; fi
exec ./python.sh parallel.py
