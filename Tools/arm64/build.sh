#!/usr/bin/env bash
# build.sh [PRODUCT...]: cross-builds for ARM64 what `make build`, `make plug-ins` and `make gstreamer` build for x86-64, into
# .build/arm64/release.
#
# By Debian sid's Swift 6.2 (machine.sh says why), in a copy of the sources in which @c @implementation, which Swift 6.3 has, is
# @_cdecl (cdecl.py). The copy and what was built of it stay in .build/arm64, so that only what has changed is built again. Status 77
# where it cannot be tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() { echo "arm64: $*" >&2; exit 1; }
say() { echo "arm64: $*" >&2; }
Tools/arm64/machine.sh
machine=$(Tools/arm64/machine.sh --root)
readonly machine sysroot=$machine/sysroot folder=$PWD/.build/arm64
readonly build=$folder/release source=$folder/source
[[ -d .build/checkouts ]] || fail "there is no .build/checkouts: run make build first"
mkdir -p "$build" "$source/.build"

# --- The sources
rm -rf "$folder/new"
mkdir "$folder/new"
git ls-files -z --cached --others --exclude-standard -- Sources Tests include Package.swift Package.resolved |
  xargs -0 cp -d --parents -t "$folder/new"
Tools/arm64/cdecl.py "$folder/new/Sources"
cp Tools/arm64/Array+OutputSpan.swift "$folder/new/Sources/Core/FaceCore"
# The newer compiler has seen to the warnings.
sed -i -e '1s/6\.3/6.2/' -e '/treatAllWarnings/d' "$folder/new/Package.swift"
# What has not changed stays in place.
python3 Tools/arm64/renew.py "$folder/new" "$source"
for name in checkouts repositories artifacts workspace-state.json; do
  if [[ ! -e $source/.build/$name || .build/workspace-state.json -nt $source/.build/workspace-state.json ]]; then
    rm -rf "$source/.build/${name:?}"
    cp -r ".build/$name" "$source/.build"
  fi
done

# --- The compiler as a Swift SDK
readonly bundle=$folder/sdk.artifactbundle
mkdir -p "$bundle/arm64"
cat >"$bundle/info.json" <<'JSON'
{"schemaVersion": "1.0", "artifacts": {"debian-arm64": {"type": "swiftSDK", "version": "1", "variants": [
  {"path": "arm64", "supportedTriples": ["x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu"]}]}}}
JSON
cat >"$bundle/arm64/swift-sdk.json" <<'JSON'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "/sysroot",
  "swiftResourcesPath": "/swift-arm64/swift_static", "swiftStaticResourcesPath": "/swift-arm64/swift_static",
  "includeSearchPaths": [], "librarySearchPaths": [], "toolsetPaths": ["toolset.json"]}}}
JSON
cat >"$bundle/arm64/toolset.json" <<'JSON'
{"schemaVersion": "1.0", "rootPath": "/usr/bin", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]},
  "linker": {"path": "/usr/libexec/swift/bin/ld.lld"}}
JSON

# --- Products
swift=$(readlink -f "$(command -v swift)")
"${swift%/*}/clang" --target=aarch64-linux-gnu "--sysroot=$sysroot" -O2 -fPIC -Wall -Wextra -Werror -c Tools/arm64/glibc_2_38.c \
  -o "$folder/glibc_2_38.o"
products=("$@")
((${#products[@]})) || products=(faceengine faceengine-draw face-engine)
for product in "${products[@]}"; do
  say "building $product"
  Tools/arm64/inside.sh "swift build -c release --disable-sandbox --disable-automatic-resolution --static-swift-stdlib \
    --swift-sdks-path /build --swift-sdk debian-arm64 --product $product -Xlinker /build/glibc_2_38.o -Xlinker -z -Xlinker defs" >"$folder/$product.log" 2>&1 ||
    { grep -E 'error:' -A4 "$folder/$product.log" | head -n 60 >&2; tail -n 5 "$folder/$product.log" >&2
      fail "$product did not build: see $folder/$product.log"; }
done

# --- As `make build` leaves it
readonly made=$source/.build/aarch64-unknown-linux-gnu/release
for product in "${products[@]}"; do
  file=$product
  if [[ $product == faceengine* ]]; then file=lib$product.so; fi
  # What has not changed keeps its time.
  cmp --silent "$made/$file" "$build/$file" || cp "$made/$file" "$build/$file"
  mkdir -p "$build/$product.product"
  cp "$made/$product.product/Objects.LinkFileList" "$build/$product.product"
done
for library in faceengine faceengine-draw; do ln -sf "lib$library.so" "$build/lib$library.so.1"; done
# Needs nothing of Swift's, so the newer compiler makes them.
FACE_ENGINE_ARM64=$sysroot Tools/plug-ins.sh "$build"
# Nor does the element.
PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig \
  make --no-print-directory --silent -C GStreamer BUILD="$build" CC="${swift%/*}/clang --target=aarch64-linux-gnu --sysroot=$sysroot" \
  LDFLAGS=-fuse-ld=lld
