#!/usr/bin/env python3
"""Writes pictures that attack decoders into a folder: small files that ask for much work, and the costliest valid ones.

    Tests/Hostile/make_corpus.py FOLDER [PART OF A NAME]...

Needs nothing but Python and, for pictures of noise, ffmpeg with libx265, libaom and libwebp; a file that cannot be made is
reported as SKIPPED. The same files come out everywhere, except what ffmpeg's encoders make. 200 MB.
"""

import pathlib
import sys

import heif_files
import raster_files
import tiff_files
from encoders import MissingEncoder


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder, parts = pathlib.Path(sys.argv[1]), sys.argv[2:] or [""]
    folder.mkdir(parents=True, exist_ok=True)
    skipped = 0
    for name, reason, make in heif_files.FILES + tiff_files.FILES + raster_files.FILES:
        if not any(part in name for part in parts):
            continue
        try:
            data = make()
        except MissingEncoder as error:
            skipped += 1
            print(f"SKIPPED {name}: {error}", file=sys.stderr)
            continue
        (folder / name).write_bytes(data)
        print(f"{len(data):>10} {name:<26} {reason}", flush=True)
    if skipped:
        print(f"SKIPPED {skipped} files, whose encoders are missing", file=sys.stderr)


if __name__ == "__main__":
    main()
