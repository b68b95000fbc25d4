#!/usr/bin/python3
"""Makes Python/faceengine/_abi.py of the C headers and the contract: structs, constants, prototypes and keywords of options.

    generate-python.py           writes the file
    generate-python.py --check   fails if the committed file is another

It reads the C that the headers are written in and no more: a declaration that it does not know is an error that names it, so
that nothing is left out silently. Outputs, and the defaults of numbers, are those of Proto/face_engine.proto.
"""

import argparse
import dataclasses
import difflib
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tools/contract"))

from contract import Contract, Problem  # noqa: E402

HEADERS = {"face": "face_engine.h", "draw": "face_engine_draw.h"}
FACES = "Proto/faces.json"  # its regions have the points of each
OUTPUT = ROOT / "Python/faceengine/_abi.py"

# How C's types are called in ctypes, and for a type checker.
SCALARS = {
    "uint32_t": ("c_uint32", "int"), "int32_t": ("c_int32", "int"), "uint64_t": ("c_uint64", "int"),
    "size_t": ("c_size_t", "int"), "float": ("c_float", "float"), "int": ("c_int", "int"), "double": ("c_double", "float"),
    "uint8_t": ("c_uint8", "int"), "uint16_t": ("c_uint16", "int"), "int64_t": ("c_int64", "int"),
    "char": ("c_char", "bytes"),
}
LIMITS = {"UINT32_MAX": 0xFFFFFFFF, "UINT64_MAX": 0xFFFFFFFFFFFFFFFF}
# What a caller sets through arguments of other names, or what the library sets itself.
NOT_OPTIONS = re.compile(r"struct_size|reserved\w*|options")
# The message of the contract that has the numbers of a struct.
MESSAGES = {"face_options": "DetectOptions", "face_session_options": "Tracking", "face_check_options": "CheckOptions"}
COLOUR = "Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]"

IMPORT = "from ctypes import ("


@dataclasses.dataclass
class Keyword:
    """An argument of a Python function that sets a member of a struct."""

    name: str
    code: str  # how _options.py converts it
    type: str
    default: object  # None where the comment says it in words
    text: str


class Declaration:
    """A name with its type: a member of a struct, or a parameter."""

    def __init__(self, text, comment=""):
        self.comment = comment
        function = re.fullmatch(r"(?P<result>.*?)\(\s*\*\s*(?P<name>\w+)\s*\)\s*\((?P<parameters>.*)\)", text, re.S)
        self.function = function is not None
        if function:
            self.name, self.type, self.pointers, self.length = function["name"], function["result"].strip(), 0, None
            self.parameters = parameters_of(function["parameters"])
            return
        plain = re.fullmatch(
            r"(?P<type>[\w\s]+?)\s*(?P<pointers>[\s*]*(?:const)?[\s*]*?)(?P<name>\w+)\s*(?:\[(?P<length>\w*)\])?", text, re.S)
        if not plain:
            raise Problem(f"'{text}' is no declaration that this script knows: add its form to Declaration.")
        words = [word for word in plain["type"].split() if word not in ("const", "struct")]
        if len(words) != 1:
            raise Problem(f"the type of '{text}' is not one word: add its form to Declaration.")
        self.type, self.name, self.length = words[0], plain["name"], plain["length"]
        self.pointers = plain["pointers"].count("*")


def parameters_of(text):
    return [] if text.strip() in ("", "void") else [Declaration(part.strip()) for part in text.split(",")]


