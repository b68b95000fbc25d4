"""Prints _abi.py of Bindings/Python/faceengine: structs, constants, prototypes and keywords of options; and _keywords.py, the
keywords for type checkers, which name classes of modules that need _abi.py."""

import re
import textwrap

from contract import ROOT, Problem
from document import read, type_parts

OUTPUT = ROOT / "Bindings/Python/faceengine/_abi.py"
KEYWORDS = OUTPUT.with_name("_keywords.py")
LIBRARIES = {"face": "face_engine.h", "draw": "face_engine_draw.h"}

# How C's types are called in ctypes, and for a type checker.
SCALARS = {
    "uint32_t": ("c_uint32", "int"),
    "int32_t": ("c_int32", "int"),
    "uint64_t": ("c_uint64", "int"),
    "size_t": ("c_size_t", "int"),
    "float": ("c_float", "float"),
    "int": ("c_int", "int"),
    "double": ("c_double", "float"),
    "uint8_t": ("c_uint8", "int"),
    "uint16_t": ("c_uint16", "int"),
    "int64_t": ("c_int64", "int"),
    "char": ("c_char", "bytes"),
}
# What comments name, by what a program in Python calls.
CALLS = {
    "face_detect": "`Engine.detect`",
    "face_connect_with": "`connect`",
    "face_session_follow": "`Session.follow`",
    "face_session_best": "`Session.best`",
    "on_best": "`BestPicture`",
    "face_check_restart": "`Session.restart`",
    "face_iso_measure": "`IsoMeasure`",
    "face_draw_colour_of_id": "`draw.colour_of_id`",
    "face_draw_landmarks": "landmarks",
}
COLOUR = "Union[int, str, Tuple[int, int, int], Tuple[int, int, int, int]]"
IMPORT = "from ctypes import ("


def files(contract=None):
    writer = Writer(contract or read())
    return {OUTPUT: writer.text(), KEYWORDS: writer.keywords_text()}


def value_name(value):
    """The short name; Python has none that begins with a digit."""
    return re.sub(
        r"^CONSTELLATION_(?:(\d+)_)?(\w+)$",
        lambda match: f"{match[2]}_{match[1]}" if match[1] else match[2],
        value["short"],
    )


def class_name(typedef):
    return "".join(word.capitalize() for word in typedef.split("_")[1:])


