#!/usr/bin/env bash
# build.sh PROGRAM: builds a client of the engine from containerd's ttrpc for Go and our .proto, nothing else of ours.
#
# All of it is Debian's: protobuf-compiler, gogottrpc, golang-go, golang-github-containerd-ttrpc-dev. Their ttrpc is
# 1.1, whose generator would make plain calls of the streaming methods, so those are left out here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath -m "$1")
gopath=$(mktemp -d)
trap 'rm -rf "$gopath"' EXIT

mkdir -p "$gopath/src" "$gopath/proto"
sed -E '/^ +rpc .*\bstream\b/d' "$here/../../../Proto/face_engine.proto" >"$gopath/proto/face_engine.proto"
protoc -I "$gopath/proto" --gogottrpc_out=plugins=ttrpc:"$gopath/src" "$gopath/proto/face_engine.proto"

# What was compiled is kept outside the checkout, since Go's own libraries take most of the time.
cd "$here"
GOCACHE="${FACE_ENGINE_CACHE:-$HOME/.cache/face-engine}/go" GOFLAGS=-trimpath GO111MODULE=off CGO_ENABLED=0 \
  GOPATH="$gopath:/usr/share/gocode" go build -o "$program" .
