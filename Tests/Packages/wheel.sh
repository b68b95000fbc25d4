#!/usr/bin/env bash
# wheel.sh BUILD_FOLDER: makes the wheel twice, which has to give the same bytes, installs it in an empty environment as
# docs/start.md says, finds a face without the checkout, cache or libraries of this machine's user, also by its script
# and by the plug-in, and runs the package's own tests on it. Status 77 where Python cannot make environments or pip
# finds no index.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 Tools/package/wheel.py "$1" "$folder/first"
python3 Tools/package/wheel.py "$1" "$folder/second" >/dev/null
cmp "$folder"/first/*.whl "$folder"/second/*.whl
python3 -c 'import ensurepip, venv' || {
  echo "wheel: SKIPPED: this Python has no venv: install python3-venv" >&2
  exit 77
}
mkdir "$folder/elsewhere"
cp "$folder"/first/*.whl "$folder/elsewhere"
environment=$folder/elsewhere/environment
checkout=$PWD
(cd "$folder/elsewhere" && "$checkout/Tests/start.py" "Python") || {
  "$environment/bin/python" -c 'import numpy' || {
    echo "wheel: SKIPPED: pip finds no NumPy" >&2
    exit 77
  }
  exit 1
}
cat >"$folder/elsewhere/first.py" <<'PYTHON'
import faceengine
engine = faceengine.load()
faces = engine.detect("photo.jpg", landmarks=True)
for face in faces: print(face.box, face.confidence)
assert len(faces) == 1 and len(faces[0].landmarks) == 478
PYTHON
alone() { (cd "$folder/elsewhere" && env -i HOME=/nonexistent PATH=/usr/bin:/bin "$environment/bin/python" "$@"); }
alone first.py
alone -m faceengine detect --accuracy high photo.jpg | grep -q '1 face$'
alone "$environment/bin/face-engine" detect --accuracy high photo.jpg | grep -q '1 face$'
# The plug-in is found beside the library.
mkdir "$folder/elsewhere/mine"
models=$(echo "$environment"/lib/python3*/site-packages/faceengine/Models/yunet)
sed '0,/ 9=1/s// 9=2 -23310=1,0.0/' "$models/yunet.param" >"$folder/elsewhere/mine/mine.param"
cp "$models/yunet.bin" "$folder/elsewhere/mine/mine.bin"
alone -m faceengine detect --model mine photo.jpg | grep -q '1 face$'
PYTHONPATH="$(echo "$environment"/lib/python3*/site-packages)" FACE_ENGINE_INSTALLED=1 \
  python3 Bindings/Python/tests/run.py -q