class Header:
    """The declarations of a header."""

    def __init__(self, text):
        self.constants = {}   # name: value
        self.comments = {}    # of a type, by its name
        self.aliases = {}     # name: scalar
        self.enums = {}       # typedef: {name: value}
        self.opaque = []
        self.structs = {}     # name: [Declaration]
        self.callbacks = {}   # name: Declaration
        self.functions = {}   # name: (Declaration of the result, [Declaration])
        self.read(text)

    def read(self, text):
        text = self.read_constants(re.sub(r"\\\n", " ", text))
        text = re.sub(r"^#ifdef __cplusplus$.*?^#endif$|^#.*?$", "", text, flags=re.M | re.S)
        place, comment, last_alias = 0, "", None
        while True:
            if not (match := re.compile(r"\s*(/\*.*?\*/)", re.S).match(text, place)):
                match = re.compile(r"\s*([^/{};]+)", re.S).match(text, place)
                if not match or not match[1].strip():
                    if text[place:].strip():
                        raise Problem(f"what is '{text[place:place + 60].strip()}'? Add its form to Header.read.")
                    return
                head, place = match[1].strip(), match.end()
                body, tail = "", ""
                if text[place] == "{":
                    end = matching_brace(text, place)
                    body, place = text[place + 1:end], end + 1
                    if not head.startswith("static inline"):
                        tail, place = text[place:text.index(";", place)].strip(), text.index(";", place) + 1
                elif text[place] == ";":
                    place += 1
                else:
                    raise Problem(f"what is '{head}'? Add its form to Header.read.")
                last_alias = self.declare(head, body, tail, comment, last_alias)
                comment = ""
            else:
                comment, place = plain_comment(match[1]), match.end()

    def read_constants(self, text):
        """Takes the #define lines away; those with a value become constants."""
        for name, value in re.findall(r"^#define[ \t]+(FACE_\w+)[ \t]+(.+?)[ \t]*(?:/\*.*)?$", text, flags=re.M):
            if name != "FACE_API":
                self.constants[name] = self.value(value)
        return re.sub(r"^#define.*?(?:/\*.*?\*/.*?)?$", "", text, flags=re.M | re.S)

    def value(self, text):
        python = re.sub(r"\b(0x[0-9a-fA-F]+|\d+(?:\.\d+)?)(?:[uUlLfF]+)\b", r"\1", text)
        known = {**LIMITS, **self.constants}
        try:
            return eval(python, {"__builtins__": {}}, known)  # an expression of our own header
        except Exception:
            raise Problem(f"'{text}' is no constant that this script knows: add its form to Header.value.") from None

    def declare(self, head, body, tail, comment, last_alias):
        if head == "enum":
            if last_alias is None:
                raise Problem(f"the enum of '{body.strip()[:40]}' does not follow the typedef of its type.")
            plain = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
            members = {}
            for part in filter(None, (part.strip() for part in plain.split(","))):
                name, _, value = (piece.strip() for piece in part.partition("="))
                members[name] = self.value(value) if value else max(members.values(), default=-1) + 1
                self.constants[name] = members[name]
            self.enums[last_alias] = members
        elif head.startswith("static inline"):
            pass
        elif match := re.fullmatch(r"typedef struct (\w+) (\w+)", head):
            self.opaque.append(match[2])
            self.comments[match[2]] = comment
        elif match := re.fullmatch(r"(?:typedef )?struct (\w+)", head):
            self.structs[match[1]] = members_of(body)
            if comment or match[1] not in self.comments:
                self.comments[match[1]] = comment
            if match[1] in self.opaque:
                self.opaque.remove(match[1])
        elif match := re.fullmatch(r"typedef (\w+) (\w+)", head):
            self.aliases[match[2]] = match[1]
            self.comments[match[2]] = comment
            return match[2]
        elif head.startswith("typedef"):
            callback = Declaration(head[len("typedef"):].strip())
            self.callbacks[callback.name] = callback
        elif match := re.fullmatch(r"FACE_API (?P<result>[\w\s*]+?)(?P<name>face_\w+)\((?P<parameters>.*)\)", head, re.S):
            result = Declaration(f"{match['result'].strip()} result")
            self.functions[match["name"]] = (result, parameters_of(match["parameters"]))
        else:
            raise Problem(f"what is '{head}'? Add its form to Header.declare.")
        return None


def matching_brace(text, start):
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise Problem("a brace is not closed.")


def plain_comment(text):
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in text[2:-2].split("\n")]
    return " ".join(" ".join(lines).split())


