#!/usr/bin/env bash
# test.sh BUILD_FOLDER [SUITE...]: runs the tests of the QML module in BUILD_FOLDER/qml, made by make -C
# Bindings/QtQuick. BUILD_FOLDER has the command face-engine, too. FACE_TEST_SCREENS, a folder, gets pictures of the
# kiosk. Status 77 without Qt.
set -euo pipefail
cd "$(dirname "$0")/../../.."
(($# >= 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
build=$(realpath "$1")
fail() {
  echo "qtquick: FAILED: $*" >&2
  exit 1
}
pkg-config --exists Qt6Quick Qt6Multimedia Qt6Test || {
  echo "qtquick: SKIPPED: Qt is not installed: run Tools/setup/packages.sh test-qtquick" >&2
  exit 77
}
folder=$(mktemp -d)
server=
trap 'rm -rf "$folder"; [[ -z $server ]] || kill "$server" 2>/dev/null || true' EXIT
module=$build/qml/FaceEngine
[[ $(readelf --dynamic "$module/libfaceengineqml.so") == *'[$ORIGIN/../..]'* ]] || fail "the module has the path of its build"
grep -q 'FaceEngine/GuidedCheck 1.0' "$module/faceengine.qmltypes" || fail "editors are not told of GuidedCheck"

for suite in finder check kiosk; do
  "$(pkg-config --variable=libexecdir Qt6Core)/moc" "Bindings/QtQuick/Tests/${suite}_test.cpp" -o "$folder/${suite}_test.moc"
done
# shellcheck disable=SC2046 # pkg-config gives several words
g++ -std=c++17 -O1 -g -fPIC -Wall -Wextra -Werror -Iinclude -I"$folder" \
  Bindings/QtQuick/Tests/*.cpp Bindings/QtQuick/frames.cpp Bindings/QtQuick/settings.cpp -o "$folder/module_test" \
  -L"$build" -lfaceengine -Wl,-rpath,"$build" $(pkg-config --cflags --libs Qt6Quick Qt6Multimedia Qt6Test)

# The weights are in the cache of the home that the tests do not have.
export FACE_ENGINE_CACHE=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
export QML_IMPORT_PATH=$build/qml XDG_RUNTIME_DIR=$folder HOME=$folder
export FACE_TEST_MODEL=${FACE_TEST_MODEL:-$PWD/Models/yunet} FACE_TEST_PHOTO=$PWD/Examples/photos/grace_hopper.jpg
export FACE_TEST_COMMAND=$build/face-engine FACE_TEST_KIOSK=$PWD/Examples/qt/kiosk.qml
suites=("${@:2}")
((${#suites[@]})) || suites=(finder check kiosk)
for suite in "${suites[@]}"; do
  if [[ $suite != kiosk ]]; then
    # Memory is overwritten when it is freed: the tests look for pictures in it.
    GLIBC_TUNABLES=glibc.malloc.perturb=85 QT_QPA_PLATFORM=offscreen "$folder/module_test" "$suite" || fail "a test of the suite $suite, as above"
    continue
  fi
  # A wall, and a person who stays for longer than the test waits.
  ffmpeg -v error -f lavfi -i color=0x808890:s=640x480:r=10:d=3 -pix_fmt yuvj420p -c:v mjpeg -q:v 3 "$folder/wall.avi"
  ffmpeg -v error -loop 1 -r 10 -t 60 -i "$FACE_TEST_PHOTO" -vf pad=640:614:52:14:0x808890,crop=640:480:0:0,setsar=1 \
    -pix_fmt yuvj420p -c:v mjpeg -q:v 3 "$folder/person.avi"
  export FACE_TEST_PERSON=$folder/person.avi
  Xvfb -displayfd 3 -screen 0 1024x768x24 3>"$folder/display" 2>/dev/null &
  server=$!
  for ((i = 0; i < 300; i++)); do
    [[ ! -s $folder/display ]] || break
    sleep 0.1
  done
  # The other backend of Debian 12, on GStreamer, has few decoders of its own.
  QT_MEDIA_BACKEND=ffmpeg DISPLAY=:$(<"$folder/display") QT_QPA_PLATFORM=xcb "$folder/module_test" kiosk "--clip=file://$folder/wall.avi" "--model=$FACE_TEST_MODEL" --language=de \
    || fail "the kiosk, as above"
done
