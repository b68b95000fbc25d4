#!/usr/bin/env python3
"""finish.py FROM TO: copies a built program or library as it is installed: stripped, without a search path of its own, and
with the same bytes wherever it was built.

What the folder of the build is in, once the debugging information is gone: hashes that the Swift compiler keeps for its own
incremental builds, which nothing reads at run time, and the build id, which is computed anew from what is left. The search
path is SwiftPM's $ORIGIN; Swift's own libraries are linked in, so nothing is looked for there."""

import hashlib
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

SECTION = struct.Struct("<IIQQQQIIQQ")  # Elf64_Shdr
DYNAMIC = struct.Struct("<QQ")  # Elf64_Dyn
RPATH, RUNPATH = 15, 29


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def sections(data):
    """{name: (offset, size)} of an ELF file of 64 bits, little-endian."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise Problem("it is no ELF file of 64 bits, little-endian")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    rows = [SECTION.unpack_from(data, table + index * SECTION.size) for index in range(count)]
    text = rows[names][4]
    return {data[text + row[0] : data.index(b"\0", text + row[0])].decode(): (row[4], row[5]) for row in rows}


def without_search_path(dynamic):
    """The dynamic section with the entries for a search path left out; the end is filled with what ends it."""
    entries = [entry for entry in DYNAMIC.iter_unpack(dynamic) if entry[0] not in (RPATH, RUNPATH)]
    return b"".join(DYNAMIC.pack(*entry) for entry in entries).ljust(len(dynamic), b"\0")


def finish(data):
    places = sections(data)
    start, size = places[".dynamic"]
    data[start : start + size] = without_search_path(data[start : start + size])
    if ".swift_modhash" in places:
        start, size = places[".swift_modhash"]
        data[start : start + size] = bytes(size)
    # The note is three words of header, "GNU" and 20 bytes.
    start, size = places[".note.gnu.build-id"]
    if size != 36:
        raise Problem(f"its build id has {size - 16} bytes instead of 20")
    data[start + 16 : start + size] = bytes(20)
    data[start + 16 : start + size] = hashlib.sha1(data).digest()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = map(pathlib.Path, sys.argv[1:])
    try:
        with tempfile.TemporaryDirectory() as folder:
            stripped = pathlib.Path(folder, "stripped")
            subprocess.run(
                [os.environ.get("STRIP", "strip"), "--remove-section=.comment", "-o", stripped, source], check=True
            )
            data = bytearray(stripped.read_bytes())
        finish(data)
    except (Problem, KeyError, struct.error, ValueError) as problem:
        sys.exit(f"finish: {source}: {problem}")
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"finish: {error}")
    target.write_bytes(data)


if __name__ == "__main__":
    main()