class Writer:
    """Writes the module."""

    def __init__(self, contract):
        self.outputs, self.regions, self.constellations = (
            contract["outputs"],
            contract["regions"],
            contract["constellations"],
        )
        self.version, c = contract["version"], contract["c"]
        self.constants, self.aliases, self.enums, self.opaque = (
            c["constants"],
            c["aliases"],
            c["enumerations"],
            c["opaque"],
        )
        self.callbacks, self.structs, self.functions = c["callbacks"], c["structs"], c["functions"]

    # -- Types

    def ctype(self, written):
        """A type of C in ctypes."""
        if isinstance(written, list):
            return f"CFUNCTYPE({', '.join(map(self.ctype, written))})"
        name, pointers, length = type_parts(written)
        if name in self.callbacks:
            return name
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
        return f"{'POINTER(' * pointers}{base}{')' * pointers}" + (f" * {length}" if length else "")

    def annotation(self, written):
        name = self.aliases.get(written, written) if isinstance(written, str) else ""
        if name in self.structs:
            return name
        return SCALARS[name][1] if name in SCALARS else "Any"

    # -- Options

    def keyword(self, member):
        """(name, code, type) of the keyword that sets a member: the code is how _options.py converts it."""
        name, kind = member["name"], member["kind"]
        base, _, _ = type_parts(member["type"])
        enum, numbers = class_name(base), ", ".join(["float"] * len(self.structs.get(base, {"members": ()})["members"]))
        if kind in ("number", "switch"):
            ctype, shown = SCALARS[self.aliases.get(base, base)]
            return name, ctype[2:], shown
        if kind == "seconds":
            return name[: -len("_ns")], f"seconds:{name}", "float"
        return name, *{
            "enum": (f"enum:{enum}", f"Union[{enum}, {enum}Name]"),
            "enums": (f"enums:{enum}", f"Sequence[Union[{enum}, {enum}Name]]"),
            "floats": ("floats", f"Tuple[{numbers}]"),
            "structs": (f"structs:{base}:{member.get('count')}", f"Sequence[Tuple[{numbers}]]"),
            "text": ("text", "str"),
            "object": ("object", f'"{enum}"'),
            "numbers": ("numbers", "Dict[int, float]"),
            "colour": ("colour", COLOUR),
        }[kind]

    def python_text(self, text):
        """A comment of C in Python's names."""
        for typedef, enum in self.enums.items():
            for value in enum["values"]:
                short = value_name(value).lower()
                shown = class_name(f"_{short}") + "Error" if typedef == "face_status" else f'"{short}"'
                text = re.sub(rf"\b{value['name']}\b", shown, text)
        for name, shown in CALLS.items():
            text = re.sub(rf"\b{name}\b", shown, text)
        text = re.sub(r"\bFACE_(?:OUTPUT|VALID)_(\w+)\b", lambda match: f"`{match[1].lower()}`", text)
        text = re.sub(r"\bface_(?:info|image|(?:\w+_)?options)\.(\w+)", r"`\1`", text)
        text = re.sub(r"\b(?!timestamp)(\w+)_ns\b", r"\1", text.replace("NULL", "None"))
        return re.sub(r"\bFACE_(?:DRAW_)?(?=[A-Z])", "", text)

    def keywords(self, struct):
        """(name, code, type, default, text) of each keyword; the default is None where the text says it in words."""
        for member in self.structs[struct]["members"]:
            if member.get("kind") == "outputs":
                for output in self.outputs:
                    yield output["name"], f"output:{output['bit']}", "bool", False, self.python_text(output["text"])
            elif "kind" in member:
                text = self.python_text(member.get("text", ""))
                if member["kind"] == "seconds":
                    text = f"In seconds; {text}"
                default = member.get("default")
                yield (
                    *self.keyword(member),
                    tuple(default) if isinstance(default, list) else default,
                    text[:1].upper() + text[1:],
                )

    def options(self):
        for name in self.structs:
            if name.endswith(("options", "style")):
                yield name, list(self.keywords(name))

    # -- Parts of the file

    def text(self):
        parts = [
            self.head(),
            self.part_enums(),
            self.part_constants(),
            self.part_structs(),
            self.part_functions(),
            self.part_options(),
        ]
        text = "\n\n".join(parts) + "\n"
        names = sorted(set(re.findall(r"\b(?:CFUNCTYPE|POINTER|Structure|c_\w+)\b", text)))
        wrapped = textwrap.wrap(", ".join(names) + ")", 120 - len(IMPORT))
        return text.replace("@CTYPES@", IMPORT + ("\n" + " " * len(IMPORT)).join(wrapped))

    def head(self):
        return textwrap.dedent('''\
            """The C interface as ctypes. Generated by Tools/generate from Proto/contract.json; do not edit."""

            # ruff: noqa
            from __future__ import annotations

            @CTYPES@
            from enum import IntEnum
            from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Tuple

            if TYPE_CHECKING:
                from typing_extensions import Literal


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
        for typedef, enum in self.enums.items():
            lines += [
                f"class {class_name(typedef)}(IntEnum):",
                *docstring(self.python_text(enum.get("text", typedef))),
                "",
            ]
            lines += [f"    {value_name(value)} = {value['number']}" for value in enum["values"]]
            lines += ["", ""]
        lines += ["if TYPE_CHECKING:"]
        for typedef in self.enums:
            lines += textwrap.wrap(
                f"{class_name(typedef)}Name = {self.literal(typedef)}",
                120,
                initial_indent="    ",
                subsequent_indent="        ",
            )
        return "\n".join(lines) + "\n"

    def literal(self, typedef):
        return "Literal[" + ", ".join(f'"{value_name(value).lower()}"' for value in self.enums[typedef]["values"]) + "]"

    def part_constants(self):
        lines = [
            f"{name} = {hex(value) if name.startswith(('FACE_OUTPUT', 'FACE_VALID', 'FACE_DRAW')) else value}"
            for name, value in self.constants.items()
        ]
        outputs = ", ".join(f'"{output["name"]}": {hex(output["bit"])}' for output in self.outputs)
        lines.insert(0, f'VERSION = "{self.version}"')
        return "\n".join(
            lines
            + [
                "",
                "# What can be measured of each face, with its bit.",
                *textwrap.wrap(f"OUTPUTS: Dict[str, int] = {{{outputs}}}", 120, subsequent_indent="    "),
                "",
                "# Which landmarks belong to each part of the face, in drawing order.",
                "REGIONS: Dict[Region, Tuple[int, ...]] = {",
                *self.region_lines(self.regions),
                "}",
                "",
                "# Which points smaller sets have: each between two points of the mesh, by which share from the first one.",
                "CONSTELLATIONS: Dict[Constellation, Dict[Region, Tuple[Tuple[int, int, float], ...]]] = {",
                *(
                    line
                    for size, regions in self.constellations.items()
                    for line in [
                        f"    Constellation.POINTS_{size}: {{",
                        *(f"    {one}" for one in self.region_lines(regions)),
                        "    },",
                    ]
                ),
                "}",
                "",
            ]
        )

    def region_lines(self, known):
        regions = {
            re.sub("([A-Z])", r"_\1", name).upper(): [
                str(point).replace("[", "(").replace("]", ")") for point in region["points"]
            ]
            for name, region in known.items()
        }
        for value in self.enums["face_region"]["values"]:
            if numbers := regions.get(value["short"]):
                points = f"    Region.{value['short']}: ({', '.join(numbers)},),"
                yield from textwrap.wrap(points, 116, initial_indent="    ", subsequent_indent="        ")

    def part_structs(self):
        lines = []
        for name, callback in self.callbacks.items():
            lines += [f"{name} = {self.ctype(callback)}", ""]
        lines.append("")
        for name in self.ordered_structs():
            members = self.structs[name]["members"]
            lines += [
                f"class {name}(Structure):",
                *docstring(self.python_text(first_sentence(self.structs[name].get("text", name)))),
                "",
            ]
            lines += [f"    {member['name']}: {self.annotation(member['type'])}" for member in members]
            lines += ["    _fields_ = ["] + [
                f'        ("{member["name"]}", {self.ctype(member["type"])}),' for member in members
            ]
            lines += ["    ]", "", ""]
        return "\n".join(lines).rstrip() + "\n"

    def ordered_structs(self):
        """Each after those it has members of."""
        done, order = set(), []

        def visit(name):
            if name in done or name not in self.structs:
                return
            done.add(name)
            for member in self.structs[name]["members"]:
                for written in member["type"] if isinstance(member["type"], list) else [member["type"]]:
                    visit(type_parts(written)[0])
            order.append(name)

        for name in self.structs:
            visit(name)
        return order

    def part_functions(self):
        lines = []
        for key, functions in self.functions.items():
            lines += [
                f"# The functions of {LIBRARIES[key]}: the type of the result, and those of the arguments.",
                f"{key.upper()}_FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {{",
            ]
            for name, (result, *parameters) in functions.items():
                types = "".join(f"{self.ctype(one)}, " for one in parameters).rstrip()
                lines.append(f'    "{name}": ({self.ctype(result)}, ({types})),')
            lines += ["}", ""]
        return "\n".join(lines)

    def part_options(self):
        lines = ["# The keywords of each struct.", "OPTIONS: Dict[str, Dict[str, Option]] = {"]
        for struct, keywords in self.options():
            lines.append(f'    "{struct}": {{')
            for keyword, code, kind, default, text in keywords:
                lines += [
                    f'        "{keyword}": Option(',
                    f"            {code!r}, {self.shown_type(kind)!r}, {default!r},",
                ]
                wrapped = textwrap.wrap(text, 100) or [""]
                lines += [f"            {line!r}" for line in [*(line + "\n" for line in wrapped[:-1]), wrapped[-1]]]
                lines[-1] += "),"
            lines.append("    },")
        return "\n".join(lines + ["}"])

    def keywords_text(self):
        lines = []
        for struct, keywords in self.options():
            name = "DetectOptions" if struct == "face_options" else class_name(struct)
            lines += [
                "",
                f"    class {name}(TypedDict, total=False):",
                *docstring(first_sentence(self.structs[struct]["text"]), 8),
                "",
            ]
            for keyword, _, kind, _, text in keywords:
                lines.append(f"        {keyword}: {kind}")
                lines += docstring(text, 8) if text else []
        own = set(re.findall(r"\b[A-Z]\w+\b", "\n".join(line for line in lines if re.match(r" {8}\w+: ", line))))
        names = sorted(
            own & {one for typedef in self.enums for one in (class_name(typedef), class_name(typedef) + "Name")}
        )
        imported = textwrap.wrap(", ".join(names) + ")", 120 - 12)
        return (
            textwrap.dedent('''\
            """The keywords of options, for type checkers. Generated by Tools/generate from Proto/contract.json; do not edit."""

            # ruff: noqa
            from __future__ import annotations

            from typing import TYPE_CHECKING, Dict, Sequence, Tuple, Union

            if TYPE_CHECKING:
                from typing_extensions import TypedDict

                from ._abi import (@NAMES@
                from ._control import Canceller
                from ._spaces import Space
            ''').replace("@NAMES@", ("\n" + " " * 8).join(["", *imported]).rstrip())
            + "\n".join(lines)
            + "\n"
        )

    def shown_type(self, text):
        """With the names of enumerations themselves, for help()."""
        literals = {f"{class_name(typedef)}Name": self.literal(typedef) for typedef in self.enums}
        return re.sub(r"\b\w+Name\b", lambda match: literals[match[0]], text.replace('"', "")).replace('"', "'")


def first_sentence(text):
    match = re.match(r".*?[.:](?=\s|$)", text)
    return (match[0] if match else text).rstrip(":.") + "."


def docstring(text, indent=4):
    text = text.replace("\\", "\\\\").replace('"', "'")
    return [" " * indent + line for line in textwrap.wrap(f'"""{text[:1].upper()}{text[1:]}"""', 120 - indent)]
