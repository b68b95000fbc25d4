"""HEIC and AVIF files whose items cost a decoder more than their pictures have pixels.

Sources: ISO/IEC 14496-12 (boxes), ISO/IEC 23008-12 (items), ISO/IEC 14496-15, 8.3.3 ('hvcC'), AV1 Codec ISO Media File
Format Binding ('av1C').
"""

import base64
import struct
import zlib

from encoders import encode

# One gray picture each: AV1 by libaom, as OBUs; HEVC by x265, as units behind start codes.
AV1_2048 = base64.b64decode("EgAKBxsqv///7AIyJBKAAAAUAAAQDH1yp8LO6pBIz6Hz5V41dFIhUb1Fw2YDTWDbjg==")
AV1_64 = base64.b64decode("EgAKBhgVf/2wCDIKGgAAAFAAAAAJOA==")
HEVC_512 = base64.b64decode(
    "AAAAAUABDAH//wFgAAADAJAAAAMAAAMAWpWYCQAAAAFCAQEBYAAAAwCQAAADAAADAFqgBAIAgFllZpJMrwFoCAAAAwAIAAADAMhAAAAAAUQBwXK0YkAAAAEoAa8d"
    "EFitSkoR9wFb1r7HAB/RMpQVoiaSAJSAqXHKBRiBJ4AAAM+Akw2UIAAAAwAAooCHAAADAAADAAD6gAAAAwAAAwAAOeAAAAMAAAMAAloAAAMAAAMACmgAAAMAAAMA"
    "HhA=")

# The same as AV1_2048 as an ordinary sequence: its header, which is made to have two spatial layers, and the frame.
LAYERED = [base64.b64decode(part) for part in ("AAMBYqv///f/5gE=", "EACUAAAAoAAAgAx9cqfCzuqQSM+h8+VeNXRSIVG9RcNmA01g244=")]


def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", 8 + len(content), kind) + content


