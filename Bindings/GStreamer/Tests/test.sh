#!/usr/bin/env bash
# test.sh BUILD_FOLDER [SUITE...]: runs the tests of the plug-in in BUILD_FOLDER/gstreamer, made by make -C
# Bindings/GStreamer. BUILD_FOLDER has the command face-engine, too. The suite lines are the commands of
# docs/gstreamer.md, soak is many frames (FACE_TEST_FRAMES). With LEAKS=1 under GStreamer's leak tracer, with THREADS=1
# under the thread sanitizer.
set -euo pipefail
cd "$(dirname "$0")/../../.."
(($# >= 1)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
build=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
  echo "gstreamer: FAILED: $*" >&2
  exit 1
}

plugin=$build/gstreamer sanitizer=()
if [[ -n ${THREADS:-} ]]; then
  plugin=$folder/gstreamer sanitizer=(-fsanitize=thread)
  make --silent -C Bindings/GStreamer BUILD="$build" OUTPUT="$plugin" \
    CFLAGS="-O1 -g -fsanitize=thread -include $PWD/GStreamer/Tests/thread_sanitizer.h"
  # GStreamer and GLib are not instrumented: what they do among themselves is not looked at.
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66" GST_REGISTRY_FORK=no CK_FORK=no
fi
analytics=()
! pkg-config --exists gstreamer-analytics-1.0 || analytics=(gstreamer-analytics-1.0)
# shellcheck disable=SC2046 # pkg-config gives several words
gcc -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Werror -O1 -g "${sanitizer[@]}" \
  ${analytics:+-DWITH_ANALYTICS} -Iinclude Bindings/GStreamer/Tests/*.c -o "$folder/plugin_test" \
  -L"$build" -lfaceengine -Wl,-rpath,"$build" \
  $(pkg-config --cflags --libs gstreamer-1.0 gstreamer-check-1.0 gstreamer-video-1.0 gstreamer-allocators-1.0 "${analytics[@]}")
export GST_PLUGIN_PATH=$plugin GST_REGISTRY=$folder/registry
export FACE_TEST_MODEL=${FACE_TEST_MODEL:-$PWD/Models/yunet} FACE_TEST_PHOTO=$PWD/Examples/photos/grace_hopper.jpg
export FACE_TEST_COMMAND=$build/face-engine
# A machine that is busy is no failure.
export CK_DEFAULT_TIMEOUT=300
# The path of a build would be in the packages, which two builds would make differ.
# shellcheck disable=SC2016 # the loader replaces it
[[ -n ${THREADS:-} || $(readelf --dynamic "$plugin/libgstfaceengine.so") == *'[$ORIGIN/..]'* ]] || fail "the plug-in has the path of its build"
[[ -n ${THREADS:-} ]] || gst-inspect-1.0 faceengine >"$folder/inspected" || fail "gst-inspect-1.0 does not know faceengine"
gcc -std=gnu11 -Wall -Wextra -Werror Tests/CTests/hosts/unloaded.c -o "$folder/unloaded" -ldl -pthread
[[ -n ${THREADS:-} ]] || "$folder/unloaded" "$plugin/libgstfaceengine.so" || fail "dlclose unloads the element, or the thread crashed"
if [[ -n ${LEAKS:-} ]]; then
  export GST_TRACERS="leaks(log-leaks-on-deinit=true)" GST_DEBUG="GST_TRACER:7" GST_DEBUG_FILE=$folder/traced CK_FORK=no
fi
suites=("${@:2}")
if ((${#suites[@]} == 0)); then
  suites=(element contract stream draw check engine lines soak)
  if ((${#analytics[@]})); then
    suites+=(analytics)
  else
    echo "gstreamer: SKIPPED: GstAnalyticsRelationMeta, which this GStreamer has not"
  fi
fi
for suite in "${suites[@]}"; do
  if [[ $suite == lines ]]; then
    # The system's Python has GStreamer's bindings.
    [[ -n ${LEAKS:-}${THREADS:-} ]] || env -u GST_REGISTRY /usr/bin/python3 Bindings/GStreamer/Tests/lines.py "$build" || fail "a line of docs/gstreamer.md, as above"
    continue
  fi
  if [[ $suite == soak ]]; then
    # The long form: 2 million, which are 24 hours of a camera.
    [[ -n ${LEAKS:-}${THREADS:-} ]] || /usr/bin/python3 Bindings/GStreamer/Tests/soak.py "$FACE_TEST_MODEL" "$FACE_TEST_PHOTO" \
      "${FACE_TEST_FRAMES:-$([[ -n ${FACE_ENGINE_LONG_TESTS:-} ]] && echo 2000000 || echo 10000)}" || fail "memory, as above"
    continue
  fi
  # The sanitizer wants addresses that are not random.
  ${THREADS:+setarch --addr-no-randomize} "$folder/plugin_test" "$suite" || fail "a test of the suite $suite, as above"
  [[ -n ${LEAKS:-} ]] || continue
  # Not the description of such a line.
  grep -qa 'object-alive' "$folder/traced" || fail "the leak tracer has written nothing"
  if grep -a 'object-alive, type-name=(string)[A-Za-z]' "$folder/traced" >"$folder/leaks"; then
    head "$folder/leaks"
    fail "$(wc -l <"$folder/leaks") objects are alive at the end"
  fi
  echo "gstreamer: $suite: no object is alive at the end"
done
