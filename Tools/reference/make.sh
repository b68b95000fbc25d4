#!/usr/bin/env bash
# make.sh FOLDER: the reference of the C API as HTML and manual pages, made by Doxygen from the headers in include. Fails when
# Doxygen finds something to warn of.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
command -v doxygen >/dev/null || { echo "reference: doxygen is not installed: apt-get install doxygen" >&2; exit 77; }
mkdir -p "$1"
{
  cat Tools/reference/Doxyfile
  echo "OUTPUT_DIRECTORY = $1"
  echo "PROJECT_NUMBER = $(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/FaceCore/EngineVersion.swift)"
} | doxygen -
