#!/usr/bin/env bash
# build.sh cc|go PROGRAM: builds a client of the gateway from Debian's gRPC and our .proto, nothing else of ours, unless PROGRAM
# is of the same sources and packages already, as PROGRAM.made-of says. Ends with 77 and says so where Debian's gRPC is not
# installed.
#
# For C++ libgrpc++-dev, protobuf-compiler-grpc and pkg-config; for Go golang-go, golang-google-grpc-dev and a protoc-gen-go
# that belongs to it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
program=$(realpath -m "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skip() { echo "build.sh: there is no $1, so that nothing is called with its gRPC" >&2; exit 77; }

# unless_made LANGUAGE PACKAGE...: ends this where PROGRAM is of these already.
unless_made() {
  local sources=("$here/build.sh" "$here/client.$1" "$root"/Proto/*.proto "$root"/Gateway/Proto/*.proto)
  made_of=$(cat "${sources[@]}" | sha256sum && dpkg-query --show "${@:2}")
  if [[ -x $program && -f $program.made-of && $(<"$program.made-of") == "$made_of" ]]; then exit 0; fi
}

case $1 in
  cc)
    plugin=$(command -v grpc_cpp_plugin) || skip grpc_cpp_plugin
    pkg-config --exists grpc++ protobuf || skip libgrpc++
    unless_made cc libgrpc++-dev protobuf-compiler-grpc g++
    protoc -I "$root/Proto" -I "$root/Gateway/Proto" --cpp_out="$work" --grpc_out="$work" \
      --plugin=protoc-gen-grpc="$plugin" face_engine.proto health.proto
    # What needs the headers of gRPC in one, since it is these that take the time.
    printf '#include "%s"\n' "$work"/*.grpc.pb.cc "$here/client.cc" >"$work/client.cc"
    # shellcheck disable=SC2046 # several words
    g++ -O0 -std=c++17 -Wall -Wextra -I"$work" "$work"/{client,face_engine.pb,health.pb}.cc \
      $(pkg-config --cflags --libs grpc++ protobuf) -o "$program"
    ;;
  go)
    command -v go >/dev/null || skip go
    [[ -d /usr/share/gocode/src/google.golang.org/grpc/health ]] || skip golang-google-grpc
    # A newer one makes code for another library than Debian's gRPC uses.
    [[ $(dpkg-query --show --showformat '${Package}' protoc-gen-go-1-3 2>/dev/null) ]] || skip protoc-gen-go-1-3
    unless_made go golang-google-grpc-dev protoc-gen-go-1-3 golang-go
    mkdir "$work/src"
    protoc -I "$root/Proto" --go_out=plugins=grpc:"$work/src" face_engine.proto
    GOCACHE="${FACE_ENGINE_CACHE:-$HOME/.cache/face-engine}/go" GOFLAGS=-trimpath GO111MODULE=off CGO_ENABLED=0 \
      GOPATH="$work:/usr/share/gocode" go build -o "$program" "$here/client.go"
    ;;
  *) echo "build.sh: say cc or go, and where the program goes" >&2; exit 2 ;;
esac
echo "$made_of" >"$program.made-of"
