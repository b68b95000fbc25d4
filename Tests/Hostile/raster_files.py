"""GIF, BMP, WebP and JPEG files that cost a decoder much for their size."""

import pathlib
import struct

IMAGES = pathlib.Path(__file__).parents[1] / "Fixtures/images"


def gif(side, codes):
    """256 grays; `codes` are LZW data of 8-bit pixels. Source: GIF89a."""
    blocks = b"".join(bytes([len(codes[at : at + 255])]) + codes[at : at + 255] for at in range(0, len(codes), 255))
    table = bytes(value for gray in range(256) for value in [gray] * 3)
    frame = struct.pack("<BHHHHBB", 0x2C, 0, 0, side, side, 0, 8) + blocks + b"\0"
    return b"GIF89a" + struct.pack("<HHBBB", side, side, 0xF7, 0, 0) + table + frame + b"\x3b"


def packed(codes):
    """Codes of (value, bits), the lowest bit first."""
    value = width = 0
    made = bytearray()
    for code, bits in codes:
        value |= code << width
        width += bits
        while width >= 8:
            made.append(value & 255)
            value >>= 8
            width -= 8
    made.append(value)
    return bytes(made)


def gif_runs(pixels):
    """Codes for runs that grow to 3,838 pixels."""
    codes = [(256, 9)]
    while pixels > 0:
        codes.append((0, 9))
        pixels -= 1
        for code in range(258, 4096):
            if pixels <= 0:
                break
            codes.append((code, 9 if code < 512 else 10 if code < 1024 else 11 if code < 2048 else 12))
            pixels -= code - 256
        else:
            codes.append((256, 12))
    return packed(codes + [(257, 12)])


def bmp_runs(width, height, codes):
    """Eight bits a pixel, compressed. Source: Microsoft, BITMAPINFOHEADER, BI_RLE8."""
    table = bytes(value for gray in range(256) for value in (gray, gray, gray, 0))
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(codes), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 1024 + len(codes), 0, 0, 54 + 1024) + header + table + codes


def segment(marker, data):
    return struct.pack(">BBH", 0xFF, marker, 2 + len(data)) + data


def jpeg(width, height, *parts, frame=0xC2):
    """Gray, of one component, with tables whose codes are of one bit. Source: ITU-T T.81, annexes B, C and G."""

    def table(kind, symbols):
        return segment(0xC4, bytes([kind, len(symbols)]) + bytes(15) + bytes(symbols))

    head = (
        b"\xff\xd8"
        + segment(0xDB, b"\0" + b"\1" * 64)
        + segment(frame, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")
    )
    return head + table(0x00, [0]) + table(0x10, [0xE0]) + b"".join(parts) + b"\xff\xd9"


def jpeg_scan(first, last, refinement, data):
    return segment(0xDA, b"\1\1\0" + bytes([first, last, refinement])) + data


def progressive(side, scans):
    """Scans of the same few bits for all blocks: ends of bands of 16,384 blocks, each a code and fourteen bits of zero."""
    blocks = (side // 8) ** 2
    first = jpeg_scan(0, 0, 0, bytes(blocks // 8 + 1))
    bands = jpeg_scan(1, 63, 0, bytes((blocks // 16_384 + 1) * 15 // 8 + 1))
    return jpeg(side, side, first, *[bands] * scans)


def webp_canvas():
    """The extended header of a canvas of 16,384², with the picture of rgb.webp. Source: WebP Container Specification."""
    part = (IMAGES / "rgb.webp").read_bytes()[12:]
    chunks = b"VP8X" + struct.pack("<II", 10, 0) + b"\xff\x3f\0\xff\x3f\0" + part
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


FILES = [
    ("runs-4096.gif", "runs that grow, 4096² in 16 kB", lambda: gif(4096, gif_runs(4096**2))),
    ("runs-8192.bmp", "runs of 255, 8192²", lambda: bmp_runs(8192, 8192, b"\xff\1" * (8192**2 // 255 + 1) + b"\0\1")),
    ("canvas-16384.webp", "a canvas that its picture does not fill", webp_canvas),
    ("progressive-500.jpg", "500 scans of 8192², each a few bytes long", lambda: progressive(8192, 499)),
    (
        "huge-16384.jpg",
        "16,384² in few bytes",
        lambda: jpeg(16_384, 16_384, jpeg_scan(0, 63, 0, bytes(1000)), frame=0xC0),
    ),
]
