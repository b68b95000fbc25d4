#!/usr/bin/env bash
# cancel.sh [ROUNDS]: how soon a worker is free after a CANCEL, for each stage of a call. Needs `make build`, ffmpeg and
# libjpeg-turbo-progs, and half a gigabyte in TMPDIR. HEIC and AVIF are decoded as WebP and TIFF are, on a thread of their own;
# HEIC=FILE and AVIF=FILE in the environment measure your own pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-25}
release=.build/release
build=.build-benchmarks
mkdir -p "$build"
fail() { echo "cancel: $*" >&2; exit 1; }
[[ -x $release/face-engine ]] || fail "there is no $release/face-engine; run make build"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -Iinclude Tests/Benchmarks/cancel/cancel.c -o "$build/cancel" -pthread -L"$release" -lfaceengine \
  -Wl,-rpath,"$PWD/$release"
folder=$(mktemp -d)
engine=
trap '[[ -z $engine ]] || { kill "$engine"; wait "$engine"; }; rm -rf "$folder"' EXIT
python3 Tests/Benchmarks/cancel/pictures.py "$folder"
socket=$folder/engine.sock
"$release/face-engine" serve --socket "$socket" --model Models/yunet --workers 1 --limit processor-time-per-call=600 &
engine=$!
until [[ -S $socket ]]; do
  kill -0 "$engine" || fail "the engine did not start"
  sleep 0.1
done
printf '%-14s %9s %9s %9s %9s %9s\n' 'ms' 'whole' 'alone' 'max' 'cancelled' 'max'
stages=(png="$folder/png.png" endless="$folder/endless.png" jpeg="$folder/jpeg.jpg" scans="$folder/scans.jpg" webp="$folder/webp.webp"
  lossless="$folder/lossless.webp" tiff="$folder/tiff.tiff" bmp="$folder/bmp.bmp" gif="$folder/gif.gif")
[[ -z ${HEIC:-} ]] || stages+=(heic="$HEIC")
[[ -z ${AVIF:-} ]] || stages+=(avif="$AVIF")
for stage in "${stages[@]}" scale turn network high analysis; do "$build/cancel" "$socket" "$stage" "$rounds"; done
