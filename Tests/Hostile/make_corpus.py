#!/usr/bin/env python3
"""Writes pictures that attack decoders into a folder: small files that ask for much work.

    Tests/Hostile/make_corpus.py FOLDER [PART OF A NAME]...

The same files come out everywhere.
"""

import pathlib
import sys

import heif_files
import raster_files
import tiff_files


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder, parts = pathlib.Path(sys.argv[1]), sys.argv[2:] or [""]
    folder.mkdir(parents=True, exist_ok=True)
    for name, reason, make in heif_files.FILES + tiff_files.FILES + raster_files.FILES:
        if not any(part in name for part in parts):
            continue
        data = make()
        (folder / name).write_bytes(data)
        print(f"{len(data):>10} {name:<26} {reason}", flush=True)


if __name__ == "__main__":
    main()
