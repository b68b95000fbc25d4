#!/usr/bin/env python3
"""Compares every import under Sources and Gateway/Sources with the table of targets in ARCHITECTURE.md; names each that it does not allow."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The rooms of Sources, and the package Gateway.
SOURCES = (*sorted((ROOT / "Sources").iterdir()), ROOT / "Gateway/Sources")
IMPORT = re.compile(r"^(?:@\w+\s+)?(?:public |package |internal |private |fileprivate )?import (.+?)\s*$", re.MULTILINE)


def allowed_imports():
    """{target: what it may import}, from the table's rows."""
    rows = re.findall(r"^\| ([\w-]+) \| .* \| (.+) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    return {name: set() if cell == "nothing" else {part.strip() for part in cell.split(",")}
            for name, cell in rows if name != "target"}


def main():
    allowed = allowed_imports()
    problems = []
    folders = [folder for root in SOURCES for folder in sorted(root.iterdir())]
    for folder in folders:
        files = sorted(folder.rglob("*.swift"))
        if not files:
            continue  # a C target
        if folder.name not in allowed:
            problems.append(f"{folder.relative_to(ROOT)} is not in ARCHITECTURE.md's table of targets")
            continue
        for file in files:
            for name in IMPORT.findall(file.read_text()):
                if name not in allowed[folder.name]:
                    problems.append(f"{file.relative_to(ROOT)} imports {name}, which the table does not allow")
    for name in sorted(allowed):
        if not any((root / name).is_dir() for root in SOURCES):
            problems.append(f"ARCHITECTURE.md's table has {name}, which is no target")
    print("\n".join(problems), end="\n" if problems else "", file=sys.stderr)
    return 1 if problems or not allowed else 0


if __name__ == "__main__":
    sys.exit(main())
