#!/bin/sh
# Compiles Proto/*.proto to C with protobuf-c, into Sources/CProtocol.
#
#   Tools/generate-proto.sh          writes the files
#   Tools/generate-proto.sh --check  writes nothing; fails when the committed files differ from fresh ones
#
# The result is committed, so that building the engine needs the protobuf-c library but not its compiler.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
target="$root/Sources/CProtocol"
protos="face_engine ttrpc"

case "${1-}" in
  "" | --check) ;;
  *) echo "usage: Tools/generate-proto.sh [--check]" >&2; exit 2 ;;
esac

if ! command -v protoc-c >/dev/null; then
  echo "generate-proto: protoc-c is not installed; install Debian's protobuf-c-compiler" >&2
  exit 1
fi

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
cd "$root/Proto"
for name in $protos; do
  protoc-c --c_out="$fresh" "$name.proto"
done

status=0
for name in $protos; do
  for pair in "$name.pb-c.c:$name.pb-c.c" "$name.pb-c.h:include/$name.pb-c.h"; do
    new="$fresh/${pair%%:*}"
    old="$target/${pair#*:}"
    if cmp -s "$new" "$old"; then continue; fi
    if [ "${1-}" = --check ]; then
      echo "generate-proto: $old is not what Proto/$name.proto gives; run Tools/generate-proto.sh and commit" >&2
      status=1
    else
      mkdir -p "$target/include"
      cp "$new" "$old"
      echo "generate-proto: wrote $old"
    fi
  done
done
exit $status
