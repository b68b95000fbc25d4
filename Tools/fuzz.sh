#!/usr/bin/env bash
# fuzz.sh TARGET SECONDS: libFuzzer looks for bytes that break a target of Tests/Fuzz, with the address sanitizer.
#
#   fuzz.sh TARGET minimize      makes the committed corpus small, and reach all code that the inputs found so far reach
#
# TARGET is a case of FuzzTarget. New inputs gather in .build-fuzz/corpus; what broke the target lies in .build-fuzz as
# TARGET-crash-…: add it to Tests/Fuzz/corpus/TARGET, where `make test` replays it.
set -euo pipefail
shopt -s globstar
cd "$(dirname "$0")/.."
(($# == 2)) || { sed -n '2,7s/^# \?//p' "$0" >&2; exit 2; }
target=$1
build=.build-fuzz
committed=Tests/Fuzz/corpus/$target
[[ -d $committed ]] || { echo "fuzz: there is no target $target: $(ls Tests/Fuzz/corpus)" >&2; exit 2; }
mkdir -p "$build/corpus/$target"

# module NAME SOURCE…: one Swift module, with the settings of Package.swift.
module() {
  local name=$1
  shift
  swiftc -O -g -wmo -parse-as-library -sanitize=fuzzer,address -swift-version 6 -package-name FaceEngine \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
    -enable-upcoming-feature MemberImportVisibility -I "$build" -I Sources/CProtocol/include "${maps[@]}" \
    -module-name "$name" -emit-module -emit-module-path "$build/$name.swiftmodule" -c -o "$build/$name.o" "$@"
}

maps=()
for map in Sources/SystemLibraries/{CWebP,CEXIF,CYUV}/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$map"); done
for name in CPictureDecoders COptionalCodecs CPixelKernels; do
  printf 'module %s {\n  header "%s"\n  export *\n}\n' "$name" "$PWD/Sources/$name/include/$name.h" >"$build/$name.modulemap"
  maps+=(-Xcc "-fmodule-map-file=$build/$name.modulemap")
done
for name in CProtocol CPictureDecoders COptionalCodecs CPixelKernels; do
  for source in Sources/"$name"/*.c; do
    clang -O1 -g -fsanitize=fuzzer-no-link,address -ISources/"$name"/include -c "$source" \
      -o "$build/$name-$(basename "$source").o"
  done
done
module FaceCore Sources/FaceCore/**/*.swift
module Wire Sources/Wire/**/*.swift
# Of the networks' module only what reads files, which needs no other library.
module Inference Sources/Inference/ONNX/*.swift
module Imaging Sources/Imaging/**/*.swift
module Fuzz Tests/Fuzz/*.swift
module Driver Tests/Fuzz/driver/*.swift
swiftc -sanitize=fuzzer,address "$build"/*.o -lprotobuf-c -ljpeg -lpng16 -lwebp -lexif -lyuv -o "$build/fuzz"

export FUZZ_TARGET=$target
if [[ $2 == minimize ]]; then
  rm -rf "$build/minimal"
  mkdir "$build/minimal"
  "$build/fuzz" -merge=1 -artifact_prefix="$build/$target-" -use_counters=0 -max_len=8192 \
    "$build/minimal" "$committed" "$build/corpus/$target"
  rm -f "$committed"/*
  cp "$build"/minimal/* "$committed"
else
  "$build/fuzz" -max_total_time="$2" -max_len=8192 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/$target-" "$build/corpus/$target" "$committed"
fi
