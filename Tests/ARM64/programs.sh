#!/usr/bin/env bash
# programs.sh BUILD_FOLDER: cross-builds libraries and command for ARM64 and runs them under qemu, on the libraries of
# Debian 12, as a Cortex-A53 and as a Cortex-A76, which has dot products: a C program finds the face of the demo photo
# with libfaceengine, and the command finds the same faces as this build's, number for number (same_faces.py), in every
# photo. Nothing that they need is newer than glibc 2.36.
#
# FACE_ENGINE_LONG_TESTS=1: in all accuracies, rather than in the default one. Status 77 where it cannot be tried, and,
# unless that is 1, where the machine that builds is not in the cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
here=$(realpath "$1")
fail() {
  echo "arm64: FAILED: $*" >&2
  exit 1
}
skip() {
  echo "arm64: SKIPPED: $*" >&2
  exit 77
}
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) \
  || skip "qemu-aarch64 is not installed: run Tools/setup/packages.sh test"
Tools/arm64/machine.sh --cached || [[ ${FACE_ENGINE_LONG_TESTS:-} == 1 ]] \
  || skip "the machine that builds for ARM64 is not in the cache: run Tools/arm64/machine.sh, which fetches and keeps 5 GB"
Tools/arm64/build.sh faceengine faceengine-draw face-engine
sysroot=$(Tools/arm64/machine.sh --sysroot)
build=$PWD/.build/arm64/release
models=$here/staged/share/face-engine/Models
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# PROCESSOR COMMAND...
emulated() { QEMU_CPU=$1 FACE_ENGINE_MODELS=$models "$emulator" -L "$sysroot" -E "LD_LIBRARY_PATH=$build" "${@:2}"; }

# --- What they need
for file in libfaceengine.so libfaceengine-draw.so face-engine; do
  # Each undefined symbol has a version, or is one that may be missing.
  newest=$(objdump -T "$build/$file" | grep -o '(GLIBC_2[0-9.]*)' | tr -d '()' | sort -uV | tail -n 1)
  [[ $(printf '%s\n' "$newest" GLIBC_2.36 | sort -V | tail -n 1) == GLIBC_2.36 ]] || fail "$file needs $newest"
  unknown=$(objdump -T "$build/$file" | grep -F '*UND*' | grep -E '__isoc23|strlcpy' || true)
  [[ -z $unknown ]] || fail "$file needs $unknown"
  echo "arm64: $file needs at most $newest"
done

# --- A C program
swift=$(readlink -f "$(command -v swift)")
"${swift%/*}/clang" --target=aarch64-linux-gnu "--sysroot=$sysroot" -fuse-ld=lld -Wall -Wextra -Werror -Iinclude Examples/c/detect.c \
  -L"$build" -lfaceengine -o "$folder/detect"
djpeg -outfile "$folder/photo.ppm" Examples/photos/grace_hopper.jpg
for processor in cortex-a53 cortex-a76; do
  found=$(emulated $processor "$folder/detect" load "$models/yunet" "$folder/photo.ppm")
  [[ $(wc -l <<<"$found") == 1 && -n $found ]] || fail "detect.c finds: $found"
  echo "arm64: $processor: detect.c: $found"
done

# --- The same faces
# In the formats for which there are libraries where it is built.
Tests/ARM64/floats.py "$models" "$folder/Models"
models=$folder/Models
mapfile -d '' -t photos < <(find Examples/photos Tests/Fixtures/images \( -name '*.jpg' -o -name '*.png' -o -name '*.webp' \) -print0 \
  | LC_ALL=C sort -z)
accuracies=(balanced)
[[ ${FACE_ENGINE_LONG_TESTS:-} != 1 ]] || accuracies=(low balanced high)
for accuracy in "${accuracies[@]}"; do
  flags=(detect --json --all --accuracy "$accuracy" "${photos[@]}")
  # Status 1: of some files of the fixtures there is nothing to decode.
  FACE_ENGINE_MODELS=$models "$here/face-engine" "${flags[@]}" >"$folder/here" 2>/dev/null || (($? == 1))
  for processor in cortex-a53 cortex-a76; do
    emulated $processor "$build/face-engine" "${flags[@]}" >"$folder/there" 2>/dev/null || (($? == 1))
    found=$(Tests/ARM64/same_faces.py "$folder/here" "$folder/there")
    echo "arm64: $processor, accuracy $accuracy: $found"
  done
done
