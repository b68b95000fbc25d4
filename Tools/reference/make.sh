#!/usr/bin/env bash
# make.sh FOLDER [xml]: the reference of the libraries from the headers in include, as web pages (html/index.html) and manual pages
# (man/man3); with xml also as Doxygen's XML. Fails when Doxygen warns, or when an exported function has no page.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || [[ $# == 2 && $2 == xml ]] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
command -v doxygen >/dev/null || { echo "reference: doxygen is not installed: apt-get install doxygen" >&2; exit 77; }
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
mkdir -p "$1"
# Pages of what is gone must not stay.
rm -rf "$1/html" "$1/man" "$1/xml"
{
  cat Tools/reference/Doxyfile
  echo "OUTPUT_DIRECTORY = $1"
  echo "PROJECT_NUMBER = $version"
} | doxygen -
python3 Tools/reference/man.py "$1/xml" "$1/man/man3" "$version"
[[ ${2-} == xml ]] || rm -rf "$1/xml"
names=$(grep -ohE '^ +face_[a-z_]+;' Sources/Bindings/*/exports.map | tr -d ' ;')
for name in $names; do
  [[ -f $1/man/man3/$name.3 ]] || { echo "reference: $name has no page" >&2; exit 1; }
done