def members_of(body):
    """The members of a struct, several in one declaration apart, each with the comment behind it."""
    members = []
    for text, comment in re.findall(r"\s*(?:/\*(?:(?!\*/).)*\*/\s*)*([^;/]+);[ \t]*(/\*.*?\*/)?", body, flags=re.S):
        text = text.strip()
        pieces = [text] if "(" in text else text.split(",")
        first = Declaration(pieces[0].strip(), plain_comment(comment) if comment else "")
        members.append(first)
        for piece in pieces[1:]:
            members.append(Declaration(f"{first.type} {piece.strip()}", first.comment))
    return members


def count_of(struct, member):
    """The member that says how many `member` has: action_count of actions, box_count of boxes; None for one alone."""
    if not member.length and not member.pointers:
        return None
    names = {one.name for one in struct}
    return next((name for end in (1, 2) if (name := f"{member.name[:-end]}_count") in names), None)


def regions_of(document):
    """{name: points} of the regions."""
    return {re.sub("([A-Z])", r"_\1", name).upper(): region["points"] for name, region in json.loads(document)["regions"].items()}


def with_parts(folder, name):
    """The text of a header, with the parts that it includes from a folder of its name."""
    text = (folder / name).read_text(encoding="utf-8")
    return re.sub(rf'^#include "({pathlib.Path(name).stem}/\w+\.h)"$',
                  lambda match: (folder / match[1]).read_text(encoding="utf-8"), text, flags=re.M)


