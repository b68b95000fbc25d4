#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, those that are missing only.
# The Swift toolchain is not among them: it has to be in PATH already.
set -euo pipefail

readonly packages=(
  # tools
  git                  # the sources' version, and the tests that look at the checkout
  make                 # the Makefile
  pkg-config           # SwiftPM and the C programs find libraries with it
  cmake                # configures ncnn, and is a customer of our CMake config file
  ninja-build          # compiles ncnn
  gcc                  # the C tests, as a host that is not built with clang
  g++                  # the C++ tests, and the C++ library ncnn is compiled against
  python3              # set-up scripts, the Python example
  python3-pip          # knows how this machine reaches the Python package index
  python3-venv         # the environment that models are converted in
  ca-certificates      # lets the downloads be trusted
  protobuf-compiler    # reads our .proto
  protobuf-c-compiler  # makes C code of it
  binutils             # readelf and nm, which check what the library exports
  doxygen              # the reference of the C API
  abigail-tools        # compares the library's ABI with the last release's
  valgrind             # the C tests, which may not leak
  libjpeg-turbo-progs  # djpeg, which makes raw pixels for the examples
  ffmpeg               # makes streams of clips for face-engine watch
  xvfb                 # a screen for the tests of Examples/kiosk
  xauth                # lets them in
  # clients of other languages, which the tests build from our .proto
  golang-go                          # compiles the Go client
  gogottrpc                          # makes Go code of our .proto
  golang-github-containerd-ttrpc-dev # containerd's ttrpc, which it speaks
  python3-protobuf                   # all that the Python example needs
  # libraries
  libc6-dev            # the C library's headers
  libprotobuf-c-dev    # messages on the socket
  libturbojpeg0-dev    # JPEG in and out
  libpng-dev           # PNG in and out
  libwebp-dev          # WebP in
  libyuv-dev           # pixel formats, scaling, turning
  libexif-dev          # the orientation in photos
  libcairo2-dev        # drawing boxes and masks
  libsdl2-dev          # the window of Examples/kiosk
  libjansson-dev       # reads model.json
  libmd-dev            # sha256 of model files
)

say() { printf 'packages: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Prints the packages that are not installed.
missing_packages() {
  local installed name
  # shellcheck disable=SC2016 # the format is dpkg-query's
  installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
  for name in "${packages[@]}"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $name"$'\n'* ]] || printf '%s\n' "$name"
  done
}

# Runs apt-get as root and keeps its chatter for the case that it fails.
apt() {
  local output
  output=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" 2>&1) ||
    fail "apt-get $1 failed ($(grep -m1 '^E:' <<<"$output" || tail -n 1 <<<"$output")):" \
      "correct that, then run this again."
}

command -v dpkg-query >/dev/null ||
  fail "this is not a Debian system: install what matches ${packages[*]} with its own package manager."

mapfile -t missing < <(missing_packages)
if ((${#missing[@]} == 0)); then
  say "all ${#packages[@]} are installed"
  exit
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    fail "there is no sudo: run this as root, or have an administrator install ${missing[*]}."
  sudo true || fail "sudo does not let you in: have an administrator install ${missing[*]}."
  as_root=(sudo)
fi

say "installing ${missing[*]}"
apt update
apt install --no-install-recommends "${missing[@]}"
say "done"
