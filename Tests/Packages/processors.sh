#!/usr/bin/env bash
# processors.sh BUILD_FOLDER: the command finds the same face of the demo photo on processors that this machine may not
# be: Nehalem (SSE4.2), Haswell (AVX2) and Skylake-Server, under qemu, which has no AVX-512: there the latter is an AVX2
# processor whose model promises more. Status 77 without qemu-x86_64.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
command=$1/face-engine
qemu=$(command -v qemu-x86_64-static || command -v qemu-x86_64) \
  || {
    echo "processors: SKIPPED: qemu-x86_64 is not installed: apt-get install qemu-user-static" >&2
    exit 77
  }
export FACE_ENGINE_MODELS=$1/staged/share/face-engine/Models
detect() { "$@" "$command" detect --json --landmarks Examples/photos/grace_hopper.jpg; }
# same HERE THERE: every number of the faces, boxes and 478 points, within a twentieth of a pixel; prints how many there
# are.
same() {
  python3 - "$@" <<'PYTHON'
import json, sys


def numbers(value):
    if isinstance(value, (int, float)):
        return [value]
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [number for member in members for number in numbers(member)]


here, there = (json.loads(text)["faces"] for text in sys.argv[1:])
a, b = numbers(here), numbers(there)
far = max((abs(one - other) for one, other in zip(a, b)), default=0)
print(f"{len(there)} face, {len(b)} numbers, {far:.4f} apart at most")
sys.exit(not (len(here) == 1 and len(a) == len(b) > 1000 and far < 0.05))
PYTHON
}
here=$(detect)
failed=0
for processor in Nehalem Haswell Skylake-Server; do
  there=$(detect "$qemu" -cpu "$processor" 2>/dev/null) || there='{"faces": []}'
  kernels=$("$qemu" -cpu "$processor" "$command" models 2>/dev/null | sed -n 's/^  runs on  fused kernels, //p' | sort -u | paste -sd ';')
  if apart=$(same "$here" "$there"); then
    echo "processors: $processor (${kernels//;/; }): $apart"
  else
    echo "processors: $processor (${kernels//;/; }): FAILED: $apart" >&2
    failed=1
  fi
done
exit $failed
