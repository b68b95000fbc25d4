#!/usr/bin/env bash
# Checks that the Swift toolchain in PATH can build this package, before anything that takes minutes.
set -euo pipefail

readonly oldest=6.3

log() { printf 'toolchain: %s\n' "$*" >&2; }
fail() {
  log "$*"
  exit 1
}

# The Debian package of a library that Swift's programs need.
package_of() {
  case $1 in
    libncurses.so* | libtinfo.so* | libform.so* | libpanel.so*) echo libncurses6 ;;
    libcurl.so*) echo libcurl4 ;;
    libxml2.so.2) echo libxml2 ;;
    libsqlite3.so*) echo libsqlite3-0 ;;
    libedit.so*) echo libedit2 ;;
    libpython3*) echo "lib${1#lib}" | sed 's/\.so.*//' ;;
    libz.so*) echo zlib1g ;;
    libstdc++.so*) echo libstdc++6 ;;
    *) return 1 ;;
  esac
}

swift=$(command -v swift) \
  || fail "there is no swift in PATH: install the Swift toolchain, $oldest or later, from swift.org, and add its bin folder to PATH."
folder=$(dirname "$(readlink -f "$swift")")

# What the loader does not find, over the programs that the build runs.
missing=$(for program in swift swift-build swift-test swift-package clang lld; do
  [[ ! -e $folder/$program ]] || ldd "$(readlink -f "$folder/$program")" 2>/dev/null
done | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' | sort -u)
if [[ -n $missing ]]; then
  packages=()
  for library in $missing; do
    if package=$(package_of "$library"); then packages+=("$package"); else packages+=("the package with $library"); fi
  done
  mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
  fail "the Swift toolchain in $folder lacks $(tr '\n' ' ' <<<"$missing"): run apt-get install ${packages[*]}."
fi

version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1) || true
[[ -n $version ]] || fail "$swift does not run: start it as '$swift --version' to see why."
[[ $(printf '%s\n' "$oldest" "$version" | sort -V | head -n 1) == "$oldest" ]] \
  || fail "this is Swift $version and $oldest or later is needed: install a newer toolchain from swift.org."
[[ -x $folder/clang && -x $folder/clang++ ]] || command -v clang++ >/dev/null \
  || fail "there is no clang beside $swift: install the whole Swift toolchain from swift.org, or Debian's clang."
log "Swift $version"
