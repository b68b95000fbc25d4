#!/usr/bin/env bash
# build.sh PROGRAM: builds a client of the gateway from Debian's gRPC of Go and our .proto, nothing else of ours, unless
# PROGRAM is of the same sources and packages already, as PROGRAM.made-of says. Ends with 77 and says so where Debian's
# gRPC is not installed: golang-go, golang-google-grpc-dev and a protoc-gen-go that belongs to it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
program=$(realpath -m "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() {
  echo "build.sh: there is no $1, so that nothing is called with its gRPC" >&2
  exit 77
}

command -v go >/dev/null || skip go
[[ -d /usr/share/gocode/src/google.golang.org/grpc/health ]] || skip golang-google-grpc
# A newer one makes code for another library than Debian's gRPC uses.
[[ $(dpkg-query --show --showformat '${Package}' protoc-gen-go-1-3 2>/dev/null) ]] || skip protoc-gen-go-1-3
made_of=$(
  cat "$here/build.sh" "$here/client.go" "$root/Proto/face_engine.proto" | sha256sum
  dpkg-query --show golang-google-grpc-dev protoc-gen-go-1-3 golang-go
)
if [[ -x $program && -f $program.made-of && $(<"$program.made-of") == "$made_of" ]]; then exit 0; fi
mkdir "$work/src"
protoc -I "$root/Proto" --go_out=plugins=grpc:"$work/src" face_engine.proto
GOCACHE="${FACE_ENGINE_CACHE:-$HOME/.cache/face-engine}/go" GOFLAGS=-trimpath GO111MODULE=off CGO_ENABLED=0 \
  GOPATH="$work:/usr/share/gocode" go build -o "$program" "$here/client.go"
echo "$made_of" >"$program.made-of"
