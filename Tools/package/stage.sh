#!/usr/bin/env bash
# stage.sh BUILD_FOLDER: gathers in BUILD_FOLDER/staged/share what an installation has besides programs, libraries and
# headers: models with their weights, licences, manual pages, completions, messages. As the user who builds, since root
# has neither the cache nor the toolchain; install.sh copies it.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,4s/^# //p' "$0" >&2
  exit 2
}
build=$1
command=$build/face-engine
# Not beside the command, which would take the models in it for its own.
share=$build/staged/share
version=$(sed -n 's/.*StaticString = "\(.*\)"/\1/p' Sources/Core/FaceCore/EngineVersion.swift)
rm -rf "$share.new"
mkdir -p "$share.new/doc/face-engine/licences" "$share.new/face-engine/proto"
trap 'rm -rf "$share.new"' EXIT

python3 Tools/models/fetch.py --models Models --copy-to "$share.new/face-engine/Models"
install -m 644 Proto/*.proto Proto/*.json Proto/*.md "$share.new/face-engine/proto"
install -m 644 docs/face-engine.schema.json "$share.new/face-engine"

documents=$share.new/doc/face-engine
install -m 644 LICENSE NOTICE CHANGELOG.md "$documents"
install -D -m 644 -t "$documents/examples" Examples/c/*.c Examples/cpp/*.cpp Examples/python/*.py
licence() { # NAME FILE...: of what is linked in
  local name=$1 file
  shift
  for file in "$@"; do
    if [[ -r $file ]]; then
      install -m 644 "$file" "$documents/licences/$name.txt"
      return
    fi
  done
  echo "stage: found no licence of $name in $*; an installation must have it" >&2
  return 1
}
swift=$(readlink -f "$(command -v swift)")
if [[ -e $build/libfaceengine-ncnn.so.1 ]]; then
  ncnn=$(Tools/setup/ncnn.sh)
  licence ncnn "$ncnn/share/doc/ncnn/LICENSE.txt"
fi
licence swift "${swift%/bin/*}/share/swift/LICENSE.txt" /usr/share/doc/swiftlang/copyright /usr/share/doc/libswiftlang/copyright
for package in swift-argument-parser swift-log; do
  licence "$package" ".build/checkouts/$package/LICENSE.txt"
done

python3 Tools/package/manual.py "$command" "$share.new/man/man1" "$version"
# Those of the C functions, where `make reference` has made them.
if [[ -d .build/reference/man/man3 ]]; then cp -r .build/reference/man/man3 "$share.new/man/man3"; fi
Tools/package/completions.sh "$command" "$share.new"

rm -rf "$share"
mv "$share.new" "$share"
trap - EXIT
