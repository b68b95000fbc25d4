"""Reads the public C headers: the compiler says what they declare, and their comments say what it means.

Types are written as in `char**` and `uint32_t[4]`, without const; a function as the list of its result and its arguments.

A comment is for people. In that of a member, these words are for programs, too:

  FACE_VALID_X: …   at the beginning: the bit that says whether the member is known
  default 5         its default: a number, a constant, or the name of a value
  16 to 8192        its range
  1: …              what a member does that is on; it is a switch, unless it has a range
  by face_x         the enumeration that numbers the elements of an array of floats
  FACE_X            the name of a constant with all bits set, which is a value of its own
  In C, …           a sentence only for C; texts of other languages leave it out
  Since 0.3.        the version that it came with, if that is not the first release; of a value, too"""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from contract import FIRST, ROOT, SECOND, Problem
from document import type_parts

HEADERS = {"face": "face_engine.h", "draw": "face_engine_draw.h"}
# The message of the contract that has the numbers and switches of a struct.
MESSAGES = {
    "face_options": "DetectOptions",
    "face_session_options": "Tracking",
    "face_check_options": "CheckOptions",
    "face_visit_options": "VisitOptions",
}
# What a caller sets through arguments of other names, or what the library sets itself.
NOT_OPTIONS = re.compile(r"struct_size|reserved\w*|options")
COMMENT = r"/\*((?:(?!\*/)[\s\S])*)\*/"


def read(contract, folder=ROOT / "include"):
    """What contract.json says of C."""
    texts = {key: with_parts(folder, name) for key, name in HEADERS.items()}
    text = "\n".join(texts.values())
    tree = syntax_tree(folder)
    found = {
        "constants": {},
        "aliases": {},
        "enumerations": {},
        "opaque": [],
        "callbacks": {},
        "structs": {},
        "functions": {key: {} for key in HEADERS},
        "verdicts": [],
    }
    type_texts, value_texts = comments_of_types(text), comments_of_values(text)
    for node, before in zip(tree, [{}, *tree]):
        name, kind = node.get("name", ""), node["kind"]
        if kind == "EnumDecl" and before.get("name", "").startswith("face_"):
            values = enumerators(node)
            found["enumerations"][before["name"]] = {
                "text": type_texts.get(before["name"], ""),
                "values": [
                    {
                        "name": value,
                        "short": short,
                        "number": values[value],
                        "text": value_texts.get(value, ""),
                        "since": since(value_texts.get(value, "")),
                    }
                    for value, short in zip(values, short_names(before["name"], list(values)))
                ],
            }
        elif not name.startswith("face_"):
            continue
        elif kind == "RecordDecl" and node.get("completeDefinition"):
            found["structs"][name] = {"text": type_texts.get(name, ""), "members": members_of(node, text)}
        elif kind == "TypedefDecl" and "(*)" in node["type"]["qualType"]:
            found["callbacks"][name] = type_of(node)
        elif kind == "TypedefDecl" and "struct" not in node["type"]["qualType"]:
            found["aliases"][name] = type_of(node)
        elif kind == "TypedefDecl":
            found["opaque"].append(name)
        elif kind == "FunctionDecl" and node.get("inline"):
            found["verdicts"] += verdict(node, text)
        elif kind == "FunctionDecl":
            key = "face" if re.search(rf"^FACE_API [^;(]*\b{name}\(", texts["face"], re.M) else "draw"
            found["functions"][key][name] = type_of(node)
    found["opaque"] = [name for name in found["opaque"] if name not in found["structs"]]
    measure(found, text, folder)
    found["marks"] = [
        {
            "name": name,
            "short": name.removeprefix("FACE_DRAW_"),
            "bit": found["constants"][name],
            "text": plain_comment(comment),
        }
        for name, comment in re.findall(rf"^#define (FACE_DRAW_\w+) 0x\w+ +{COMMENT}", text, re.M)
    ]
    for name, struct in found["structs"].items():
        describe(found, contract, name, struct["members"])
    return found


def with_parts(folder, name):
    """The text of a header, with the parts that it includes from a folder of its name."""
    text = (folder / name).read_text(encoding="utf-8")
    return re.sub(
        rf'^#include "({pathlib.Path(name).stem}/\w+\.h)"$',
        lambda match: (folder / match[1]).read_text(encoding="utf-8"),
        text,
        flags=re.M,
    )


def plain_comment(text):
    """A comment as one line, without its drawings and code, which are indented, and without the sentences that are only for C."""
    text = re.sub(r"^ \*(?:\n \* {5}.*)+$", "", text, flags=re.M)
    text = " ".join(re.sub(r"^\s*\*? ?", "", text, flags=re.M).split())
    return re.sub(r"(?:^|(?<=[.:;]) )In C, .*?\.(?= |$)", "", text).strip()


# -- Declarations


