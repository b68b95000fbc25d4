#!/usr/bin/env bash
# fuzz.sh TARGET SECONDS: libFuzzer looks for bytes that break a target of Tests/Fuzz, with the address sanitizer, and
# for the C parts that of undefined behaviour.
#
#   fuzz.sh TARGET minimize   makes the committed corpus small, and reach all code that the inputs found so far reach
#   fuzz.sh TARGET coverage   prints how much of each file the committed corpus reaches, with what was found so far
#   fuzz.sh build             builds the program alone, .build-fuzz/fuzz
#
# TARGET is a case of FuzzTarget. New inputs gather in .build-fuzz/corpus. Inputs that broke the target are
# .build-fuzz/TARGET-crash-…: add them to Tests/Fuzz/corpus/TARGET, where `make test` replays it. Tools/oss-fuzz builds
# with it too: there the environment has FUZZ_BUILD, a folder, FUZZ_CFLAGS, FUZZ_SWIFTFLAGS and FUZZ_LINK for what is
# given to clang, swiftc and the linking swiftc in place of the sanitizers.
set -euo pipefail
shopt -s globstar
cd "$(dirname "$0")/.."
usage() {
  sed -n '2,12s/^# \?//p' "$0" >&2
  exit 2
}
target=${1:-}
build=${FUZZ_BUILD:-.build-fuzz}
committed=Tests/Fuzz/corpus/$target
case $#:$target in
  1:build) ;;
  2:*) [[ -n $target && -d $committed ]] || {
    echo "fuzz: there is no target $target: $(ls Tests/Fuzz/corpus)" >&2
    exit 2
  } ;;
  *) usage ;;
esac

c_flags="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"
swift_flags="-sanitize=fuzzer,address"
if [[ ${2:-} == coverage ]]; then
  build+=/coverage
  c_flags="-fprofile-instr-generate -fcoverage-mapping"
  swift_flags="-sanitize=fuzzer -profile-generate -profile-coverage-mapping"
fi
read -ra c_flags <<<"${FUZZ_CFLAGS:-$c_flags}"
read -ra swift_flags <<<"${FUZZ_SWIFTFLAGS:-$swift_flags}"
read -ra link_flags <<<"${FUZZ_LINK:-${swift_flags[*]}}"
found=.build-fuzz/corpus/$target
mkdir -p "$build"

c_modules=(CProtocol CPictureDecoders COptionalCodecs CEnginePlugins CPixelKernels CFusedKernels CPosixShims CSandbox)
libraries=(CWebP CEXIF CYUV CJansson CMessageDigest)
maps=()

# module NAME MODULE… -- SOURCE…: one Swift module on those modules of ours, with the settings of Package.swift, unless
# what is there is newer than all of that.
module() {
  local name=$1 object=$build/$1.o depended=()
  shift
  while [[ $1 != -- ]]; do
    depended+=("$build/$1.swiftmodule")
    shift
  done
  shift
  [[ ! -e $object || -n $(find "$@" Tools/fuzz.sh "${depended[@]}" -newer "$object" -print -quit) ]] || return 0
  swiftc -O -g -wmo -parse-as-library "${swift_flags[@]}" -swift-version 6 -package-name FaceEngine \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -I "$build" -I Sources/Generated/CProtocol/include "${maps[@]}" \
    -module-name "$name" -emit-module -emit-module-path "$build/$name.swiftmodule" -c -o "$object" "$@"
}

# together COMMAND…: runs the commands, which are functions, at once; fails when one does.
together() {
  local command pids=()
  for command in "$@"; do
    $command &
    pids+=($!)
  done
  for command in "${pids[@]}"; do wait "$command"; done
}

