#!/usr/bin/env bash
# install.sh install|uninstall BUILD_FOLDER: the libraries, their headers, the files that pkg-config and CMake find them by, and
# the command with the list of models. Into DESTDIR/PREFIX (/usr/local), libraries into LIBDIR (lib), below PREFIX.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
action=$1
build=$2
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
[[ $prefix == /* ]] || { echo "install: PREFIX is $prefix; give an absolute path" >&2; exit 2; }
# A whole path, as other programs take it, has to be below PREFIX too: the files find each other from where they are.
libdir=${libdir#"${prefix%/}"/}
[[ $libdir != /* && /$libdir/ != */../* ]] || {
  echo "install: LIBDIR is $libdir; give a folder below $prefix, as in lib" >&2
  exit 2
}
root=${DESTDIR:-}$prefix
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/FaceCore/EngineVersion.swift)
readonly libraries=(libfaceengine.so libfaceengine-draw.so)
readonly packages=(faceengine faceengine-draw)
readonly headers=(face_engine.h face_engine.hpp face_engine_draw.h face_jni.h global_listener.h)

# From the folder of faceengine.pc back to PREFIX.
up_from_pkgconfig() { sed 's|[^/]\+|..|g' <<<"$libdir/pkgconfig"; }

fill_in() { sed -e "s|@VERSION@|$version|" -e "s|@UP@|$(up_from_pkgconfig)|" "$1" >"$2"; }

if [[ $action == install ]]; then
  install -d "$root/bin" "$root/include" "$root/$libdir/pkgconfig" "$root/$libdir/cmake/FaceEngine"
  for library in "${libraries[@]}"; do
    install -m 755 -s "$build/$library" "$root/$libdir/$library.1.0.0"
    ln -sf "$library.1.0.0" "$root/$libdir/$library.1"
    ln -sf "$library.1" "$root/$libdir/$library"
  done
  install -m 644 "${headers[@]/#/include/}" "$root/include"
  for package in "${packages[@]}"; do
    fill_in "Tools/package/$package.pc.in" "$root/$libdir/pkgconfig/$package.pc"
  done
  install -m 644 Tools/package/FaceEngineConfig.cmake "$root/$libdir/cmake/FaceEngine"
  fill_in Tools/package/FaceEngineConfigVersion.cmake.in \
    "$root/$libdir/cmake/FaceEngine/FaceEngineConfigVersion.cmake"
  [[ ! -x $build/face-engine ]] || install -m 755 -s "$build/face-engine" "$root/bin/face-engine"
  for model in Models/*/model.json; do install -D -m 644 "$model" "$root/share/face-engine/$model"; done
elif [[ $action == uninstall ]]; then
  for library in "${libraries[@]}"; do rm -f "$root/$libdir/$library"{,.1,.1.0.0}; done
  for package in "${packages[@]}"; do rm -f "$root/$libdir/pkgconfig/$package.pc"; done
  rm -f "$root/bin/face-engine" \
    "$root/$libdir/cmake/FaceEngine/"{FaceEngineConfig.cmake,FaceEngineConfigVersion.cmake}
  rm -f "${headers[@]/#/$root/include/}"
  for model in Models/*/model.json; do rm -f "$root/share/face-engine/$model"; done
  find "$root/share/face-engine" -depth -type d -empty -delete 2>/dev/null || true
  rmdir --ignore-fail-on-non-empty "$root/$libdir/cmake/FaceEngine" 2>/dev/null || true
else
  echo "install: $action is neither install nor uninstall" >&2
  exit 2
fi
