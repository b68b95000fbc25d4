#!/usr/bin/env python3
"""Holds the sources against ARCHITECTURE.md and imports.txt: the rooms are the folders of Sources, each target is in its room, its
Swift files import only what imports.txt allows, and a room imports only itself and the rooms above it. Names each difference."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
IMPORT = re.compile(r"^(?:@\w+\s+)?(?:public |package |internal |private |fileprivate )?import (.+?)\s*$", re.MULTILINE)


def table():
    """{target: (room, what it may import)} and the rooms, both in the order of the rows."""
    rows = re.findall(r"^\| (\w+) \| ([\w-]+) \| .+ \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    lines = re.findall(r"^([\w-]+):(.*)$", (ROOT / "Tools/imports.txt").read_text(), re.MULTILINE)
    allowed = {target: {part.strip() for part in names.split(",")} - {""} for target, names in lines}
    targets = {target: (room, allowed.pop(target, set())) for room, target in rows if target != "target"}
    for target in allowed:
        sys.exit(f"imports: Tools/imports.txt has the target {target}, which ARCHITECTURE.md's table does not have")
    return targets, list(dict.fromkeys(room for room, _ in targets.values()))


def folders():
    """(room, folder of a target)."""
    for room in sorted((ROOT / "Sources").iterdir()):
        for folder in sorted(path for path in room.iterdir() if path.is_dir()):
            yield room.name, folder
    for folder in sorted((ROOT / "Gateway/Sources").iterdir()):
        if folder.name != "SystemLibraries":
            yield "Gateway", folder


def main():
    targets, rooms = table()
    problems = []
    found = list(folders())
    for name in sorted({room for room, _ in found} ^ set(rooms)):
        problems.append(f"the room {name} is only one of: a folder of Sources, a room of ARCHITECTURE.md's table")
    for name in sorted(set(targets) ^ {folder.name for _, folder in found}):
        problems.append(f"the target {name} is only one of: a folder of a room, a row of ARCHITECTURE.md's table")
    for room, folder in found:
        if folder.name not in targets or room not in rooms:
            continue
        said, allowed = targets[folder.name]
        if said != room:
            problems.append(f"{folder.relative_to(ROOT)} is in the room {said} of ARCHITECTURE.md's table")
        for file in sorted(folder.rglob("*.swift")):
            for name in IMPORT.findall(file.read_text()):
                if name not in allowed:
                    problems.append(f"{file.relative_to(ROOT)} imports {name}, which Tools/imports.txt does not allow")
        for name in sorted(allowed & set(targets)):
            if rooms.index(targets[name][0]) > rooms.index(room):
                problems.append(f"{folder.name} imports {name}, of a room below its own in ARCHITECTURE.md's table")
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems or not targets else 0


if __name__ == "__main__":
    sys.exit(main())
