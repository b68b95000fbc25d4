#!/bin/sh
# generate.sh [--check]: compiles the gateway's own .proto files to the descriptor set that reflection answers with. With --check
# writes nothing, and fails when the committed file differs.
set -eu
cd "$(dirname -- "$0")"
target=../Sources/face-engine-gateway/Resources/gateway.set
command -v protoc >/dev/null || { echo "generate.sh: protoc is not installed; install Debian's protobuf-compiler" >&2; exit 1; }
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
cp ./*.proto "$fresh"
# The older name of the same service.
sed 's/grpc\.reflection\.v1/grpc.reflection.v1alpha/' reflection.proto >"$fresh/reflection_v1alpha.proto"
cd "$fresh"
protoc --descriptor_set_out=gateway.set health.proto open_inference.proto reflection.proto reflection_v1alpha.proto
cd - >/dev/null
cmp -s "$fresh/gateway.set" "$target" && exit
if [ "${1-}" = --check ]; then
  echo "generate.sh: $target is not what Gateway/Proto gives; run Gateway/Proto/generate.sh and commit" >&2
  exit 1
fi
mkdir -p "$(dirname "$target")"
cp "$fresh/gateway.set" "$target"
