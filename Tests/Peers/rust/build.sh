#!/usr/bin/env bash
# build.sh PROGRAM: builds a client of the engine from the Rust crate ttrpc and our .proto, nothing else of ours.
#
# All of it is Debian's, and nothing is fetched: cargo, librust-ttrpc-dev, librust-protobuf-dev, librust-protobuf-codegen-dev.
# Ends with 77 where one of them is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath -m "$1")
registry=/usr/share/cargo/registry
command -v cargo >/dev/null || { echo "build.sh: there is no cargo; install the Debian package cargo" >&2; exit 77; }
for crate in ttrpc protobuf protobuf-codegen-pure; do
  compgen -G "$registry/$crate-[0-9]*" >/dev/null ||
    { echo "build.sh: there is no crate $crate; install librust-ttrpc-dev and librust-protobuf-codegen-dev" >&2; exit 77; }
done
# Cargo writes beside its manifest. What was compiled is kept outside the checkout, since the crates take most of the time.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/Cargo.toml" "$here/build.rs" "$here/src" "$work"
mkdir "$work/.cargo"
printf '[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "%s"\n' "$registry" >"$work/.cargo/config.toml"
cd "$work"
export CARGO_HOME=$work/.cargo CARGO_TARGET_DIR="${FACE_ENGINE_CACHE:-$HOME/.cache/face-engine}/rust"
FACE_ENGINE_PROTO=$(realpath "$here/../../../Proto") cargo build --quiet --offline
cp "$CARGO_TARGET_DIR/debug/face-engine-peer" "$program"
