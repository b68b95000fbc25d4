#!/usr/bin/env bash
# wire.sh [ROUNDS]: what a call to a running engine costs, beside what two processes and gRPC C++ need for the same.
#
# Needs `make build`, and for the comparison Debian's libgrpc++-dev and protobuf-compiler-grpc, which nothing else here
# does. The null calls take turns in rounds, so that whatever else the machine does happens to all of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-10}
release=.build/release
sources=Tests/Benchmarks/wire
build=.build-benchmarks
mkdir -p "$build"
fail() { echo "wire: $*" >&2; exit 1; }
[[ -x $release/face-engine ]] || fail "there is no $release/face-engine; run make build"
command -v grpc_cpp_plugin >/dev/null || fail "install libgrpc++-dev and protobuf-compiler-grpc to compare with gRPC"

gcc -D_GNU_SOURCE -O2 -Wall -Wextra "$sources/socketpair.c" -o "$build/socketpair"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -Iinclude "$sources/load.c" -o "$build/load" -pthread -L"$release" -lfaceengine -Wl,-rpath,"$PWD/$release"
if [[ ! $build/grpc -nt $sources/grpc.cc ]]; then
  protoc --cpp_out="$build" --grpc_out="$build" --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" \
    -I "$sources" health.proto
  # shellcheck disable=SC2046 # several words
  g++ -O2 -std=c++17 -I"$build" -I"$sources" "$sources/grpc.cc" "$build"/health.*.cc \
    $(pkg-config --cflags --libs grpc++ protobuf) -o "$build/grpc"
fi
mapfile -t objects < <(python3 Tests/Benchmarks/release_objects.py FaceCore Posix CPosixShims CSandbox CPixelKernels CPictureDecoders COptionalCodecs Imaging Wire CProtocol Client)
maps=()
for map in "$release"/C*.build/module.modulemap Sources/Native/SystemLibraries/*/module.modulemap; do
  maps+=(-Xcc "-fmodule-map-file=$map")
done
# shellcheck disable=SC2046 # several words
swiftc -O -swift-version 6 -static-stdlib -I "$release/Modules" -I Sources/Generated/CProtocol/include "${maps[@]}" \
  "$sources/client.swift" "${objects[@]}" -lprotobuf-c $(pkg-config --libs libjpeg libpng libexif libwebp) -lyuv \
  -o "$build/client"

limits=()
case $("$release/face-engine" help serve) in
  *--connections-per-user*) limits=(--connections-per-user 128) ;;
  *--limit*) limits=(--limit connections-per-user=128) ;;
esac
folder=$(mktemp -d)
socket=$folder/engine.sock
"$release/face-engine" serve --socket "$socket" --model Models/yunet "${limits[@]}" &
engine=$!
trap 'kill "$engine" 2>/dev/null; wait "$engine" 2>/dev/null; rm -rf "$folder"' EXIT
until [[ -S $socket ]]; do
  kill -0 "$engine" || fail "the engine did not start"
  sleep 0.1
done

"$build/load" idle "$socket" "$engine" 64
for ((round = 0; round < rounds; round++)); do
  "$build/socketpair" 2000 >>"$folder/1-socketpair"
  "$build/client" "$socket" 2000 >>"$folder/2-engine"
  "$build/grpc" "$folder/grpc$round.sock" 2000 >>"$folder/3-grpc"
done
python3 - "$folder" <<'TABLE'
import pathlib
import sys

names = {"1-socketpair": "bare C socketpair, 64 bytes", "2-engine": "the engine, Health/Check", "3-grpc": "gRPC C++, the same"}
times = {name: sorted(map(int, (pathlib.Path(sys.argv[1]) / name).read_text().split())) for name in names}
least = times["1-socketpair"][len(times["1-socketpair"]) // 2]
print(f"{'null call':30} {'p50 us':>8} {'p99 us':>8} {'ratio':>6}")
for name, values in times.items():
    p50, p99 = values[len(values) // 2], values[len(values) * 99 // 100]
    print(f"{names[name]:30} {p50 / 1e3:8.1f} {p99 / 1e3:8.1f} {p50 / least:6.1f}")
TABLE

"$build/load" detect "$socket" Models/yunet 500
"$build/load" flood "$socket" Examples/photos/grace_hopper.jpg 100
"$build/load" churn "$socket" "$engine" 100000
