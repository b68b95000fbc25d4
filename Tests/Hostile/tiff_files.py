"""TIFF files whose tiles and strips cost a decoder more than their pictures have pixels. Source: TIFF 6.0."""

import struct
import zlib

WIDTH, HEIGHT, BITS, COMPRESSION, COLOURS, OFFSETS, SAMPLES, ROWS, SIZES = 256, 257, 258, 259, 262, 273, 277, 278, 279
TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_SIZES = 322, 323, 324, 325
LZW, DEFLATE = 5, 8
SHORT, LONG = 3, 4


def tiff(entries, data):
    """A file of `data`, at 8, and entries of (tag, type, values)."""
    out, later = b"", b""
    start = 8 + len(data) + len(data) % 2
    after = start + 2 + 12 * len(entries) + 4
    for tag, kind, values in sorted(entries):
        packed = struct.pack(f"<{len(values)}{'H' if kind == SHORT else 'I'}", *values)
        if len(packed) > 4:
            packed, later = struct.pack("<I", after + len(later)), later + packed + bytes(len(packed) % 2)
        out += struct.pack("<HHI", tag, kind, len(values)) + packed.ljust(4, b"\0")
    return (
        b"II*\0"
        + struct.pack("<I", start)
        + data
        + bytes(len(data) % 2)
        + struct.pack("<H", len(entries))
        + out
        + bytes(4)
        + later
    )


def picture(width, height, compression):
    return [
        (WIDTH, LONG, [width]),
        (HEIGHT, LONG, [height]),
        (BITS, SHORT, [8] * 3),
        (COMPRESSION, SHORT, [compression]),
        (COLOURS, SHORT, [2]),
        (SAMPLES, SHORT, [3]),
    ]


def tiles(width, height, tile, data, compression):
    """All tiles at one offset; `tile` is the tiles' width and height."""
    count = -(-width // tile[0]) * -(-height // tile[1])
    return tiff(
        picture(width, height, compression)
        + [
            (TILE_WIDTH, LONG, [tile[0]]),
            (TILE_HEIGHT, LONG, [tile[1]]),
            (TILE_OFFSETS, LONG, [8] * count),
            (TILE_SIZES, LONG, [len(data)] * count),
        ],
        data,
    )


def strips(width, height, rows, data, compression):
    """All strips at one offset."""
    count = -(-height // rows)
    return tiff(
        picture(width, height, compression)
        + [(ROWS, LONG, [rows]), (OFFSETS, LONG, [8] * count), (SIZES, LONG, [len(data)] * count)],
        data,
    )


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


FILES = [
    (
        "tiles-padded.tiff",
        "tiles that are a thousand times the picture, which is a column",
        lambda: tiles(16, 16_000, (16_384, 16), zlib.compress(bytes(16_384 * 16 * 3), 9), DEFLATE),
    ),
    (
        "strips-lzw.tiff",
        "a strip that inflates to 200 MB by LZW",
        lambda: strips(8192, 8192, 8192, lzw_zeros(3 * 8192 * 8192), LZW),
    ),
]
