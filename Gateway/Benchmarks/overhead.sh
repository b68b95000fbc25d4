#!/usr/bin/env bash
# overhead.sh [ROUNDS]: how long Health/Check takes through the gateway, beside gRPC C++ to gRPC C++ on loopback.
#
# Needs `make build gateway`, and Debian's libgrpc++-dev and protobuf-compiler-grpc. Both take turns in rounds, so that
# whatever else the machine does happens to all of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-10}
engine=${FACE_ENGINE:-.build/release/face-engine}
gateway=${FACE_ENGINE_GATEWAY:-Gateway/.build/release/face-engine-gateway}
sources=Gateway/Benchmarks
build=Gateway/.build/benchmarks
mkdir -p "$build"
fail() {
  echo "overhead: $*" >&2
  exit 1
}
[[ -x $engine ]] || fail "there is no $engine; run make build"
[[ -x $gateway ]] || fail "there is no $gateway; run make gateway"
command -v grpc_cpp_plugin >/dev/null || fail "install libgrpc++-dev and protobuf-compiler-grpc to compare with gRPC"

if [[ ! $build/overhead -nt $sources/overhead.cc ]]; then
  protoc --cpp_out="$build" --grpc_out="$build" --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" \
    -I Gateway/Proto health.proto
  # shellcheck disable=SC2046 # several words
  g++ -O2 -std=c++17 -I"$build" "$sources/overhead.cc" "$build"/health.*.cc \
    $(pkg-config --cflags --libs grpc++ protobuf) -o "$build/overhead"
fi

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$folder"' EXIT
"$engine" serve --socket "$folder/engine.sock" &
until [[ -S $folder/engine.sock ]]; do sleep 0.1; done
"$gateway" --socket "$folder/engine.sock" --no-http --grpc 127.0.0.1:0 2>"$folder/gateway.err" >/dev/null &
"$build/overhead" serve >"$folder/peer" &
until grep -q listens "$folder/gateway.err" && [[ -s $folder/peer ]]; do sleep 0.1; done
through=$(sed -n 's/.*grpc listens at //p' "$folder/gateway.err")
for ((round = 0; round < rounds; round++)); do
  "$build/overhead" call "$through" 2000 >>"$folder/1-gateway"
  "$build/overhead" call "$(cat "$folder/peer")" 2000 >>"$folder/2-grpc"
done
python3 - "$folder" <<'TABLE'
import pathlib
import sys

names = {"1-gateway": "gRPC C++ through the gateway", "2-grpc": "gRPC C++ to gRPC C++"}
times = {name: sorted(map(int, (pathlib.Path(sys.argv[1]) / name).read_text().split())) for name in names}
middle = {name: values[len(values) // 2] / 1e3 for name, values in times.items()}
print(f"{'Health/Check':30} {'p50 us':>8} {'p99 us':>8}")
for name, values in times.items():
    print(f"{names[name]:30} {middle[name]:8.1f} {values[len(values) * 99 // 100] / 1e3:8.1f}")
print(f"the gateway takes {middle['1-gateway'] / middle['2-grpc']:.2f} times as long as gRPC C++")
TABLE