def syntax_tree(folder):
    """The declarations of clang's syntax tree, which is the clang beside Swift."""
    swift = shutil.which("swift")
    beside = pathlib.Path(swift).resolve().parent / "clang" if swift else pathlib.Path("clang")
    clang = str(beside) if beside.exists() else "clang"
    return json.loads(compiled(folder, "", clang, "-fsyntax-only", "-Xclang", "-ast-dump=json"))["inner"]


def compiled(folder, text, *command):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write("".join(f'#include "{name}"\n' for name in HEADERS.values()) + text)
        source.flush()
        try:
            run = subprocess.run([*command, f"-I{folder}", source.name], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise Problem(f"{command[0]} is not installed; run Tools/setup/toolchain.sh") from None
    if run.returncode:
        raise Problem(run.stderr.strip())
    return run.stdout


def type_of(node):
    text = re.sub(r"\b(?:const|struct)\b|\s", "", node["type"]["qualType"])
    if function := re.fullmatch(r"([^(]+)(?:\(\*\))?\((.*)\)", text):
        return [function[1], *(function[2].split(",") if function[2] != "void" else [])]
    return text


def enumerators(node):
    values, following = {}, 0
    for value in node["inner"]:
        number = int(value["inner"][0]["value"]) if "inner" in value else following
        values[value["name"]], following = number, number + 1
    return values


def short_names(typedef, names):
    """The names without what all of them begin with."""
    prefix = typedef.upper() + "_"
    if not all(name.startswith(prefix) for name in names):
        first, last = min(names), max(names)
        length = next((place for place, (a, b) in enumerate(zip(first, last)) if a != b), min(len(first), len(last)))
        prefix = re.match(r"(?:[A-Z0-9]+_)*", first[:length])[0]
    if any(name[len(prefix)].isdigit() for name in names):  # which names of other languages do not begin with
        prefix = prefix[: prefix[:-1].rindex("_") + 1]
    return [name[len(prefix) :] for name in names]


def members_of(node, text):
    body = re.search(rf"^(?:typedef )?struct {node['name']} \{{$(.*?)^\}}", text, re.S | re.M)[1]
    comments = comments_of_members(body)
    return [
        {"name": name, "type": type_of(member), "text": comments.get(name, ""), "since": since(comments.get(name, ""))}
        for member in node["inner"]
        for name in [member["name"]]
    ]


def since(text):
    found = re.search(r"\bSince (\d+\.\d+)\.", text)
    return found[1] if found else ""


def first(node, kind):
    """The first node of a kind in a tree, in the order of the text; None if there is none."""
    if node.get("kind") == kind:
        return node
    return next(filter(None, (first(inner, kind) for inner in node.get("inner", []))), None)


def verdict(node, text):
    """A list of an inline function that compares one member of a known face with a number, as `smile >= 0.5`; of others empty."""
    returned = first(node, "ReturnStmt")
    if type_of(node) != ["int", "face_info*"] or returned["inner"][0].get("opcode") != "&&":
        return []
    comparison = returned["inner"][0]["inner"][1]
    comment = re.search(rf"{COMMENT}\s*static inline int {node['name']}\(", text)
    return [
        {
            "name": node["name"].removeprefix("face_"),
            "member": first(comparison, "MemberExpr")["name"],
            "sign": comparison["opcode"],
            "limit": float(first(comparison, "FloatingLiteral")["value"]),
            "text": re.split("[,;]", plain_comment(comment[1]))[0].removeprefix("Returns "),
        }
    ]


def measure(found, text, folder):
    """Adds the values of the constants, and the sizes of structs with the offsets of their members, as a program prints them."""
    names = [name for name in re.findall(r"^#define[ \t]+(FACE_\w+)[ \t]+\S", text, re.M) if name != "FACE_API"]
    lines = [f"NUMBER({name})" for name in names]
    for name, struct in found["structs"].items():
        lines.append(f"NUMBER(sizeof(struct {name}))")
        lines += [f"NUMBER(offsetof(struct {name}, {member['name']}))" for member in struct["members"]]
    program = (
        '#include <stdio.h>\n#define NUMBER(n) printf(_Generic((n), float: "%f\\n", default: "%.0Lf\\n"), '
        "_Generic((n), float: (double)(n), default: (long double)(n)));\nint main(void) {\n"
        + "\n".join(lines)
        + "\n}\n"
    )
    with tempfile.TemporaryDirectory() as place:
        compiled(folder, program, "cc", "-o", f"{place}/program")
        printed = subprocess.run([f"{place}/program"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    numbers = iter(float(number) if "." in number else int(number) for number in printed)
    found["constants"] = {name: next(numbers) for name in names}
    for struct in found["structs"].values():
        struct["size"] = next(numbers)
        for member in struct["members"]:
            member["offset"] = next(numbers)


# -- Comments


def comments_of_types(text):
    """{name: the comment before its declaration}."""
    found = {}
    for comment, words in re.findall(rf"{COMMENT}\s*(?:typedef|struct) ([^;{{(]*)[;{{]", text):
        found[words.split()[-1]] = plain_comment(comment)
    return found


def comments_of_values(text):
    return {
        name: plain_comment(comment) for name, comment in re.findall(rf"^\s*(FACE_\w+) = \w+,? +{COMMENT}", text, re.M)
    }


def comments_of_members(body):
    """{name: the comment behind its declaration, or before that of a callback}, several of one declaration alike."""
    found = {name: plain_comment(comment) for comment, name in re.findall(rf"{COMMENT}\n  \w+ \(\*(\w+)\)\(", body)}
    for declared, comment in re.findall(rf"^  (\w[^;/()]*);[ \t]*(?:{COMMENT})?", body, re.M):
        for name in re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)", declared):
            found[name] = plain_comment(comment)
    return found


# -- What members mean


def describe(found, contract, struct, members):
    """Adds to each member what a program may do with it."""
    names = {member["name"] for member in members}
    options = {option.name: option for option in contract.options.get(MESSAGES.get(struct), [])}
    switches = {switch.name for switch in contract.switches.get(MESSAGES.get(struct), [])}
    for option in (*options.values(), *contract.switches.get(MESSAGES.get(struct), [])):
        if option.name not in names:
            raise Problem(
                f"{struct} has no member {option.name}: add the region c-options {MESSAGES[struct]} {option.since or FIRST} at its end, "
                "or a switch by hand"
            )
    counts = {member["name"]: count for member in members if (count := count_of(member, names))}
    for member in members:
        name, text = member["name"], member["text"]
        if known := re.match(r"FACE_VALID_(\w+)[:,]?\s*", text):
            member["known"], member["text"] = known[1].lower(), text[known.end() :]
        if NOT_OPTIONS.fullmatch(name) or name in counts.values() or not (kind := kind_of(found, member, counts)):
            continue
        member["kind"] = kind
        if name in counts:
            member["count"] = counts[name]
        if kind == "numbers" and (by := re.search(r"\bby (face_\w+)", text)):
            member["by"] = by[1]
        if kind == "number" and name in options:
            member["option"] = f"{MESSAGES[struct]}.{name}"
        elif kind == "number" and (name in switches or re.search(r"\b1: ", text) and not re.search(r"\d to \d", text)):
            member["kind"] = "switch"
        if special := [
            word for word in re.findall(r"\bFACE_[A-Z_]+", text) if found["constants"].get(word) == 2**32 - 1
        ]:
            member["special"] = special[0]
        if kind == "number" and name not in options and (bounds := re.search(r"(-?[\d.]*\d) to ([\d.]*\d)", text)):
            member["least"], member["most"] = (plain_number(float(number)) for number in bounds.groups())
        if (default := default_of(found, member, options.get(name))) is not None:
            member["default"] = default


def count_of(member, names):
    """The member that says how many there are: action_count of actions, box_count of boxes; None for one alone."""
    if not re.search(r"[*\]]", str(member["type"])):
        return None
    return next((name for end in (1, 2) if (name := f"{member['name'][:-end]}_count") in names), None)


def kind_of(found, member, counts):
    """What a caller sets: None for nothing."""
    if isinstance(member["type"], list):
        return None
    base, pointers, length = type_parts(member["type"])
    struct = found["structs"].get(base)
    sized = struct and struct["members"][0]["name"] == "struct_size"
    if base in found["enumerations"]:
        return "enums" if length else "enum"
    if struct and not pointers:
        return None if sized else "floats"
    if struct and pointers == 1 and member["name"] in counts:
        return "structs"
    if base == "char" and pointers == 1:
        return "text"
    if pointers == 1 and (struct or base in found["opaque"]):
        return "object"
    if base == "float" and length:
        return "numbers"
    if pointers or length:
        return None
    if base in ("face_outputs", "face_draw_colour"):
        return {"face_outputs": "outputs", "face_draw_colour": "colour"}[base]
    return "seconds" if member["name"].endswith("_ns") else "number"


def default_of(found, member, option):
    """The default as a caller writes it: seconds of a duration, the short name of a value; None where it is no such value."""
    if option:
        return plain_number(option.default / (SECOND if option.kind == "nanoseconds" else 1))
    match = re.search(r"\bdefault (-?[\w.]*\w)((?:, [\d.]+)*)", member["text"], re.I)
    kind, constants = member["kind"], found["constants"]
    if not match:
        return None
    if kind == "enum":
        values = found["enumerations"][member["type"]]["values"]
        return next(
            (value["short"].lower() for value in values if match[1] in (value["name"], value["short"].lower())), None
        )
    if kind == "floats":
        return [float(number) for number in match[0].split(" ", 1)[1].split(", ")] if match[2] else None
    if kind == "colour":
        return int(match[1], 16) if match[1].startswith("0x") else None
    if kind in ("number", "switch", "seconds"):
        return constants.get(match[1], plain_number(float(match[1])) if re.fullmatch(r"-?[\d.]+", match[1]) else None)
    return None


def plain_number(number):
    return int(number) if number == int(number) else number
