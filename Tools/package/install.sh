#!/usr/bin/env bash
# install.sh install|uninstall BUILD_FOLDER: the library, its headers, the files that pkg-config and CMake find it by, and the
# command with the list of models. Into DESTDIR/PREFIX (/usr/local), libraries into LIBDIR (lib below PREFIX).
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
action=$1
build=$2
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
[[ $prefix == /* ]] || { echo "install: PREFIX is $prefix; give an absolute path" >&2; exit 2; }
root=${DESTDIR:-}$prefix
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/FaceCore/EngineVersion.swift)
readonly file=libfaceengine.so.1.0.0
readonly headers=(face_engine.h face_engine.hpp face_jni.h)

# From the folder of faceengine.pc back to PREFIX.
up_from_pkgconfig() { sed 's|[^/]\+|..|g' <<<"$libdir/pkgconfig"; }

fill_in() { sed -e "s|@VERSION@|$version|" -e "s|@UP@|$(up_from_pkgconfig)|" "$1" >"$2"; }

if [[ $action == install ]]; then
  install -d "$root/bin" "$root/include" "$root/$libdir/pkgconfig" "$root/$libdir/cmake/FaceEngine"
  install -m 755 -s "$build/libfaceengine.so" "$root/$libdir/$file"
  ln -sf "$file" "$root/$libdir/libfaceengine.so.1"
  ln -sf libfaceengine.so.1 "$root/$libdir/libfaceengine.so"
  install -m 644 "${headers[@]/#/include/}" "$root/include"
  fill_in Tools/package/faceengine.pc.in "$root/$libdir/pkgconfig/faceengine.pc"
  install -m 644 Tools/package/FaceEngineConfig.cmake "$root/$libdir/cmake/FaceEngine"
  fill_in Tools/package/FaceEngineConfigVersion.cmake.in \
    "$root/$libdir/cmake/FaceEngine/FaceEngineConfigVersion.cmake"
  [[ ! -x $build/face-engine ]] || install -m 755 -s "$build/face-engine" "$root/bin/face-engine"
  for model in Models/*/model.json; do install -D -m 644 "$model" "$root/share/face-engine/$model"; done
elif [[ $action == uninstall ]]; then
  rm -f "$root/bin/face-engine" "$root/$libdir/"{libfaceengine.so,libfaceengine.so.1,$file,pkgconfig/faceengine.pc} \
    "$root/$libdir/cmake/FaceEngine/"{FaceEngineConfig.cmake,FaceEngineConfigVersion.cmake}
  rm -f "${headers[@]/#/$root/include/}"
  for model in Models/*/model.json; do rm -f "$root/share/face-engine/$model"; done
  find "$root/share/face-engine" -depth -type d -empty -delete 2>/dev/null || true
  rmdir --ignore-fail-on-non-empty "$root/$libdir/cmake/FaceEngine" 2>/dev/null || true
else
  echo "install: $action is neither install nor uninstall" >&2
  exit 2
fi
