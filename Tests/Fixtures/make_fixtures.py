#!/usr/bin/env python3
"""Writes the small pictures of Tests/Fixtures/images. Run once and commit; needs Pillow, libturbojpeg, jpegtran, and
heif-enc (libheif-examples) for HEIC and AVIF.

    python3 Tests/Fixtures/make_fixtures.py

PNG files are written here, byte by byte, so that every depth, colour type and interlacing is at hand. Their pixels
follow formulas that the tests know too. JPEG is lossy, so its picture is four flat colours, one a quarter. The large pictures of one colour, which decoders cannot do at once, are ffmpeg's.
"""

import ctypes
import pathlib
import struct
import subprocess
import tempfile
import zlib

from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "images"
WIDTH, HEIGHT = 37, 23  # odd and unequal, so that a swapped axis shows
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]

QUARTERS_SIZE = (48, 32)
QUARTERS = [(220, 40, 40), (40, 200, 60), (50, 60, 210), (235, 235, 225)]  # top left, top right, bottom left, right


def rgb(x, y):
    return (7 * x + 3 * y) % 256, (5 * x + 11 * y + 40) % 256, (13 * x + 17 * y) % 256


def gray(x, y):
    return (7 * x + 3 * y) % 256


def palette_index(x, y):
    return (x + 3 * y) % 16


def palette_colour(index):
    return index * 16, 255 - index * 16, index * 7


