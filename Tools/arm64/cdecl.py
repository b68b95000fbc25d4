#!/usr/bin/env python3
"""cdecl.py SOURCES: gives the functions of the C libraries the attribute that Swift 6.2 has, @_cdecl("name") for
`@c @implementation`, in a copy of the sources. The build for x86-64 has checked their signatures against the headers by then.

Fails, with nothing changed, if a function has no name to be seen, a name comes twice, or not all are found."""

import pathlib
import re
import sys

WRITTEN = "@c @implementation"
# As `swift format` leaves it: attributes on a line of their own.
FUNCTION = re.compile(r"^@c @implementation\npublic func (face_[a-z0-9_]+)\(", re.M)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    names, changed = [], {}
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.swift")):
        text = path.read_text(encoding="utf-8")
        expected = text.count("@implementation")
        if not expected:
            continue
        found = FUNCTION.findall(text)
        if len(found) != expected:
            sys.exit(
                f"cdecl: {path}: {expected} functions are implementations, and {len(found)} of them have a name to be seen"
            )
        names += found
        changed[path] = FUNCTION.sub(r'@_cdecl("\1")\npublic func \1(', text)
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        sys.exit(f"cdecl: twice: {' '.join(twice)}" if twice else f"cdecl: no function in {sys.argv[1]} is {WRITTEN}")
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")
    print(f"cdecl: {len(names)} functions in {len(changed)} files")


if __name__ == "__main__":
    main()
