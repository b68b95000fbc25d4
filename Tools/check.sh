#!/usr/bin/env bash
# check.sh BUILD_FOLDER [quick]: what must hold beside the tests; quick: what takes seconds. Names everything that does
# not, again at its end, then fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=$1
library=$build/libfaceengine.so.1
drawing=$build/libfaceengine-draw.so.1
output=$(mktemp)
failures=$(mktemp)
trap 'rm -f "$output" "$failures"' EXIT

check() {
  local name=$1 result
  shift
  "$@" 2>&1 | tee "$output"
  result=${PIPESTATUS[0]}
  case $result in
    0) echo "check: $name: ok" ;;
    77) echo "check: $name: SKIPPED" ;;
    *)
      echo "check: $name: FAILED"
      { tail -n 20 "$output" && echo "check: $name: FAILED"; } >>"$failures"
      ;;
  esac
}

shell_scripts() {
  command -v shellcheck >/dev/null || {
    echo "check: shellcheck is not installed" >&2
    return 77
  }
  git grep -lIE '^#!.*\b(ba)?sh\b' | xargs -d '\n' shellcheck
}

# The headers, each alone and as its users include it; as the main file its inline functions would be called unused.
header_compiles() {
  local parts=(include/face_engine/*.h)
  parts=("${parts[@]#include/}")
  local strict="-Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only"
  for compiler in gcc clang; do
    for header in face_engine.h "${parts[@]}" face_engine_draw.h face_engine_plugin.h; do
      # shellcheck disable=SC2086
      echo "#include \"$header\"" | $compiler -std=c99 $strict -x c - || return 1
    done
    for header in face_engine.h "${parts[@]}" face_engine.hpp face_engine_draw.h face_engine_plugin.h face_jni.h \
      global_listener.h; do
      # shellcheck disable=SC2086
      echo "#include \"$header\"" | $compiler -std=c++17 $strict -x c++ - || return 1
    done
    for header in face_jni.h global_listener.h; do
      # shellcheck disable=SC2086
      [[ $(echo "#include \"$header\"" | $compiler -std=c99 $strict -x c - 2>&1) == *"is for C++17"* ]] || return 1
    done
  done
}

# exports_agree MAP LIBRARY HEADER...: the functions in the map, the library and all headers must be the same.
exports_agree() {
  local declared mapped exported
  declared=$(grep -ohE '^FACE_API .*\bface_[a-z_]+\(' "${@:3}" | grep -oE 'face_[a-z_]+\($' | tr -d '(' | sort)
  mapped=$(grep -oE '^ +face_[a-z_]+;' "$1" | tr -d ' ;' | sort)
  exported=$(nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
  [ -n "$declared" ] && diff <(echo "$declared") <(echo "$mapped") && diff <(echo "$declared") <(echo "$exported")
}

# stands_alone LIBRARY SONAME: a host needs no Swift installation, and neither library the other.
stands_alone() {
  ! readelf -d "$1" | grep -E 'NEEDED.*(swift|Foundation|dispatch|faceengine)' \
    && readelf -d "$1" | grep "SONAME.*\[$2\]" >/dev/null
}

# draws_on_demand COMMAND: it starts without libcairo and all that this brings.
draws_on_demand() { ! readelf -d "$1" | grep 'NEEDED.*cairo' && ! nm -D --undefined-only "$1" | grep ' cairo_'; }

# is_tidy LIBRARY NODE BYTES: nothing of it is written to by the loader but data, its stack is not executable, its
# functions have a version, and it is small as installed.
is_tidy() {
  local file size result=0
  ! readelf -d "$1" | grep TEXTREL || result=1
  # Not grep -q, which would end readelf by SIGPIPE.
  readelf -lW "$1" | grep 'GNU_STACK.* RW ' >/dev/null || {
    echo "check: the stack is executable" >&2
    result=1
  }
  readelf -V "$1" | grep "$2" >/dev/null || {
    echo "check: there is no version node" >&2
    result=1
  }
  readelf -d "$1" | grep BIND_NOW >/dev/null || {
    echo "check: functions are not bound at start" >&2
    result=1
  }
  readelf -d "$1" | grep NODELETE >/dev/null || {
    echo "check: dlclose unloads it" >&2
    result=1
  }
  # As it is installed.
  file=$(mktemp)
  Tools/package/finish.py "$1" "$file" || result=1
  ! readelf -d "$file" | grep RUNPATH || result=1
  ! strings -a "$file" | grep -F "$PWD/" || {
    echo "check: it names the folder of its build" >&2
    result=1
  }
  size=$(stat -c %s "$file")
  rm -f "$file"
  ((size < $3)) || {
    echo "check: the library has $size bytes stripped, $3 are allowed" >&2
    result=1
  }
  return $result
}

# A plug-in exports what it is known by and nothing else. Skipped where it was not built.
plug_in_is_tidy() { # NAME BYTES
  local exported plug_in=$build/libfaceengine-$1.so.1
  [[ -e $plug_in ]] || {
    echo "check: there is no $plug_in: make plug-ins" >&2
    return 77
  }
  exported=$(nm -D --defined-only "$plug_in" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }')
  [[ $exported == face_engine_plugin ]] || {
    echo "check: it exports $exported" >&2
    return 1
  }
  stands_alone "$plug_in" "${plug_in##*/}" && is_tidy "$plug_in" FACEENGINE_PLUGIN_1 "$2"
}

