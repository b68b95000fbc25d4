#!/usr/bin/env bash
# install.sh install|uninstall BUILD_FOLDER: everything that a machine without the sources needs: libraries, headers,
# the files that pkg-config and CMake find them by, the command, models, licences, manual pages, completions, systemd's
# units. Into DESTDIR/PREFIX (/usr/local), libraries into LIBDIR (lib), below PREFIX. What was installed is listed in
# share/face-engine/installed, and uninstall removes just that.
#
# PARTS says what is installed: "engine", "gateway", the names of doors in Tools/doors.txt, or all, where all but the
# first are left out if they were not built. The folder of a door says in install.sh what is installed of it.
# GATEWAY_BUILD is the folder of another build of the gateway.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 2)) || {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}
action=$1
build=$2
readonly parts=${PARTS:-engine gateway $(sed -n 's/^\([a-z]*\) .*/\1/p' Tools/doors.txt)}
readonly gateway=${GATEWAY_BUILD:-Gateway/.build/release}
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-lib}
fail() {
  echo "install: $*" >&2
  exit "${status:-1}"
}
[[ $prefix == /* ]] || status=2 fail "PREFIX is $prefix; give an absolute path"
# A whole path, as other programs take it, must be below PREFIX, too: the files find each other by relative paths.
libdir=${libdir#"${prefix%/}"/}
[[ $libdir != /* && /$libdir/ != */../* ]] || status=2 fail "LIBDIR is $libdir; give a folder below $prefix, as in lib"
root=${DESTDIR:-}$prefix
list=share/face-engine/installed
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
readonly libraries=(libfaceengine.so libfaceengine-draw.so)
readonly plug_ins=(libfaceengine-ncnn.so libfaceengine-onnxruntime.so)
readonly headers=(face_engine.h face_engine.hpp face_engine_draw.h face_engine_plugin.h face_jni.h global_listener.h)
readonly topics=(include/face_engine/*.h)
installed=()

# put MODE FROM TO: TO is a path below the prefix.
put() {
  install -D -m "$1" "$2" "$root/$3"
  installed+=("$3")
}

put_binary() { # FROM TO
  local made
  made=$(mktemp)
  python3 Tools/package/finish.py "$1" "$made"
  put 755 "$made" "$2"
  rm -f "$made"
}

link() { # TARGET TO
  ln -sf "$1" "$root/$2"
  installed+=("$2")
}

# From the folder of faceengine.pc back to PREFIX.
# shellcheck disable=SC2001 # a pattern of bash has no "one or more"
up_from_pkgconfig() { sed 's|[^/]\+|..|g' <<<"$libdir/pkgconfig"; }

fill_in() { # FROM TO
  local made
  made=$(mktemp)
  sed -e "s|@VERSION@|$version|" -e "s|@UP@|$(up_from_pkgconfig)|" -e "s|/usr/bin/|$prefix/bin/|" "$1" >"$made"
  put 644 "$made" "$2"
  rm -f "$made"
}

put_engine() {
  local library file
  for library in "${libraries[@]}"; do
    put_binary "$build/$library" "$libdir/$library.1.0.0"
    link "$library.1.0.0" "$libdir/$library.1"
    link "$library.1" "$libdir/$library"
  done
  for library in "${plug_ins[@]}"; do
    if [[ ! -e $build/$library.1 ]]; then
      echo "install: without the plug-in $library.1, which was not built (make plug-ins)" >&2
      continue
    fi
    put_binary "$build/$library.1" "$libdir/$library.1.0.0"
    link "$library.1.0.0" "$libdir/$library.1"
  done
  for file in "${headers[@]/#/include/}" "${topics[@]}"; do put 644 "$file" "$file"; done
  for file in faceengine faceengine-draw; do fill_in "Tools/package/$file.pc.in" "$libdir/pkgconfig/$file.pc"; done
  put 644 Tools/package/FaceEngineConfig.cmake "$libdir/cmake/FaceEngine/FaceEngineConfig.cmake"
  fill_in Tools/package/FaceEngineConfigVersion.cmake.in "$libdir/cmake/FaceEngine/FaceEngineConfigVersion.cmake"
  put_binary "$build/face-engine" bin/face-engine
  for file in face-engine.service face-engine.socket; do fill_in "Tools/systemd/$file" "lib/systemd/system/$file"; done
  put 644 Tools/systemd/face-engine.sysusers lib/sysusers.d/face-engine.conf
  put 755 Tools/systemd/install-units.sh share/face-engine/install-units.sh
  put 644 Tools/package/faceengine.supp share/face-engine/faceengine.supp
  while IFS= read -r file; do put 644 "$build/staged/$file" "$file"; done \
    < <(cd "$build/staged" && find share -type f | LC_ALL=C sort)
}

put_gateway() {
  local file
  put_binary "$gateway/face-engine-gateway" bin/face-engine-gateway
  fill_in Tools/systemd/face-engine-gateway.service lib/systemd/system/face-engine-gateway.service
  put 644 Tools/systemd/face-engine-gateway.sysusers lib/sysusers.d/face-engine-gateway.conf
  for file in Gateway/Page/*.{html,js,css,svg,jpg}; do put 644 "$file" "share/face-engine/page/${file##*/}"; done
  while IFS= read -r file; do put 644 "$gateway/staged/$file" "$file"; done \
    < <(cd "$gateway/staged" && find share -type f | LC_ALL=C sort)
}

