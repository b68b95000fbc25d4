"""TIFF files whose tiles and strips cost a decoder more than their pictures have pixels. Source: TIFF 6.0."""

import struct
import zlib

WIDTH, HEIGHT, BITS, COMPRESSION, COLOURS, OFFSETS, SAMPLES, ROWS, SIZES = 256, 257, 258, 259, 262, 273, 277, 278, 279
TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_SIZES, EXTRA_SAMPLES = 322, 323, 324, 325, 338
LZW, DEFLATE, PACKBITS = 5, 8, 32773
SHORT, LONG, UNDEFINED = 3, 4, 7


def tiff(entries, data):
    """A file of `data`, at 8, and entries of (tag, type, values)."""
    out, later = b"", b""
    start = 8 + len(data) + len(data) % 2
    after = start + 2 + 12 * len(entries) + 4
    for tag, kind, values in sorted(entries):
        packed = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{'H' if kind == SHORT else 'I'}", *values)
        count = len(packed) // {SHORT: 2, LONG: 4}.get(kind, 1)
        if len(packed) > 4:
            packed, later = struct.pack("<I", after + len(later)), later + packed + bytes(len(packed) % 2)
        out += struct.pack("<HHI", tag, kind, count) + packed.ljust(4, b"\0")
    return b"II*\0" + struct.pack("<I", start) + data + bytes(len(data) % 2) + struct.pack("<H", len(entries)) + out + bytes(4) + later


def picture(width, height, compression, samples=3, bits=8):
    entries = [(WIDTH, LONG, [width]), (HEIGHT, LONG, [height]), (BITS, SHORT, [bits] * samples), (COMPRESSION, SHORT, [compression]),
               (COLOURS, SHORT, [2]), (SAMPLES, SHORT, [samples])]
    return entries + ([(EXTRA_SAMPLES, SHORT, [0] * (samples - 3))] if samples > 3 else [])


def tiles(width, height, tile, data, compression, samples=3, bits=8):
    """All tiles at one offset; `tile` is the tiles' width and height."""
    count = -(-width // tile[0]) * -(-height // tile[1])
    return tiff(picture(width, height, compression, samples, bits) + [
        (TILE_WIDTH, LONG, [tile[0]]), (TILE_HEIGHT, LONG, [tile[1]]), (TILE_OFFSETS, LONG, [8] * count),
        (TILE_SIZES, LONG, [len(data)] * count)], data)


def strips(width, height, rows, data, compression, samples=3):
    """All strips at one offset."""
    count = -(-height // rows)
    return tiff(picture(width, height, compression, samples) + [
        (ROWS, LONG, [rows]), (OFFSETS, LONG, [8] * count), (SIZES, LONG, [len(data)] * count)], data)


def lzw_zeros(count):
    """`count` bytes of zero: codes for runs that grow, then the table anew. Source: TIFF 6.0, section 13."""
    value = width = 0
    made = bytearray()

    def put(code, bits):
        nonlocal value, width
        value, width = value << bits | code, width + bits
        while width >= 8:
            width -= 8
            made.append(value >> width & 255)
            value &= (1 << width) - 1

    put(256, 9)
    while count > 0:
        put(0, 9)
        count -= 1
        for code in range(258, 4094):
            if count <= 0:
                break
            put(code, 9 if code < 511 else 10 if code < 1023 else 11 if code < 2047 else 12)
            count -= code - 256
        put(256, 12)
    put(0, 8)  # what is left of the last code
    return bytes(made)


def directory(tags):
    """Entries that each are all of the file."""
    data = bytes(4 << 20)
    entries = picture(64, 64, 1) + [(ROWS, LONG, [64]), (OFFSETS, LONG, [8]), (SIZES, LONG, [64 * 64 * 3])]
    made = tiff(entries + [(40_000 + tag, UNDEFINED, b"\0\0\0\0") for tag in range(tags)], data)
    # The count and offset of the added entries.
    place = len(made) - 4 - 12 * tags
    rest = b"".join(struct.pack("<HHII", 40_000 + tag, UNDEFINED, len(data), 8) for tag in range(tags))
    at = made.index(struct.pack("<HHI", 40_000, UNDEFINED, 4), 8 + len(data))
    assert place > at > 0
    return made[:at] + rest + made[at + len(rest):]


FILES = [
    ("samples-60000.tiff", "60,000 samples for each pixel, all tiles at one offset", lambda: tiles(
        704, 704, (16, 16), zlib.compress(bytes(16 * 16 * 60_000), 9), DEFLATE, samples=60_000)),
    ("samples-1000.tiff", "1,000 samples for each pixel, in strips", lambda: strips(
        2048, 2048, 16, zlib.compress(bytes(2048 * 16 * 1000), 9), DEFLATE, samples=1000)),
    ("samples-16.tiff", "as many samples as are accepted", lambda: strips(
        2048, 2048, 64, zlib.compress(bytes(2048 * 64 * 16), 9), DEFLATE, samples=16)),
    ("tiles-padded.tiff", "tiles that are a thousand times the picture, which is a column", lambda: tiles(
        16, 16_000, (16_384, 16), zlib.compress(bytes(16_384 * 16 * 3), 9), DEFLATE)),
    ("tiles-deflate.tiff", "all tiles at one offset, deflated a thousand times", lambda: tiles(
        8192, 8192, (1024, 1024), zlib.compress(bytes(3 << 20), 9), DEFLATE)),
    ("strips-deflate.tiff", "a strip that inflates to 200 MB", lambda: strips(
        8192, 8192, 8192, zlib.compress(bytes(3 * 8192 * 8192), 9), DEFLATE)),
    ("strips-lzw.tiff", "the same by LZW", lambda: strips(8192, 8192, 8192, lzw_zeros(3 * 8192 * 8192), LZW)),
    ("strips-empty.tiff", "16,000 strips at one offset that inflate to nothing, from 4 MB each", lambda: strips(
        64, 16_000, 1, b"\x78\x9c" + b"\0\0\0\xff\xff" * 800_000, DEFLATE)),
    ("strips-cleared.tiff", "16,000 strips at one offset of 1 MB of codes that clear LZW's table", lambda: strips(
        64, 16_000, 1, b"\x80\x40\x20\x10\x08\x04\x02\x01\x00" * 110_000, LZW)),
    ("directory-2000.tiff", "2,000 entries that are 4 MB each, the same ones", lambda: directory(2000)),
]
