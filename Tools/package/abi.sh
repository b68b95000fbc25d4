#!/usr/bin/env bash
# abi.sh check|renew: what programs built against the two C libraries, and plug-ins, rely on - functions, structs, the
# values of constants - beside its committed description, Tools/package/faceengine.abi; and the symbols files of the
# Debian packages beside the libraries' maps. Tools/generate --check compares with the last release.
#
# check fails at any difference and shows it. After an intended addition renew, and see that git's diff only adds.
#
# What is described are the headers: each exported function is compiled with an empty body, since the debugging
# information of the libraries themselves, which Swift writes, has no C types. Tools/check.sh compares the libraries'
# symbols with the headers.
set -euo pipefail
cd "$(dirname "$0")/../.."
action=${1:-}
[[ $action == check || $action == renew ]] || {
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
for tool in abidw abidiff gcc; do
  command -v $tool >/dev/null || {
    echo "abi: $tool is not installed; run Tools/setup/packages.sh test" >&2
    exit 1
  }
done
readonly kept=Tools/package/faceengine.abi
readonly maps=(Sources/Library/FaceEngineLibrary/exports.map Sources/Library/FaceDrawLibrary/exports.map)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Types of our own in place of the system's headers, whose other types differ from system to system.
mkdir "$scratch/include"
for name in int8 int16 int32 int64 uint8 uint16 uint32 uint64; do
  echo "typedef __${name^^}_TYPE__ ${name}_t;"
done >"$scratch/include/stdint.h"
printf 'typedef __SIZE_TYPE__ size_t;\n#define NULL 0\n' >"$scratch/include/stddef.h"
echo "void *malloc(size_t); void free(void *);" >"$scratch/include/stdlib.h"

# A declaration a line, those of exported functions with a body. A function of the maps that has none fails to link.
names=$(grep -ohE '^ +face_[a-z_]+;' "${maps[@]}" | tr -d ' ;' | paste -sd '|')
printf '#include "%s"\n' face_engine_draw.h face_engine_plugin.h \
  | gcc -std=c99 -nostdinc -isystem "$scratch/include" -Iinclude -E -P - | tr '\n' ' ' | sed 's/[;{}]/&\n/g' \
  | sed -E "s/^( *__attribute__.*[ *]($names)\([^;]*\)) *;\$/\1 { __builtin_trap(); }/" >"$scratch/abi.c"
gcc -std=c99 -g -fno-eliminate-unused-debug-types -fPIC -shared -nostdlib -Wl,--no-undefined-version \
  "${maps[@]/#/-Wl,--version-script=}" -o "$scratch/abi.so" "$scratch/abi.c"
abidw --no-show-locs --no-comp-dir-path --no-corpus-path --no-architecture --no-elf-needed --load-all-types \
  --out-file "$scratch/abi" "$scratch/abi.so"

# with_symbols PACKAGE MAP: the symbols file of the Debian package, in which each function of the map keeps the version
# that it came with; a new one has that of the sources.
with_symbols() {
  local file=Tools/package/debian/$1.symbols version node name
  version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
  node=$(sed -n 's/^\(FACEENGINE[A-Z_0-9]*\) {$/\1/p' "$2")
  head -n 2 "$file"
  for name in $(grep -ohE '^ +face_[a-z_]+;' "$2" | tr -d ' ;' | LC_ALL=C sort); do
    grep "^ $name@" "$file" || echo " $name@$node $version"
  done
}

readonly packages=(libfaceengine1 libfaceengine-draw1)
if [[ $action == renew ]]; then
  sed "s|$scratch/||" "$scratch/abi" >"$kept"
  for index in 0 1; do
    with_symbols "${packages[index]}" "${maps[index]}" >"$scratch/symbols"
    cp "$scratch/symbols" "Tools/package/debian/${packages[index]}.symbols"
  done
else
  for index in 0 1; do
    with_symbols "${packages[index]}" "${maps[index]}" | diff "Tools/package/debian/${packages[index]}.symbols" - \
      || {
        echo "abi: the symbols file of ${packages[index]} is not that of its map; run Tools/package/abi.sh renew" >&2
        exit 1
      }
  done
  abidiff --non-reachable-types --harmless "$kept" "$scratch/abi" || {
    echo "abi: it is not that of $kept" >&2
    exit 1
  }
fi
