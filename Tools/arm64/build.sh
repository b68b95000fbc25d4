#!/usr/bin/env bash
# build.sh [PRODUCT...]: cross-builds for ARM64 what `make build`, `make plug-ins`, `make gstreamer`, where there is a
# JDK
# `make java`, and, where it was built for x86-64, `make gateway` build, into .build/arm64/release.
#
# By Debian sid's Swift 6.2 (machine.sh says why), in a copy of the sources in which @c @implementation, which Swift 6.3
# has, is
# @_cdecl (cdecl.py). The copy and what was built of it stay in .build/arm64, so that only what has changed is built
# again. Status 77 where it cannot be tried.
set -euo pipefail
cd "$(dirname "$0")/../.."
fail() {
  echo "arm64: $*" >&2
  exit 1
}
log() { echo "arm64: $*" >&2; }
Tools/arm64/machine.sh
machine=$(Tools/arm64/machine.sh --root)
readonly machine sysroot=$machine/sysroot folder=$PWD/.build/arm64
readonly build=$folder/release source=$folder/source
[[ -d .build/checkouts ]] || fail "there is no .build/checkouts: run make build first"
mkdir -p "$build" "$source"

# --- The sources
rm -rf "$folder/new"
mkdir "$folder/new"
git ls-files -z --cached --others --exclude-standard -- Sources Tests include Package.swift \
  Gateway/Sources Gateway/Package.swift \
  | xargs -0 cp -d --parents -t "$folder/new"
Tools/arm64/cdecl.py "$folder/new/Sources"
cp Tools/arm64/Array+OutputSpan.swift "$folder/new/Sources/Core/FaceCore"
# The newer compiler has seen to the warnings.
sed -i -e '1s/6\.3/6.2/' -e '/treatAllWarnings/d' "$folder/new/Package.swift" "$folder/new/Gateway/Package.swift"
# What has not changed stays in place.
rsync --recursive --links --perms --checksum --delete --exclude=.build "$folder/new/" "$source"
rm -rf "$folder/new"
# fetched FOLDER: what a package of this folder depends on, as it was fetched for x86-64.
fetched() {
  local name
  mkdir -p "$source/$1"
  for name in checkouts repositories artifacts workspace-state.json; do
    if [[ ! -e $source/$1/$name || $1/workspace-state.json -nt $source/$1/workspace-state.json ]]; then
      rm -rf "$source/$1/${name:?}"
      cp -r "$1/$name" "$source/$1"
    fi
  done
}
fetched .build
if [[ -d Gateway/.build/checkouts ]]; then fetched Gateway/.build; fi

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
# product NAME PACKAGE FILE FOLDER: builds one of a package, and leaves it in a folder as `make build` does.
product() {
  local log=$folder/$1.log made=$source/$2/.build/aarch64-unknown-linux-gnu/release
  log "building $1"
  Tools/arm64/inside.sh "cd $2 && swift build -c release --disable-sandbox --disable-automatic-resolution --static-swift-stdlib \
    --swift-sdks-path /build --swift-sdk debian-arm64 --product $1 \
      -Xlinker /build/glibc_2_38.o -Xlinker -z -Xlinker defs" >"$log" 2>&1 \
    || {
      grep -E 'error:' -A4 "$log" | head -n 60 >&2
      tail -n 5 "$log" >&2
      fail "$1 did not build: see $log"
    }
  mkdir -p "$4/$1.product"
  # What has not changed keeps its time.
  cmp --silent "$made/$3" "$4/$3" || cp "$made/$3" "$4/$3"
  cp "$made/$1.product/Objects.LinkFileList" "$4/$1.product"
}
products=("$@")
((${#products[@]})) || products=(faceengine faceengine-draw face-engine face-engine-gateway)
for name in "${products[@]}"; do
  case $name in
    face-engine) product "$name" . "$name" "$build" ;;
    faceengine*) product "$name" . "lib$name.so" "$build" ;;
    face-engine-gateway)
      if [[ -d Gateway/.build/checkouts ]]; then product "$name" Gateway "$name" "$build/gateway"; fi
      ;;
    *) fail "there is no product $name" ;;
  esac
done
for library in faceengine faceengine-draw; do ln -sf "lib$library.so" "$build/lib$library.so.1"; done
# Needs nothing of Swift's, so the newer compiler makes them.
FACE_ENGINE_ARM64=$sysroot Tools/plug-ins.sh "$build"
# Nor does the element.
PKG_CONFIG_SYSROOT_DIR=$sysroot \
  PKG_CONFIG_LIBDIR=$sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:$sysroot/usr/share/pkgconfig \
  make --no-print-directory --silent -C Bindings/GStreamer BUILD="$build" CC="${swift%/*}/clang --target=aarch64-linux-gnu --sysroot=$sysroot" \
  LDFLAGS=-fuse-ld=lld
if command -v javac >/dev/null; then
  make --no-print-directory --silent -C Bindings/Java BUILD="$build" CC="${swift%/*}/clang --target=aarch64-linux-gnu --sysroot=$sysroot" \
    LDFLAGS=-fuse-ld=lld
fi
