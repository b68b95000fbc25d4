#!/usr/bin/python3
"""Makes Java/generated and Java/native/layout.h of the C headers and the contract: enumerations, options, records, and where the
structs have their members.

    generate-java.py           writes the files
    generate-java.py --check   fails if the committed files are others

It reads the headers as Tools/generate-python.py does. Java holds a struct as its bytes, as on x86-64 and ARM64; layout.h has the
compiler compare every offset.
"""

import importlib.util
import json
import re
import sys
import textwrap

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAMES = ROOT / "Proto/faces.json"
SOURCES, LAYOUT = ROOT / "Java/generated/com/faceengine", ROOT / "Java/native/layout.h"
HEAD = "Made by Tools/generate-java.py from the headers and the contract. Not to be edited."

spec = importlib.util.spec_from_file_location("generate_python", ROOT / "Tools/generate-python.py")
python = importlib.util.module_from_spec(spec)
spec.loader.exec_module(python)

# Types of C with the name that they have in Java. The constants of an enumeration keep their names and numbers.
ENUMS = {
    "face_status": "Status", "face_precision": "Precision", "face_format": "Format", "face_colour": "Colour",
    "face_orientation": "Orientation", "face_accuracy": "Accuracy", "face_rotations": "Rotations", "face_region": "Region",
    "face_iso_measure": "IsoMeasure", "face_space_kind": "SpaceKind", "face_fit": "Fit", "face_session_mode": "SessionMode",
    "face_check_state": "CheckState", "face_tip": "Tip", "face_action": "Action", "face_check_event": "CheckEventKind",
    "face_check_preset": "CheckPreset",
}
NUMBERS = {"face_point": "Point", "face_box": "Box", "face_circle": "Circle", "face_landmark": "Landmark"}
OPTIONS = {
    "face_load_options": "LoadOptions", "face_connect_options": "ConnectOptions", "face_options": "DetectOptions",
    "face_session_options": "SessionOptions", "face_check_options": "CheckOptions", "face_space": "Space",
}
# Structs whose members are read and written by hand, with the name of the class that has the offsets.
BY_HAND = {"face_image": "ImageLayout", "face_check": "CheckLayout"}
OBJECTS = {"face_canceller": "Canceller", "face_space": "Space"}
# What comments name, by what a program of Java calls.
CALLS = {"face_detect": "Engine.detect", "face_connect_with": "Engine.connect", "face_session_follow": "Session.follow",
         "face_check_restart": "GuidedCheck.restart", "face_iso_measure": "IsoMeasure"}
SIZES = {"uint32_t": 4, "int32_t": 4, "float": 4, "uint64_t": 8, "size_t": 8, "double": 8, "char": 1, "uint8_t": 1, "int": 4}


