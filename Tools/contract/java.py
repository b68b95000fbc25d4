"""Prints Bindings/Java/generated and Bindings/Java/native/layout.h: enumerations, options, records, and where the structs have their members.

Java holds a struct as its bytes, as on x86-64 and ARM64; layout.h has the compiler compare every offset."""

import json
import re
import textwrap

from contract import ROOT
from document import read, type_parts

SOURCES, LAYOUT = ROOT / "Bindings/Java/generated/com/faceengine", ROOT / "Bindings/Java/native/layout.h"
HEAD = "Made by Tools/generate from Proto/contract.json. Not to be edited."

# Types of C with the name that they have in Java. The constants of an enumeration keep their names and numbers.
ENUMS = {
    "face_status": "Status",
    "face_precision": "Precision",
    "face_format": "Format",
    "face_colour": "Colour",
    "face_orientation": "Orientation",
    "face_accuracy": "Accuracy",
    "face_rotations": "Rotations",
    "face_region": "Region",
    "face_iso_measure": "IsoMeasure",
    "face_space_kind": "SpaceKind",
    "face_fit": "Fit",
    "face_session_mode": "SessionMode",
    "face_check_state": "CheckState",
    "face_tip": "Tip",
    "face_action": "Action",
    "face_check_event": "CheckEventKind",
    "face_check_preset": "CheckPreset",
    "face_contour": "Contour",
    "face_mesh_point": "MeshPoint",
}
NUMBERS = {"face_point": "Point", "face_box": "Box", "face_circle": "Circle", "face_landmark": "Landmark"}
OPTIONS = {
    "face_load_options": "LoadOptions",
    "face_connect_options": "ConnectOptions",
    "face_options": "DetectOptions",
    "face_session_options": "SessionOptions",
    "face_check_options": "CheckOptions",
    "face_space": "Space",
}
# Structs whose members are read and written by hand, with the name of the class that has the offsets.
BY_HAND = {"face_image": "ImageLayout", "face_check": "CheckLayout"}
OBJECTS = {"face_canceller": "Canceller", "face_space": "Space"}
# What comments name, by what a program of Java calls.
CALLS = {
    "face_detect": "Engine.detect",
    "face_connect_with": "Engine.connect",
    "face_session_follow": "Session.follow",
    "face_session_best": "Session.best",
    "on_best": "SessionListener.onBest",
    "face_check_restart": "GuidedCheck.restart",
    "face_iso_measure": "IsoMeasure",
}


