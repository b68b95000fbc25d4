"""HEIC and AVIF files whose items cost a decoder more than their pictures have pixels.

Sources: ISO/IEC 14496-12 (boxes), ISO/IEC 23008-12 (items), ISO/IEC 14496-15, 8.3.3 ('hvcC'), AV1 Codec ISO Media File
Format Binding ('av1C').
"""

import base64
import struct

# One gray picture each: AV1 by libaom, as OBUs; HEVC by x265, as units behind start codes.
AV1_2048 = base64.b64decode("EgAKBxsqv///7AIyJBKAAAAUAAAQDH1yp8LO6pBIz6Hz5V41dFIhUb1Fw2YDTWDbjg==")
AV1_64 = base64.b64decode("EgAKBhgVf/2wCDIKGgAAAFAAAAAJOA==")
HEVC_512 = base64.b64decode(
    "AAAAAUABDAH//wFgAAADAJAAAAMAAAMAWpWYCQAAAAFCAQEBYAAAAwCQAAADAAADAFqgBAIAgFllZpJMrwFoCAAAAwAIAAADAMhAAAAAAUQBwXK0YkAAAAEoAa8d"
    "EFitSkoR9wFb1r7HAB/RMpQVoiaSAJSAqXHKBRiBJ4AAAM+Akw2UIAAAAwAAooCHAAADAAADAAD6gAAAAwAAAwAAOeAAAAMAAAMAAloAAAMAAAMACmgAAAMAAAMA"
    "HhA="
)


def box(kind, *parts):
    content = b"".join(parts)
    return struct.pack(">I4s", 8 + len(content), kind) + content


def full_box(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def ispe(width, height):
    return full_box(b"ispe", 0, 0, struct.pack(">II", width, height))


AV1C = box(b"av1C", b"\x81\x0d\x0c\0")


def overlay(count, width, height):
    return struct.pack(">BB4HII", 0, 1, 0, 0, 0, 65535, width, height) + bytes(8 * count)


class File:
    """Items with their properties and references."""

    def __init__(self, brand=b"avif"):
        self.brand, self.items, self.references, self.properties = brand, [], [], []

    def item(self, kind, data, *properties, extents=1):
        """Adds an item, and returns its id. The first one is the picture."""
        for content in properties:
            if content not in self.properties:
                self.properties.append(content)
        self.items.append((kind, data, [self.properties.index(content) + 1 for content in properties], extents))
        return len(self.items)

    def refer(self, kind, source, targets):
        self.references.append((kind, source, targets))

    def written(self):
        infos, associations, shared = [], [], {}
        for number, (kind, _, properties, _) in enumerate(self.items, 1):
            infos.append(full_box(b"infe", 3, 0, struct.pack(">IH4s", number, 0, kind), b"\0"))
            associations.append(
                struct.pack(">IB", number, len(properties)) + struct.pack(f">{len(properties)}H", *properties)
            )
        references = [
            box(kind, struct.pack(">IH", source, len(targets)), struct.pack(f">{len(targets)}I", *targets))
            for kind, source, targets in self.references
        ]

        def meta(start):
            places, place = b"", start
            for number, (_, data, _, extents) in enumerate(self.items, 1):
                if data not in shared:
                    shared[data] = len(shared), place
                    place += len(data)
                places += (
                    struct.pack(">IHHH", number, 0, 0, extents)
                    + struct.pack(">II", shared[data][1], len(data)) * extents
                )
            return full_box(
                b"meta",
                0,
                0,
                full_box(b"hdlr", 0, 0, struct.pack(">I4s12xx", 0, b"pict")),
                full_box(b"pitm", 1, 0, struct.pack(">I", 1)),
                full_box(b"iinf", 1, 0, struct.pack(">I", len(infos)), *infos),
                full_box(b"iloc", 2, 0, struct.pack(">HI", 0x4400, len(self.items)), places),
                box(
                    b"iprp",
                    box(b"ipco", *self.properties),
                    full_box(b"ipma", 1, 1, struct.pack(">I", len(associations)), *associations),
                ),
                full_box(b"iref", 1, 0, *references) if references else b"",
            )

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
    record = (
        bytes([1, 1])
        + struct.pack(">I6xB", 0x60000000, 90)
        + b"\xf0\0\xfc\xfd\xf8\xf8\0\0\x0f"
        + bytes([len(parameters)])
    )
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
    return derived(
        b"iovl",
        overlay(6000, 64, 64),
        64,
        data,
        ispe(512, 512),
        configuration,
        count=6000,
        coded=b"hvc1",
        brand=b"heic",
    )


def identities():
    """Two items that are each other."""
    file = File()
    for number in 1, 2:
        file.item(b"iden", b"", ispe(64, 64))
        file.refer(b"dimg", number, [3 - number])
    return file.written()


def overlay_of_item(number):
    """Of itself, or of an item that is not there."""
    file = File()
    file.refer(b"dimg", file.item(b"iovl", overlay(1, 64, 64), ispe(64, 64)), [number])
    return file.written()


def shared_data():
    file = File()
    file.item(b"av01", AV1_64, ispe(64, 64), AV1C)
    for _ in range(900):
        file.item(b"Exif", bytes(4_000_000), extents=30)
    return file.written()


# One for each way in which libheif ends or takes minutes.
FILES = [
    ("overlay-60000.avif", "an overlay names one tile of 2048² 60,000 times", lambda: overlay_of(60_000, 64)),
    (
        "overlay-lies.avif",
        "tiles are 64² by their box, and 2048² by their headers",
        lambda: overlay_of(400, 64, claimed=64),
    ),
    ("overlay-6000.heic", "6,000 tiles of 512² in HEVC", hevc_overlay),
    ("overlay-of-itself.avif", "an overlay that contains itself", lambda: overlay_of_item(1)),
    (
        "overlay-of-nothing.avif",
        "an overlay of an item that is not there, at which libheif 1.15 aborts",
        lambda: overlay_of_item(2),
    ),
    ("identities-cycle.avif", "identities of each other", identities),
    ("shared-data.avif", "900 items whose data are the same 4 MB, 30 times", shared_data),
]
