#!/usr/bin/env bash
# Makes ncnn, which runs the networks of the plug-in ncnn, available to Tools/plug-ins.sh.
#
#   ncnn.sh            builds it into the cache, unless the system or the cache has a good one
#   ncnn.sh --prefix   prints where it is installed, without building; prints nothing when the system's own is good
#
# With a prefix, builds find it through PKG_CONFIG_PATH=<prefix>/lib/pkgconfig.
# FACE_ENGINE_CACHE names another cache folder; FACE_ENGINE_NCNN=own ignores the system's ncnn; FACE_ENGINE_ARM64, the root of a
# Debian for ARM64, has it cross-built for that, and tried by qemu where that is installed.
set -euo pipefail

readonly version=1.0.20261020
readonly source_name=ncnn-$version.tar.gz
readonly source_sha256=ad8cdd63e9755cfa8e23b9b6d9ce46156077d80298a89e7c3ba325ffccfca200
readonly oldest_system_version=1.0.20240410
readonly recipe=1 # raise it when a step changes that the options below do not show
readonly needed_disk_mib=200

# The layers of the networks we load, and those ncnn itself makes inside them. All others are left out.
readonly layers=(
  input split slice concat crop reshape flatten permute squeeze expanddims packing cast memorydata noop dropout
  convolution convolutiondepthwise deconvolution deconvolutiondepthwise innerproduct gemm matmul
  pooling padding interp shufflechannel reduction binaryop unaryop eltwise scale
  batchnorm layernorm groupnorm normalize softmax
  relu prelu sigmoid tanh clip swish hardswish hardsigmoid mish
)

options=(
  NCNN_VERSION="${version##*.}"
  NCNN_C_API=ON
  # A guest in other people's processes: no threads of its own, no output, and networks from memory only
  # (ncnn_net_load_*_datareader; the functions that take a path or a FILE are not there).
  NCNN_OPENMP=OFF NCNN_SIMPLEOMP=OFF NCNN_STDIO=OFF NCNN_STRING=ON NCNN_THREADS=ON
  # One library for all processors: the kernels are chosen at run time.
  NCNN_RUNTIME_CPU=ON
  # 32-bit floats on the CPU only; pixels are converted elsewhere.
  NCNN_VULKAN=OFF NCNN_INT8=OFF NCNN_BF16=OFF NCNN_WEIGHT_QUANT=OFF
  NCNN_PIXEL=OFF NCNN_PIXEL_ROTATE=OFF NCNN_PIXEL_AFFINE=OFF NCNN_PIXEL_DRAWING=OFF
  # Instruction sets that only serve small integers, half floats or processors no longer made.
  NCNN_F16C=OFF NCNN_FMA4=OFF NCNN_XOP=OFF NCNN_AVXVNNI=OFF NCNN_AVXNECONVERT=OFF
  NCNN_AVX512VNNI=OFF NCNN_AVX512BF16=OFF NCNN_AVX512FP16=OFF
  NCNN_BUILD_TOOLS=OFF NCNN_BUILD_EXAMPLES=OFF NCNN_BUILD_BENCHMARK=OFF NCNN_BUILD_TESTS=OFF NCNN_PYTHON=OFF
)

readonly root=${FACE_ENGINE_ARM64:-}
# For the compiler and the linker, and what runs what they make.
target=() runner=()
if [[ -n $root || $(uname -m) == aarch64 ]]; then
  options+=(
    NCNN_ARM82=OFF NCNN_ARM82DOT=OFF NCNN_ARM82FP16FML=OFF NCNN_ARM84BF16=OFF NCNN_ARM84I8MM=OFF
    NCNN_ARM86SVE=OFF NCNN_ARM86SVE2=OFF NCNN_ARM86SVEBF16=OFF NCNN_ARM86SVEI8MM=OFF NCNN_ARM86SVEF32MM=OFF
  )
fi
if [[ -n $root ]]; then
  target=(--target=aarch64-linux-gnu "--sysroot=$root" -fuse-ld=lld)
  options+=(
    CMAKE_SYSTEM_NAME=Linux CMAKE_SYSTEM_PROCESSOR=aarch64 CMAKE_SYSROOT="$root"
    CMAKE_C_COMPILER_TARGET=aarch64-linux-gnu CMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu
    CMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
  )
  runner=("$(command -v qemu-aarch64-static || command -v qemu-aarch64 || echo true)" -L "$root")