def upper(name):
    """As in MOUTH_SMILE_LEFT for mouthSmileLeft."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.lstrip("_")).upper()


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def capital(name):
    return camel(name)[0].upper() + camel(name)[1:]


def files(contract=None):
    return Printer(contract or read()).files()


class Printer:
    """Prints the files."""

    def __init__(self, contract):
        self.outputs, self.names, c = contract["outputs"], contract["expressions"], contract["c"]
        self.structs, self.enums = c["structs"], c["enumerations"]
        self.shown = {value["name"].upper(): value.get("shown", "") for value in contract["enumerations"]["Tip"]}
        self.constants, self.verdicts_of = c["constants"], c["verdicts"]

    def members(self, struct):
        return {member["name"]: member for member in self.structs[struct]["members"]}

    def files(self):
        made = {LAYOUT: self.layout()}
        for typedef, name in ENUMS.items():
            made[SOURCES / f"{name}.java"] = self.enumeration(typedef, name)
        made[SOURCES / "Expression.java"] = self.expressions()
        for struct, name in NUMBERS.items():
            made[SOURCES / f"{name}.java"] = self.record_of_numbers(struct, name)
        for struct, name in OPTIONS.items():
            made[SOURCES / f"{name}.java"] = self.options(struct, name)
        for struct, name in BY_HAND.items():
            made[SOURCES / f"{name}.java"] = self.offsets_class(struct, name)
        groups = self.groups()
        for group, members in groups.items():
            if group != "id":
                made[SOURCES / f"{capital(group)}.java"] = self.group_record(group, members)
        made[SOURCES / "Face.java"] = self.face(groups)
        return made

    # -- Layout

    def places(self, struct):
        """({member: offset}, size)."""
        return {name: member["offset"] for name, member in self.members(struct).items()}, self.structs[struct]["size"]

    def layout(self):
        lines = [
            f"/* {HEAD} */",
            "#include <face_engine.h>",
            "",
            "#include <stddef.h>",
            "",
            "/* As C99 can: the size of an array that must not be negative. */",
            "#define AT(place, line) typedef char layout_##line[(place) ? 1 : -1]",
            "",
        ]
        number = 0
        for struct in [*OPTIONS, *BY_HAND, *NUMBERS, "face_info"]:
            places, size = self.places(struct)
            for text, value in [
                (f"sizeof(struct {struct})", size),
                *((f"offsetof(struct {struct}, {member})", at) for member, at in places.items()),
            ]:
                number += 1
                lines.append(f"AT({text} == {value}, {number});")
        return "\n".join(lines) + "\n"

    def offsets_class(self, struct, name):
        places, size = self.places(struct)
        constants = [f"  static final int {member.upper()} = {at};" for member, at in places.items()]
        return self.file(
            f"/** Where {struct} has its members. */\nfinal class {name} {{\n  static final int SIZE = {size};\n"
            + "\n".join(constants)
            + f"\n\n  private {name}() {{}}\n}}"
        )

    # -- Texts

    def file(self, text, *imports):
        lines = "".join(f"import {name};\n" for name in imports if re.search(rf"\b{name.split('.')[-1]}\b", text))
        return f"// {HEAD}\npackage com.faceengine;\n\n{lines}{chr(10) if lines else ''}{text}\n"

    def text(self, comment):
        """A comment of C in Java's names, for javadoc."""
        text = re.sub(r"`([^`]*)`", r"\1", comment)
        text = (
            text.replace("&", "&amp;")
            .replace("<", "&lt;")
            .replace(">", "&gt;")
            .replace("@", "&#64;")
            .replace("NULL", "null")
        )
        for struct, name in {
            **OPTIONS,
            **NUMBERS,
            "face_info": "Face",
            "face_image": "Image",
            "face_check": "CheckUpdate",
        }.items():
            text = re.sub(rf"\b{struct}\.(\w+)", lambda match: f"{name}.{camel(self.plain_name(match[1]))}", text)
        for function, name in CALLS.items():
            text = re.sub(rf"\b{function}\b", name, text)
        for typedef, name in ENUMS.items():
            for value in self.enums[typedef]["values"]:
                text = re.sub(rf"\b{value['name']}\b", f"{name}.{value['short']}", text)
        text = re.sub(r"\bFACE_(?:OUTPUT|VALID)_(\w+)\b", lambda match: camel(match[1].lower()), text)
        text = re.sub(r"\bFACE_(?=[A-Z])", "", text)
        text = re.sub(r"\b(?!face_)[a-z]+(?:_[a-z0-9]+)+\b", lambda match: camel(self.plain_name(match[0])), text)
        text = text[:1].upper() + text[1:]
        return text if text.endswith((".", ":")) else text + "."

    @staticmethod
    def plain_name(member):
        """Durations and times have no unit in their names."""
        return member if member == "timestamp_ns" else re.sub(r"_ns$", "", member)

    def javadoc(self, text, indent="", parameters=()):
        before = f"{indent} * "
        lines = textwrap.wrap(text, 116 - len(indent), break_long_words=False, break_on_hyphens=False)
        for name, meaning in parameters:
            lines += [""] if name == parameters[0][0] else []
            lines += textwrap.wrap(
                f"@param {name} {meaning}",
                116 - len(indent),
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        if len(lines) == 1:
            return f"{indent}/** {lines[0]} */"
        return "\n".join([f"{indent}/**", *(f"{before}{line}".rstrip() for line in lines), f"{indent} */"])

    # -- Enumerations

    @staticmethod
    def getter(text, returned, kind, name, value, override=""):
        """A method without arguments."""
        return f"""
  /**
   * {text}
   *
   * @return {returned}
   */{override}
  public {kind} {name}() {{
    return {value};
  }}
"""

    def enum(self, name, text, constants, number, label=None, is_read=True):
        """An enumeration; its constants have a String with the name `label[0]`, and are looked for by their number if `is_read`."""
        more = self.getter(label[1], label[2], "String", label[0], label[0]) if label else ""
        more += (
            ""
            if not is_read
            else f"""
  /** The constant of a number; null for one that only a newer library has. */
  static {name} of(int number) {{
    return Numbered.find(values(), number);
  }}
"""
        )
        members = ["int number"] + ([f"String {label[0]}"] if label else [])
        fields = "\n".join(f"  private final {member};" for member in members)
        assigned = "\n".join(f"    this.{word} = {word};" for word in (member.split()[1] for member in members))
        return self.file(f"""\
{self.javadoc(text)}
public enum {name} implements Numbered {{
{",{0}".format(chr(10)).join(constants)};

{fields}

  {name}({", ".join(members)}) {{
{assigned}
  }}
{self.getter(number, "the number", "int", "number", "number", chr(10) + "  @Override")}{more}}}""")

    def enumeration(self, typedef, name):
        values = []
        for value in self.enums[typedef]["values"]:
            text = self.text(value["text"]) if "text" in value else f"{{@code {value['name']}}} of C."
            shown = f", {json.dumps(self.shown[value['short']], ensure_ascii=False)}" if typedef == "face_tip" else ""
            values.append(f"{self.javadoc(text, '  ')}\n  {value['short']}({value['number']}{shown})")
        label = (
            ("text", "What to tell the person, in English.", "a sentence without a full stop")
            if typedef == "face_tip"
            else None
        )
        return self.enum(
            name, self.text(self.enums[typedef]["text"]), values, "The number of this constant in C.", label
        )

    def expressions(self):
        """The coefficients of Face.expressions, by the names of the contract."""
        constants = [
            f'  /** The coefficient "{name}". */\n  {upper(name)}({place}, "{name}")'
            for place, name in enumerate(self.names)
        ]
        text = (
            "The coefficients of {@link Face#expressions}, which {@link Face#expression} reads; the names are ARKit's."
        )
        return self.enum(
            "Expression",
            text,
            constants,
            "Its place in {@link Face#expressions}.",
            ("label", "Its name, as C, JSON and ARKit have it.", 'as in "mouthSmileLeft"'),
            is_read=False,
        )

    # -- Records

    def record_of_numbers(self, struct, name):
        at, size = self.places(struct)
        comments = {name: member.get("text", "") for name, member in self.members(struct).items()}
        alone = {
            name: comment
            for name, comment in comments.items()
            if comment and list(comments.values()).count(comment) == 1
        }
        shared = " ".join(dict.fromkeys(self.text(one) for name, one in comments.items() if one and name not in alone))
        parameters = [(name, self.text(alone[name]) if name in alone else f"Its {name}.") for name in comments]
        puts = "\n".join(f"    struct.putFloat(at + {place}, {name});" for name, place in at.items())
        gets = ", ".join(f"struct.getFloat(at + {place})" for place in at.values())
        return self.file(
            f"""\
{self.javadoc(f"{self.text(self.structs[struct].get('text', f'A {name.lower()}'))} {shared}".rstrip(), "", parameters)}
public record {name}({", ".join(f"float {member}" for member in at)}) {{
  static final int SIZE = {size};

  static {name} read(ByteBuffer struct, int at) {{
    return new {name}({gets});
  }}

  void put(ByteBuffer struct, int at) {{
{puts}
  }}
}}""",
            "java.nio.ByteBuffer",
        )

    def groups(self):
        """{group: members} of face_info that are known together."""
        groups = {}
        for member in self.structs["face_info"]["members"]:
            if "known" in member:
                groups.setdefault(member["known"], []).append(member)
        return groups

    def component(self, member):
        text = self.text(member.get("text", f"The {member['name'].replace('_', ' ')}"))
        return self.switch(text) if member.get("kind") == "switch" else text

    @staticmethod
    def switch(text):
        """The text of a number that is a boolean in Java."""
        for number, word in enumerate(("false", "true")):
            text = re.sub(rf"\b((?:[Dd]efault )?){number}(?=[:;,.])", rf"\g<1>{word}", text)
        return text[:1].upper() + text[1:]

    def verdicts(self, members):
        """The methods of a group's record that say what the inline functions of C do of its members."""
        names = [member["name"] for member in members]
        return "".join(
            self.getter(
                f"{one['text'][:1].upper()}{one['text'][1:]}.",
                "true or false",
                "boolean",
                camel(one["name"]),
                f"{camel(one['member'])} {one['sign']} {one['limit']}f",
            )
            for one in self.verdicts_of
            if one["member"] in names
        )

    def group_record(self, group, members):
        output = next((output for output in self.outputs if output["name"] == group), None)
        text = output["text"] if output else "The five points of a face; left is the subject's left."
        name, kind = capital(group), "float" if output else "Point"
        components = [(camel(member["name"]), self.component(member)) for member in members]
        if output:
            read = f"packed, int count) {{\n    return new {name}({', '.join(['packed.getFloat()'] * len(members))});"
        else:
            places = ", ".join(f"Point.read(info, at + {member['offset']})" for member in members)
            read = f"info, int at) {{\n    return new {name}({places});"
        return self.file(
            f"""\
{self.javadoc(self.text(text), "", components)}
public record {name}({", ".join(f"{kind} {component}" for component, _ in components)}) {{
  static {name} read(ByteBuffer {read}
  }}
{self.verdicts(members)}}}""",
            "java.nio.ByteBuffer",
        )

    def face(self, groups):
        info, (at, size) = self.members("face_info"), self.places("face_info")
        fixed = [
            ("Box", "box", f"Box.read(info, at + {at['box']})"),
            ("Box", "clamped_box", f"Box.read(info, at + {at['clamped_box']})"),
            ("float", "confidence", f"info.getFloat(at + {at['confidence']})"),
            ("boolean", "predicted", f"info.getInt(at + {at['predicted']}) != 0"),
            ("long", "id", f"info.getLong(at + {at['id']})"),
            ("int", "frame_count", f"info.getInt(at + {at['frame_count']})"),
        ]
        parameters = [
            (
                camel(name),
                self.component(info[name]) + (" 0 where there is no id." if name in ("id", "frame_count") else ""),
            )
            for _, name, _ in fixed
        ]
        parameters.append(("points", "The five points of the detector; null from a detector that finds none."))
        components = [f"{kind} {camel(name)}" for kind, name, _ in fixed] + ["Points points"]
        reads, outputs = [read for *_, read in fixed], []
        reads.append(f"(valid & {self.constants['FACE_VALID_POINTS'] - (1 << 32)}) != 0 ? Points.read(info, at) : null")
        for output in self.outputs:
            name = output["name"]
            reader = capital(name) if name in groups else "Landmarks" if name == "landmarks" else "Numbers"
            components.append(f"{'List<Landmark>' if reader == 'Landmarks' else reader} {camel(name)}")
            parameters.append((camel(name), f"{self.text(output['text'])} Null unless requested and known."))
            reads.append(f"measured.next({output['bit']}, {reader}::read)")
        joined = ",\n    ".join(components)
        return self.file(
            f"""\
{
                self.javadoc(
                    "One face. Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and "
                    "right are the subject's own.",
                    "",
                    parameters,
                )
            }
public record Face(
    {joined}) {{
  static final int SIZE = {size};

  /**
   * The landmarks of one part of the face, in drawing order.
   *
   * @param region The part.
   * @return its points
   * @throws FaceEngineException with FAILED_PRECONDITION if the landmarks are not known
   */
  public List<Landmark> region(Region region) {{
    return Landmarks.of(landmarks, region);
  }}

  /**
   * The landmarks of one of ML Kit's contours, in drawing order.
   *
   * @param contour The contour.
   * @return its points
   * @throws FaceEngineException with FAILED_PRECONDITION if the landmarks are not known
   */
  public List<Landmark> contour(Contour contour) {{
    return Landmarks.of(landmarks, contour);
  }}

  /**
   * The landmark that has a name.
   *
   * @param point The name.
   * @return the point
   * @throws FaceEngineException with FAILED_PRECONDITION if the landmarks are not known
   */
  public Landmark point(MeshPoint point) {{
    return Landmarks.of(landmarks, point);
  }}

  /**
   * One of the expression coefficients.
   *
   * @param expression The coefficient.
   * @return 0 to 1
   * @throws FaceEngineException with FAILED_PRECONDITION if the expressions are not known
   */
  public float expression(Expression expression) {{
    return Numbers.of(expressions, expression);
  }}

  /**
   * Where the mean of both eyes' lines of sight meets a screen.
   *
   * @param screen The screen, in the camera's space.
   * @return (0, 0) at its upper left corner and (1, 1) at the lower right one; other values are outside it
   * @throws FaceEngineException with FAILED_PRECONDITION if the gaze is not known, with OUT_OF_RANGE if the eyes do not look towards
   *     the screen's plane, with INVALID_ARGUMENT if the corners lie on one line
   */
  public Point lookAt(Screen screen) {{
    return screen.lookedAt(gaze);
  }}

  /** Reads a face_info, and behind it the numbers of the outputs that it says are known. */
  static Face read(ByteBuffer info) {{
    int at = info.position();
    int valid = info.getInt(at + {at["valid"]});
    info.position(at + SIZE);
    Measured measured = new Measured(info, valid);
    return new Face(
        {("," + chr(10) + " " * 8).join(reads)});
  }}
}}""",
            "java.nio.ByteBuffer",
            "java.util.List",
        )

    # -- Options

    def options(self, struct, name):
        methods, constants = [], []
        for member in self.structs[struct]["members"]:
            if member.get("kind") == "outputs":
                for output in self.outputs:
                    methods.append(
                        self.setter(
                            name,
                            camel(output["name"]),
                            "boolean",
                            self.text(output["text"]),
                            f'withBit("{camel(output["name"])}", value, {member["offset"]}, {output["bit"]})',
                        )
                    )
            elif "kind" in member:
                methods.append(self.option(struct, name, member, constants))
        if struct == "face_check_options":
            methods.append(
                self.setter(
                    name,
                    "preset",
                    ENUMS["face_check_preset"],
                    "Limits that belong together. The other options stay as they are; those that are set later win.",
                    'with("preset", value)',
                )
            )
        shown = "".join(f"  {text}\n\n" for text in constants)
        return self.file(
            f"""\
{
                self.javadoc(
                    self.text(first_sentence(self.structs[struct]["text"]))
                    + " Immutable: each method returns a copy with one "
                    "option changed. Options that are not set have the defaults."
                )
            }
@CheckReturnValue
public final class {name} extends Options<{name}> {{
{shown}  /** The defaults. */
  public {name}() {{
    super({list(OPTIONS).index(struct)}, {self.structs[struct]["size"]});
  }}

{(chr(10) + chr(10)).join(methods)}
}}""",
            "java.time.Duration",
            "java.util.Arrays",
            "java.util.List",
        )

    def setter(self, owner, name, kind, text, body, parameter="value", meaning="The new value."):
        doc = self.javadoc(text, "  ", [*([("place", "Which one.")] if "place" in kind else []), (parameter, meaning)])
        doc = (doc if "\n" in doc else f"  /**\n   * {text}\n   */").replace(
            "\n   */", "\n   * @return the copy\n   */"
        )
        return f"{doc}\n  public {owner} {name}({kind} {parameter}) {{\n    return {body};\n  }}"

    def option(self, struct, owner, member, constants):
        """The method that sets a member."""
        kind, at, (base, _, length) = member["kind"], member["offset"], type_parts(member["type"])
        name = camel(self.plain_name(member["name"]))
        text = self.text(member.get("text") or f"The {member['name'].replace('_', ' ')}")
        if kind == "switch":
            text = self.switch(text)
        if base == "face_canceller":
            text += " Keep it open while a call or a session uses it."
        if kind == "enums":
            count = self.members(struct)[member["count"]]["offset"]
            return self.setter(
                owner,
                name,
                f"{ENUMS[base]}...",
                text,
                f'withList("{name}", Arrays.asList(value), {at}, {count}, {length})',
            )
        if kind == "structs":
            return self.setter(owner, name, f"List<{NUMBERS[base]}>", text, f'withObject("{name}", List.copyOf(value))')
        if kind == "text":
            return self.setter(owner, name, "String", text, f'withText("{name}", value)')
        if kind == "numbers":
            return self.setter(
                owner,
                name,
                f"{ENUMS[member['by']]} place, float",
                text,
                f'with("{name} " + place, value, {at} + 4 * place.number())',
            )
        if special := member.get("special", "").removeprefix("FACE_"):
            constants.append(f"/** For {{@link #{name}}}. */\n  public static final int {special} = -1;")
        java = {
            "enum": ENUMS.get(base),
            "floats": NUMBERS.get(base),
            "object": OBJECTS.get(base),
            "seconds": "Duration",
            "switch": "boolean",
            "number": {"float": "float", "uint64_t": "long"}.get(base, "int"),
        }[kind]
        method = "withCount" if java == "int" and not special else "with"
        return self.setter(owner, name, java, text, f'{method}("{name}", value, {at})')


def first_sentence(text):
    return re.split(r"(?<=[.:])\s", text)[0].rstrip(":.") + "."
