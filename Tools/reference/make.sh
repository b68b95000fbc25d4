#!/usr/bin/env bash
# make.sh FOLDER: the reference of the libraries from the headers in include, as web pages (html/index.html), manual
# pages (man/man3) and a list of all names (tags.xml). Fails when Doxygen warns, or when an exported function has no
# page.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
style=/usr/share/doxygen-awesome-css
[[ $(command -v doxygen) && -d $style ]] || {
  echo "reference: install doxygen and doxygen-awesome-css" >&2
  exit 77
}
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
mkdir -p "$1"
# Pages of what is gone must not stay.
rm -rf "$1/html" "$1/man" "$1/xml"
doxygen - <<END
@INCLUDE = Tools/reference/Doxyfile
OUTPUT_DIRECTORY = $1
PROJECT_NUMBER = $version
GENERATE_TAGFILE = $1/tags.xml
HTML_EXTRA_STYLESHEET = $style/doxygen-awesome.css $style/doxygen-awesome-sidebar-only.css
END
python3 Tools/package/manual.py "$1/xml" "$1/man/man3" "$version"
echo "reference: $(find "$1/man/man3" -name "*.3" | wc -l) manual pages in $1/man/man3"
rm -rf "$1/xml"
for name in $(grep -ohE '^ +face_[a-z_]+;' Sources/Library/*/exports.map | tr -d ' ;'); do
  [[ -f $1/man/man3/$name.3 ]] || {
    echo "reference: $name has no page" >&2
    exit 1
  }
done
