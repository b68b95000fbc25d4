#!/usr/bin/env bash
# ncnn.sh: builds ncnn, which the plug-in ncnn links, into the cache, unless it is there, and prints where it is
# installed. Builds find it through PKG_CONFIG_PATH=<that folder>/lib/pkgconfig.
#
# FACE_ENGINE_CACHE names another cache folder; FACE_ENGINE_ARM64, the root of a Debian for ARM64, has it cross-built
# for that.
set -euo pipefail

readonly version=1.0.20261020
readonly source_sha256=ad8cdd63e9755cfa8e23b9b6d9ce46156077d80298a89e7c3ba325ffccfca200
readonly recipe=1 # raise it when a step changes that the options below do not show

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
if [[ -n $root || $(uname -m) == aarch64 ]]; then
  options+=(
    NCNN_ARM82=OFF NCNN_ARM82DOT=OFF NCNN_ARM82FP16FML=OFF NCNN_ARM84BF16=OFF NCNN_ARM84I8MM=OFF
    NCNN_ARM86SVE=OFF NCNN_ARM86SVE2=OFF NCNN_ARM86SVEBF16=OFF NCNN_ARM86SVEI8MM=OFF NCNN_ARM86SVEF32MM=OFF
  )
fi
if [[ -n $root ]]; then
  options+=(
    CMAKE_SYSTEM_NAME=Linux CMAKE_SYSTEM_PROCESSOR=aarch64 CMAKE_SYSROOT="$root"
    CMAKE_C_COMPILER_TARGET=aarch64-linux-gnu CMAKE_CXX_COMPILER_TARGET=aarch64-linux-gnu
    CMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
  )
fi
readonly options

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$(realpath -m "${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}")
# The clang that comes with Swift, so that C++ and Swift code are made by one compiler; else the one in PATH.
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
[[ -x $clang ]] || clang=$(command -v clang)
# By what it is made of; not by where the compiler is.
key=$({
  printf '%s\n' "$recipe" "$source_sha256" "${options[@]}" "${layers[@]}"
  "$clang" --version | grep -v '^InstalledDir'
} \
  | sha256sum | cut -c1-16)
prefix=$cache/ncnn/$key
readonly here cache clang prefix

# logged WHAT COMMAND...: what it prints goes to a log, and its end is shown if it fails.
logged() {
  printf 'ncnn: %s\n' "$1" >&2
  "${@:2}" >>log 2>&1 || {
    tail -n 20 log >&2
    echo "ncnn: that failed; $PWD/log has all of it" >&2
    exit 1
  }
}

build() {
  local archive=$cache/downloads/$source_sha256/ncnn-$version.tar.gz unwanted
  logged "fetching the source of version $version" python3 "$here/index_file.py" ncnn "${archive##*/}" "$source_sha256" "$archive"
  rm -rf source staged
  mkdir source
  logged "unpacking it" tar -xzf "$archive" -C source --strip-components=1
  mapfile -t unwanted < <(sed -n 's/^ncnn_add_layer(\([A-Za-z0-9]*\).*/\1/p' source/src/CMakeLists.txt | tr '[:upper:]' '[:lower:]' \
    | grep -vxF "$(printf '%s\n' "${layers[@]}")" | sed 's/.*/-DWITH_LAYER_&=OFF/')
  logged "configuring" cmake -S source -B objects -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$clang++" -DCMAKE_INSTALL_LIBDIR=lib "${options[@]/#/-D}" "${unwanted[@]}"
  logged "compiling, about four minutes on two processors" ninja -C objects
  logged "installing" cmake --install objects --prefix "$PWD/staged"
  rm -rf staged/lib/cmake # describes dependencies we do not have
  install -D -m 644 source/LICENSE.txt staged/share/doc/ncnn/LICENSE.txt
  mkdir -p staged/lib/pkgconfig
  # Relative to the file itself, so that the folder may be moved.
  cat >staged/lib/pkgconfig/ncnn.pc <<PC
prefix=\${pcfiledir}/../..

Name: ncnn
Description: Neural network inference on the CPU
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -lncnn -lstdc++ -lm -lpthread
PC
  mv -T staged "$prefix"
}

if [[ ! -e $prefix ]]; then
  mkdir -p "$prefix.build"
  exec 9>"$prefix.lock"
  flock 9
  if [[ ! -e $prefix ]]; then (cd "$prefix.build" && build); fi
  rm -rf "$prefix.build"
fi
printf '%s\n' "$prefix"
