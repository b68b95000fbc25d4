#!/usr/bin/env bash
# plug-ins.sh BUILD_FOLDER: builds the engine's plug-ins (docs/plug-ins.md) into BUILD_FOLDER, where a program of this
# build finds them: libfaceengine-onnxruntime.so.1, which needs onnxruntime only to run, and libfaceengine-ncnn.so.1,
# with ncnn linked in, which is compiled before if that was not done yet. FACE_ENGINE_ARM64, the root of a Debian for
# ARM64, has them cross-built for that.
set -euo pipefail
cd "$(dirname "$0")/.."
(($# == 1)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
build=$1
[[ -d $build ]] || {
  echo "plug-ins: there is no $build: run make build first" >&2
  exit 1
}
swift=$(command -v swift) || {
  echo "plug-ins: no swift found, whose clang is needed: put its bin folder in PATH" >&2
  exit 1
}
clang=$(dirname "$(readlink -f "$swift")")/clang
[[ -x $clang ]] || clang=clang
target=()
if [[ -n ${FACE_ENGINE_ARM64:-} ]]; then target=(--target=aarch64-linux-gnu "--sysroot=$FACE_ENGINE_ARM64"); fi

# plug_in NAME FLAGS SOURCE…: compiles and links one, unless what is there was made of the same. FLAGS are quoted for a
# shell, as pkg-config does it.
plug_in() {
  local soname=libfaceengine-$1.so.1 flags=$2 library recipe
  shift 2
  library=$build/$soname
  # Not by age alone: what the flags name may be older.
  recipe=$(cat "$0" "$@" Plugins/*.h Plugins/exports.map include/face_engine_plugin.h | sha256sum)
  recipe="$recipe ${target[*]} $flags"
  if [[ -e $library && -e $library.recipe && $(<"$library.recipe") == "$recipe" ]]; then return; fi
  # As the libraries are compiled and linked; see Package.swift.
  # shellcheck disable=SC2294 # the flags are quoted for a shell
  eval "$clang" '"${target[@]}"' -std=gnu11 -O2 -fPIC -fvisibility=hidden -D_FORTIFY_SOURCE=2 -fstack-protector-strong -Wall -Wextra -Werror \
    "'-ffile-prefix-map=$PWD/='" -Iinclude -shared "$@" -o "'$library.new'" "$flags" \
    -fuse-ld=lld -Wl,--icf=all,--gc-sections,-z,pack-relative-relocs,-z,now,-z,nodelete,--build-id=sha1,--no-undefined \
    -Wl,-soname,"$soname" -Wl,--version-script=Plugins/exports.map
  mv "$library.new" "$library"
  printf '%s\n' "$recipe" >"$library.recipe"
}

plug_in onnxruntime "" Plugins/onnxruntime{,_provider,_status}.c

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(Tools/setup/ncnn.sh)/lib/pkgconfig
plug_in ncnn "$(pkg-config --cflags --libs ncnn)" Plugins/ncnn.c