def alpha(x):
    """Three bands: opaque, invisible, half."""
    return (255, 0, 128)[min(x // 13, 2)]


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def packed(row, depth):
    """Samples of one row as bytes, the first sample in the highest bits."""
    if depth >= 8:
        return b"".join(sample.to_bytes(depth // 8, "big") for sample in row)
    bits = "".join(format(sample, f"0{depth}b") for sample in row)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def png(name, samples, depth, colour_type, interlaced=False, extra=b""):
    passes = ADAM7 if interlaced else [(0, 0, 1, 1)]
    raw = b""
    for x0, y0, dx, dy in passes:
        if x0 >= WIDTH:
            continue
        for y in range(y0, HEIGHT, dy):
            raw += b"\0" + packed([s for x in range(x0, WIDTH, dx) for s in samples(x, y)], depth)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, colour_type, 0, 0, int(interlaced))
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(raw, 9))
    (FOLDER / name).write_bytes(data + chunk(b"IEND", b""))


def tiff_orientation(value, order="<"):
    """A TIFF block with one entry: Orientation, a SHORT."""
    mark = b"II" if order == "<" else b"MM"
    return mark + struct.pack(order + "HIHHHIHHI", 42, 8, 1, 0x0112, 3, 1, value, 0, 0)


def quarters():
    image = Image.new("RGB", QUARTERS_SIZE)
    for x in range(QUARTERS_SIZE[0]):
        for y in range(QUARTERS_SIZE[1]):
            image.putpixel((x, y), QUARTERS[(x >= QUARTERS_SIZE[0] // 2) + 2 * (y >= QUARTERS_SIZE[1] // 2)])
    return image


def webp(image):
    exact = {"lossless": True, "quality": 100}
    drawn = Image.new("RGB", (WIDTH, HEIGHT))
    with_alpha = Image.new("RGBA", (WIDTH, HEIGHT))
    for x in range(WIDTH):
        for y in range(HEIGHT):
            drawn.putpixel((x, y), rgb(x, y))
            with_alpha.putpixel((x, y), (*rgb(x, y), alpha(x)))
    drawn.save(FOLDER / "rgb.webp", **exact)
    with_alpha.save(FOLDER / "rgba.webp", exact=True, **exact)
    drawn.save(FOLDER / "exif_6.webp", exif=tiff_orientation(6), **exact)
    image.save(FOLDER / "quarters.webp", quality=95)
    image.save(FOLDER / "animated.webp", save_all=True, append_images=[image.rotate(180)], duration=100)


def transformed(name, *options):
    """The JPEG of the quarters with its coefficients coded another way."""
    file = subprocess.run(["jpegtran", *options, FOLDER / "quarters.jpg"], check=True, capture_output=True).stdout
    (FOLDER / name).write_bytes(file)


def ycck(image, name):
    """As YCCK, which Pillow does not write: TurboJPEG does where it is given inks. The light that is left, as Adobe's."""
    turbo = ctypes.CDLL("libturbojpeg.so.0")
    turbo.tjInitCompress.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(turbo.tjInitCompress())
    inks = b"".join(bytes((*colour, 255)) for colour in image.getdata())
    file, size = ctypes.POINTER(ctypes.c_ubyte)(), ctypes.c_ulong()
    inks_format, full_colour, quality = 11, 0, 95
    if turbo.tjCompress2(handle, inks, image.width, 0, image.height, inks_format, ctypes.byref(file), ctypes.byref(size),
                         full_colour, quality, 0) != 0:
        raise SystemExit("TurboJPEG did not write YCCK")
    content = ctypes.string_at(file, size.value)
    assert b"Adobe\0\x64\0\0\0\0\2" in content  # the marker's last byte is the transform, 2 for YCCK
    (FOLDER / name).write_bytes(content)


def boxes(data, start, end):
    """The boxes of ISO/IEC 14496-12 in a part of a file: type, start and end of each, its header included."""
    while start < end:
        size, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start, start + size
        start += size


def turned_heif(data, quarters):
    """The same file with the property 'irot', ISO/IEC 23008-12, 6.5.10: quarters of a turn against the clock."""
    where = {}

    def look(start, end):
        for kind, first, last in boxes(data, start, end):
            where[kind] = (first, last)
            inner = {b"meta": 12, b"iprp": 8}.get(kind)
            if inner:
                look(first + inner, last)

    look(0, len(data))
    count = len(list(boxes(data, where[b"ipco"][0] + 8, where[b"ipco"][1])))
    associations = bytearray(data[slice(*where[b"ipma"])])
    # Of each item its id, and the properties that it has; the last item is the picture.
    place = last = 16
    while place < len(associations):
        last, place = place, place + 3 + associations[place + 2]
    associations[last + 2] += 1
    associations += bytes([0x80 | count + 1])
    turn = struct.pack(">I4sB", 9, b"irot", quarters)
    made = bytearray(data[:where[b"ipco"][1]] + turn + associations + data[where[b"ipma"][1]:])
    assert where[b"ipco"][1] == where[b"ipma"][0]
    moved = len(made) - len(data)
    for kind, more in ((b"meta", moved), (b"iprp", moved), (b"ipco", len(turn)), (b"ipma", 1)):
        place = where[kind][0] + (len(turn) if kind == b"ipma" else 0)
        struct.pack_into(">I", made, place, struct.unpack_from(">I", made, place)[0] + more)
    # Where the data lie in the file, in 32 bits.
    place = data.index(struct.pack(">I", where[b"mdat"][0] + 8), *where[b"iloc"])
    struct.pack_into(">I", made, place, where[b"mdat"][0] + 8 + moved)
    return bytes(made)


def heif(picture):
    """HEIC and AVIF of the quarters, and a HEIC that is to be turned clockwise."""
    for name, flags in (("quarters.heic", []), ("quarters.avif", ["-A"])):
        subprocess.run(["heif-enc", *flags, "-q", "95", str(picture), "-o", str(FOLDER / name)], check=True)
    (FOLDER / "turned.heic").write_bytes(turned_heif((FOLDER / "quarters.heic").read_bytes(), 3))


def large():
    for kind, *options in (["webp"], ["gif"], ["tiff", "-compression_algo", "deflate"], ["avif"]):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=0x4080c0:size=1024x768", "-frames:v", "1",
                        *options, FOLDER / f"large.{kind}"], check=True)


def tiff(name, orientation):
    """The picture of `rgb`, in one strip without compression. Source: TIFF 6.0, sections 2 and 6."""
    entries = [(256, 4, WIDTH), (257, 4, HEIGHT), (258, 3, 8), (259, 3, 1), (262, 3, 2), (273, 4, 0), (274, 3, orientation),
               (277, 3, 3), (278, 4, HEIGHT), (279, 4, WIDTH * HEIGHT * 3)]
    start = 8 + 2 + 12 * len(entries) + 4
    data = b"II*\0" + struct.pack("<IH", 8, len(entries))
    for tag, kind, value in entries:
        data += struct.pack("<HHII", tag, kind, 1, start if tag == 273 else value)
    pixels = b"".join(bytes(rgb(x, y)) for y in range(HEIGHT) for x in range(WIDTH))
    (FOLDER / name).write_bytes(data + b"\0\0\0\0" + pixels)


def bmp(name, is_top_down):
    """The picture of `rgb` with 24 bits a pixel, rows of multiples of four bytes from the bottom up unless told otherwise."""
    rows = [b"".join(bytes(reversed(rgb(x, y))) for x in range(WIDTH)) + b"\0" * (-3 * WIDTH % 4) for y in range(HEIGHT)]
    pixels = b"".join(rows if is_top_down else reversed(rows))
    header = struct.pack("<IiiHHIIiiII", 40, WIDTH, -HEIGHT if is_top_down else HEIGHT, 1, 24, 0, len(pixels), 0, 0, 0, 0)
    (FOLDER / name).write_bytes(b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + header + pixels)


def gif(name, frames):
    """Pictures of `palette_index` with 16 colours, the second and later ones in one colour. Without compression: a clear code
    before the table of codes grows. Source: GIF89a."""
    data = b"GIF89a" + struct.pack("<HHBBB", WIDTH, HEIGHT, 0x83, 0, 0)
    data += b"".join(bytes(palette_colour(index)) for index in range(16))
    for frame in range(frames):
        codes = []
        for place in range(WIDTH * HEIGHT):
            if place % 14 == 0:
                codes.append(16)
            codes.append(palette_index(place % WIDTH, place // WIDTH) if frame == 0 else 15)
        bits = sum(code << 5 * place for place, code in enumerate([*codes, 17]))
        packed_codes = bits.to_bytes((5 * (len(codes) + 1) + 7) // 8, "little")
        data += struct.pack("<BHHHHBB", 0x2C, 0, 0, WIDTH, HEIGHT, 0, 4)
        for start in range(0, len(packed_codes), 255):
            part = packed_codes[start:start + 255]
            data += bytes([len(part)]) + part
        data += b"\0"
    (FOLDER / name).write_bytes(data + b"\x3B")


def rarer(image):
    """Kinds that are read through libraries which may be missing."""
    picture = FOLDER / "lossless.png"
    image.save(picture)
    heif(picture)
    picture.unlink()
    large()
    tiff("rgb.tiff", 1)
    tiff("exif_6.tiff", 6)
    bmp("rgb.bmp", False)
    bmp("rgb_top_down.bmp", True)
    gif("palette.gif", 1)
    gif("animated.gif", 3)


def main():
    FOLDER.mkdir(exist_ok=True)
    png("rgb.png", rgb, 8, 2)
    png("rgb_interlaced.png", rgb, 8, 2, interlaced=True)
    png("rgb16.png", lambda x, y: [257 * v for v in rgb(x, y)], 16, 2)
    png("gray.png", lambda x, y: [gray(x, y)], 8, 0)
    png("gray16.png", lambda x, y: [257 * gray(x, y)], 16, 0)
    png("gray1.png", lambda x, y: [(x * y) & 1], 1, 0)
    table = chunk(b"PLTE", bytes(v for i in range(16) for v in palette_colour(i)))
    png("palette.png", lambda x, y: [palette_index(x, y)], 4, 3, extra=table)
    png("rgba.png", lambda x, y: [*rgb(x, y), alpha(x)], 8, 6)
    png("rgba_interlaced.png", lambda x, y: [*rgb(x, y), alpha(x)], 8, 6, interlaced=True)
    # An animated PNG is a PNG whose first picture is the still one. Source: APNG specification, "Structure".
    control = struct.pack(">IIIIIHHBB", 0, WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0)
    png("animated.png", rgb, 8, 2, extra=chunk(b"acTL", struct.pack(">II", 1, 0)) + chunk(b"fcTL", control))
    png("exif_6.png", rgb, 8, 2, extra=chunk(b"eXIf", tiff_orientation(6, ">")))

    image = quarters()
    options = {"quality": 95, "subsampling": "4:4:4"}
    image.save(FOLDER / "quarters.jpg", **options)
    image.save(FOLDER / "quarters_420.jpg", quality=95, subsampling="4:2:0")
    image.save(FOLDER / "quarters_progressive.jpg", progressive=True, **options)
    transformed("quarters_restarts.jpg", "-restart", "1B")
    transformed("quarters_progressive_restarts.jpg", "-progressive", "-restart", "1B")
    transformed("quarters_arithmetic.jpg", "-arithmetic")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as scans:
        print("0;\n1;\n2;", file=scans, flush=True)
        transformed("quarters_scans.jpg", "-scans", scans.name)
    image.convert("L").save(FOLDER / "quarters_gray.jpg", quality=95)
    image.convert("CMYK").save(FOLDER / "quarters_cmyk.jpg", quality=95)
    ycck(image, "quarters_ycck.jpg")
    large = quarters().resize((485, 331), Image.Resampling.NEAREST)
    large.save(FOLDER / "quarters_large.jpg", **options)
    webp(image)
    rarer(image)
    for value in range(1, 9):
        order = "<" if value % 2 else ">"
        image.save(FOLDER / f"exif_{value}.jpg", exif=b"Exif\0\0" + tiff_orientation(value, order), **options)


if __name__ == "__main__":
    main()