core() { module FaceCore -- Sources/Core/FaceCore/**/*.swift; }
posix() { module Posix FaceCore -- Sources/Core/Posix/**/*.swift; }
wire() { module Wire FaceCore -- Sources/IPC/Wire/**/*.swift; }
imaging() { module Imaging FaceCore -- Sources/Vision/Imaging/**/*.swift; }
onnx() { module ONNX FaceCore -- Sources/Vision/ONNX/**/*.swift; }
inference() { module Inference FaceCore -- Sources/Vision/Inference/**/*.swift; }
detection() { module Detection FaceCore Imaging Inference -- Sources/Vision/Detection/**/*.swift; }
model_store() { module ModelStore FaceCore Posix -- Sources/Engine/ModelStore/**/*.swift; }
capture() { module Capture FaceCore Posix -- Sources/Engine/Capture/**/*.swift; }
targets() { module Fuzz FaceCore Wire ONNX Detection ModelStore Capture -- Tests/Fuzz/*.swift; }
driver() { module Driver Fuzz -- Tests/Fuzz/driver/*.swift; }

build_program() {
  local name folder source object flags
  for name in "${libraries[@]}"; do maps+=(-Xcc "-fmodule-map-file=Sources/Native/SystemLibraries/$name/module.modulemap"); done
  for name in "${c_modules[@]}"; do
    folder=$(echo Sources/*/"$name")
    [[ $name == CProtocol ]] || {
      printf 'module %s {\n  umbrella "%s"\n  export *\n}\n' "$name" "$PWD/$folder/include" >"$build/$name.modulemap"
      maps+=(-Xcc "-fmodule-map-file=$build/$name.modulemap")
    }
    for source in "$folder"/**/*.c; do
      object=$build/$name-$(basename "$source").o
      [[ ! $object -nt $source || ! $object -nt Tools/fuzz.sh || -n $(find "$folder" -name '*.h' -newer "$object") ]] || continue
      # Of the kernels, which Tools/test_kernels.sh runs under the second sanitizer, it would be minutes of compilation.
      flags=("${c_flags[@]}")
      [[ $source != */kernels/* ]] || flags=("${c_flags[@]//,undefined/}")
      clang -O1 -g "${flags[@]}" -I"$folder"/include -ISources/Native/CPosixShims/include -c "$source" -o "$object"
    done
  done
  core
  together posix wire imaging inference onnx
  together detection model_store capture
  targets
  driver
  # Beside the program, which loads it.
  Tools/plug-ins.sh "$build"
  swiftc -use-ld=lld "${link_flags[@]}" "$build"/*.o -lprotobuf-c -ljpeg -lpng16 -lwebp -lexif -lyuv \
    -ljansson -lmd -o "$build/fuzz.new"
  mv "$build/fuzz.new" "$build/fuzz"
}

# Only if something is newer: it takes minutes.
[[ -x $build/fuzz && -z $(find Sources Tests/Fuzz/*.swift Tests/Fuzz/driver Tools/fuzz.sh \
  -newer "$build/fuzz" -type f -print -quit) ]] \
  || build_program
[[ $target != build ]] || exit 0

export FUZZ_TARGET=$target LSAN_OPTIONS=suppressions=$PWD/Tests/leak-sanitizer.suppressions:print_suppressions=0
mkdir -p "$found"
case $2 in
  minimize)
    rm -rf "$build/minimal"
    mkdir "$build/minimal"
    "$build/fuzz" -merge=1 -artifact_prefix="$build/$target-" -use_counters=0 -max_len=8192 \
      "$build/minimal" "$committed" "$found"
    rm -f "$committed"/*
    cp "$build"/minimal/* "$committed"
    ;;
  coverage)
    LLVM_PROFILE_FILE=$build/$target.profraw "$build/fuzz" -runs=0 -max_len=8192 "$committed" "$found" 2>/dev/null
    llvm=$(dirname "$(readlink -f "$(command -v swiftc)")")
    "$llvm/llvm-profdata" merge -o "$build/$target.profdata" "$build/$target.profraw"
    "$llvm/llvm-cov" report "$build/fuzz" -instr-profile "$build/$target.profdata" \
      -ignore-filename-regex='(Tests/|/usr/|<compiler)' | awk 'NR < 3 || $1 == "TOTAL" || $10 + 0 > 0'
    ;;
  *)
    "$build/fuzz" -max_total_time="$2" -max_len=8192 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
      -artifact_prefix="$build/$target-" "$found" "$committed"
    ;;
esac
