#!/usr/bin/env python3
"""renew.py FROM TO: makes TO the same as FROM, which goes, and leaves files as they are whose bytes are the same, so that a
build sees what has changed. What is in a folder .build stays."""

import filecmp
import os
import pathlib
import shutil
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = map(pathlib.Path, sys.argv[1:])
    wanted = {path.relative_to(source) for path in source.rglob("*") if path.is_file() or path.is_symlink()}
    for path in list(target.rglob("*")):
        name = path.relative_to(target)
        if ".build" not in name.parts and not path.is_dir() and name not in wanted:
            path.unlink()
    for name in wanted:
        new, old = source / name, target / name
        if not (old.is_file() and not new.is_symlink() and filecmp.cmp(new, old, shallow=False)):
            old.parent.mkdir(parents=True, exist_ok=True)
            os.replace(new, old)
    shutil.rmtree(source)


if __name__ == "__main__":
    main()