class Writer:
    """Writes the module."""

    def __init__(self, headers, regions, contract):
        self.headers, self.regions, self.outputs = headers, regions, contract.outputs
        self.numbers = {struct: {option.name: option for option in contract.options[message]} for struct, message in MESSAGES.items()}
        self.aliases, self.enums, self.structs, self.constants = {}, {}, {}, {}
        self.opaque, self.callbacks, self.comments = set(), {}, {}
        for header in headers.values():
            for own, theirs in ((self.aliases, header.aliases), (self.enums, header.enums), (self.structs, header.structs),
                                (self.constants, header.constants), (self.callbacks, header.callbacks),
                                (self.comments, header.comments)):
                own.update(theirs)
            self.opaque.update(header.opaque)

    # -- Types

    def ctype(self, declaration):
        """The type of a member, a parameter or a result in ctypes."""
        if declaration.function:
            return self.function_type(declaration)
        name, pointers = declaration.type, declaration.pointers
        if name in self.callbacks:
            return name
        if declaration.length == "":
            pointers += 1
        if name == "void":
            base, pointers = ("None" if pointers == 0 else "c_void_p"), max(0, pointers - 1)
        elif name == "char" and pointers:
            base, pointers = "c_char_p", pointers - 1
        elif name in self.opaque and pointers:
            base, pointers = "c_void_p", pointers - 1
        elif name in self.structs:
            base = name
        elif scalar := SCALARS.get(self.aliases.get(name, name)):
            base = scalar[0]
        else:
            raise Problem(f"the type {name} is unknown: add it to SCALARS.")
        result = f"{'POINTER(' * pointers}{base}{')' * pointers}"
        if declaration.length:
            length = declaration.length
            result += f" * {length if length.isdigit() else self.constants[length]}"
        return result

    def function_type(self, declaration):
        types = [self.ctype(Declaration(f"{declaration.type} result"))] + [self.ctype(one) for one in declaration.parameters]
        return f"CFUNCTYPE({', '.join(types)})"

    def annotation(self, declaration):
        if declaration.function or declaration.length or declaration.pointers:
            return "Any"
        if scalar := SCALARS.get(self.aliases.get(declaration.type, declaration.type)):
            return scalar[1]
        return declaration.type

    def class_name(self, typedef):
        return "".join(word.capitalize() for word in typedef.split("_")[1:])

    def member_names(self, typedef):
        """The enum's names without what all of them begin with."""
        names = list(self.enums[typedef])
        prefix = typedef.upper() + "_"
        if not all(name.startswith(prefix) for name in names):
            prefix = re.match(r"(?:[A-Z0-9]+_)*", common_start(names))[0]
        if any(name[len(prefix)].isdigit() for name in names):  # which Python's names do not begin with
            prefix = prefix[:prefix[:-1].rindex("_") + 1]
        return {name[len(prefix):]: self.enums[typedef][name] for name in names}

    # -- Options

    def conversion(self, struct, member):
        """(keyword, code, type) of a member that a caller may set; None for others."""
        counts = {count_of(struct, one): one for one in struct}
        if NOT_OPTIONS.fullmatch(member.name) or member.function or member.name in counts:
            return None
        kind = member.type
        if kind in self.enums:
            enum = self.class_name(kind)
            if member.length:
                return member.name, f"enums:{enum}", f"Sequence[Union[{enum}, {enum}Name]]"
            return member.name, f"enum:{enum}", f"Union[{enum}, {enum}Name]"
        if kind in self.structs and not member.pointers:
            if any(one.name == "struct_size" for one in self.structs[kind]):
                return None
            count = len(self.structs[kind])
            return member.name, "floats", f"Tuple[{', '.join(['float'] * count)}]"
        if kind in self.structs and member.pointers == 1 and (count := count_of(struct, member)):
            numbers = ", ".join(["float"] * len(self.structs[kind]))
            return member.name, f"structs:{kind}:{count}", f"Sequence[Tuple[{numbers}]]"
        if kind == "char" and member.pointers == 1:
            return member.name, "text", "str"
        if kind in self.opaque | set(self.structs) and member.pointers == 1:
            return member.name, "object", '"' + self.class_name(kind) + '"'
        if kind == "float" and member.length:
            return member.name, "numbers", "Dict[int, float]"
        if member.pointers or member.length:
            return None
        if kind == "face_draw_colour":
            return member.name, "colour", COLOUR
        scalar = SCALARS[self.aliases.get(kind, kind)]
        if member.name.endswith("_ns"):
            return member.name[:-3], f"seconds:{member.name}", "float"
        return member.name, scalar[0][2:], scalar[1]

    def default(self, struct, member, code):
        """What the contract or the comment gives as default, as a caller would write it; None where that is no value."""
        if option := self.numbers.get(struct, {}).get(member.name):
            return plain_number(option.default / (1e9 if option.kind == "nanoseconds" else 1))
        found = re.search(r"\bdefault (-?[\w.]+)((?:, [\d.]+)*)|([\d.]+), the default", member.comment, re.I)
        word = found and (found[1] or found[3]).rstrip(".")
        kind, _, enum = code.partition(":")
        if not word or kind in ("object", "numbers", "enums", "structs", "text"):
            return None
        if kind == "enum":
            return next((name.lower() for name, number in self.member_names(self.typedef_of(enum)).items()
                         if word.upper() == name or self.constants.get(word) == number), None)
        if kind == "floats":
            return tuple(map(float, [word, *re.findall(r"[\d.]+", found[2])])) if found[2] else None
        if word in self.constants:
            return self.constants[word]
        if kind == "colour":
            return int(word, 16) if word.startswith("0x") else None
        return plain_number(float(word)) if re.fullmatch(r"-?[\d.]+", word) else None

    def typedef_of(self, enum):
        return next(typedef for typedef in self.enums if self.class_name(typedef) == enum)

    def python_text(self, text):
        """A comment of C in Python's names."""
        for typedef, names in self.enums.items():
            for name, short in zip(names, self.member_names(typedef)):
                shown = self.class_name(f"_{short.lower()}") + "Error" if typedef == "face_status" else f'"{short.lower()}"'
                text = re.sub(rf"\b{name}\b", shown, text)
        return re.sub(r"\bFACE_(?:DRAW_)?(?=[A-Z])", "", re.sub(r"\b(?!timestamp)(\w+)_ns\b", r"\1", text.replace("NULL", "None")))

    def keywords(self, struct):
        members = self.structs[struct]
        for member in members:
            if member.type == "face_outputs":
                for place, output in enumerate(self.outputs):
                    yield Keyword(output.name, f"output:{1 << place}", "bool", False, self.python_text(output.text))
            elif found := self.conversion(members, member):
                text = self.python_text(member.comment)
                if found[1].startswith("seconds"):
                    text = f"In seconds; {text}"
                yield Keyword(*found, self.default(struct, member, found[1]), text[:1].upper() + text[1:])

    def options(self):
        for name in self.structs:
            if name.endswith(("options", "style")):
                yield name, list(self.keywords(name))

    # -- Parts of the file

    def text(self):
        parts = [self.head(), self.part_enums(), self.part_constants(), self.part_structs(), self.part_functions(),
                 self.part_options()]
        text = "\n\n".join(parts) + "\n"
        names = sorted(set(re.findall(r"\b(?:CFUNCTYPE|POINTER|Structure|c_\w+)\b", text)))
        wrapped = textwrap.wrap(", ".join(names) + ")", 120 - len(IMPORT))
        return text.replace("@CTYPES@", IMPORT + ("\n" + " " * len(IMPORT)).join(wrapped))

    def head(self):
        return textwrap.dedent('''\
            """The C interface as ctypes. Generated by Tools/generate-python.py from the headers; do not edit."""

            # ruff: noqa
            from __future__ import annotations

            @CTYPES@
            from enum import IntEnum
            from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Sequence, Tuple, Union

            if TYPE_CHECKING:
                from typing_extensions import Literal, TypedDict

                from ._control import Canceller
                from ._spaces import Space


            class Option(NamedTuple):
                """A keyword that sets a member of a struct."""

                code: str
                """How it is converted: see _options.py."""
                type: str
                default: Any
                """None where `text` says it."""
                text: str
            ''')

    def part_enums(self):
        lines = []
        for typedef in self.enums:
            lines += [f"class {self.class_name(typedef)}(IntEnum):", *docstring(self.comments.get(typedef, typedef)), ""]
            lines += [f"    {name} = {value}" for name, value in self.member_names(typedef).items()]
            lines += ["", ""]
        lines += ["if TYPE_CHECKING:"]
        for typedef in self.enums:
            lines += textwrap.wrap(f"{self.class_name(typedef)}Name = {self.literal(typedef)}", 120, initial_indent="    ",
                                   subsequent_indent="        ")
        return "\n".join(lines) + "\n"

    def literal(self, typedef):
        return "Literal[" + ", ".join(f'"{name.lower()}"' for name in self.member_names(typedef)) + "]"

    def part_constants(self):
        in_enums = {name for members in self.enums.values() for name in members}
        lines = [f"{name} = {hex(value) if name.startswith(('FACE_OUTPUT', 'FACE_VALID', 'FACE_DRAW')) else value}"
                 for name, value in self.constants.items() if name not in in_enums]
        outputs = ", ".join(f'"{output.name}": {hex(1 << place)}' for place, output in enumerate(self.outputs))
        return "\n".join(lines + ["", "# What can be measured of each face, with its bit.",
                                  *textwrap.wrap(f"OUTPUTS: Dict[str, int] = {{{outputs}}}", 120, subsequent_indent="    "), "",
                                  "# Which landmarks belong to each part of the face, in drawing order.",
                                  "REGIONS: Dict[Region, Tuple[int, ...]] = {", *self.region_lines(), "}", ""])

    def region_lines(self):
        for name in self.member_names("face_region"):
            if name in self.regions:
                points = f"    Region.{name}: ({', '.join(map(str, self.regions[name]))},),"
                yield from textwrap.wrap(points, 120, initial_indent="    ", subsequent_indent="        ")

    def part_structs(self):
        lines = []
        for name, callback in self.callbacks.items():
            lines += [f"{name} = {self.function_type(callback)}", ""]
        lines.append("")
        for name in self.ordered_structs():
            members = self.structs[name]
            lines += [f"class {name}(Structure):", *docstring(first_sentence(self.comments.get(name) or name)), ""]
            lines += [f"    {member.name}: {self.annotation(member)}" for member in members]
            lines += ["    _fields_ = ["] + [f'        ("{member.name}", {self.ctype(member)}),' for member in members]
            lines += ["    ]", "", ""]
        return "\n".join(lines).rstrip() + "\n"

    def ordered_structs(self):
        """Each after those it has members of."""
        done, order = set(), []

        def visit(name):
            if name in done:
                return
            done.add(name)
            for member in self.structs[name]:
                for one in [member] + (member.parameters if member.function else []):
                    if one.type in self.structs:
                        visit(one.type)
            order.append(name)

        for name in self.structs:
            visit(name)
        return order

    def part_functions(self):
        lines = []
        for key, header in self.headers.items():
            lines += [f"# The functions of {HEADERS[key]}: the type of the result, and those of the arguments.",
                      f"{key.upper()}_FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {{"]
            for name, (result, parameters) in header.functions.items():
                types = "".join(f"{self.ctype(one)}, " for one in parameters).rstrip()
                lines.append(f'    "{name}": ({self.ctype(result)}, ({types})),')
            lines += ["}", ""]
        return "\n".join(lines)

    def part_options(self):
        lines = ["# The keywords of each struct.", "OPTIONS: Dict[str, Dict[str, Option]] = {"]
        typed = []
        for struct, keywords in self.options():
            lines.append(f'    "{struct}": {{')
            name = "DetectOptions" if struct == "face_options" else self.class_name(struct)
            typed += ["", f"    class {name}(TypedDict, total=False):", *docstring(first_sentence(self.comments[struct]), 8), ""]
            for keyword in keywords:
                lines += [f'        "{keyword.name}": Option(',
                          f"            {keyword.code!r}, {self.shown_type(keyword.type)!r}, {keyword.default!r},"]
                text = textwrap.wrap(keyword.text, 100) or [""]
                lines += [f"            {line!r}" for line in [*(line + "\n" for line in text[:-1]), text[-1]]]
                lines[-1] += "),"
                typed.append(f"        {keyword.name}: {keyword.type}")
                typed += docstring(keyword.text, 8) if keyword.text else []
            lines.append("    },")
        return "\n".join(lines + ["}", "", "if TYPE_CHECKING:"] + typed[1:])

    def shown_type(self, text):
        """With the names of enumerations themselves, for help()."""
        text = text.replace('"', "")
        return re.sub(r"\b(\w+)Name\b", lambda match: self.literal(self.typedef_of(match[1])), text).replace('"', "'")


