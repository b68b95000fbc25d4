#!/usr/bin/env bash
# fuzz-abi.sh SECONDS [files]: libFuzzer looks for bytes that break the C API, or with "files" for files that do, with
# the address sanitizer in the library.
#
#   fuzz-abi.sh minimize [files]   makes the committed corpus small, and reach all code that the inputs found so far
#                                  reach
#   fuzz-abi.sh suite              runs the C suite under the address sanitizer, leaks included: loaded, and connected
#                                  to the engine of .build/release
#
# New inputs gather in .build-fuzz/abi-corpus. Inputs that broke the library are .build-fuzz/abi-crash-…: add them to
# Tests/CTests/fuzz/corpus (of files: files-corpus, files-crash-…, Tests/CTests/fuzz/files), where `make test` replays
# it.
set -euo pipefail
cd "$(dirname "$0")/.."
(($# == 1)) || [[ $#:${2:-} == 2:files ]] || {
  sed -n '2,12s/^# \?//p' "$0" >&2
  exit 2
}
build=.build-fuzz/abi
name=${2:-abi}
committed=Tests/CTests/fuzz/corpus
[[ $name == abi ]] || committed=Tests/CTests/fuzz/$name
found=.build-fuzz/$name-corpus
model=Models/yunet
mkdir -p "$found"
swift build -c release --scratch-path "$build" --sanitize address -Xswiftc -Xfrontend -Xswiftc -sanitize=fuzzer \
  --product faceengine
library=$build/release
ln -sf libfaceengine.so "$library/libfaceengine.so.1"
compile() { clang -fuse-ld=lld -g -O1 -Wall -Wextra -Iinclude "$@" -L"$library" -lfaceengine -Wl,-rpath,"$PWD/$library" -pthread -lm; }
photo=Examples/photos/grace_hopper.jpg
export FACE_FUZZ_MODEL=$model FACE_FUZZ_PHOTO=$photo
export ASAN_OPTIONS=detect_stack_use_after_return=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0

if [[ $1 == suite ]]; then
  compile -fsanitize=address Tests/CTests/abi/*.c -o "$library/abi-suite"
  "$library/abi-suite" load "$model" "$photo"
  socket=$(mktemp -d)/socket
  .build/release/face-engine serve --socket "$socket" --model "$model" &
  trap 'kill %1; wait; rm -r "$(dirname "$socket")"' EXIT
  for _ in {1..100}; do
    [[ ! -S $socket ]] || break
    sleep 0.1
  done
  "$library/abi-suite" connect "$socket" "$photo"
  exit
fi
compile -fsanitize=fuzzer,address "Tests/CTests/fuzz/${name}_fuzz.c" -o "$library/$name-fuzz"
most=2048
[[ $name == abi ]] || most=8192
if [[ $1 == minimize ]]; then
  minimal=.build-fuzz/$name-minimal
  rm -rf "$minimal"
  mkdir "$minimal"
  "$library/$name-fuzz" -merge=1 -use_counters=0 -max_len=$most "$minimal" "$committed" "$found"
  rm -f "$committed"/*
  cp "$minimal"/* "$committed"
else
  "$library/$name-fuzz" -max_total_time="$1" -max_len=$most -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix=".build-fuzz/$name-" "$found" "$committed"
fi