# So that programs find the library at once: the linker's cache has /usr/local/lib and /usr/lib, and only root writes
# it.
renew_linker_cache() {
  if [[ -z ${DESTDIR:-} && $(id -u) == 0 ]] && command -v ldconfig >/dev/null; then ldconfig; fi
}

case $action in
  install)
    case " ${parts//$'\n'/ } " in
      *" engine "*)
        for file in face-engine "${libraries[@]}"; do
          [[ -e $build/$file ]] || fail "there is no $build/$file: run make first, then make install"
        done
        [[ -d $build/staged/share/face-engine/Models ]] || fail "there is no $build/staged: run make first, as the user who builds"
        put_engine
        ;;
    esac
    case " ${parts//$'\n'/ } " in
      *" gateway "*)
        # It is installed where it was built.
        if [[ -d $gateway/staged/share ]]; then
          [[ -e $gateway/face-engine-gateway ]] || fail "there is no $gateway/face-engine-gateway: run make gateway first"
          put_gateway
        elif [[ $parts == gateway ]]; then
          fail "there is no $gateway/staged: run make gateway first"
        fi
        ;;
    esac
    while read -r name folder made _; do
      [[ " ${parts//$'\n'/ } " == *" $name "* ]] || continue
      made=$build/$made
      if [[ -e $made ]]; then
        # shellcheck source=/dev/null
        . "$folder/install.sh"
      elif [[ $parts == "$name" ]]; then
        fail "there is no $made: run make $name first"
      fi
    done < <(grep -v '^#' Tools/doors.txt)
    mkdir -p "$root/${list%/*}"
    printf '%s\n' "${installed[@]}" "$list" >"$root/$list"
    renew_linker_cache
    # What is packaged stays where the package has it.
    if [[ -z ${DESTDIR:-} ]]; then
      echo "install: systemd's units start $prefix/bin/face-engine. If you move the tree, or it is neither in /usr nor in /usr/local," \
        "run share/face-engine/install-units.sh in it"
    fi
    ;;
  uninstall)
    [[ -r $root/$list ]] || fail "there is no $root/$list, which lists what was installed; is PREFIX right?"
    mapfile -t installed <"$root/$list"
    cd "$root"
    rm -f -- "${installed[@]}"
    # Folders that only this has used; the prefix's own stay.
    for folder in $(printf '%s\n' "${installed[@]}" | sed 's|/[^/]*$||' | LC_ALL=C sort -ru); do
      rmdir -p --ignore-fail-on-non-empty -- "$folder" 2>/dev/null || true
    done
    renew_linker_cache
    ;;
  *) status=2 fail "$action is neither install nor uninstall" ;;
esac
