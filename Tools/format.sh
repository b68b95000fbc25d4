#!/usr/bin/env bash
# format.sh [--check]: formats Swift, C, C++, Java, Python, JavaScript, CSS and shell scripts, or names what is not
# formatted. Lines end at 120 columns in all of them. Generated files, public headers and data keep their own form.
# Status 77 if the formatters are not in the cache (Tools/setup/formatters.sh).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
folder=$(Tools/setup/formatters.sh --folder)
[[ -n $folder && -d $folder ]] || {
  echo "format: the formatters are missing; run Tools/setup/formatters.sh (x86-64 only)" >&2
  exit 77
}
if [[ ${1-} == --check ]]; then
  swift=(lint --strict) clang=(--dry-run --Werror) ruff=(--check --diff) oxfmt=(--list-different) shfmt=(-d)
else
  swift=(--in-place) clang=(-i) ruff=() oxfmt=() shfmt=(-w)
fi
failed=

# sources PATTERN...: the files of these names, without links, generated files and files that are test data.
sources() {
  git ls-files -z --stage -- "$@" ':!Tests/Fixtures' ':!Tests/CTests/fuzz' ':!Proto/baseline' | sed -zn 's/^100[0-9]* [^\t]*\t//p' \
    | git check-attr -z --stdin linguist-generated \
    | awk -v RS='\0' -v ORS='\0' 'NR % 3 == 1 { name = $0 } NR % 3 == 0 && $0 != "set" { print name }'
}

# formatted NAME COMMAND...: the command must succeed.
formatted() {
  "${@:2}" || {
    echo "format: $1: not in order; run make format, and shorten what it names" >&2
    failed=yes
  }
}

mapfile -td '' c < <(sources '*.c' '*.cpp' '*.hpp' '*.h' '*.java' ':!include')
mapfile -td '' python < <(sources '*.py' Tools/generate Tests/Packages/podman)
mapfile -td '' web < <(sources '*.js' '*.mjs' '*.css')
mapfile -td '' shell < <(git grep -zlIE '^#!.*\b(ba)?sh\b' -- ':!Tests/Fixtures')
mapfile -td '' others < <(sources '*.swift' '*.qml' 'include/*.h*')

formatted Swift swift format "${swift[@]}" --parallel --recursive Sources Tests Package.swift Package@swift-6.2.swift \
  Gateway/Package.swift Gateway/Sources Gateway/Tests Bindings/Swift Examples/swift Examples/swift-service
formatted "C and Java" "$folder/clang-format" "${clang[@]}" "${c[@]}"
formatted Python "$folder/ruff" format -q --no-cache "${ruff[@]}" "${python[@]}"
formatted "JavaScript and CSS" "$folder/oxfmt" "${oxfmt[@]}" "${web[@]}"
formatted "shell scripts" "$folder/shfmt" -i 2 -ci -bn "${shfmt[@]}" "${shell[@]}"
# What no formatter wraps: comments.
formatted "lines" Tools/line_width.py "${c[@]}" "${python[@]}" "${web[@]}" "${shell[@]}" "${others[@]}"
[[ -z $failed ]]
