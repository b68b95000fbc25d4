#!/usr/bin/env bash
# test_kernels.sh: compares the fused kernels and those for pixels with their definitions, on this processor with the address
# and undefined behaviour sanitizers, and as a 64-bit ARM processor with dot products runs them, in an emulator. Without that
# one, exits with 77. Says which instruction sets were not tested, as this processor does not have them; those of AVX-VNNI and
# AVX-512 VNNI are always tested with their instructions emulated.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly library=Sources/Native/CFusedKernels pixels=Sources/Native/CPixelKernels tests=Tests/CTests/kernels
readonly sources=("$library"/*.c "$library"/kernels/*.c "$pixels"/*.c "$tests"/*.c)
# Vectors longer than a register are passed to inlined functions only.
readonly flags=(-std=gnu11 -g -Wall -Wextra -Werror -Wno-psabi -I"$library" -I"$library/include" -I"$pixels/include")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Emulated instructions would take minutes with sanitizers, which have nothing to find in them that is not in the others.
objects=()
for name in emulated_avx_vnni emulated_avx512_vnni; do
  clang "${flags[@]}" -O1 -c "$tests/emulated/$name.c" -o "$folder/$name.o"
  objects+=("$folder/$name.o")
done
clang "${flags[@]}" -O1 -fuse-ld=lld -fsanitize=address,undefined -fno-sanitize-recover=undefined \
  "${sources[@]}" "${objects[@]}" -o "$folder/native" -lm -lpthread
timeout 600 "$folder/native"

compiler=aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if ! command -v "$compiler" >/dev/null || [ -z "$emulator" ]; then
  echo "kernels: NEON was NOT tested: $compiler and qemu-aarch64 are needed (Debian: gcc-aarch64-linux-gnu, qemu-user)" >&2
  exit 77
fi
"$compiler" "${flags[@]}" -O2 -static "${sources[@]}" -o "$folder/arm" -lm -lpthread
timeout 1200 "$emulator" -cpu max "$folder/arm"
