"""GIF, BMP, WebP, JPEG and PNG files that cost a decoder much for their size."""

import pathlib
import struct
import zlib

from encoders import encode, noise

IMAGES = pathlib.Path(__file__).parents[1] / "Fixtures/images"


def gif(side, codes, is_interlaced=False, frames=1):
    """256 grays; `codes` are LZW data of 8-bit pixels. Source: GIF89a."""
    blocks = b"".join(bytes([len(codes[at:at + 255])]) + codes[at:at + 255] for at in range(0, len(codes), 255))
    table = bytes(value for gray in range(256) for value in [gray] * 3)
    frame = struct.pack("<BHHHHBB", 0x2C, 0, 0, side, side, 0x40 * is_interlaced, 8) + blocks + b"\0"
    return b"GIF89a" + struct.pack("<HHBBB", side, side, 0xF7, 0, 0) + table + frame * frames + b"\x3B"


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


def gif_noise(pixels):
    """A code for each pixel, and the table anew before codes grow."""
    return packed(code for at, gray in enumerate(noise(pixels)) for code in ([(256, 9)] if at % 250 == 0 else []) + [(gray, 9)])


def bmp_runs(width, height, codes):
    """Eight bits a pixel, compressed. Source: Microsoft, BITMAPINFOHEADER, BI_RLE8."""
    table = bytes(value for gray in range(256) for value in (gray, gray, gray, 0))
    header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 1, len(codes), 0, 0, 256, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 1024 + len(codes), 0, 0, 54 + 1024) + header + table + codes


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(side, rows, *extra, is_interlaced=False):
    """Gray, eight bits. Source: PNG (third edition)."""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, is_interlaced)) + b"".join(extra)
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def segment(marker, data):
    return struct.pack(">BBH", 0xFF, marker, 2 + len(data)) + data


def jpeg(width, height, *parts, frame=0xC2):
    """Gray, of one component, with tables whose codes are of one bit. Source: ITU-T T.81, annexes B, C and G."""
    def table(kind, symbols):
        return segment(0xC4, bytes([kind, len(symbols)]) + bytes(15) + bytes(symbols))
    head = b"\xff\xd8" + segment(0xDB, b"\0" + b"\1" * 64) + segment(frame, struct.pack(">BHHB", 8, height, width, 1) + b"\1\x11\0")
    return head + table(0x00, [0]) + table(0x10, [0xE0]) + b"".join(parts) + b"\xff\xd9"


def jpeg_scan(first, last, refinement, data):
    return segment(0xDA, b"\1\1\0" + bytes([first, last, refinement])) + data


def progressive(side, scans):
    """Scans of the same few bits for all blocks: ends of bands of 16,384 blocks, each a code and fourteen bits of zero."""
    blocks = (side // 8) ** 2
    first = jpeg_scan(0, 0, 0, bytes(blocks // 8 + 1))
    bands = jpeg_scan(1, 63, 0, bytes((blocks // 16_384 + 1) * 15 // 8 + 1))
    return jpeg(side, side, first, *[bands] * scans)


def restarts(count):
    """Markers of restarts after each block; most are unnecessary."""
    scan = jpeg_scan(0, 63, 0, b"".join(b"\0" + bytes([0xFF, 0xD0 + at % 8]) for at in range(count)))
    return jpeg(4096, 4096, segment(0xDD, struct.pack(">H", 1)), scan, frame=0xC0)


def webp(side, *options):
    """Noise, with the length that ffmpeg leaves out where it cannot go back."""
    made = encode(side, side, "-c:v", "libwebp", "-compression_level", "0", *options, "-f", "webp")
    return made[:4] + struct.pack("<I", len(made) - 8) + made[8:]


def webp_canvas():
    """The extended header of a canvas of 16,384², with the picture of rgb.webp. Source: WebP Container Specification."""
    part = (IMAGES / "rgb.webp").read_bytes()[12:]
    chunks = b"VP8X" + struct.pack("<II", 10, 0) + b"\xff\x3f\0\xff\x3f\0" + part
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def webp_frames(count):
    """An animation. Source: WebP Container Specification, "Animation"."""
    part = (IMAGES / "rgb.webp").read_bytes()[12:]
    frame = b"\0" * 6 + b"\x24\0\0\x16\0\0" + b"\x64\0\0\0" + part
    frames = (b"ANMF" + struct.pack("<I", len(frame)) + frame) * count
    chunks = b"VP8X" + struct.pack("<II", 10, 2) + b"\x24\0\0\x16\0\0" + b"ANIM" + struct.pack("<I", 6) + bytes(6) + frames
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


FILES = [
    ("runs-4096.gif", "runs that grow, 4096² in 16 kB", lambda: gif(4096, gif_runs(4096**2))),
    ("runs-interlaced-4096.gif", "the same, interlaced", lambda: gif(4096, gif_runs(4096**2), is_interlaced=True)),
    ("noise-4096.gif", "a code for each pixel", lambda: gif(4096, gif_noise(4096**2))),
    ("garbage-4096.gif", "random bits", lambda: gif(4096, noise(4096**2))),
    ("cleared-4096.gif", "16 MB of codes that clear the table", lambda: gif(4096, packed([(256, 9)] * 15_000_000))),
    ("frames-5000.gif", "5,000 frames of 1024²", lambda: gif(1024, gif_runs(1024**2), frames=5000)),
    ("runs-8192.bmp", "runs of 255, 8192²", lambda: bmp_runs(8192, 8192, b"\xff\1" * (8192**2 // 255 + 1) + b"\0\1")),
    ("empty-runs.bmp", "16 MB of runs of nothing", lambda: bmp_runs(8192, 8192, b"\0\2\0\0" * (4 << 20) + b"\0\1")),
    ("ends-of-rows.bmp", "16 MB of ends of rows", lambda: bmp_runs(8192, 8192, b"\0\0" * (8 << 20) + b"\0\1")),
    ("lossless-4096.webp", "noise without loss", lambda: webp(4096, "-lossless", "1", "-pix_fmt", "bgra")),
    ("lossy-2048.webp", "noise, as exactly as can be with loss", lambda: webp(2048, "-quality", "100", "-pix_fmt", "yuv420p")),
    ("canvas-16384.webp", "a canvas that its picture does not fill", webp_canvas),
    ("frames-100000.webp", "an animation of 100,000 frames", lambda: webp_frames(100_000)),
    ("progressive-500.jpg", "500 scans of 8192², of which each is some bytes", lambda: progressive(8192, 499)),
    ("progressive-600.jpg", "more scans than are accepted", lambda: progressive(8192, 600)),
    ("huge-16384.jpg", "16,384² in few bytes", lambda: jpeg(16_384, 16_384, jpeg_scan(0, 63, 0, bytes(1000)), frame=0xC0)),
    ("restarts.jpg", "millions of markers of restarts", lambda: restarts(4 << 20)),
    ("bomb-8192.png", "8192² in 65 kB", lambda: png(8192, bytes(8193 * 8192))),
    ("beyond-64.png", "rows that go on for 1 GB beyond the picture", lambda: png(64, bytes(1 << 30))),
    ("profile.png", "a colour profile that inflates to 256 MB", lambda: png(
        64, bytes(65 * 64), chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(256 << 20), 9)))),
    ("texts.png", "a thousand texts that inflate to 16 MB each", lambda: png(
        64, bytes(65 * 64), *[chunk(b"zTXt", b"name\0\0" + zlib.compress(bytes(16 << 20), 9))] * 1000)),
    ("interlaced-8192.png", "seven passes of 8192²", lambda: png(8192, bytes(8192**2 + 15 * 8192), is_interlaced=True)),
]