def upper(name):
    """As in MOUTH_SMILE_LEFT for mouthSmileLeft."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.lstrip("_")).upper()


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def capital(name):
    return camel(name)[0].upper() + camel(name)[1:]


class Printer:
    """Prints the files."""

    def __init__(self, writer, header_text):
        self.writer, self.structs, self.header_text = writer, writer.structs, header_text
        self.comments_of_values = {name: python.plain_comment(comment) for name, comment in re.findall(
            r"^\s*(FACE_\w+) = \w+,? +(/\*.*?\*/)", header_text, flags=re.M | re.S)}

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
        return {path: text.encode() for path, text in made.items()}

    # -- Layout

    def size(self, kind):
        """(size, alignment) of a type that is no pointer."""
        if kind in self.structs:
            places, size, alignment = self.places(kind)
            return size, alignment
        size = SIZES[self.writer.aliases.get(kind, kind)]
        return size, size

    def places(self, struct):
        """({member: offset}, size, alignment)."""
        at, widest, places = 0, 1, {}
        for member in self.structs[struct]:
            size, alignment = (8, 8) if member.pointers or member.function else self.size(member.type)
            if member.length:
                size *= int(member.length) if member.length.isdigit() else self.writer.constants[member.length]
            at = -(-at // alignment) * alignment
            places[member.name] = at
            at, widest = at + size, max(widest, alignment)
        return places, -(-at // widest) * widest, widest

    def offset(self, struct, member):
        return self.places(struct)[0][member]

    def layout(self):
        lines = [f"/* {HEAD} */", "#include <face_engine.h>", "", "#include <stddef.h>", "",
                 "/* As C99 can: the size of an array that must not be negative. */",
                 "#define AT(place, line) typedef char layout_##line[(place) ? 1 : -1]", ""]
        number = 0
        for struct in [*OPTIONS, *BY_HAND, *NUMBERS, "face_info"]:
            places, size, _ = self.places(struct)
            for text, value in [(f"sizeof(struct {struct})", size),
                                *((f"offsetof(struct {struct}, {member})", at) for member, at in places.items())]:
                number += 1
                lines.append(f"AT({text} == {value}, {number});")
        return "\n".join(lines) + "\n"

    def offsets_class(self, struct, name):
        places, size, _ = self.places(struct)
        constants = [f"  static final int {member.upper()} = {at};" for member, at in places.items()]
        return self.file(f"/** Where {struct} has its members. */\nfinal class {name} {{\n  static final int SIZE = {size};\n"
                         + "\n".join(constants) + f"\n\n  private {name}() {{}}\n}}")

    # -- Texts

    def file(self, text, *imports):
        lines = "".join(f"import {name};\n" for name in imports if re.search(rf"\b{name.split('.')[-1]}\b", text))
        return f"// {HEAD}\npackage com.faceengine;\n\n{lines}{chr(10) if lines else ''}{text}\n"

    def text(self, comment):
        """A comment of C in Java's names, for javadoc."""
        text = re.sub(r"`([^`]*)`", r"\1", comment)
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("@", "&#64;").replace("NULL", "null")
        for struct, name in {**OPTIONS, **NUMBERS, "face_info": "Face", "face_image": "Image", "face_check": "CheckUpdate"}.items():
            text = re.sub(rf"\b{struct}\.(\w+)", lambda match: f"{name}.{camel(self.plain_name(match[1]))}", text)
        for function, name in CALLS.items():
            text = re.sub(rf"\b{function}\b", name, text)
        for typedef, name in ENUMS.items():
            for constant, short in zip(self.writer.enums[typedef], self.writer.member_names(typedef)):
                text = re.sub(rf"\b{constant}\b", f"{name}.{short}", text)
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
            lines += textwrap.wrap(f"@param {name} {meaning}", 116 - len(indent), subsequent_indent="    ",
                                   break_long_words=False, break_on_hyphens=False)
        if len(lines) == 1:
            return f"{indent}/** {lines[0]} */"
        return "\n".join([f"{indent}/**", *(f"{before}{line}".rstrip() for line in lines), f"{indent} */"])

    # -- Enumerations

    def enumeration(self, typedef, name):
        values = []
        for constant, (short, number) in zip(self.writer.enums[typedef], self.writer.member_names(typedef).items()):
            comment = self.comments_of_values.get(constant)
            text = self.text(comment) if comment else f"{{@code {constant}}} of C."
            values.append(f"{self.javadoc(text, '  ')}\n  {short}({number})")
        return self.file(f"""\
{self.javadoc(self.text(self.writer.comments[typedef]))}
public enum {name} implements Numbered {{
{",{0}".format(chr(10)).join(values)};

  private final int number;

  {name}(int number) {{
    this.number = number;
  }}

  /**
   * The number of this constant in C.
   *
   * @return the number
   */
  @Override
  public int number() {{
    return number;
  }}

  /** The constant of a number; null for one that only a newer library has. */
  static {name} of(int number) {{
    return Numbered.find(values(), number);
  }}
}}""")

    def expressions(self):
        """The coefficients of Face.expressions, by the names of the contract."""
        names = json.loads(NAMES.read_text())["expressions"]
        constants = ",\n".join(f'  /** The coefficient "{name}". */\n  {upper(name)}({place}, "{name}")'
                               for place, name in enumerate(names))
        return self.file(f"""\
/** The coefficients of {{@link Face#expressions}}, which {{@link Face#expression}} reads; the names are ARKit's. */
public enum Expression implements Numbered {{
{constants};

  private final int number;
  private final String label;

  Expression(int number, String label) {{
    this.number = number;
    this.label = label;
  }}

  /**
   * Its place in {{@link Face#expressions}}.
   *
   * @return the number
   */
  @Override
  public int number() {{
    return number;
  }}

  /**
   * Its name, as C, JSON and ARKit have it.
   *
   * @return as in "mouthSmileLeft"
   */
  public String label() {{
    return label;
  }}
}}""")

    # -- Records

    def record_of_numbers(self, struct, name):
        members = self.structs[struct]
        at = self.places(struct)[0]
        comments = [member.comment for member in members]
        shared = " ".join(dict.fromkeys(self.text(one) for one in comments if one and comments.count(one) > 1))
        parameters = [(member.name, self.text(member.comment) if comments.count(member.comment) == 1 and member.comment
                       else f"Its {member.name}.") for member in members]
        puts = "\n".join(f"    struct.putFloat(at + {at[member.name]}, {member.name});" for member in members)
        gets = ", ".join(f"struct.getFloat(at + {at[member.name]})" for member in members)
        return self.file(f"""\
{self.javadoc(f"{self.text(self.writer.comments[struct] or f'A {name.lower()}')} {shared}".rstrip(), "", parameters)}
public record {name}({", ".join(f"float {member.name}" for member in members)}) {{
  static final int SIZE = {self.places(struct)[1]};

  static {name} read(ByteBuffer struct, int at) {{
    return new {name}({gets});
  }}

  void put(ByteBuffer struct, int at) {{
{puts}
  }}
}}""", "java.nio.ByteBuffer")

    def groups(self):
        """{group: members} of face_info that are known together."""
        groups = {}
        for member in self.structs["face_info"]:
            if match := re.match(r"FACE_VALID_(\w+)", member.comment):
                groups.setdefault(match[1].lower(), []).append(member)
        return groups

    def component(self, member):
        """The meaning of a member without the name of its bit."""
        text = re.sub(r"^FACE_VALID_\w+(?:, like the next four)?[:,]?\s*", "", member.comment)
        text = self.text(re.sub("^which a session sets", "set by a session", text) or f"The {member.name.replace('_', ' ')}")
        return self.switch(text) if text.startswith("1: ") else text

    @staticmethod
    def switch(text):
        """The text of a number that is a boolean in Java."""
        for number, word in enumerate(("false", "true")):
            text = re.sub(rf"\b((?:[Dd]efault )?){number}(?=[:;,.])", rf"\g<1>{word}", text)
        return text[:1].upper() + text[1:]

    def verdicts(self, group):
        """The methods of a group's record that say what the inline functions of C do of its members."""
        pattern = (r"/\* Returns (whether [^,;]*)(?:(?!\*/)[\s\S])*\*/\nstatic inline int face_(\w+)\(const face_info \*face\)\n\{\n  return "
                   rf"\(face->valid & FACE_VALID_{group.upper()}\) != 0 && face->(\w+) (>=|<) ([\d.]+f);")
        return "".join(f"""
  /**
   * {text[:1].upper()}{text[1:]}.
   *
   * @return true or false
   */
  public boolean {camel(name)}() {{
    return {camel(member)} {sign} {limit};
  }}
""" for text, name, member, sign, limit in re.findall(pattern, self.header_text))

    def group_record(self, group, members):
        output = next((output for output in self.writer.outputs if output.name == group), None)
        text = output.text if output else "The five points of a face; left is the subject's left."
        name, kind = capital(group), "float" if output else "Point"
        components = [(camel(member.name), self.component(member)) for member in members]
        if output:
            read = f"packed, int count) {{\n    return new {name}({', '.join(['packed.getFloat()'] * len(members))});"
        else:
            places = ", ".join(f"Point.read(info, at + {self.offset('face_info', member.name)})" for member in members)
            read = f"info, int at) {{\n    return new {name}({places});"
        return self.file(f"""\
{self.javadoc(self.text(text), "", components)}
public record {name}({", ".join(f"{kind} {component}" for component, _ in components)}) {{
  static {name} read(ByteBuffer {read}
  }}
{self.verdicts(group)}}}""", "java.nio.ByteBuffer")

    def face(self, groups):
        info = {member.name: member for member in self.structs["face_info"]}
        at = self.places("face_info")[0]
        fixed = [("Box", "box", f"Box.read(info, at + {at['box']})"),
                 ("Box", "clamped_box", f"Box.read(info, at + {at['clamped_box']})"),
                 ("float", "confidence", f"info.getFloat(at + {at['confidence']})"),
                 ("boolean", "predicted", f"info.getInt(at + {at['predicted']}) != 0"),
                 ("long", "id", f"info.getLong(at + {at['id']})"),
                 ("int", "frame_count", f"info.getInt(at + {at['frame_count']})")]
        parameters = [(camel(name), self.component(info[name]) + (" 0 where there is no id." if name in ("id", "frame_count") else ""))
                      for _, name, _ in fixed]
        parameters.append(("points", "The five points of the detector; null from a detector that finds none."))
        components = [f"{kind} {camel(name)}" for kind, name, _ in fixed] + ["Points points"]
        reads, outputs = [read for *_, read in fixed], []
        reads.append(f"(valid & {self.writer.constants['FACE_VALID_POINTS'] - (1 << 32)}) != 0 ? Points.read(info, at) : null")
        for place, output in enumerate(self.writer.outputs):
            kind = capital(output.name) if output.name in groups else "List<Landmark>" if output.name == "landmarks" else "Numbers"
            read = f"{capital(output.name)}::read" if output.name in groups else "Landmarks::read" if output.name == "landmarks" else "Numbers::read"
            components.append(f"{kind} {camel(output.name)}")
            parameters.append((camel(output.name), f"{self.text(output.text)} Null unless requested and known."))
            reads.append(f"measured.next({1 << place}, {read})")
        joined = ",\n    ".join(components)
        return self.file(f"""\
{self.javadoc("One face. Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and "
              "right are the subject's own.", "", parameters)}
public record Face(
    {joined}) {{
  static final int SIZE = {self.places("face_info")[1]};

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
    int valid = info.getInt(at + {at['valid']});
    info.position(at + SIZE);
    Measured measured = new Measured(info, valid);
    return new Face(
        {(","+chr(10)+" "*8).join(reads)});
  }}
}}""", "java.nio.ByteBuffer", "java.util.List")

    # -- Options

    def options(self, struct, name):
        members = {member.name: member for member in self.structs[struct]}
        methods, constants = [], []
        for member in members.values():
            if member.type == "face_outputs":
                for place, output in enumerate(self.writer.outputs):
                    methods.append(self.setter(name, camel(output.name), "boolean", self.text(output.text),
                                               f'withBit("{camel(output.name)}", value, {self.offset(struct, member.name)}, {1 << place})'))
            elif found := self.writer.conversion(list(members.values()), member):
                methods.append(self.option(struct, name, member, found[1], constants))
        if struct == "face_check_options":
            methods.append(self.setter(name, "preset", ENUMS["face_check_preset"],
                                       "Limits that belong together. The other options stay as they are; those that are set later win.",
                                       'with("preset", value)'))
        shown = "".join(f"  {text}\n\n" for text in constants)
        return self.file(f"""\
{self.javadoc(self.text(python.first_sentence(self.writer.comments[struct])) + " Immutable: each method returns a copy with one "
              "option changed. Options that are not set have the defaults.")}
@CheckReturnValue
public final class {name} extends Options<{name}> {{
{shown}  /** The defaults. */
  public {name}() {{
    super({list(OPTIONS).index(struct)}, {self.places(struct)[1]});
  }}

{(chr(10) + chr(10)).join(methods)}
}}""", "java.time.Duration", "java.util.Arrays", "java.util.List")

    def setter(self, owner, name, kind, text, body, parameter="value", meaning="The new value."):
        doc = self.javadoc(text, "  ", [*([("place", "Which one.")] if "place" in kind else []), (parameter, meaning)])
        doc = (doc if "\n" in doc else f"  /**\n   * {text}\n   */").replace("\n   */", "\n   * @return the copy\n   */")
        return f"{doc}\n  public {owner} {name}({kind} {parameter}) {{\n    return {body};\n  }}"

    def option(self, struct, owner, member, code, constants):
        """The method that sets a member, by the code of its keyword in Python."""
        kind, _, detail = code.partition(":")
        name, at = camel(self.plain_name(member.name)), self.offset(struct, member.name)
        comment = member.comment.replace("Borrowed until the call returns. ", "") or f"The {member.name.replace('_', ' ')}"
        text = self.text(comment)
        number = self.writer.numbers.get(struct, {}).get(member.name)
        if kind == "enum":
            return self.setter(owner, name, ENUMS[member.type], text, f'with("{name}", value, {at})')
        if kind == "enums":
            count = self.offset(struct, python.count_of(self.structs[struct], member))
            length = self.writer.constants[member.length]
            return self.setter(owner, name, f"{ENUMS[member.type]}...", text, f'withList("{name}", Arrays.asList(value), {at}, {count}, {length})')
        if kind == "structs":
            return self.setter(owner, name, f"List<{NUMBERS[member.type]}>", text, f'withObject("{name}", List.copyOf(value))')
        if kind == "floats":
            return self.setter(owner, name, NUMBERS[member.type], text, f'with("{name}", value, {at})')
        if kind == "text":
            return self.setter(owner, name, "String", text, f'withText("{name}", value)')
        if kind == "object":
            text = text if member.type != "face_canceller" else text + " Keep it open while a call or a session uses it."
            return self.setter(owner, name, OBJECTS[member.type], text, f'with("{name}", value, {at})')
        if kind == "numbers":
            by = ENUMS[re.search(r"face_\w+", member.comment)[0]]
            return self.setter(owner, name, f"{by} place, float", text, f'with("{name} " + place, value, {at} + 4 * place.number())')
        if kind == "seconds":
            return self.setter(owner, name, "Duration", text, f'with("{name}", value, {at})')
        if kind == "float":
            return self.setter(owner, name, "float", text, f'with("{name}", value, {at})')
        if not number and re.search(r"\b1: ", member.comment) and not re.match(r".*\d+ to \d+", member.comment):
            return self.setter(owner, name, "boolean", self.switch(text), f'with("{name}", value, {at})')
        if kind == "uint64":
            return self.setter(owner, name, "long", text, f'with("{name}", value, {at})')
        for special in re.findall(r"FACE_[A-Z_]+", member.comment):
            if self.writer.constants.get(special) == 0xFFFFFFFF:
                short = special[len("FACE_"):]
                constants.append(f"/** For {{@link #{name}}}. */\n  public static final int {short} = -1;")
                return self.setter(owner, name, "int", text, f'with("{name}", value, {at})')
        return self.setter(owner, name, "int", text, f'withCount("{name}", value, {at})')


def main(arguments=None):
    """The exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        texts = {key: python.with_parts(ROOT / "include", name) for key, name in python.HEADERS.items()}
        writer = python.Writer({key: python.Header(text) for key, text in texts.items()}, {}, python.Contract())
        files = Printer(writer, texts["face"]).files()
    except python.Problem as problem:
        print(f"generate-java: {problem}", file=sys.stderr)
        return 1
    stale = [path for path, data in files.items() if not path.exists() or path.read_bytes() != data]
    extra = [path for path in SOURCES.glob("*.java") if path not in files]
    for path in [*stale, *extra]:
        if arguments:
            print(f"generate-java: {path.relative_to(ROOT)} does not fit the headers: run Tools/generate", file=sys.stderr)
        elif path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[path])
        else:
            path.unlink()
    return 1 if arguments and (stale or extra) else 0


if __name__ == "__main__":
    sys.exit(main())
