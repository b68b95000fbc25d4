#!/usr/bin/env bash
# inside.sh: what debian.sh does on a machine for ARM64, under qemu, and in part on one for this machine's processor;
# the packages are in /packages, their tests in /tests, the checkout's tests in /checkout. Reports each part and
# continues. The faces of the photos stay in /tests/faces, and pictures with these drawn in /tests/drawn.
set -uo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
failed=0
say() { echo "inside: $*"; }
parts=$(</tests/parts)
readonly parts
part() { # NAME COMMAND...
  local name=$1 started=$SECONDS
  shift
  [[ -z $parts || " $parts " == *" $name "* ]] || return 0
  if "$@" >/tmp/log 2>&1; then
    say "$name: ok, $((SECONDS - started)) s$(sed -n 's/^note: /, /p' /tmp/log | tr -d '\n')"
  else
    say "$name: FAILED"
    tail -n 40 /tmp/log
    failed=1
  fi
}
install() { apt-get -q -y install --no-install-recommends "$@"; }
own_test() { (cd /tmp && "/tests/$1"); }
readonly models=/usr/share/face-engine/Models photo=/checkout/Examples/photos/grace_hopper.jpg socket=/tmp/engine.sock

packages() {
  apt-get -q update
  install /packages/*.deb
  [[ $(dpkg --print-architecture) == "$(</tests/architecture)" ]]
  ! ldd /usr/bin/face-engine* /usr/lib/*/libfaceengine*.so.1 | grep 'not found'
  # What the tests need besides.
  install gcc libc6-dev pkg-config libjpeg-turbo-progs util-linux fonts-dejavu-core libcairo2 \
    libgdk-pixbuf-2.0-0 libpangocairo-1.0-0 libtiff-tools libtiff6 python3-pil python3-pytest gstreamer1.0-tools \
    gstreamer1.0-plugins-base \
    gstreamer1.0-plugins-good curl xz-utils libheif1
}

engine() {
  face-engine serve --socket "$socket" >/tmp/engine.log 2>&1 &
  for ((i = 0; i < 600; i++)); do
    if face-engine status --socket "$socket" >/tmp/status 2>/dev/null; then
      echo "note: its sandbox: $(sed -n 's/^sandbox *//p' /tmp/status)"
      return
    fi
    sleep 0.1
  done
  cat /tmp/engine.log
  return 1
}

examples() {
  local name
  for name in /checkout/Examples/c/*.c; do
    # shellcheck disable=SC2046 # several words
    gcc -O1 -Wall -Wextra -Werror "$name" -o "/tmp/${name##*/}.program" $(pkg-config --cflags --libs faceengine) -lm -pthread || return
  done
  djpeg -outfile /tmp/photo.ppm "$photo" \
    && /tmp/detect.c.program load "$models/yunet" /tmp/photo.ppm >/tmp/loaded \
    && /tmp/detect.c.program connect "$socket" /tmp/photo.ppm >/tmp/connected \
    && diff /tmp/loaded /tmp/connected && (($(wc -l </tmp/loaded) == 1))
}

suite() { # LIBRARIES SOURCE...
  # shellcheck disable=SC2086 # several words
  gcc -std=c99 -Wall -Wextra -pedantic -Werror "${@:2}" -o /tmp/suite $1 -pthread -lm || return
  (cd /checkout && /tmp/suite load "$models/yunet" "$photo" && /tmp/suite connect "$socket" "$photo")
}

python() {
  (cd /checkout && FACE_ENGINE_INSTALLED=1 python3 -m pytest -p no:cacheprovider -q -rfs --tb=short \
    -c Bindings/Python/pyproject.toml Bindings/Python/tests/test_{abi,faces,images,sessions,draw}.py)
  local status=$?
  echo "note: $(grep -E '[0-9]+ (passed|failed)' /tmp/log | tail -n 1 | tr -d =)"
  return "$status"
}

# The clip is a photo that stands still.
check() {
  local frames=()
  for ((i = 0; i < 40; i++)); do frames+=("$photo"); done
  face-engine check --fps 12 --mask 268,227,160 --picture /tmp/taken.png "${frames[@]}" >/tmp/events
  local status=$?
  tail -n 2 /tmp/events
  ((status == 0)) && [[ -s /tmp/taken.png ]]
}

draw() {
  (cd /checkout && FACE_ENGINE_MODELS=/tmp/floats face-engine detect --landmarks --pose --annotate /tests/drawn \
    Examples/photos/*.{jpg,png})
}

wheel() {
  mkdir -p /tmp/wheel
  python3 -m zipfile -e /packages/*.whl /tmp/wheel && PYTHONPATH=/tmp/wheel python3 - "$photo" <<'PYTHON'
import sys
import faceengine
assert faceengine.__file__.startswith("/tmp/wheel/"), faceengine.__file__
faces = faceengine.load().detect(sys.argv[1], landmarks=True)
assert len(faces) == 1 and len(faces[0].landmarks) == 478, faces
PYTHON
}

tarball() {
  tar -xf /packages/*.tar.xz -C /tmp || return
  local unpacked=(/tmp/face-engine-*-linux-aarch64)
  "${unpacked[0]}/bin/face-engine" detect "$photo" | grep '1 face$'
}

faces() {
  local accuracy
  for accuracy in $(</tests/accuracies); do
    # Status 123 of xargs, or 1: of some files there is nothing to decode.
    (cd /checkout && FACE_ENGINE_MODELS=/tmp/floats xargs -0 face-engine detect --json --all --accuracy "$accuracy" </tests/photos >"/tests/faces/$accuracy")
    [[ -s /tests/faces/$accuracy ]] || return
  done
}

part packages packages
/tests/floats.py "$models" /tmp/floats
for name in library plug-in python pictures gstreamer gateway; do part "test-$name" own_test "$name"; done
part engine engine
part examples examples
part suite suite -lfaceengine /checkout/Tests/CTests/abi/*.c
part suite-draw suite "-lfaceengine -lfaceengine-draw" /checkout/Tests/CTests/draw/draw.c
part check check
part drawing draw
part python-suite python
part wheel wheel
part tarball tarball
part faces faces
kill %1 2>/dev/null
exit $failed
