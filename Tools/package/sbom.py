#!/usr/bin/env python3
"""sbom.py PREFIX OUTPUT: a software bill of materials in SPDX 2.3, as JSON of what is installed below
PREFIX: every file with its hashes, what is linked into the binaries, the networks and where they come from, and the Debian
libraries that the binaries need, with the licences that they declare. Each has its package URL. To be run where it was built; two
runs give the same bytes."""

import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import urllib.parse
import uuid

sys.dont_write_bytecode = True  # leave no files in the checkout
import debian_copyright  # noqa: E402
import system  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = (
    "libfaceengine.so.1.0.0",
    "libfaceengine-draw.so.1.0.0",
    "face-engine",
    "libfaceengine-ncnn.so.1.0.0",
    "libfaceengine-onnxruntime.so.1.0.0",
)
OF_SWIFT, COMMAND, NCNN = BINARIES[:3], BINARIES[2:3], BINARIES[3:4]


Problem = system.Problem


def run(*command):
    try:
        return subprocess.run(
            [str(word) for word in command], check=True, capture_output=True, text=True, cwd=ROOT
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Problem(f"{command[0]} failed: {(getattr(error, 'stderr', None) or str(error)).strip()}") from None


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def matched(pattern, text, what):
    found = re.search(pattern, text, re.M)
    if not found:
        raise Problem(f"found no {what}; correct the pattern in Tools/package/sbom.py")
    return found[1]


def name_of(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words)).strip("-")


def hashes(data):
    return [
        {"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()} for name in ("sha1", "sha256")
    ]


def package(name, version, licence, url, **more):
    return {
        "SPDXID": name_of("Package", name),
        "name": name,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}],
        **more,
    }


def package_url(kind, name, version=None, **qualifiers):
    """github.com/package-url/purl-spec"""

    def quoted(text):
        return urllib.parse.quote(text, safe=":")

    url = f"pkg:{kind}/" + "/".join(quoted(part) for part in name.split("/"))
    if version:
        url += f"@{quoted(version)}"
    return url + (
        "?" + "&".join(f"{key}={quoted(value)}" for key, value in sorted(qualifiers.items())) if qualifiers else ""
    )


def ncnn_url(version):
    return package_url("github", "tencent/ncnn", version.split(".")[-1])  # the tag is its date


def location_url(location, version):
    """Of a Swift package."""
    found = re.fullmatch(r"https://github\.com/([^/]+/[^/]+?)(\.git)?", location)
    if not found:
        raise Problem(f"{location} is not of GitHub; teach location_url in Tools/package/sbom.py its package URL")
    return package_url("github", found[1].lower(), version)


def debian_package(name):
    """A package of the system, and the texts of its licences that SPDX does not list."""
    version, architecture = system.version_of(name)
    path = system.copyright_of(name)
    declared, texts = None, {}
    if path.is_file():
        declared, texts = debian_copyright.licences(name, path.read_text(encoding="utf-8", errors="replace")) or (
            None,
            {},
        )
    distribution = "debian" if system.ROOT else platform.freedesktop_os_release()["ID"]
    url = package_url("deb", f"{distribution}/{name}", version, arch=architecture)
    comment = "Debian's; not part of what is installed."
    if declared:
        comment += " The licences are those that its copyright file declares for its source, without the packaging."
    return package(name, version, "NOASSERTION", url, licenseDeclared=declared or "NOASSERTION", comment=comment), texts


def linked_in():
    """The packages inside the binaries: (package, the binaries that have it)."""
    script = read("Tools/setup/ncnn.sh")
    archive = pathlib.Path(run("Tools/setup/ncnn.sh").strip(), "lib/libncnn.a")
    version = matched(r"^readonly version=(.*)", script, "version of ncnn")
    yield (
        package(
            "ncnn",
            version,
            "BSD-3-Clause AND Zlib",
            ncnn_url(version),
            checksums=[
                {
                    "algorithm": "SHA256",
                    "checksumValue": matched(r"^readonly source_sha256=(.*)", script, "hash of ncnn's source"),
                }
            ],
            comment="The hash is that of the source. The library made of it, libncnn.a, has the SHA256 "
            f"{hashlib.sha256(archive.read_bytes()).hexdigest()}.",
        ),
        NCNN,
    )
    said = run("Tools/arm64/inside.sh", "swift --version 2>&1") if system.ROOT else run("swift", "--version")
    swift = matched(r"Swift version (\S+)", said, "version of Swift")
    tag = matched(r"Swift version \S+ \((\S+)\)", said, "tag of Swift's version")
    yield (
        package(
            "swift",
            swift,
            "Apache-2.0 WITH Swift-exception",
            package_url("github", "swiftlang/swift", tag),
            comment="Its standard library; in the command also Dispatch, FoundationEssentials and string processing.",
        ),
        OF_SWIFT,
    )
    for pin in json.loads(read("Package.resolved"))["pins"]:
        licence = "Apache-2.0" if pin["identity"] == "swift-log" else "Apache-2.0 WITH Swift-exception"
        url = location_url(pin["location"], pin["state"]["version"])
        yield (
            package(
                pin["identity"],
                pin["state"]["version"],
                licence,
                url,
                downloadLocation="git+" + pin["location"] + "@" + pin["state"]["revision"],
                checksums=[{"algorithm": "SHA1", "checksumValue": pin["state"]["revision"]}],
                comment="The hash is that of the commit.",
            ),
            COMMAND,
        )


