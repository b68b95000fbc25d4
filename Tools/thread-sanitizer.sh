#!/usr/bin/env bash
# thread-sanitizer.sh: the tests with threads and processes, all of it built with the thread sanitizer. Fails for a
# race.
#
# Hosts in C and C++ are left out: they cannot load a library that has the sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
build=.build-tsan
swift build -c release --sanitize=thread --build-tests --build-path "$build"
Tools/plug-ins.sh "$build/release"
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT
# Processes that the tests start are under it as well. Their reports would be lost in their logs. A command that ends
# because its output is closed joins no threads.
export TSAN_OPTIONS="log_path=$reports/report report_thread_leaks=0 suppressions=$PWD/Tests/thread-sanitizer.suppressions"
outcome=0
FACE_ENGINE_BUILD=$build/release swift test -c release --skip-build --sanitize=thread --build-path "$build" \
  --filter '^(Service|Client|Posix|Capture|Engine|Integration)Tests\.' \
  --skip '(CLibrary|DrawLibrary|Host|Install|Readme)Tests' || outcome=$?
if [[ -n $(ls "$reports") ]]; then
  cat "$reports"/*
  outcome=1
fi
exit "$outcome"
