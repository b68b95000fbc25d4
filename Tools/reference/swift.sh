#!/usr/bin/env bash
# swift.sh FOLDER: the reference of the Swift door as web pages, for a web server with FOLDER as its root. Fails for a
# link to nothing, and for a public declaration without a comment that no protocol of Swift has.
set -euo pipefail
cd "$(dirname "$0")/../.."
(($# == 1)) || {
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
}
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
[[ -x $docc ]] || {
  echo "reference: the Swift toolchain has no docc" >&2
  exit 77
}
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
for module in FaceEngine FaceEngineDraw; do
  swift build --package-path Bindings/Swift/Tests --scratch-path .build/swift-door/reference --target $module \
    -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs"
done
rm -f "$graphs"/*@*
python3 - "$graphs" <<'PYTHON'
import json, pathlib, sys
OF_PROTOCOLS = {"rawValue", "init(rawValue:)", "Element", "Failure", "startIndex", "endIndex", "subscript(_:)", "description"}
count, bare = 0, []
for name in ("FaceEngine", "FaceEngineDraw"):
    for symbol in json.loads(pathlib.Path(sys.argv[1], f"{name}.symbols.json").read_text())["symbols"]:
        if "::SYNTHESIZED::" in symbol["identifier"]["precise"]:  # what a protocol of Swift brings
            continue
        count += 1
        if "docComment" not in symbol and symbol["pathComponents"][-1] not in OF_PROTOCOLS:
            bare.append(".".join(symbol["pathComponents"]))
if bare or count < 500:
    sys.exit(f"reference: {count} declarations; add comments to {', '.join(bare)}")
PYTHON
mkdir -p "$1"
"$docc" convert --additional-symbol-graph-dir "$graphs" --fallback-display-name FaceEngine \
  --fallback-bundle-identifier faceengine.swift --output-path "$1" >"$graphs/log" 2>&1 || {
  cat "$graphs/log"
  exit 1
}
if grep -A 3 "doesn't exist at" "$graphs/log"; then exit 1; fi