def plain_number(number):
    return int(number) if number == int(number) else number


def common_start(names):
    first, last = min(names), max(names)
    length = next((place for place, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))
    return first[:length]


def first_sentence(text):
    match = re.match(r".*?[.:](?=\s|$)", text)
    return (match[0] if match else text).rstrip(":.") + "."


def docstring(text, indent=4):
    text = text.replace("\\", "\\\\").replace('"', "'")
    return [" " * indent + line for line in textwrap.wrap(f'"""{text[:1].upper()}{text[1:]}"""', 120 - indent)]


def main(arguments=None):
    """The exit code. Tools/generate calls this, too."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare with the committed file")
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "include", help="the folder of the headers")
    parser.add_argument("--output", type=pathlib.Path, default=OUTPUT)
    options = parser.parse_args(arguments)
    try:
        headers = {key: Header(with_parts(options.include, name)) for key, name in HEADERS.items()}
        regions = regions_of((ROOT / FACES).read_text(encoding="utf-8"))
        text = Writer(headers, regions, Contract()).text()
    except Problem as problem:
        print(f"generate-python: {problem}", file=sys.stderr)
        return 1
    if not options.check:
        options.output.write_text(text, encoding="utf-8")
        return 0
    committed = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
    if text == committed:
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        committed.splitlines(True), text.splitlines(True), str(options.output), "made of the headers"))
    print(f"generate-python: {options.output.name} does not fit the headers: run Tools/generate-python.py.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
