"""Prints the generated Swift of Bindings/Swift: enumerations, options, and what is measured of a face.

The members of C's structs are written and read by their names, which Swift's importer of C resolves: no offset is printed."""

import re
import textwrap

from contract import ROOT
from document import read, type_parts

SWIFT = ROOT / "Bindings/Swift"
HEAD = "// Made by Tools/generate from Proto/contract.json. Not to be edited.\n// swift-format-ignore-file\n"
WIDTH = 120

# Types of C with the name that they have in Swift, by the module that declares them.
ENUMS = {
    "FaceEngine": {
        "face_status": "Status",
        "face_precision": "Precision",
        "face_format": "PixelFormat",
        "face_colour": "ColourCoding",
        "face_orientation": "Orientation",
        "face_accuracy": "Accuracy",
        "face_rotations": "Rotations",
        "face_region": "Region",
        "face_constellation": "Constellation",
        "face_path": "RegionPath",
        "face_iso_measure": "ISOMeasure",
        "face_fit": "Fit",
        "face_session_mode": "SessionMode",
        "face_check_state": "CheckState",
        "face_tip": "Tip",
        "face_action": "CheckAction",
        "face_check_preset": "CheckPreset",
        "face_contour": "Contour",
        "face_mesh_point": "MeshPoint",
    },
    "FaceEngineDraw": {
        "face_draw_anchor": "TextAnchor",
        "face_draw_cover_shape": "CoverShape",
        "face_crop_choice": "CropChoice",
        "face_crop_overflow": "CropOverflow",
    },
}
# What a number of a newer library becomes, where it is not the first value: docs/compatibility.md.
UNKNOWN = {"face_check_state": "checking"}
OPTIONS = {
    "FaceEngine": {
        "face_load_options": "LoadOptions",
        "face_connect_options": "ConnectOptions",
        "face_options": "DetectOptions",
        "face_session_options": "SessionOptions",
        "face_check_options": "CheckOptions",
    },
    "FaceEngineDraw": {
        "face_draw_style": "DrawStyle",
        "face_draw_overlay_options": "OverlayOptions",
        "face_crop_options": "CropOptions",
    },
}
NUMBERS = {"face_point": "Point", "face_box": "Box", "face_circle": "Circle", "face_landmark": "Landmark"}
# What only the library fills: members that a program in Swift reads, and those whose type is another there.
RECORDS = {"face_model": "Model", "face_check": "CheckEvent"}
READ = {
    "face_model": ["name", "revision", "weights_sha256"],
    "face_check": ["state", "tip", "text", "progress", "actions_done", "action_count", "circle"],
}
GROUPS = {"points": "Points", "pose": "HeadPose", "eyes": "Eyes", "mouth": "Mouth", "quality": "Quality"}
ARRAYS = {"expressions": "Expressions", "iso_quality": "ISOQuality"}
# Names that lose something without their prefix, or that Swift writes otherwise.
VALUES = {"CONSTELLATION_MESH": "mesh", **{f"CONSTELLATION_{n}_POINTS": f"points{n}" for n in (65, 76, 98)}}
KEYWORDS = {"default", "internal"}
# Arguments of a method instead, and what a cancelled task is for.
LEFT_OUT = {"outputs", "mode", "canceller"}
# The order of all 98 points, those of WFLW.
ORDER_OF_98 = (
    "faceContour",
    "rightEyebrow",
    "leftEyebrow",
    "noseCrest",
    "nose",
    "rightEye",
    "leftEye",
    "outerLips",
    "innerLips",
    "rightPupil",
    "leftPupil",
)
# What comments name, by what a program in Swift calls.
CALLS = {
    "face_detect": "FaceEngine.faces(in:)",
    "face_connect_with": "FaceEngine.connect",
    "face_session_follow": "FaceEngine.follow",
    "on_best": "FollowedFrame.best",
    "face_check_restart": "a new check",
    "face_iso_measure": "ISOMeasure",
    "face_info": "Face",
    "face_image": "Image",
    "face_space": "Space",
    "face_result_get_in": "Faces.converted(to:)",
    "on_left": "FollowedFrame.left",
    "face_session_submit": "submitting",
    "face_draw_landmarks": "Picture.draw(_:)",
    "face_draw_colour_of_id": "Colour.init(ofID:)",
}


