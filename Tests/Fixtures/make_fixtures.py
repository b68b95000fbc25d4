#!/usr/bin/env python3
"""Writes the small pictures of Tests/Fixtures/images. Run once and commit; needs Pillow and libturbojpeg.

    python3 Tests/Fixtures/make_fixtures.py

PNG files are written here, byte by byte, so that every depth, colour type and interlacing is at hand. Their pixels
follow formulas that the tests know too. JPEG is lossy, so its picture is four flat colours, one a quarter.
"""

import ctypes
import pathlib
import struct
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
    image.convert("L").save(FOLDER / "quarters_gray.jpg", quality=95)
    image.convert("CMYK").save(FOLDER / "quarters_cmyk.jpg", quality=95)
    ycck(image, "quarters_ycck.jpg")
    large = quarters().resize((485, 331), Image.Resampling.NEAREST)
    large.save(FOLDER / "quarters_large.jpg", **options)
    webp(image)
    for value in range(1, 9):
        order = "<" if value % 2 else ">"
        image.save(FOLDER / f"exif_{value}.jpg", exif=b"Exif\0\0" + tiff_orientation(value, order), **options)


if __name__ == "__main__":
    main()
