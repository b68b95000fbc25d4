#!/usr/bin/env python3
"""floats.py FROM TO: copies the models of the folder FROM to TO without networks in 16 bits, which x86-64 runs and ARM does not: there
both run floats, and find the same faces number for number."""

import json
import pathlib
import shutil
import sys

if len(sys.argv) != 3:
    sys.exit(__doc__)
folder = pathlib.Path(shutil.copytree(sys.argv[1], sys.argv[2]))
changed = 0
for path in folder.glob("*/model.json"):
    model = json.loads(path.read_text())
    if file := model["files"].pop("int16", None):
        (path.parent / file["name"]).unlink()
        path.write_text(json.dumps(model))
        changed += 1
if not changed:
    sys.exit(f"floats: {sys.argv[1]} has no network in 16 bits")
