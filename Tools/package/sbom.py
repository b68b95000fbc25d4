#!/usr/bin/env python3
"""sbom.py PREFIX OUTPUT: a software bill of materials in SPDX 2.3, as JSON of what is installed below
PREFIX: every file with its hashes, what is linked into the binaries, the networks and where they come from, and the Debian
libraries that the binaries need. To be run where it was built; two runs give the same bytes."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import uuid

sys.dont_write_bytecode = True  # leave no files in the checkout

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = ("libfaceengine.so.1.0.0", "libfaceengine-draw.so.1.0.0", "face-engine")


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def run(*command):
    try:
        return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, cwd=ROOT).stdout
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
    return [{"algorithm": name.upper(), "checksumValue": hashlib.new(name, data).hexdigest()} for name in ("sha1", "sha256")]


def package(name, version, licence, **more):
    return {"SPDXID": name_of("Package", name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def linked_in():
    """What is inside the binaries: (package, the binaries that have it)."""
    script = read("Tools/setup/ncnn.sh")
    prefix = run("Tools/setup/ncnn.sh", "--prefix").strip()
    if prefix:
        archive = pathlib.Path(prefix, "lib/libncnn.a")
        version = matched(r"^readonly version=(.*)", script, "version of ncnn")
        yield package("ncnn", version, "BSD-3-Clause AND Zlib", checksums=[
            {"algorithm": "SHA256", "checksumValue": matched(r"^readonly source_sha256=(.*)", script, "hash of ncnn's source")}],
            comment="The hash is that of the source. The library made of it, libncnn.a, has the SHA256 "
                    f"{hashlib.sha256(archive.read_bytes()).hexdigest()}."), (BINARIES[0], BINARIES[2])
    else:
        yield package("ncnn", run("pkg-config", "--modversion", "ncnn").strip(), "BSD-3-Clause AND Zlib"), (BINARIES[0], BINARIES[2])
    swift = matched(r"Swift version (\S+)", run("swift", "--version"), "version of Swift")
    yield package("swift", swift, "Apache-2.0 WITH Swift-exception",
                  comment="Its standard library; in the command also Dispatch, FoundationEssentials and string processing."), BINARIES
    for pin in json.loads(read("Package.resolved"))["pins"]:
        licence = "Apache-2.0" if pin["identity"] == "swift-log" else "Apache-2.0 WITH Swift-exception"
        yield package(pin["identity"], pin["state"]["version"], licence, downloadLocation="git+" + pin["location"] + "@" + pin["state"]["revision"],
                      checksums=[{"algorithm": "SHA1", "checksumValue": pin["state"]["revision"]}],
                      comment="The hash is that of the commit."), BINARIES[2:]


def needed(binary):
    """The Debian packages with the libraries that a binary names."""
    places = dict(re.findall(r"^\s*(\S+) => (\S+) \(", run("ldd", binary), re.M))
    for soname in re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", binary)):
        if soname not in places:
            continue  # the loader itself
        place = pathlib.Path(places[soname]).resolve()
        for path in (place, pathlib.Path("/", *place.parts[2:])):
            done = subprocess.run(["dpkg-query", "--search", path], capture_output=True, text=True)
            if done.returncode == 0:
                yield done.stdout.split(":")[0]
                break
        else:
            raise Problem(f"no Debian package has {place}")


def document(prefix):
    version = matched(r'StaticString = "(.*)"', read("Sources/Core/FaceCore/EngineVersion.swift"), "version")
    own = package("face-engine", version, "Apache-2.0", copyrightText="Copyright 2026 The FaceEngine authors", primaryPackagePurpose="APPLICATION")
    packages, files, relations = [own], [], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    identifiers, places, models = {}, {}, {}
    for path in sorted(path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()):
        relative = str(path.relative_to(prefix))
        identifier = name_of("File", relative)
        data = path.read_bytes()
        if data.startswith(b"\x7fELF"):
            identifiers[path.name], places[path.name] = identifier, path
        files.append({"SPDXID": identifier, "fileName": f"./{relative}", "checksums": hashes(data),
                      "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION"})
        relations.append((own["SPDXID"], "CONTAINS", identifier))
        if path.name == "model.json":
            models[path.parent] = json.loads(path.read_text(encoding="utf-8"))
    sums = "".join(sorted(file["checksums"][0]["checksumValue"] for file in files))
    own.update(filesAnalyzed=True, packageVerificationCode={"packageVerificationCodeValue": hashlib.sha1(sums.encode()).hexdigest()})
    for folder, model in sorted(models.items()):
        origin = model["origin"]
        made = package(f"model-{model['name']}", origin["version"], model["licence"], summary=model["title"], comment=origin["upstream"],
                       checksums=[{"algorithm": "SHA256", "checksumValue": origin["member_sha256"]}],
                       sourceInfo=f"{origin['member']} of {origin['package']} {origin['version']} (SHA256 {origin['sha256']}); "
                                  "the hash is that of this file as published")
        packages.append(made)
        relations.append((own["SPDXID"], "CONTAINS", made["SPDXID"]))
        for file in model["files"].values():
            identifier = name_of("File", str((folder / file["name"]).relative_to(prefix)))
            relations.append((identifier, "GENERATED_FROM", made["SPDXID"]))
    for made, binaries in linked_in():
        packages.append(made)
        relations += [(identifiers[binary], "STATIC_LINK", made["SPDXID"]) for binary in binaries]
    debian = {}
    for binary in BINARIES:
        for owner in needed(places[binary]):
            if owner not in debian:
                found = run("dpkg-query", "--show", "--showformat", "${Version}\n", owner).splitlines()[0]
                debian[owner] = package(owner, found, "NOASSERTION", comment="Debian's; not part of what is installed.")
            relation = (identifiers[binary], "DYNAMIC_LINK", debian[owner]["SPDXID"])
            if relation not in relations:
                relations.append(relation)
    packages += [debian[owner] for owner in sorted(debian)]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())))
    content = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"face-engine-{version}",
        "creationInfo": {"created": created, "creators": ["Organization: FaceEngine", "Tool: Tools/package/sbom.py"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations]}
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
