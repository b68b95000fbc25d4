#!/usr/bin/env bash
# packages.sh build|plug-ins|test|gateway|test-gateway|DOOR|test-DOOR|site: installs the Debian packages that are
# missing, those that building and running need, those that building the plug-ins needs as well, or testing; the same
# for the gateway, and for a door of Tools/doors.txt, whose folder lists them in packages.txt; or what makes the
# documentation's site. The Swift toolchain is not among them; see toolchain.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly for_building=(
  # tools
  git             # the sources' version
  make            # the Makefile
  pkg-config      # SwiftPM and C programs find libraries with it
  g++             # the C++ library that Swift's are linked with
  python3         # set-up scripts
  python3-pip     # knows how this machine reaches the Python package index
  python3-venv    # the environment in which models are converted
  ca-certificates # lets downloads be trusted
  # libraries
  libc6-dev           # the C library's headers
  libprotobuf-c-dev   # messages on the socket
  libjpeg62-turbo-dev # JPEG in and out
  libpng-dev          # PNG in and out
  libwebp-dev         # WebP in
  libyuv-dev          # pixel formats, scaling, turning
  libexif-dev         # the orientation in photos
  libcairo2-dev       # drawing boxes and masks
  libjansson-dev      # reads model.json
  libmd-dev           # sha256 of model files
)

readonly for_building_plug_ins=(
  cmake       # configures ncnn
  ninja-build # compiles ncnn
)

readonly for_testing=(
  gcc                 # the C tests, as a host that is not built with clang
  rsync               # renews the copy of the sources for ARM64
  binutils            # readelf and nm, which check what the library exports
  protobuf-compiler   # reads our .proto
  protobuf-c-compiler # makes C code of it
  doxygen             # the reference of the C API
  doxygen-awesome-css # its style
  man-db              # manual pages without an error
  shellcheck          # finds faults of shell scripts
  abigail-tools       # compares the library's ABI with the last release's
  valgrind            # the C tests, which may not leak
  libjpeg-turbo-progs # djpeg, which makes raw pixels for the examples
  ffmpeg              # makes streams of clips for face-engine watch, and decodes video files for it
  libheif1            # HEIC and AVIF in, loaded when such a picture comes
  libtiff6            # TIFF in, likewise
  libgdk-pixbuf-2.0-0 # BMP and GIF in, likewise
  python3-jsonschema  # checks the command's JSON
  zsh                 # reads its completions
  fish                # likewise
  libpangocairo-1.0-0 # texts on pictures
  fonts-noto-core     # their letters, Arabic ones included
  fonts-noto-cjk      # their Japanese
  # packages, and machines to try them on
  dpkg-dev         # builds Debian packages
  debhelper        # and knows what is in one
  dh-python        # also of Python
  dh-apparmor      # and of AppArmor's profiles
  apparmor         # reads ours
  lintian          # finds faults of packages
  debootstrap      # makes a Debian that has nothing else
  qemu-user-static # processors that this machine has not
  mmdebstrap       # makes one as small as a container
  # clients in other languages, which the tests build from our .proto
  golang-go                          # compiles the Go client
  python3-protobuf                   # all that the Python example needs
  golang-github-containerd-ttrpc-dev # containerd's ttrpc, which the Go client speaks
)

readonly for_building_the_gateway=(
  libnghttp2-dev # HTTP/2
  zlib1g-dev     # bodies compressed with gzip
)

readonly for_testing_the_gateway=(
  python3-venv      # the environments of its clients
  chromium          # looks at the page
  prometheus        # reads the metrics
  haproxy           # stands in front of several gateways
  nginx-light       # or this
  iproute2          # a network of its own
  openssl           # their certificates
  golang-go         # a client in Go
  protobuf-compiler # made of our .proto
  curl              # what docs/start.md calls the gateway with
  nodejs            # likewise
)

readonly for_the_site=(
  make                 # the Makefile
  python3              # makes the pages
  python3-pip          # knows how this machine reaches the Python package index
  python3-venv         # the environment that has MkDocs
  ca-certificates      # lets downloads be trusted
  doxygen              # the reference of the C API
  doxygen-awesome-css  # its style
  default-jdk-headless # javadoc
  chromium             # looks at the pages
)

# Not in every release of Debian; the tests that need one of them are skipped without it, and say so.
readonly for_testing_if_there=(
  gogottrpc # makes Go code of our .proto; in Debian 12 alone
)
readonly for_testing_the_gateway_if_there=(
  golang-google-grpc-dev # a client in Go
  protoc-gen-go-1-3      # makes what that stands on of our .proto
)

log() { printf 'packages: %s\n' "$*" >&2; }
fail() {
  log "$*"
  exit 1
}

# missing_packages NAME...: prints those that are not installed.
missing_packages() {
  local packages=("$@") installed name
  # shellcheck disable=SC2016 # the format is dpkg-query's
  installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
  for name in "${packages[@]}"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $name"$'\n'* ]] || printf '%s\n' "$name"
  done
}

# Runs apt-get as root and keeps its chatter for the case that it fails.
apt() {
  local output
  output=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" 2>&1) \
    || fail "apt-get $1 failed ($(grep -m1 '^E:' <<<"$output" || tail -n 1 <<<"$output")):" \
      "correct that, then run this again."
}

optional=()
case "$*" in
  build) packages=("${for_building[@]}") ;;
  plug-ins) packages=("${for_building[@]}" "${for_building_plug_ins[@]}") ;;
  test) packages=("${for_building[@]}" "${for_building_plug_ins[@]}" "${for_testing[@]}") optional=("${for_testing_if_there[@]}") ;;
  gateway) packages=("${for_building[@]}" "${for_building_the_gateway[@]}") ;;
  test-gateway)
    packages=("${for_building[@]}" "${for_building_the_gateway[@]}" "${for_testing_the_gateway[@]}")
    optional=("${for_testing_the_gateway_if_there[@]}")
    ;;
  site) packages=("${for_the_site[@]}") ;;
  *)
    folder=$(awk -v name="${1#test-}" '$1 == name { print $2 }' Tools/doors.txt)
    [[ $# == 1 && -n $folder ]] || fail "say what they are for, as the first line of packages.sh does."
    [[ $1 == test-* ]] && kinds='^(build|test)$' || kinds='^build$'
    mapfile -t packages < <(awk -v kinds="$kinds" '$1 ~ kinds { print $2 }' "$folder/packages.txt")
    packages=("${for_building[@]}" "${packages[@]}")
    ;;
esac
command -v dpkg-query >/dev/null \
  || fail "this is not a Debian system: install what matches ${packages[*]} with its own package manager."

mapfile -t missing < <(missing_packages "${packages[@]}")
if ((${#optional[@]} > 0)); then
  for name in $(missing_packages "${optional[@]}"); do
    if apt-cache show "$name" >/dev/null 2>&1; then missing+=("$name"); else log "this Debian has no $name"; fi
  done
fi
if ((${#missing[@]} == 0)); then
  log "all ${#packages[@]} are installed"
  exit
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null \
    || fail "there is no sudo: run this as root, or have an administrator install ${missing[*]}."
  sudo true || fail "sudo does not let you in: have an administrator install ${missing[*]}."
  as_root=(sudo)
fi

log "installing ${missing[*]}"
apt update
apt install --no-install-recommends "${missing[@]}"
log "done"