fi
readonly options target runner

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
[[ $cache == /* ]] || cache=$PWD/$cache
readonly here cache

say() { printf 'ncnn: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# The clang that comes with Swift, so that C++ and Swift code are made by one compiler; else the one in PATH.
find_clang() {
  local swift folder
  if swift=$(command -v swift); then
    for folder in "$(dirname "$swift")" "$(dirname "$(readlink -f "$swift")")"; do
      if [[ -x $folder/clang && -x $folder/clang++ ]]; then
        printf '%s\n' "$folder/clang"
        return
      fi
    done
  fi
  command -v clang && command -v clang++ >/dev/null
}

# What the compiler is, without where it is.
compiler_identity() { "$clang" --version | grep -v '^InstalledDir'; }

make_cache() {
  if ! mkdir -p "$cache/ncnn" 2>/dev/null || [[ ! -w $cache/ncnn ]]; then
    fail "cannot write to $cache: set FACE_ENGINE_CACHE to a folder you own."
  fi
}

hash_of_input() { sha256sum | cut -c1-16; }

build_key() {
  { printf '%s\n' "$recipe" "$source_sha256" "${options[@]}" "${layers[@]}"; compiler_identity; } | hash_of_input
}

# Compiles and runs ncnn_check.c with the ncnn that pkg-config finds. Its status is that of the first step to fail.
check_works() {
  local program flags result=0
  program=$(mktemp -p "$cache/ncnn") || return
  flags=$(pkg-config --cflags --libs ncnn) || result=$?
  # pkg-config quotes for a shell, hence eval.
  ((result)) || eval "\"\$clang\" \"\${target[@]}\" \"\$here/ncnn_check.c\" -o \"\$program\" $flags" || result=$?
  ((result)) || "${runner[@]}" "$program" || result=$?
  rm -f "$program"
  return "$result"
}

# True when the system has a usable ncnn. The check's outcome is kept for as long as compiler and library stay.
system_is_good() {
  [[ ${FACE_ENGINE_NCNN:-} != own && -z $root ]] || return 1
  command -v pkg-config >/dev/null || return 1
  pkg-config --atleast-version="$oldest_system_version" ncnn 2>/dev/null || return 1
  local folder outcome
  folder=$(pkg-config --variable=pcfiledir ncnn)
  [[ $folder != "$cache"/* ]] || return 1 # our own, seen through PKG_CONFIG_PATH
  outcome=$cache/ncnn/system-$({ compiler_identity; pkg-config --cflags --libs ncnn
    stat -c '%n %s %Y' "$folder/ncnn.pc"; cat "$here/ncnn_check.c"; } | hash_of_input)
  if [[ ! -f $outcome ]]; then
    make_cache
    if check_works >/dev/null 2>&1; then echo good >"$outcome"; else echo bad >"$outcome"; fi
  fi
  [[ $(<"$outcome") == good ]]
}

check_tools() {
  local tool
  for tool in cmake ninja python3 pkg-config tar flock; do
    command -v "$tool" >/dev/null || fail "$tool is missing: run Tools/setup/packages.sh plug-ins."
  done
}

check_disk() {
  local free_kib
  free_kib=$(df -Pk . | awk 'NR == 2 { print $4 }')
  ((free_kib >= needed_disk_mib * 1024)) ||
    fail "the build needs $needed_disk_mib MiB and $cache has $((free_kib / 1024)):" \
      "free some, or set FACE_ENGINE_CACHE."
}

# For when a step has failed: a full disk has many messages, none of which says so first.
check_disk_is_not_full() {
  local free_kib
  free_kib=$(df -Pk . | awk 'NR == 2 { print $4 }')
  ((free_kib >= 1024)) || fail "the disk with $cache is full: free $needed_disk_mib MiB, or set FACE_ENGINE_CACHE."
}

fetch_source() {
  local archive=$cache/downloads/$source_sha256/$source_name
  say "fetching the source of version $version"
  python3 "$here/index_file.py" ncnn "$source_name" "$source_sha256" "$archive" || exit 1
  if [[ ! -d source ]]; then
    rm -rf unpacked && mkdir unpacked
    if ! tar -xzf "$archive" -C unpacked; then
      check_disk_is_not_full
      fail "could not unpack $archive: delete it, then run this again."
    fi
    mv -T "unpacked/ncnn-$version" source
  fi
}

# -DWITH_LAYER_x=OFF for every layer of the source that is not in our list.
unwanted_layers() {
  sed -n 's/^ncnn_add_layer(\([A-Za-z0-9]*\).*/\1/p' source/src/CMakeLists.txt | tr '[:upper:]' '[:lower:]' |
    grep -vxF "$(printf '%s\n' "${layers[@]}")" | sed 's/.*/-DWITH_LAYER_&=OFF/'
}

configure() {
  local unwanted
  say "configuring"
  mapfile -t unwanted < <(unwanted_layers)
  cmake -S source -B objects -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clang++" \
    -DCMAKE_INSTALL_LIBDIR=lib "${options[@]/#/-D}" "${unwanted[@]}" >configure.log 2>&1 ||
    fail "cmake could not configure ncnn ($(sed -n '/^CMake Error/,+5s/^  *//p' configure.log | tr '\n' ' ')):" \
      "see $PWD/configure.log."
}

# Turns ninja's line per file into one line per tenth of the way. Not awk: Debian's mawk reads pipes in blocks.
show_progress() {
  local line shown=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    ((10 * BASH_REMATCH[1] / BASH_REMATCH[2] > shown)) || continue
    shown=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    say "compiling, ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} files"
  done
}

compile() {
  say "compiling with $clang, about four minutes on two processors"
  NINJA_STATUS='[%f/%t] ' ninja -C objects 2>&1 | tee compile.log | show_progress && return
  check_disk_is_not_full
  fail "ncnn did not compile ($(grep -m1 'error:' compile.log || tail -n 1 compile.log)): see $PWD/compile.log."
}

write_pkg_config() {
  # Relative to the file itself, so that the folder may be moved.
  cat >"$1/lib/pkgconfig/ncnn.pc" <<PC
prefix=\${pcfiledir}/../..

Name: ncnn
Description: Neural network inference on the CPU
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lncnn -lstdc++ -lm -lpthread
PC
}

install_into() {
  rm -rf staged
  if ! cmake --install objects --prefix "$PWD/staged" >install.log; then
    check_disk_is_not_full
    fail "could not install ncnn: see $PWD/install.log."
  fi
  rm -rf staged/lib/cmake # describes dependencies we do not have
  install -D -m 644 source/LICENSE.txt staged/share/doc/ncnn/LICENSE.txt
  mkdir -p staged/lib/pkgconfig
  write_pkg_config staged
  say "checking that a program can use it"
  PKG_CONFIG_PATH=$PWD/staged/lib/pkgconfig check_works ||
    fail "the ncnn just built does not work (Tools/setup/ncnn_check.c gave $?): delete $PWD and run this again."
  mv -T staged "$1"
}

# Whether what lies in a prefix was installed whole.
is_installed() {
  local library=$1/lib/libncnn.a
  [[ -f $1/lib/pkgconfig/ncnn.pc && -f $library ]] && (($(stat -c %s "$library") > 1000000)) &&
    [[ $(head -c 7 "$library") == '!<arch>' ]]
}

build() {
  local prefix=$1 started=$SECONDS work=$1.build
  check_tools
  make_cache
  exec 9>"$prefix.lock"
  if ! flock -n 9; then
    say "another build is under way, waiting for it"
    flock 9
  fi
  ! is_installed "$prefix" || return 0 # another build has just made it
  if [[ -e $prefix ]]; then
    say "what is in $prefix is damaged and is built again"
    rm -rf "$prefix"
  fi
  trap 'say "interrupted; run this again to go on"; exit 130' INT TERM
  # What an interrupted build left here is used again.
  mkdir -p "$work"
  cd "$work"
  check_disk
  fetch_source
  configure
  compile
  install_into "$prefix"
  cd "$cache"
  rm -rf "$work"
  say "installed in $prefix, $((SECONDS - started)) seconds"
}

main() {
  [[ $# == 0 || $* == --prefix ]] || fail "unknown arguments $*: use --prefix, or none."
  clang=$(find_clang) || fail "no clang found: install a Swift toolchain and put its bin folder in PATH."
  local prefix
  if system_is_good; then
    [[ $# != 0 ]] || say "the system's version $(pkg-config --modversion ncnn) is good"
    return
  fi
  prefix=$cache/ncnn/$(build_key)
  if [[ $# != 0 ]]; then
    printf '%s\n' "$prefix"
  elif is_installed "$prefix"; then
    say "ready in $prefix"
  else
    build "$prefix"
  fi
}

main "$@"
