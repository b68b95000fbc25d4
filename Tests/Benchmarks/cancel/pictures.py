#!/usr/bin/env python3
"""pictures.py FOLDER: writes pictures that take long to decode, one for each kind. Needs ffmpeg and libjpeg-turbo-progs."""

import pathlib
import struct
import subprocess
import sys
import zlib

SIDE = 5000
MANY_SCANS = 400


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def endless_png(path):
    """64×64 pixels, and a gigabyte of zeros, compressed to one megabyte, after the last row."""
    rows = bytes(64 * 193)
    data = zlib.compress(rows + bytes(1 << 30), 9)
    header = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def many_scans(path, progressive):
    """The last scan again and again: a few bytes each, and the whole picture's coefficients."""
    data = progressive.read_bytes()
    start = data.rindex(b"\xff\xda")
    path.write_bytes(data[:start] + data[start:-2] * MANY_SCANS + b"\xff\xd9")


def main():
    folder = pathlib.Path(sys.argv[1])

    def make(name, *options, source=f"testsrc2=size={SIDE}x{SIDE}"):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-frames:v", "1", *options, folder / name],
                       check=True)
    make("png.png", "-compression_level", "1")
    make("webp.webp", "-quality", "90", "-compression_level", "0")
    make("lossless.webp", "-lossless", "1", "-compression_level", "0")
    make("tiff.tiff", "-compression_algo", "deflate")
    make("bmp.bmp")
    make("gif.gif")
    make("picture.ppm")
    make("gray.pgm", "-pix_fmt", "gray", source=f"color=gray:size={SIDE}x{SIDE}")
    with open(folder / "picture.ppm", "rb") as picture:
        subprocess.run(["cjpeg", "-quality", "95", "-outfile", folder / "jpeg.jpg"], stdin=picture, check=True)
    with open(folder / "gray.pgm", "rb") as picture:
        subprocess.run(["cjpeg", "-progressive", "-outfile", folder / "gray.jpg"], stdin=picture, check=True)
    many_scans(folder / "scans.jpg", folder / "gray.jpg")
    endless_png(folder / "endless.png")


main()
