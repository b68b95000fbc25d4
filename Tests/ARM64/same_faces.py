#!/usr/bin/env python3
"""same_faces.py HERE THERE: fails unless two outputs of `face-engine detect --json` have the same pictures and the same faces, number for
number. Only what the expression network says may differ, in the last digits: its rows are summed by as many lanes as a processor has."""

import json
import pathlib
import sys

EXPRESSIONS = {"blendshapes", "eyesOpen", "smile"}
SLACK = 2e-6


def differences(here, there, path=(), slack=0.0):
    """Where two values differ."""
    if type(here) is not type(there):
        yield path, here, there
    elif isinstance(here, dict):
        for name in here.keys() | there.keys():
            yield from differences(
                here.get(name), there.get(name), (*path, name), SLACK if name in EXPRESSIONS else slack
            )
    elif isinstance(here, list):
        if len(here) != len(there):
            yield path, f"{len(here)} values", f"{len(there)} values"
        for number, pair in enumerate(zip(here, there)):
            yield from differences(*pair, (*path, number), slack)
    elif here != there and not (isinstance(here, float) and abs(here - there) <= slack):
        yield path, here, there


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    here, there = ([json.loads(line) for line in pathlib.Path(name).read_text().splitlines()] for name in sys.argv[1:])
    found = list(differences(here, there))
    for path, one, other in found[:10]:
        print("same_faces:", "/".join(map(str, path)), "is here", one, "and there", other, file=sys.stderr)
    count = sum(len(picture.get("faces", [])) for picture in here)
    if found or not count:
        sys.exit(f"same_faces: FAILED: {len(found)} differences among {count} faces")
    print(f"the same {count} faces in {len(here)} pictures")


if __name__ == "__main__":
    main()
