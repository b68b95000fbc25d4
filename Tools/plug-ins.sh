#!/usr/bin/env bash
# plug-ins.sh BUILD_FOLDER: builds the engine's plug-ins (docs/plug-ins.md) into BUILD_FOLDER, where a program of this build finds
# them: libfaceengine-ncnn.so.1, with ncnn linked in, which is compiled before if that was not done yet.
set -euo pipefail
cd "$(dirname "$0")/.."
(($# == 1)) || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
build=$1
readonly soname=libfaceengine-ncnn.so.1
[[ -d $build ]] || { echo "plug-ins: there is no $build: run make build first" >&2; exit 1; }
Tools/setup/ncnn.sh
prefix=$(Tools/setup/ncnn.sh --prefix)
export PKG_CONFIG_PATH=${prefix:+$prefix/lib/pkgconfig:}${PKG_CONFIG_PATH:-}
library=$build/$soname

# What it is made of. Not by age alone: the prefix of another ncnn may be older.
recipe=$(cat "$0" Plugins/ncnn.c Plugins/exports.map include/face_engine_plugin.h | sha256sum)
recipe="$recipe $(pkg-config --cflags --libs ncnn)"
if [[ -e $library && -e $library.recipe && $(<"$library.recipe") == "$recipe" ]]; then exit 0; fi

swift=$(command -v swift) || { echo "plug-ins: no swift found, whose clang is needed: put its bin folder in PATH" >&2; exit 1; }
clang=$(dirname "$(readlink -f "$swift")")/clang
[[ -x $clang ]] || clang=clang
# As the libraries are compiled and linked; see Package.swift. pkg-config quotes for a shell, hence eval.
eval "$clang" -std=gnu11 -O2 -fPIC -fvisibility=hidden -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wall -Wextra -Werror \
  "'-ffile-prefix-map=$PWD/='" -Iinclude -shared Plugins/ncnn.c -o "'$library.new'" "$(pkg-config --cflags --libs ncnn)" \
  -fuse-ld=lld -Wl,--icf=all,--gc-sections,-z,pack-relative-relocs,-z,now,--build-id=sha1,--no-undefined \
  -Wl,-soname,$soname -Wl,--version-script=Plugins/exports.map
mv "$library.new" "$library"
printf '%s\n' "$recipe" >"$library.recipe"
