#!/usr/bin/env python3
"""bill.py ROOT BILL: looks at the bill of materials of the release that was unpacked in ROOT: it has the hashes of what was unpacked, and
names what is linked in, each with its package URL and, where that can be told, its licence."""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

root, bill = pathlib.Path(sys.argv[1]), json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
packages = {package["name"]: package for package in bill["packages"]}
assert {"ncnn", "swift", "swift-log", "swift-argument-parser", "model-yunet", "libjpeg62-turbo"} <= set(packages), (
    sorted(packages)
)
listed = {
    file["fileName"][2:]: {one["algorithm"]: one["checksumValue"] for one in file["checksums"]}
    for file in bill["files"]
}
there = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and not path.is_symlink()}
assert there - set(listed) == {"share/doc/face-engine/sbom.spdx.json"} and not set(listed) - there, there ^ set(listed)
for name, hashes in listed.items():
    assert hashes["SHA256"] == hashlib.sha256((root / name).read_bytes()).hexdigest(), name

# Package URLs: pkg:TYPE/NAMESPACE/NAME@VERSION?QUALIFIERS, with all but these characters encoded.
URL = re.compile(
    r"pkg:[a-z]+(/[A-Za-z0-9._~%-]+)+(@[A-Za-z0-9._~:%-]+)?(\?[a-z]+=[A-Za-z0-9._~:%-]+(&[a-z]+=[A-Za-z0-9._~:%-]+)*)?"
)
urls = {}
for name, package in packages.items():
    (reference,) = package["externalRefs"]
    assert (reference["referenceCategory"], reference["referenceType"]) == ("PACKAGE-MANAGER", "purl"), name
    urls[name] = reference["referenceLocator"]
    assert URL.fullmatch(urls[name]), urls[name]
assert len(set(urls.values())) == len(urls), urls
version = packages["face-engine"]["versionInfo"]
assert urls["face-engine"] == f"pkg:generic/face-engine@{version}"
assert re.fullmatch(r"pkg:github/tencent/ncnn@\d{8}", urls["ncnn"]), urls["ncnn"]
assert re.fullmatch(r"pkg:github/swiftlang/swift@swift-\S+", urls["swift"]), urls["swift"]
assert urls["swift-log"] == f"pkg:github/apple/swift-log@{packages['swift-log']['versionInfo']}"
assert (
    urls["model-yunet"]
    == f"pkg:generic/model-yunet?checksum=sha256:{packages['model-yunet']['checksums'][0]['checksumValue']}"
)
debian = {name: package for name, package in packages.items() if package.get("comment", "").startswith("Debian's")}
architecture = subprocess.run(
    ["dpkg", "--print-architecture"], check=True, capture_output=True, text=True
).stdout.strip()
for name, package in debian.items():
    encoded = f"{name}@{package['versionInfo']}".replace("+", "%2B")
    assert urls[name] == f"pkg:deb/debian/{encoded}?arch={architecture}", urls[name]

# Licences: one that is not SPDX's own is in the document, and none that is not used.
used = set()
for package in packages.values():
    used |= set(re.findall(r"LicenseRef-[A-Za-z0-9.-]+", package["licenseDeclared"]))
texts = {one["licenseId"]: one["extractedText"] for one in bill["hasExtractedLicensingInfos"]}
assert set(texts) == used and all(text.strip() for text in texts.values()), set(texts) ^ used
assert debian["libjansson4"]["licenseDeclared"] == "MIT"
assert "LicenseRef-libpng16-16-libpng" in debian["libpng16-16"]["licenseDeclared"]
assert "libpng" in texts["LicenseRef-libpng16-16-libpng"]
for name in debian:
    is_readable = (
        pathlib.Path("/usr/share/doc", name, "copyright")
        .read_text(encoding="utf-8", errors="replace")
        .startswith("Format:")
    )
    assert is_readable or debian[name]["licenseDeclared"] == "NOASSERTION", name
told = sum(package["licenseDeclared"] != "NOASSERTION" for package in debian.values())
print(
    f"release: {len(listed)} files in the bill of materials, {len(packages)} packages; "
    f"the licences of {told} of Debian's {len(debian)} are named"
)
