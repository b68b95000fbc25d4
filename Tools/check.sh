#!/usr/bin/env bash
# check.sh BUILD_FOLDER: what must hold beside the tests. Names everything that does not, then fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=$1
library=$build/libfaceengine.so.1
failed=0

check() {
  local name=$1 result=0
  shift
  "$@" || result=$?
  case $result in
    0) echo "check: $name: ok" ;;
    77) echo "check: $name: SKIPPED" >&2 ;;
    *) echo "check: $name: FAILED" >&2; failed=1 ;;
  esac
}

formatted() { swift format lint --strict --recursive Sources Tests Package.swift; }

# The headers, each as its users include it; as the main file its inline functions would be called unused.
header_compiles() {
  local strict="-Wall -Wextra -pedantic -Werror -Iinclude -fsyntax-only"
  for compiler in gcc clang; do
    # shellcheck disable=SC2086
    echo '#include "face_engine.h"' | $compiler -std=c99 $strict -x c - || return 1
    for header in face_engine.h face_engine.hpp face_jni.h; do
      # shellcheck disable=SC2086
      echo "#include \"$header\"" | $compiler -std=c++17 $strict -x c++ - || return 1
    done
  done
}

# The functions in the header, in the export map, and in the library must be the same.
exports_agree() {
  local declared mapped exported
  declared=$(grep -oE '^FACE_API .*\bface_[a-z_]+\(' include/face_engine.h | grep -oE 'face_[a-z_]+\($' | tr -d '(' | sort)
  mapped=$(grep -oE '^ +face_[a-z_]+;' Sources/FaceEngineLibrary/exports.map | tr -d ' ;' | sort)
  exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
  [ -n "$declared" ] && diff <(echo "$declared") <(echo "$mapped") && diff <(echo "$declared") <(echo "$exported")
}

# A host needs no Swift installation.
library_stands_alone() {
  ! readelf -d "$library" | grep -E 'NEEDED.*(swift|Foundation|dispatch)' &&
    readelf -d "$library" | grep -q 'SONAME.*\[libfaceengine.so.1\]'
}

# Nothing of it is written to by the loader but data, its stack is not executable, and it is small as installed.
library_is_tidy() {
  local file size result=0
  ! readelf -d "$library" | grep TEXTREL || result=1
  # Not grep -q, which would end readelf by SIGPIPE.
  readelf -lW "$library" | grep 'GNU_STACK.* RW ' >/dev/null || { echo "check: the stack is executable" >&2; result=1; }
  readelf -V "$library" | grep 'FACEENGINE_1' >/dev/null || { echo "check: there is no version node" >&2; result=1; }
  file=$(mktemp)
  strip -o "$file" "$library"
  size=$(stat -c %s "$file")
  rm -f "$file"
  ((size < 14000000)) || { echo "check: the library has $size bytes stripped, 14000000 are allowed" >&2; result=1; }
  return $result
}

# What a program built against the last release finds must still be there. Its description is made at a release, with
# abidw --no-show-locs --headers-dir include -o Tools/package/libfaceengine.so.1.abi on the unstripped library.
abi_is_kept() {
  local last=Tools/package/libfaceengine.so.1.abi
  [ -f "$last" ] || { echo "check: there is no release to compare with" >&2; return 77; }
  command -v abidiff >/dev/null || { echo "check: abidiff is not installed (abigail-tools)" >&2; return 77; }
  # 4 is a change that may be an addition, 8 one that breaks programs.
  local result=0
  abidiff --no-added-syms --headers-dir2 include "$last" "$build/libfaceengine.so" || result=$?
  (((result & 8) == 0))
}

reference_is_clean() {
  local folder result=0
  folder=$(mktemp -d)
  Tools/reference/make.sh "$folder" || result=$?
  rm -rf "$folder"
  return $result
}

# The units, with the engine that was just built. Without systemd there is nobody to ask.
units_are_valid() {
  command -v systemd-analyze >/dev/null || { echo "check: systemd-analyze is not installed" >&2; return 77; }
  local folder result=0
  folder=$(mktemp -d)
  cp Tools/systemd/face-engine.socket "$folder"
  sed "s|/usr/bin/face-engine|$(realpath "$build")/face-engine|" Tools/systemd/face-engine.service >"$folder/face-engine.service"
  systemd-analyze verify --man=no "$folder/face-engine.service" "$folder/face-engine.socket" || result=1
  # 0 is locked down, 10 is wide open, in tenths.
  systemd-analyze security --offline=true --threshold=10 "$folder/face-engine.service" >"$folder/report" ||
    { tail -n 1 "$folder/report" >&2; result=1; }
  rm -rf "$folder"
  return $result
}

check "format" formatted
check "generated code" Tools/generate-proto.sh --check
check "imports" python3 Tools/check_imports.py
check "headers as C99 and C++17" header_compiles
check "exports" exports_agree
check "library" library_stands_alone
check "library file" library_is_tidy
check "ABI of the last release" abi_is_kept
check "reference" reference_is_clean
check "kernels" Tools/test_kernels.sh
check "systemd units" units_are_valid
exit $failed