reference_is_clean() {
  local folder result=0
  folder=$(mktemp -d)
  Tools/reference/make.sh "$folder" || result=$?
  rm -rf "$folder"
  return $result
}

# The units, with the engine that was just built. Skipped without systemd.
units_are_valid() {
  command -v systemd-analyze >/dev/null || {
    echo "check: systemd-analyze is not installed" >&2
    return 77
  }
  local folder result=0
  folder=$(mktemp -d)
  cp Tools/systemd/face-engine.socket "$folder"
  sed "s|/usr/bin/face-engine|$(realpath "$build")/face-engine|" Tools/systemd/face-engine.service >"$folder/face-engine.service"
  # Verified with a program that is there: the gateway is not always built.
  sed "s|/usr/bin/face-engine-gateway|$(realpath "$build")/face-engine|" Tools/systemd/face-engine-gateway.service \
    >"$folder/face-engine-gateway.service"
  systemd-analyze verify --man=no "$folder"/*.service "$folder/face-engine.socket" || result=1
  # 0 is locked down, 10 is wide open, in tenths. The gateway has a network.
  for unit in face-engine:10 face-engine-gateway:20; do
    systemd-analyze security --offline=true --threshold="${unit#*:}" "$folder/${unit%:*}.service" >"$folder/report" \
      || {
        tail -n 1 "$folder/report" >&2
        result=1
      }
  done
  rm -rf "$folder"
  return $result
}

apparmor_profile_is_valid() {
  command -v apparmor_parser >/dev/null || {
    echo "check: apparmor is not installed" >&2
    return 77
  }
  apparmor_parser --skip-kernel-load --skip-cache Tools/apparmor/face-engine
}

check "format" Tools/format.sh --check
check "AppArmor profile" apparmor_profile_is_valid
check "shell scripts" shell_scripts
check "generated code" Tools/generate --check
check "generator" /usr/bin/python3 Tools/contract/test_contract.py
check "list of phrases" /usr/bin/python3 Tools/test_prose.py
check "prose" /usr/bin/python3 Tools/prose.py
check "imports" python3 Tools/check_imports.py
check "circles" python3 Tools/check_circles.py
check "headers as C99 and C++17" header_compiles
check "exports" exports_agree Sources/Library/FaceEngineLibrary/exports.map "$library" include/face_engine/*.h
check "exports of the drawing library" exports_agree Sources/Library/FaceDrawLibrary/exports.map "$drawing" include/face_engine_draw.h
if [[ ${2-} != quick ]]; then
  check "library" stands_alone "$library" libfaceengine.so.1
  check "drawing library" stands_alone "$drawing" libfaceengine-draw.so.1
  check "command" draws_on_demand "$build/face-engine"
  check "descriptors" Tools/check_descriptors.sh "$build"
  check "library file" is_tidy "$library" FACEENGINE_1 10000000
  check "drawing library file" is_tidy "$drawing" FACEENGINE_DRAW_1 8000000
  check "plug-in ncnn" plug_in_is_tidy ncnn 7000000
  check "plug-in onnxruntime" plug_in_is_tidy onnxruntime 30000
  check "ABI" Tools/package/abi.sh check
  check "names" Tools/public_names.py "$build" check
  check "reference" reference_is_clean
  check "kernels" Tools/test_kernels.sh
  check "systemd units" units_are_valid
fi
# Last, since a runner may keep no more than the end.
[ ! -s "$failures" ] || {
  cat "$failures" >&2
  exit 1
}