def needed(binary):
    """The Debian packages with the libraries that a binary names."""
    places = system.libraries(binary)
    for soname in system.needed(binary):
        if not places.get(soname) or soname.startswith("ld-linux"):
            continue  # the loader itself
        owner = system.package_of(places[soname])
        if not owner:
            raise Problem(f"no Debian package has {places[soname]}")
        yield owner


def document(prefix):
    version = matched(r'StaticString = "(.*)"', read("Sources/Core/FaceCore/EngineVersion.swift"), "version")
    own = package(
        "face-engine",
        version,
        "Apache-2.0",
        package_url("generic", "face-engine", version),
        copyrightText="Copyright 2026 The FaceEngine authors",
        primaryPackagePurpose="APPLICATION",
    )
    packages, files, relations = [own], [], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    identifiers, places, models = {}, {}, {}
    for path in sorted(path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()):
        relative = str(path.relative_to(prefix))
        identifier = name_of("File", relative)
        data = path.read_bytes()
        if data.startswith(b"\x7fELF"):
            identifiers[path.name], places[path.name] = identifier, path
        files.append(
            {
                "SPDXID": identifier,
                "fileName": f"./{relative}",
                "checksums": hashes(data),
                "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION",
            }
        )
        relations.append((own["SPDXID"], "CONTAINS", identifier))
        if path.name == "model.json":
            models[path.parent] = json.loads(path.read_text(encoding="utf-8"))
    sums = "".join(sorted(file["checksums"][0]["checksumValue"] for file in files))
    own.update(
        filesAnalyzed=True,
        packageVerificationCode={"packageVerificationCodeValue": hashlib.sha1(sums.encode()).hexdigest()},
    )
    for folder, model in sorted(models.items()):
        origin = model["origin"]
        # No version in the URL: it is that of the package with the file, and nothing else here is from that package.
        url = package_url("generic", f"model-{model['name']}", checksum=f"sha256:{origin['member_sha256']}")
        made = package(
            f"model-{model['name']}",
            origin.get("version", "NOASSERTION"),
            model["licence"],
            url,
            summary=model["title"],
            comment=origin["upstream"],
            checksums=[{"algorithm": "SHA256", "checksumValue": origin["member_sha256"]}],
            sourceInfo=origin["member"]
            + (
                f" of {origin['package']} {origin['version']} (SHA256 {origin['sha256']})"
                if "package" in origin
                else ""
            )
            + "; the hash is that of this file as published",
        )
        packages.append(made)
        relations.append((own["SPDXID"], "CONTAINS", made["SPDXID"]))
        for file in model["files"].values():
            identifier = name_of("File", str((folder / file["name"]).relative_to(prefix)))
            relations.append((identifier, "GENERATED_FROM", made["SPDXID"]))
    for made, binaries in linked_in():
        packages.append(made)
        relations += [(identifiers[binary], "STATIC_LINK", made["SPDXID"]) for binary in binaries]
    debian, texts = {}, {}
    for binary in BINARIES:
        for owner in needed(places[binary]):
            if owner not in debian:
                debian[owner], declared = debian_package(owner)
                texts.update(declared)
            relation = (identifiers[binary], "DYNAMIC_LINK", debian[owner]["SPDXID"])
            if relation not in relations:
                relations.append(relation)
    packages += [debian[owner] for owner in sorted(debian)]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))
    content = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"face-engine-{version}",
        "creationInfo": {"created": created, "creators": ["Organization: FaceEngine", "Tool: Tools/package/sbom.py"]},
        "packages": packages,
        "files": files,
        "hasExtractedLicensingInfos": [
            {"licenseId": name, "name": texts[name][0], "extractedText": texts[name][1]} for name in sorted(texts)
        ],
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations
        ],
    }
    unique = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    return {**content, "documentNamespace": f"urn:uuid:{unique}"}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        content = document(pathlib.Path(sys.argv[1]).resolve())
    except (Problem, OSError, KeyError) as problem:
        sys.exit(f"sbom: {problem}")
    pathlib.Path(sys.argv[2]).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
