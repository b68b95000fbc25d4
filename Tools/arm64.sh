#!/usr/bin/env bash
# arm64.sh: cross-builds the command for ARM64 and lets it find the face of the demo photo under qemu, as a proof that the sources and
# the kernels for NEON work there. A release for ARM64 is built as any other, on an ARM64 machine with Swift 6.3.
#
# In a debootstrapped Debian sid, whose swiftlang (6.2) has the standard library for both processors: the amd64 compiler with the
# arm64 modules as a Swift SDK. Only the command; Tools/arm64/build.sh cross-builds the libraries, too, for Debian 12. Status 77 without root,
# mmdebstrap, qemu-aarch64-static or sid's packages. The machine is kept in the cache, 8 GB.
set -euo pipefail
cd "$(dirname "$0")/.."
skip() { echo "arm64: SKIPPED: $*" >&2; exit 77; }
say() { echo "arm64: $*"; }
fail() { echo "arm64: $*" >&2; exit 1; }
((EUID == 0)) || skip "this needs root, for chroot"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed: run Tools/setup/packages.sh test"
command -v qemu-aarch64-static >/dev/null || skip "qemu-aarch64-static is not installed: apt-get install qemu-user-static"
mirror=$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' | sed -n 's/^Debian Debian //p' | head -n 1)
[[ -n $mirror ]] || skip "this machine has no archive of Debian"
cache=${FACE_ENGINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/face-engine}
machine=$cache/debian/sid-arm64
# The archive may be a copy of some weeks ago.
readonly old=(--aptopt='Acquire::Check-Valid-Until "false"')
readonly libraries=libprotobuf-c-dev,libjpeg62-turbo-dev,libpng-dev,libwebp-dev,libyuv-dev,libexif-dev,libcairo2-dev,libjansson-dev,libmd-dev

inside() { # COMMAND: in the machine, with /proc, which the compiler looks for itself in
  # shellcheck disable=SC2016 # expanded inside
  unshare --mount --pid --fork --kill-child bash -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
    exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 bash -ec "$1"' "$machine" "$1"
}

if [[ ! -e $machine/ready ]]; then
  say "making the machine"
  rm -rf --one-file-system "$machine"
  mmdebstrap --quiet --mode=root --variant=minbase "${old[@]}" sid "$machine" "$mirror" \
    --include=swiftlang,libswiftlang,swiftlang-dev,clang,lld,python3,pkg-config,make,git,ca-certificates,libsqlite3-0,libncurses6 \
    >/dev/null 2>&1 || skip "sid's swiftlang cannot be had"
  mmdebstrap --quiet --mode=root --variant=extract --architectures=arm64 "${old[@]}" sid "$machine/arm64" "$mirror" \
    --include=swiftlang,libc6-dev,libstdc++-14-dev,$libraries >/dev/null 2>&1 || skip "sid's arm64 swiftlang cannot be had"
  touch "$machine/ready"
fi

# Where the loader's name has it, and where Swift looks below the root of an SDK.
ln -sfn usr/lib "$machine/arm64/lib"
for name in swift swift_static; do ln -sfn "../libexec/swift/lib/$name" "$machine/arm64/usr/lib/$name"; done
# Clang takes the newest GCC, which may be there without its C++ library.
for gcc in "$machine"/arm64/usr/lib/gcc/aarch64-linux-gnu/*; do [[ -e $gcc/libstdc++.a ]] || rm -rf "$gcc"; done
bundle=$machine/sdk.artifactbundle
rm -rf "$bundle" "$machine/source"
mkdir -p "$bundle/arm64" "$machine/source/.build"
cat >"$bundle/info.json" <<'JSON'
{"schemaVersion": "1.0", "artifacts": {"debian-arm64": {"type": "swiftSDK", "version": "1", "variants": [
  {"path": "arm64", "supportedTriples": ["x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu"]}]}}}
JSON
cat >"$bundle/arm64/swift-sdk.json" <<'JSON'
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "/arm64",
  "swiftResourcesPath": "/arm64/usr/libexec/swift/lib/swift", "swiftStaticResourcesPath": "/arm64/usr/libexec/swift/lib/swift_static",
  "includeSearchPaths": [], "librarySearchPaths": [], "toolsetPaths": ["toolset.json"]}}}
JSON
cat >"$bundle/arm64/toolset.json" <<'JSON'
{"schemaVersion": "1.0", "rootPath": "/usr/bin", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]},
  "linker": {"path": "/usr/libexec/swift/bin/ld.lld"}}
JSON
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -d --parents -t "$machine/source"
cp -r .build/checkouts .build/repositories .build/artifacts .build/workspace-state.json "$machine/source/.build"
sed -i '1s/6\.3/6.2/' "$machine/source/Package.swift"
say "building the command"
# 6.2's verifier of its own intermediate code trips over code that 6.3 takes.
inside "cd /source && rm -rf ~/.swiftpm && swift sdk install /sdk.artifactbundle &&
  export PKG_CONFIG_PATH=/arm64/usr/lib/aarch64-linux-gnu/pkgconfig:/arm64/usr/share/pkgconfig &&
  swift build -c release --disable-sandbox --disable-automatic-resolution --static-swift-stdlib --swift-sdk debian-arm64 \\
    --product face-engine -Xswiftc -Xfrontend -Xswiftc -sil-verify-none " >"$machine/build.log" 2>&1 ||
  { grep -E 'error:' -A4 "$machine/build.log" | head -n 60 >&2; tail -n 5 "$machine/build.log" >&2; fail "the command did not build for ARM64"; }

say "finding a face under qemu"
program=$machine/source/.build/aarch64-unknown-linux-gnu/release/face-engine
models=$PWD/.build/release/staged/share/face-engine/Models
numbers='import json, sys
for face in json.load(sys.stdin)["faces"]: print(*(round(face["box"][side]) for side in ("x", "y", "width", "height")))'
there=$(FACE_ENGINE_MODELS=$models qemu-aarch64-static -L "$machine/arm64" "$program" detect --json Examples/photos/grace_hopper.jpg)
here=$(FACE_ENGINE_MODELS=$models .build/release/face-engine detect --json Examples/photos/grace_hopper.jpg)
[[ $(python3 -c "$numbers" <<<"$there") == "$(python3 -c "$numbers" <<<"$here")" && $there == *box* ]] ||
  fail "it finds others than here: $there, here: $here"
say "the same face: $(python3 -c "$numbers" <<<"$there")"
