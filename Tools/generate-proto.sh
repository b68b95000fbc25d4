#!/bin/sh
# Compiles Proto/*.proto to C with protobuf-c, and face_engine.proto to its descriptor set, into Sources/Generated/CProtocol.
#
#   Tools/generate-proto.sh          writes the files
#   Tools/generate-proto.sh --check  writes nothing; fails when the committed files differ from fresh ones
#
# The result is committed, so that building the engine needs the protobuf-c library but not its compiler.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
target="$root/Sources/Generated/CProtocol"
protos="face_engine ttrpc"

case "${1-}" in
  "" | --check) ;;
  *) echo "usage: Tools/generate-proto.sh [--check]" >&2; exit 2 ;;
esac

for tool in protoc-c:protobuf-c-compiler protoc:protobuf-compiler; do
  command -v "${tool%:*}" >/dev/null && continue
  echo "generate-proto: ${tool%:*} is not installed; install Debian's ${tool#*:}" >&2
  exit 1
done

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
cd "$root/Proto"
for name in $protos; do
  protoc-c --c_out="$fresh" "$name.proto"
done

protoc --descriptor_set_out="$fresh/face_engine.set" face_engine.proto
{
  echo '/* Made by Tools/generate-proto.sh from face_engine.proto. Not to be edited. */'
  echo '#include "descriptor_set.h"'
  echo
  echo 'static const uint8_t bytes[] = {'
  od -An -v -tu1 -w20 "$fresh/face_engine.set" | sed -e 's/^ */  /' -e 's/  *\([0-9]\)/ \1/g' -e 's/\([0-9]\) /\1, /g' -e 's/^ /  /' -e 's/$/,/'
  echo '};'
  echo
  echo 'ProtobufCBinaryData face_engine_descriptor_set(void) {'
  echo '  return (ProtobufCBinaryData){sizeof bytes, (uint8_t *)bytes};'
  echo '}'
} >"$fresh/descriptor_set.c"

status=0
for file in descriptor_set.c face_engine.pb-c.c face_engine.pb-c.h ttrpc.pb-c.c ttrpc.pb-c.h; do
  case $file in
    *.h) old="$target/include/$file" ;;
    *) old="$target/$file" ;;
  esac
  if cmp -s "$fresh/$file" "$old"; then continue; fi
  if [ "${1-}" = --check ]; then
    echo "generate-proto: $old is not what Proto/ gives; run Tools/generate-proto.sh and commit" >&2
    status=1
  else
    mkdir -p "$target/include"
    cp "$fresh/$file" "$old"
    echo "generate-proto: wrote $old"
  fi
done
exit $status