def full_box(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def ispe(width, height):
    return full_box(b"ispe", 0, 0, struct.pack(">II", width, height))


AV1C = box(b"av1C", b"\x81\x0d\x0c\0")
TURN = box(b"irot", b"\1")


def alpha_of(kind):
    return full_box(b"auxC", 0, 0, kind + b"\0")


ALPHA = alpha_of(b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha")


def grid(rows, columns, width, height):
    return struct.pack(">BBBBII", 0, 1, rows - 1, columns - 1, width, height)


def overlay(count, width, height):
    return struct.pack(">BB4HII", 0, 1, 0, 0, 0, 65535, width, height) + bytes(8 * count)


class File:
    """Items with their properties and references."""

    def __init__(self, brand=b"avif"):
        self.brand, self.items, self.references, self.properties = brand, [], [], []

    def item(self, kind, data, *properties, extents=1, encoding=None):
        """Adds an item, and returns its id. The first one is the picture."""
        for content in properties:
            if content not in self.properties:
                self.properties.append(content)
        self.items.append((kind, data, [self.properties.index(content) + 1 for content in properties], extents, encoding))
        return len(self.items)

    def refer(self, kind, source, targets):
        self.references.append((kind, source, targets))

    def written(self):
        infos, associations, shared = [], [], {}
        for number, (kind, _, properties, _, encoding) in enumerate(self.items, 1):
            text = b"\0" if encoding is None else b"\0application/rdf+xml\0" + encoding + b"\0"
            infos.append(full_box(b"infe", 3, 0, struct.pack(">IH4s", number, 0, kind), text))
            associations.append(struct.pack(">IB", number, len(properties)) + struct.pack(f">{len(properties)}H", *properties))
        references = [box(kind, struct.pack(">IH", source, len(targets)), struct.pack(f">{len(targets)}I", *targets))
                      for kind, source, targets in self.references]

        def meta(start):
            places, place = b"", start
            for number, (_, data, _, extents, _) in enumerate(self.items, 1):
                if data not in shared:
                    shared[data] = len(shared), place
                    place += len(data)
                places += struct.pack(">IHHH", number, 0, 0, extents) + struct.pack(">II", shared[data][1], len(data)) * extents
            return full_box(
                b"meta", 0, 0, full_box(b"hdlr", 0, 0, struct.pack(">I4s12xx", 0, b"pict")), full_box(b"pitm", 1, 0, struct.pack(">I", 1)),
                full_box(b"iinf", 1, 0, struct.pack(">I", len(infos)), *infos),
                full_box(b"iloc", 2, 0, struct.pack(">HI", 0x4400, len(self.items)), places),
                box(b"iprp", box(b"ipco", *self.properties),
                    full_box(b"ipma", 1, 1, struct.pack(">I", len(associations)), *associations)),
                full_box(b"iref", 1, 0, *references) if references else b"")

        head = box(b"ftyp", self.brand, struct.pack(">I", 0), b"mif1", self.brand)
        length = len(meta(0))
        shared.clear()
        made = head + meta(len(head) + length + 8)
        return made + box(b"mdat", *sorted(shared, key=lambda data: shared[data]))


def units(stream):
    """The units of an HEVC stream behind start codes of four or three bytes. Source: ITU-T H.265, annex B."""
    return [part.rstrip(b"\0") for part in stream.split(b"\0\0\1") if part.strip(b"\0")]


def hevc(stream):
    """The data of an item, and its 'hvcC'."""
    parameters = [unit for unit in units(stream) if 32 <= unit[0] >> 1 & 63 <= 34]
    slices = [unit for unit in units(stream) if unit[0] >> 1 & 63 < 32]
    record = bytes([1, 1]) + struct.pack(">I6xB", 0x60000000, 90) + b"\xf0\0\xfc\xfd\xf8\xf8\0\0\x0f" + bytes([len(parameters)])
    for unit in parameters:
        record += struct.pack(">BHH", unit[0] >> 1 & 63, 1, len(unit)) + unit
    return b"".join(struct.pack(">I", len(unit)) + unit for unit in slices), box(b"hvcC", record)


def derived(kind, data, side, tile, *tile_properties, count, coded=b"av01", brand=b"avif"):
    """A picture of `count` references to one tile."""
    file = File(brand)
    picture = file.item(kind, data, ispe(side, side))
    file.refer(b"dimg", picture, [file.item(coded, tile, *tile_properties)] * count)
    return file.written()


def overlay_of(count, side, claimed=2048):
    return derived(b"iovl", overlay(count, side, side), side, AV1_2048, ispe(claimed, claimed), AV1C, count=count)


def hevc_overlay():
    data, configuration = hevc(HEVC_512)
    return derived(b"iovl", overlay(6000, 64, 64), 64, data, ispe(512, 512), configuration, count=6000, coded=b"hvc1", brand=b"heic")


def tree(kinds, branches):
    """Items of `branches` references each to the next kind, the last to a tile: branches ^ len(kinds) tiles."""
    file = File()
    for kind in kinds:
        data = overlay(branches, 1024, 1024) if kind == b"iovl" else grid(1, branches, 1024, 1024)
        file.refer(b"dimg", file.item(kind, data, ispe(1024, 1024)), [len(file.items) + 1] * branches)
    file.item(b"av01", AV1_2048, ispe(2048, 2048), AV1C)
    return file.written()


def identities(count, is_cycle=False):
    file = File()
    for number in range(1, count + 1):
        file.item(b"iden", b"", ispe(64, 64))
        file.refer(b"dimg", number, [1 if is_cycle and number == count else number + 1])
    if not is_cycle:
        file.item(b"av01", AV1_64, ispe(64, 64), AV1C)
    return file.written()


def own_overlay():
    file = File()
    file.refer(b"dimg", file.item(b"iovl", overlay(1, 64, 64), ispe(64, 64)), [1])
    return file.written()


def overlay_of_nothing():
    file = File()
    file.refer(b"dimg", file.item(b"iovl", overlay(1, 64, 64), ispe(64, 64)), [2])
    return file.written()


def alphas(is_cycle):
    """A picture with 900 alphas, or two pictures that are each other's."""
    file = File()
    for number in range(1, 3 if is_cycle else 902):
        file.item(b"av01", AV1_2048, ispe(2048, 2048), AV1C, *([ALPHA] if is_cycle or number > 1 else []))
        if is_cycle or number > 1:
            file.refer(b"auxl", number, [3 - number if is_cycle else 1])
    return file.written()


def pictures_in_one():
    data, configuration = hevc(HEVC_512)
    file = File(b"heic")
    file.item(b"hvc1", data * 6000, ispe(512, 512), configuration)
    return file.written()


def with_spatial_layers(count):
    """Frames of the lower one of two spatial layers, which a decoder keeps back for the higher one. Source: AV1, 5.5.1
    and 5.3.3."""
    sequence, frame = LAYERED
    made = bytes([0x12, 0, 0x0A, len(sequence)]) + sequence
    made += (bytes([0x36, 0, len(frame)]) + frame) * count
    file = File()
    file.item(b"av01", made, ispe(2048, 2048), AV1C)
    return file.written()


def turned():
    file = File()
    file.item(b"av01", AV1_2048, ispe(2048, 2048), AV1C, *[TURN] * 250)
    return file.written()


def shared_data():
    file = File()
    file.item(b"av01", AV1_64, ispe(64, 64), AV1C)
    for _ in range(900):
        file.item(b"Exif", bytes(4_000_000), extents=30)
    return file.written()


def deflated_metadata():
    file = File()
    file.item(b"av01", AV1_64, ispe(64, 64), AV1C)
    file.item(b"mime", zlib.compress(bytes(512 << 20), 9), encoding=b"deflate")
    return file.written()


def many_items(count):
    file = File()
    file.item(b"av01", AV1_64, ispe(64, 64), AV1C)
    for number in range(2, count):
        file.item(b"av01", AV1_64, ispe(64, 64), AV1C)
        file.refer(b"thmb", number, [1])
    return file.written()


def heic_noise(side):
    data, configuration = hevc(encode(side, side, "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params",
                                      "log-level=none:info=0:qp=4:pools=none:frame-threads=1", "-f", "hevc"))
    file = File(b"heic")
    file.item(b"hvc1", data, ispe(side, side), configuration)
    return file.written()


def avif_noise(side):
    data = encode(side, side, "-c:v", "libaom-av1", "-pix_fmt", "yuv420p", "-still-picture", "1", "-cpu-used", "8",
                  "-crf", "4", "-f", "obu")
    file = File()
    file.item(b"av01", data, ispe(side, side), AV1C)
    return file.written()


FILES = [
    ("overlay-400-64.avif", "an overlay names one tile of 2048² 400 times", lambda: overlay_of(400, 64)),
    ("overlay-400-1024.avif", "the same on a canvas of 1024²", lambda: overlay_of(400, 1024)),
    ("overlay-60000-64.avif", "60,000 times", lambda: overlay_of(60_000, 64)),
    ("overlay-60000-1024.avif", "the same on a canvas of 1024²", lambda: overlay_of(60_000, 1024)),
    ("overlay-lies.avif", "tiles are 64² by their box, and 2048² by their headers", lambda: overlay_of(400, 64, claimed=64)),
    ("overlay-6000.heic", "the same in HEVC, tiles of 512²", hevc_overlay),
    ("overlays-nested.avif", "overlays of 8 overlays of 8 overlays of 8 tiles", lambda: tree([b"iovl"] * 3, 8)),
    ("overlays-in-grids.avif", "a grid of overlays of grids, each of 16", lambda: tree([b"grid", b"iovl", b"grid"], 16)),
    ("grid-65025.avif", "a grid of 255 by 255 tiles", lambda: derived(
        b"grid", grid(255, 255, 8000, 8000), 8000, AV1_64, ispe(64, 64), AV1C, count=65_025)),
    ("grid-256-large.avif", "a grid of 16 by 16 tiles, each as large as four should be", lambda: derived(
        b"grid", grid(16, 16, 8000, 8000), 8000, AV1_2048, ispe(2048, 2048), AV1C, count=256)),
    ("identities-900.avif", "a chain of 900 identities", lambda: identities(900)),
    ("identities-60000.avif", "a chain of 60,000 identities", lambda: identities(60_000)),
    ("identities-cycle.avif", "identities of each other", lambda: identities(2, is_cycle=True)),
    ("overlay-of-itself.avif", "an overlay that contains itself", own_overlay),
    ("overlay-of-nothing.avif", "an overlay of an item that is not there, at which libheif 1.15 aborts", overlay_of_nothing),
    ("alphas-900.avif", "a picture with 900 alphas", lambda: alphas(False)),
    ("alphas-cycle.avif", "two pictures that are each other's alpha", lambda: alphas(True)),
    ("pictures-6000.heic", "an item with 6,000 pictures, of which the last is shown", pictures_in_one),
    ("layers-400.avif", "an item with 400 frames of a lower layer", lambda: with_spatial_layers(400)),
    ("turned-250.avif", "a picture that is turned 250 times", turned),
    ("shared-data.avif", "900 items whose data are the same 4 MB, 30 times", shared_data),
    ("deflated-metadata.avif", "metadata that inflate to 512 MB", deflated_metadata),
    ("items-19000.avif", "19,000 thumbnails", lambda: many_items(19_000)),
    ("noise-3000.heic", "noise, which costs most by far for a pixel", lambda: heic_noise(3000)),
    ("noise-3000.avif", "the same in AV1", lambda: avif_noise(3000)),
]
