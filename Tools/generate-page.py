#!/usr/bin/env python3
"""Makes what is generated in Gateway/Page.

    generate-page.py           writes the files
    generate-page.py --bundle  writes face-check.js alone, which is not committed, as make gateway does
    generate-page.py --check   fails if a committed file is another

mesh.js               of Sources/Vision/Rendering/MeshTopology.swift and MeshMarks.swift: which points of the mesh are joined
face-check.js         of face-check/element.js and all that it imports, so that a page needs one file
"""

import argparse
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "Gateway/Page"

IMPORT = re.compile(r'^import \{ [\w, ]+ \} from "(\.\.?/[\w./-]+)";$')
NAME = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def head(source):
    return f"// Made by Tools/generate-page.py of {source}. Do not edit.\n"


def mesh():
    topology = (ROOT / "Sources/Vision/Rendering/MeshTopology.swift").read_text()
    marks = (ROOT / "Sources/Vision/Rendering/MeshMarks.swift").read_text()
    trails = [
        [int(number) for number in re.findall(r"\d+", trail)]
        for trail in re.findall(r"\[([\d,\s]+)\]", topology[topology.index("trails:"):])]
    hairline = re.search(r"hairline = \[([\d,\s]+)\]", marks)
    if len(trails) < 10 or hairline is None:
        raise Problem("MeshTopology.swift or MeshMarks.swift has another form: adapt generate-page.py")
    lines = [
        textwrap.fill(json.dumps(trail) + ",", 110, initial_indent="  ", subsequent_indent="    ") for trail in trails]
    return (
        head("Sources/Vision/Rendering/MeshTopology.swift and MeshMarks.swift")
        + "\n/** The edges of the face mesh's triangles: each point of a trail is joined to the next one. */\n"
        + "export const meshTrails = [\n" + "\n".join(lines) + "\n];\n"
        + "\n/** From beside the right eye over the forehead to beside the left one: what faceContour leaves open. */\n"
        + f"export const hairline = [{', '.join(re.findall(r'[0-9]+', hairline[1]))}];\n")


def modules(path, files, order, importers=()):
    """Adds to `order` the modules that `path` needs, those first that others need."""
    if path in importers:
        raise Problem(f"{path.name} imports itself by way of {importers[-1].name}")
    if path in order:
        return
    text = files.get(path) or path.read_text()
    for line in text.splitlines():
        if match := IMPORT.match(line):
            modules((path.parent / match[1]).resolve(), files, order, (*importers, path))
        elif line.startswith(("import ", "export default", "export {", "export *")):
            raise Problem(f'{path.name}: "{line}" is of a form that this program does not join')
    order.append(path)


def element(files):
    order, names, parts = [], {}, []
    modules((PAGE / "face-check/element.js").resolve(), files, order)
    for path in order:
        text = files.get(path) or path.read_text()
        for name in NAME.findall(text):
            if names.setdefault(name, path) != path:
                raise Problem(f"{name} is in {names[name].name} and in {path.name}: give one another name")
        lines = [line for line in text.splitlines() if not IMPORT.match(line) and not line.startswith("// Made by")]
        body = re.sub(r"^export ", "", "\n".join(lines), flags=re.MULTILINE).strip()
        parts.append(f"// ---- {path.relative_to(PAGE)}\n\n{body}\n")
    return (
        head("Gateway/Page/face-check/element.js and its imports")
        + "// <face-check>, the guided check as a web component: docs/page.md\n\n"
        + "\n".join(parts) + "\nexport { FaceCheck };\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--bundle", action="store_true")
    action.add_argument("--check", action="store_true")
    options = parser.parse_args()
    check = options.check
    files = {(PAGE / "mesh.js"): mesh()}
    bundle = {PAGE / "face-check.js": element(files)}
    if options.bundle:
        files = bundle
    elif not check:
        files |= bundle
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        if check:
            print(f"{path.relative_to(ROOT)} is not what its sources make: run Tools/generate-page.py", file=sys.stderr)
        else:
            path.write_text(files[path])
            print(f"wrote {path.relative_to(ROOT)}", file=sys.stderr)
    sys.exit(bool(check and stale))


if __name__ == "__main__":
    try:
        main()
    except (Problem, OSError) as problem:
        sys.exit(f"generate-page.py: {problem}")