def camel(name):
    first, *others = name.lower().strip("_").split("_")
    return first + "".join(word.upper() if word == "iso" else word.capitalize() for word in others)


def plain_name(member):
    """Durations have no unit in their names."""
    return camel(re.sub(r"_ns$", "", member))


def value_name(short):
    name = VALUES.get(short, camel(short))
    return f"`{name}`" if name in KEYWORDS else name


def files(contract=None):
    return Printer(contract or read()).files()


class Printer:
    """Prints the files."""

    def __init__(self, contract):
        self.contract, c = contract, contract["c"]
        self.outputs, self.structs, self.enums = contract["outputs"], c["structs"], c["enumerations"]
        self.enum_names = {typedef: name for names in ENUMS.values() for typedef, name in names.items()}
        self.struct_names = {struct: name for names in OPTIONS.values() for struct, name in names.items()} | NUMBERS

    def files(self):
        made = {}
        for module in ENUMS:
            draws = module == "FaceEngineDraw"
            c, door = (
                f"{'internal' if draws else 'package'} import CFaceEngine{'Draw' if draws else ''}\n",
                "public import FaceEngine\n",
            )
            internal = c.replace("package", "internal")
            imports = {
                "Enumerations": "",
                "Options": internal + door * draws,
                "Geometry": c,
                "Records": internal,
                "Face": c,
                "Regions": "",
            }
            parts = {
                "Enumerations": [self.enumeration(*item) for item in ENUMS[module].items()],
                "Options": [self.options(*item) for item in OPTIONS[module].items()],
            }
            if draws:
                parts["Options"].append(self.marks())
            else:
                parts |= {
                    "Geometry": [*(self.numbers(*item) for item in NUMBERS.items()), self.space()],
                    "Records": [self.image(), *(self.record(*item) for item in RECORDS.items())],
                    "Face": [self.output_set(), *(self.group(*item) for item in GROUPS.items()), self.face()],
                    "Regions": [self.expressions(), self.regions()],
                }
            for name, printed in parts.items():
                made[SWIFT / module / "Generated" / f"{name}.swift"] = (
                    "\n".join(filter(None, [HEAD, imports[name], "\n\n".join(printed)])) + "\n"
                )
        return made

    # -- Texts

    def text(self, comment):
        """A comment of C in Swift's names, for DocC."""
        text = comment.replace("`", "").replace("NULL", "nil")
        for struct, name in self.struct_names.items():
            text = re.sub(rf"\b{struct}\.(\w+)", lambda match: f"`{name}.{plain_name(match[1])}`", text)
        text = re.sub(r"\bface_(?:info|image|listener)\.(\w+)", lambda match: f"`{plain_name(match[1])}`", text)
        for name, shown in {**CALLS, **self.struct_names}.items():
            text = re.sub(rf"\b{name}\b", f"`{shown}`", text)
        for typedef, name in self.enum_names.items():
            for value in self.enums[typedef]["values"]:
                text = re.sub(rf"\b{value['name']}\b", f"`{name}.{value_name(value['short']).strip('`')}`", text)
        text = re.sub(r"\bFACE_(?:OUTPUT|VALID)_(\w+)\b", lambda match: f"`Outputs.{camel(match[1])}`", text)
        text = re.sub(r"\bFACE_(?:DRAW_|CROP_)?([A-Z_]+)\b", lambda match: f"`{camel(match[1])}`", text)
        text = re.sub(r"(?<!`)\b(?!face_)[a-z]+(?:_[a-z0-9]+)+\b(?!`)", lambda match: f"`{plain_name(match[0])}`", text)
        text = text[:1].upper() + text[1:]
        return text if text.endswith((".", ":")) else text + "."

    @staticmethod
    def switch(text):
        """The text of a number that is a boolean in Swift."""
        for number, word in enumerate(("false", "true")):
            text = re.sub(rf"\b((?:[Dd]efault )?){number}(?=[:;,.])", rf"\g<1>{word}", text)
        return text[:1].upper() + text[1:]

    @staticmethod
    def comment(text, indent=""):
        lines = textwrap.wrap(text, WIDTH - len(indent) - 4, break_long_words=False, break_on_hyphens=False)
        return "\n".join(f"{indent}/// {line}" for line in lines)

    def member_text(self, member):
        text = self.text(member.get("text") or f"The {re.sub('_ns$', '', member['name']).replace('_', ' ')}")
        return self.switch(text) if member.get("kind") == "switch" and member["type"] != "float" else text

    def own_text(self, member):
        """The text of a member whose name says what true means."""
        text = self.member_text(member).removeprefix("True: ")
        return text[:1].upper() + text[1:]

    # -- Enumerations

    def enumeration(self, typedef, name):
        enum = self.enums[typedef]
        cases = []
        for value in enum["values"]:
            text = self.text(value["text"]) if "text" in value else f"`{value['name']}` of C."
            cases.append(f"{self.comment(text, '  ')}\n  case {value_name(value['short'])} = {value['number']}")
        raw = "Int32" if typedef == "face_status" else "UInt32"
        return f"""{self.comment(self.text(enum["text"]))}
public enum {name}: {raw}, Sendable, CaseIterable {{
{chr(10).join(cases)}
}}"""

    def expressions(self):
        cases = "\n".join(
            f'  /// The coefficient "{name}".\n  case {name.lstrip("_")} = {place}'
            for place, name in enumerate(self.contract["expressions"])
        )
        return f"""/// The coefficients of ``Expressions``: ARKit's names.
public enum Expression: Int, Sendable, CaseIterable {{
{cases}
}}"""

    def regions(self):
        """The points of each region, and under Vision's names those of a face."""
        tables, names = [], []
        for name, region in self.contract["regions"].items():
            points = textwrap.fill(
                ", ".join(map(str, region["points"])), WIDTH - 8, initial_indent=" " * 6, subsequent_indent=" " * 6
            )
            tables.append(f"    case .{name}: [\n{points}\n    ]")
            words = re.sub("([A-Z])", r" \1", name).lower()
            names.append(
                f"  /// The {words}, in drawing order.\n  public var {name}: [Landmark] {{ points(of: .{name}) }}"
            )
        return f"""extension Region {{
  /// The numbers of the region's points in the mesh, in drawing order.
  public var indices: [Int] {{
    switch self {{
    case .allPoints: Array(0..<478)
{chr(10).join(tables)}
    }}
  }}
}}

extension Landmarks {{
{(chr(10) + chr(10)).join(names)}
}}

extension Constellation {{
  /// Where the points of a region lie: between two points of the mesh, by which share from the first to the second.
  func places(of region: Region) -> [Place] {{
    switch (self, region) {{
{chr(10).join(self.places())}
    default: region.indices.map {{ Place($0, $0, 0) }}
    }}
  }}
}}"""

    def places(self):
        for count, regions in self.contract["constellations"].items():
            points = {name: region["points"] for name, region in regions.items()}
            every = (
                sum((points[name] for name in ORDER_OF_98), [])
                if count == "98"
                else list(dict.fromkeys(map(tuple, sum(points.values(), []))))
            )
            for name, listed in {"allPoints": every, **points}.items():
                points = ", ".join("Place({},\0{},\0{})".format(*point) for point in listed)
                points = textwrap.fill(points, WIDTH - 8, initial_indent=" " * 6, subsequent_indent=" " * 6).replace(
                    "\0", " "
                )
                yield f"    case (.points{count}, .{name}): [\n{points}\n    ]"

    # -- Values

    def numbers(self, struct, name):
        members = self.structs[struct]["members"]
        names = [member["name"] for member in members]
        texts = [self.text(member.get("text") or f"The {member['name']}") for member in members]
        variables = "\n".join(
            f"{self.comment(text, '  ')}\n  public var {name}: Float" for text, name in zip(texts, names)
        )
        return f"""{self.comment(self.text(self.structs[struct].get("text", name)))}
public struct {name}: Sendable, Hashable {{
{variables}

  /// A {name.lower()} of its numbers.
  public init({", ".join(f"{name}: Float" for name in names)}) {{
{chr(10).join(f"    self.{name} = {name}" for name in names)}
  }}

  package init(_ c: {struct}) {{
    self.init({", ".join(f"{name}: c.{name}" for name in names)})
  }}

  package var c: {struct} {{ {struct}({", ".join(f"{name}: {name}" for name in names)}) }}{self.conversions(struct, name)}
}}"""

    def conversions(self, struct, name):
        """The methods for other spaces of what C converts; of points it converts several at once."""
        printed = ""
        for way, text in (
            ("to", "in another space, from pixels of an upright image"),
            ("from", "in pixels of an upright image, from another space"),
        ):
            one, several = f"{struct}_{way}_space", f"{struct}s_{way}_space"
            if not {one, several} & set(self.contract["c"]["functions"]["face"]):
                continue
            call = f"{{ {several}($0, $1, $2, $3, 1) }}" if several in self.contract["c"]["functions"]["face"] else one
            printed += f"""

  /// The {name.lower()} {text}.
  public func converted({way} space: Space, of size: Size) throws(FaceError) -> {name} {{
    {name}(try space.convert(c, size, {call}))
  }}"""
        return printed

    def space(self):
        """The spaces: the members of C's struct are values of the last one, a view."""
        members = {
            member["name"]: member
            for member in self.structs["face_space"]["members"]
            if "kind" in member and member["name"] != "kind"
        }
        names = {
            name: camel(name.removeprefix("view_")) if member["kind"] != "switch" else camel(f"is_{name}")
            for name, member in members.items()
        }
        kinds = {
            "view_width": "Float",
            "view_height": "Float",
            "fit": "Fit = .contain",
            "rotation": "Int = 0",
            "mirrored": "Bool = false",
        }
        values = self.enums["face_space_kind"]["values"]
        texts = {name: self.own_text(members[name]) for name in ("rotation", "mirrored")}
        texts = "\n".join(f"  ///   - {names[name]}: {text[0].lower()}{text[1:]}" for name, text in texts.items())
        cases = "\n".join(
            f"{self.comment(self.text(value['text']), '  ')}\n"
            + (
                f"  /// - Parameters:\n{texts}\n  case view({', '.join(f'{names[name]}: {kind}' for name, kind in kinds.items())})"
                if value["short"] == "VIEW"
                else f"  case {camel(value['short'])}"
            )
            for value in values
        )
        kind = "\n".join(f"      case .{camel(value['short'])}: {value['number']}" for value in values)
        writes = "\n".join(
            f"      c.{line.removeprefix('c.')}"
            for name, member in members.items()
            for line in self.plain_write(member, names[name], kinds[name].split()[0])
        )
        return f"""{self.comment(self.text(self.enums["face_space_kind"]["text"]) + " docs/coordinates.md has the formulas.")}
public enum Space: Sendable, Hashable {{
{cases}

  package func c() throws(FaceError) -> face_space {{
    var c = face_space()
    face_space_init(&c)
    c.kind =
      switch self {{
{kind}
      }}
    if case .view({", ".join(f"let {name}" for name in names.values())}) = self {{
{writes}
    }}
    return c
  }}
}}"""

    def image(self):
        """An image without its pixels, which are of several kinds: Image.swift writes them."""
        described = []
        for member in self.structs["face_image"]["members"]:
            base = type_parts(member["type"])[0] if "kind" in member else ""
            kinds = {
                "enum": (self.enum_names.get(base), "0"),
                "switch": ("Bool", "false"),
                "floats": (f"{NUMBERS.get(base)}?", ""),
                "seconds": ("Duration", ".zero"),
                "number": ("Float", "0") if base == "float" else None,
            }
            if member["name"] != "format" and (found := kinds.get(member.get("kind"))):
                swift = camel(f"is_{member['name']}") if found[0] == "Bool" else plain_name(member["name"])
                default = (
                    f".{value_name(self.enums[base]['values'][0]['short']).strip('`')}"
                    if found[1] == "0" and base in self.enums
                    else found[1]
                )
                described.append((member, swift, found[0], default))
        variables = "\n".join(
            f"{self.comment(self.own_text(member).replace('all zeros:', 'nil for'), '  ')}\n  public var {swift}: {kind}"
            + f" = {default}" * bool(default)
            for member, swift, kind, default in described
        )
        writes = "\n".join(
            f"    if let {swift} {{ c.{member['name']} = {swift}.c }}" if kind.endswith("?") else f"    {line}"
            for member, swift, kind, _ in described
            for line in self.plain_write(member, swift, kind)
        )
        return f"""/// A picture: a file, or pixels in memory. Its pixels are only read.
public struct Image: Sendable {{
  let source: Source
{variables}

  init(_ source: Source) {{ self.source = source }}

  func write(to c: inout face_image) throws(FaceError) {{
{writes}
  }}
}}"""

    def unknown(self, enum):
        return UNKNOWN.get(enum, value_name(self.enums[enum]["values"][0]["short"]))

    def record(self, struct, name):
        """What the library fills: a value of Swift that copies it."""
        members = {member["name"]: member for member in self.structs[struct]["members"]}
        variables, reads = [], []
        for member in (members[read] for read in READ[struct]):
            base, pointers, length = type_parts(member["type"])
            kind, value = {
                "char": ("String", "string(in: c.{0})" if length else 'c.{0}.map {{ String(cString: $0) }} ?? ""'),
                "uint8_t": ("[UInt8]", "withUnsafeBytes(of: c.{0}) {{ Array($0) }}"),
                "uint32_t": ("Int", "Int(c.{0})"),
                "float": ("Float", "c.{0}"),
            }.get(base) or (
                (NUMBERS[base], f"{NUMBERS[base]}(c.{{0}})")
                if base in NUMBERS
                else (self.enum_names[base], f"{self.enum_names[base]}(rawValue: c.{{0}}) ?? .{self.unknown(base)}")
            )
            swift = camel(member["name"].removesuffix("_sha256"))
            text = self.text(member["text"].split(", as from")[0].split("; in a STATUS")[0])
            text = f"SHA-256 {text[0].lower()}{text[1:]}" if "sha256" in member["name"] else text
            if base in self.enum_names:
                text += f" {self.unknown(base).capitalize()} for one that only a newer library has."
            variables.append(f"{self.comment(text, '  ')}\n  public let {swift}: {kind}")
            reads.append(f"    {swift} = {value.format(member['name'])}")
        kind = "\n  /// What happened.\n  public let kind: Kind" if struct == "face_check" else ""
        first = "_ kind: Kind, " if kind else ""
        hashable = "" if kind else ", Hashable"
        return f"""{self.comment(self.text(first_sentence(self.structs[struct]["text"])))}
public struct {name}: Sendable{hashable} {{{kind}
{chr(10).join(variables)}

  init({first}_ c: {struct}) {{{chr(10) + "    self.kind = kind" if kind else ""}
{chr(10).join(reads)}
  }}
}}"""

    def output_set(self):
        values = "\n".join(
            f"{self.comment(self.text(one['text']), '  ')}\n  public static let {camel(one['name'])} = "
            f"Outputs(rawValue: {one['bit']:#x})"
            for one in self.outputs
        )
        return f"""/// What to measure of each face beyond its box, confidence and five points. Outputs that are not requested cost nothing.
public struct Outputs: OptionSet, Sendable, Hashable {{
{values}
  /// All of them.
  public static let all = Outputs(rawValue: {sum(one["bit"] for one in self.outputs):#x})

  public let rawValue: UInt32

  public init(rawValue: UInt32) {{
    self.rawValue = rawValue
  }}
}}"""

    def marks(self):
        """The bits that say what to draw; some have a name for several."""
        values = "\n".join(
            f"{self.comment(self.text(one['text'].split(': face_draw_landmarks')[0]), '  ')}\n  public static let "
            f"{camel(one['short'])} = Marks(rawValue: {one['bit']:#x})"
            for one in self.contract["c"]["marks"]
        )
        return f"""/// What to draw of each face. What is not known of a face is left out.
public struct Marks: OptionSet, Sendable, Hashable {{
{values}

  public let rawValue: UInt32

  public init(rawValue: UInt32) {{
    self.rawValue = rawValue
  }}
}}"""

    def members_of(self, group):
        return [member for member in self.structs["face_info"]["members"] if member.get("known") == group]

    def group(self, group, name):
        output = next((output for output in self.outputs if output["name"] == group), None)
        text = output["text"] if output else "The five points of a face; left is the subject's left."
        members, kind = self.members_of(group), "Float" if output else "Point"
        variables = "\n".join(
            f"{self.comment(self.member_text(member), '  ')}\n  public var {camel(member['name'])}: {kind}"
            for member in members
        )
        verdicts = "".join(
            f"\n\n  /// {one['text'][:1].upper()}{one['text'][1:]}.\n  public var {camel(one['name'])}: Bool {{ "
            f"{camel(one['member'])} {one['sign']} {one['limit']} }}"
            for one in self.contract["c"]["verdicts"]
            if one["member"] in [member["name"] for member in members]
        )
        reads = "\n".join(
            f"    {camel(member['name'])} = "
            + (f"Point(c.{member['name']})" if kind == "Point" else f"c.{member['name']}")
            for member in members
        )
        writes = "\n".join(
            f"    c.{member['name']} = {camel(member['name'])}" + (".c" if kind == "Point" else "")
            for member in members
        )
        return f"""{self.comment(self.text(text))}
public struct {name}: Sendable, Hashable {{
{variables}{verdicts}

  init(_ c: face_info) {{
{reads}
  }}

  func write(_ c: inout face_info) {{
{writes}
  }}{self.conversion(members) if kind == "Point" else ""}
}}"""

    @staticmethod
    def conversion(members):
        names = [camel(member["name"]) for member in members]
        lines = "\n".join(f"    {name} = try {name}.converted(to: space, of: size)" for name in names)
        return f"\n\n  mutating func convert(to space: Space, of size: Size) throws(FaceError) {{\n{lines}\n  }}"

    def face(self):
        info = {member["name"]: member for member in self.structs["face_info"]["members"]}
        groups = ["points"] + [output["name"] for output in self.outputs if output["name"] in GROUPS]
        fixed = {
            "box": ("Box", "Box(c.box)"),
            "clamped_box": ("Box", "Box(c.clamped_box)"),
            "confidence": ("Float", "c.confidence"),
            "predicted": ("Bool", "c.predicted != 0"),
            "id": ("UInt64?", "c.valid & UInt32(FACE_VALID_ID) != 0 ? c.id : nil"),
            "frame_count": ("Int", "Int(c.frame_count)"),
        }
        variables, reads = [], []
        for name, (kind, value) in fixed.items():
            text = self.member_text(info[name]) + (" Nil where there is none." if name == "id" else "")
            variables.append(f"{self.comment(text, '  ')}\n  public var {camel(name)}: {kind}")
            reads.append(f"    {camel(name)} = {value}")
        text = "The five points; nil from a detector that finds none."
        variables.append(f"{self.comment(text, '  ')}\n  public var points: Points?")
        for output in self.outputs:
            name = output["name"]
            kind = "Landmarks" if name == "landmarks" else GROUPS.get(name) or ARRAYS.get(name, "[Float]")
            text = f"{self.text(output['text'])} Nil unless requested and known."
            variables.append(f"{self.comment(text, '  ')}\n  public var {camel(name)}: {kind}?")
            if name not in GROUPS:
                read_values = f"read.values(.{camel(name)})"
                reads.append(
                    f"    {camel(name)} = "
                    + (
                        "read.landmarks()"
                        if name == "landmarks"
                        else f"{read_values}.map {{ {ARRAYS[name]}(values: $0) }}"
                        if name in ARRAYS
                        else read_values
                    )
                )
        reads += [
            f"    {camel(group)} = c.valid & UInt32(FACE_VALID_{group.upper()}) != 0 ? {GROUPS[group]}(c) : nil"
            for group in groups
        ]
        writes = "\n".join(
            f"    if let {camel(group)} {{\n      {camel(group)}.write(&c)\n      c.valid |= UInt32(FACE_VALID_{group.upper()})\n    }}"
            for group in groups
        )
        return f"""/// One face. Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and right are
/// the subject's own.
public struct Face: Sendable, Hashable {{
{chr(10).join(variables)}

  init(_ c: face_info, _ read: FaceReader) {{
{chr(10).join(reads)}
  }}

  /// Without what is measured in arrays.
  package var c: face_info {{
    var c = face_info()
    face_info_init(&c)
    c.box = box.c
    c.clamped_box = clampedBox.c
    c.confidence = confidence
    c.predicted = predicted ? 1 : 0
    if let id {{
      c.id = id
      c.frame_count = UInt32(clamping: frameCount)
      c.valid |= UInt32(FACE_VALID_ID)
    }}
{writes}
    return c
  }}
}}"""

    # -- Options

    def options(self, struct, name):
        members = [
            member for member in self.structs[struct]["members"] if "kind" in member and member["name"] not in LEFT_OUT
        ]
        described = [(member, plain_name(member["name"]), *self.swift_type(member)) for member in members]
        constants = "".join(
            f"  /// For ``{swift}``: search the image at its own size.\n  public static let ownSize = Int(UInt32.max)\n\n"
            for member, swift, *_ in described
            if member.get("special") == "FACE_OWN_SIZE"
        )
        variables = "\n".join(
            f"{self.comment(self.member_text(member), '  ')}\n  public var {swift}: {kind}"
            for member, swift, kind, _ in described
        )
        parameters = ", ".join(
            f"{swift}: {kind} = {default}".replace(" ", "\0") for _, swift, kind, default in described
        )
        parameters = textwrap.indent(textwrap.fill(parameters, WIDTH - 4, break_long_words=False), " " * 4).replace(
            "\0", " "
        )
        plain = [line for member, swift, kind, _ in described for line in self.plain_write(member, swift, kind)]
        body, depth = [], 2
        for member, swift, _, _ in described:
            opened = self.pointer(member, swift)
            if opened:
                body += [
                    f"{'  ' * depth}return try {opened[0]} in",
                    *(f"{'  ' * (depth + 1)}{line}" for line in opened[1]),
                ]
                depth += 1
        body.append(f"{'  ' * depth}return try body(&c)")
        body += [f"{'  ' * level}}}" for level in range(depth - 1, 1, -1)]
        return f"""{self.comment(self.text(first_sentence(self.structs[struct]["text"])))}
public struct {name}: Sendable, Hashable {{
{constants}{variables}

  /// Options that are not given have the defaults.
  public init(
{parameters}
  ) {{
{chr(10).join(f"    self.{swift} = {swift}" for _, swift, _, _ in described)}
  }}

  func withC<Result>(
    _ body: (inout {struct}) throws(FaceError) -> Result
  ) throws(FaceError) -> Result {{
    var c = {struct}()
    {struct}_init(&c)
{chr(10).join(f"    {line}" for line in plain)}
{chr(10).join(body)}
  }}{self.preset(described) if struct == "face_check_options" else ""}
}}"""

    @staticmethod
    def preset(described):
        """The method that sets what a preset names, which are numbers."""
        reads = "\n".join(
            f"      copy.{swift} = c.{member['name']}" for member, swift, kind, _ in described if kind == "Float"
        )
        return f"""

  /// Sets the limits of a preset, which belong together. The others stay as they are.
  public mutating func apply(_ preset: CheckPreset) throws(FaceError) {{
    self = try withC {{ c throws(FaceError) in
      try check(face_check_options_apply(&c, preset.rawValue))
      var copy = self
{reads}
      return copy
    }}
  }}"""

    def swift_type(self, member):
        """The type of an option, and its default."""
        kind, default, (base, _, _) = member["kind"], member.get("default"), type_parts(member["type"])
        if member.get("special") == "FACE_NO_USER":
            return "Int?", "nil"
        default = 0 if default is None and kind in ("number", "switch", "seconds") else default
        if base in ("float", "double") and kind in ("number", "switch"):
            return base.capitalize(), repr(float(default)).removesuffix(".0")
        if kind == "switch":
            return "Bool", "true" if default else "false"
        if base == "face_draw_marks":
            return "Marks", "[.boxes, .points]"
        if kind == "number":
            return ("UInt64", str(default)) if member["name"] == "seed" else ("Int", str(default))
        if kind == "seconds":
            milliseconds = round(default * 1000)
            return (
                "Duration",
                f".seconds({milliseconds // 1000})" if milliseconds % 1000 == 0 else f".milliseconds({milliseconds})",
            )
        if kind == "enum":
            return self.enum_names[base], f".{camel(default)}"
        if kind == "enums":
            return f"[{self.enum_names[base]}]", "[]"
        if kind == "floats":
            numbers = default or [0] * len(self.structs[base]["members"])
            names = [inner["name"] for inner in self.structs[base]["members"]]
            return NUMBERS[
                base
            ], f"{NUMBERS[base]}({', '.join(f'{name}: {number}' for name, number in zip(names, numbers))})"
        if kind == "numbers":
            return f"[{self.enum_names[member['by']]}: Float]", "[:]"
        return {"text": "String?", "structs": f"[{NUMBERS.get(base)}]?", "object": "Space?", "colour": "DrawColour?"}[
            kind
        ], "nil"

    def plain_write(self, member, swift, kind):
        """The lines that set a member that is no pointer."""
        name, written = member["name"], member["kind"]
        base = type_parts(member["type"])[0]
        c_kind = {"uint32_t": "UInt32", "uint64_t": "UInt64"}.get(base, "")
        if kind == "Int?":
            return [f'if let {swift} {{ c.{name} = try number({swift}, "{swift}") }}']
        if kind == "DrawColour?":
            return [f"if let {swift} {{ c.{name} = {swift}.rawValue }}"]
        if kind == "Marks":
            return [f"c.{name} = {swift}.rawValue"]
        if kind == "Bool":
            return [f"c.{name} = {swift} ? 1 : 0"]
        if kind == "Int":
            return [f'c.{name} = try number({swift}, "{swift}")']
        if kind == "Duration":
            return [f'c.{name} = try nanoseconds({swift}, "{swift}")']
        if kind in ("Float", "Double", "UInt64") and c_kind in ("", "UInt64"):
            return [f"c.{name} = {swift}"]
        if written == "enum":
            return [f"c.{name} = {swift}.rawValue"]
        if written == "floats":
            return [f"c.{name} = {swift}.c"]
        if written == "enums":
            return [f'c.{member["count"]} = try store({swift}.map(\\.rawValue), in: &c.{name}, "{swift}")']
        if written == "numbers":
            return [
                f'try store({kind[1:].split(":")[0]}.allCases.map {{ {swift}[$0] ?? 0 }}, in: &c.{name}, "{swift}")'
            ]
        return []

    @staticmethod
    def pointer(member, swift):
        """(the call that lends a pointer, the lines that set it) of a member that is one."""
        name, kind = member["name"], member["kind"]
        if kind == "text":
            return f"withCString({swift}) {{ (text) throws(FaceError) -> Result", [f"c.{name} = text"]
        if kind == "structs":
            return (
                f"withArray({swift}?.map(\\.c)) {{ (array) throws(FaceError) -> Result",
                [f"c.{name} = array?.baseAddress", f"c.{member['count']} = UInt32(clamping: array?.count ?? 0)"],
            )
        if kind == "object":
            return f"withSpace({swift}) {{ (space) throws(FaceError) -> Result", [f"c.{name} = space"]
        return None


def first_sentence(text):
    return re.split(r"(?<=[.:])\s", text)[0].rstrip(":.") + "."
