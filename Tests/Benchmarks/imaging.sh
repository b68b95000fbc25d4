#!/usr/bin/env bash
# imaging.sh [ROUNDS] [FILE.jpg]: what the way from a frame to the network's pixels costs. Needs `make build`.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-50}
file=${2:-Examples/photos/grace_hopper.jpg}
release=.build/release
build=.build-benchmarks
mkdir -p "$build"
[[ -d $release/Imaging.build ]] || { echo "imaging: there is no $release; run make build" >&2; exit 1; }
mapfile -t objects < <(python3 Tests/Benchmarks/release_objects.py FaceCore CPosixShims CPixelKernels CPictureDecoders COptionalCodecs Imaging)
maps=()
for map in Sources/Native/SystemLibraries/*/module.modulemap "$release"/C*.build/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$map"); done
# shellcheck disable=SC2046 # several words
swiftc -O -swift-version 5 -static-stdlib -I "$release/Modules" "${maps[@]}" Tests/Benchmarks/imaging/stages.swift \
  "${objects[@]}" $(pkg-config --libs libjpeg libpng libexif libwebp) -lyuv -o "$build/imaging"
"$build/imaging" "$rounds" "$file"
