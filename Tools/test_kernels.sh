#!/usr/bin/env bash
# test_kernels.sh: compares the fused kernels and those for pixels with their definitions, on this processor with the
# address and undefined behaviour sanitizers, and as a 64-bit ARM processor with dot products runs them, in an emulator.
# Without that one, exits with 77. Says which instruction sets were not tested, as this processor does not have them;
# those of AVX-VNNI and AVX-512 VNNI are always tested with their instructions emulated.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly library=Sources/Native/CFusedKernels pixels=Sources/Native/CPixelKernels tests=Tests/CTests/kernels
readonly sources=("$library"/kernels/*.c "$library"/*.c "$pixels"/*.c "$tests"/*.c)
# Vectors longer than a register are passed to inlined functions only.
readonly flags=(-std=gnu11 -Wall -Wextra -Werror -Wno-psabi -I"$library" -I"$library/include" -I"$pixels/include")
# Without pointer-overflow, which takes half of the compiler's time: the address sanitizer finds the access itself.
readonly sanitizers=(-fsanitize=address -fsanitize=undefined -fno-sanitize=pointer-overflow
  -fno-sanitize-recover=undefined)

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT

# FOLDER COMPILER [FLAG...]: the sources of standard input, a line each, as many at once as there are processors
compile() {
  local into=$1 source
  shift
  mkdir -p "$into"
  while read -r source; do printf '%s\n' "$source" -o "$into/${source//\//_}.o"; done | xargs -d '\n' -P "$(nproc)" -n 3 "$@" -c
}

printf '%s\n' "${sources[@]}" | compile "$folder/native" clang "${flags[@]}" -O1 -gline-tables-only "${sanitizers[@]}"
# Emulated instructions would take minutes with sanitizers, which have nothing to find in them that is not in the
# others.
printf '%s\n' "$tests"/emulated/*.c | compile "$folder/native" clang "${flags[@]}" -O1
clang -fuse-ld=lld "${sanitizers[@]}" "$folder/native"/*.o -o "$folder/test" -lm -lpthread
if objdump -d "$folder"/native/*i16_avx_vnni.c.o | grep -q $'\t62 .*vpdpwssd'; then
  echo "kernels: AVX-VNNI's have an instruction in AVX-512's encoding" >&2
  exit 1
fi
timeout 600 "$folder/test" &
native=$!

compiler=aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if ! command -v "$compiler" >/dev/null || [ -z "$emulator" ]; then
  wait "$native"
  echo "kernels: NEON was NOT tested: $compiler and qemu-aarch64 are needed (Debian: gcc-aarch64-linux-gnu, qemu-user)" >&2
  exit 77
fi
printf '%s\n' "${sources[@]}" | compile "$folder/arm" "$compiler" "${flags[@]}" -O2
"$compiler" -static "$folder/arm"/*.o -o "$folder/test-arm" -lm -lpthread
wait "$native"
timeout 1200 "$emulator" -cpu max "$folder/test-arm"
