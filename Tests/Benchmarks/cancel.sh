#!/usr/bin/env bash
# cancel.sh [ROUNDS [END…]]: how soon a worker is free after a CANCEL, a deadline or its client's death (cancel, deadline,
# death; all of them where none is given), for each stage of a call. Needs `make build`, ffmpeg and libjpeg-turbo-progs, and
# half a gigabyte in TMPDIR. STAGES="bmp turn" in the environment measures only those; HEIC=FILE and AVIF=FILE measure your own
# pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-25}
ends=("${@:2}")
((${#ends[@]} > 0)) || ends=(cancel deadline death)
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
printf '%-19s %8s %17s %17s %17s\n' ms whole 'small call alone' 'after the end' 'processor time'
printf '%-19s %8s %8s %8s %8s %8s %8s %8s %8s\n' '' '' median max median max median max ended
stages=(png="$folder/png.png" endless="$folder/endless.png" jpeg="$folder/jpeg.jpg" scans="$folder/scans.jpg" webp="$folder/webp.webp"
  lossless="$folder/lossless.webp" tiff="$folder/tiff.tiff" bmp="$folder/bmp.bmp" gif="$folder/gif.gif")
[[ -z ${HEIC:-} ]] || stages+=(heic="$HEIC")
[[ -z ${AVIF:-} ]] || stages+=(avif="$AVIF")
for stage in "${stages[@]}" scale turn network high analysis crowd; do
  [[ -z ${STAGES:-} || " $STAGES " == *" ${stage%%=*} "* ]] || continue
  for end in "${ends[@]}"; do "$build/cancel" "$socket" "$engine" "$stage" "$end" "$rounds"; done
done
