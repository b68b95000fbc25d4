#!/usr/bin/env bash
# format_c.sh [--check]: formats C and C++ as .clang-format has it, or fails where something is not formatted so. The public headers
# and generated code are not among it. By the version of Debian 12, since others write some lines differently; status 77
# without it.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v clang-format-14 >/dev/null || { echo "format: clang-format-14 is not installed" >&2; exit 77; }
options=(-i)
[[ ${1-} != --check ]] || options=(--dry-run --Werror)
# No links: those lead to the public headers.
git ls-files -z --stage -- Sources/Native Plugins Bindings ':!Bindings/Java/native/layout.h' Tests/CTests Examples | sed -zn 's/^100[0-9]* [^\t]*\t//p' |
  grep -zE '\.(c|h|cpp|hpp)$' | xargs -0 -n 20 -P "$(nproc)" clang-format-14 "${options[@]}"
