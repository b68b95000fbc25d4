"""Compares what the contract names with what each door has, and prints the table of docs/doors.md and the whole list beside it.

doors.json says in which files a door has its names, and how it writes them: a regular expression in which <snake>, <camel>, <kebab>,
<UPPER>, <flag> and <flagCamel> are the name, <enum> its enumeration at this door and <c> its constant of C. An expression without a
name in it stands for a door that asks the library, or the engine, for all names. Of several all are needed. What a door leaves out
is listed with a reason; "*" is all that the door lacks of a group, later too."""

import collections
import csv
import functools
import io
import json
import re
import textwrap

import java
import python
import swift
from contract import ROOT, Problem
from document import read

DATA = ROOT / "Tools/contract/doors.json"
PAGE, LIST = ROOT / "docs/doors.md", ROOT / "docs/doors.csv"
REGION, WIDTH = re.compile(r"(?<=<!-- made by Tools/generate -->\n).*?(?=<!-- end of the table -->)", re.S), 124
Name = collections.namedtuple("Name", "snake flag c typedef", defaults=("", "", ""))


def enums(door, typedef):
    """What a door calls an enumeration of C."""
    names = {"Java": java.ENUMS, "Swift": {c: name for part in swift.ENUMS.values() for c, name in part.items()}}.get(
        door
    )
    return names.get(typedef, "(?!)") if names else python.class_name(typedef)


def groups(contract, data):
    """{group: (kind, [Name])}: kinds are option, value, member and call."""
    c, found = contract["c"], {}
    structs = {name: struct["members"] for name, struct in c["structs"].items()}
    for struct, message in {
        "face_options": "DetectOptions",
        "face_session_options": "Tracking",
        "face_check_options": "CheckOptions",
        "face_visit_options": "VisitOptions",
    }.items():
        listed = [
            Name(one["name"], one.get("flag", ""))
            for one in contract["options"][message] + contract["switches"].get(message, [])
        ]
        found[f"{message}: numbers, switches"] = "option", listed
        found[f"{message}: others"] = (
            "option",
            [
                Name(one["name"])
                for one in structs[struct]
                if one.get("kind") not in (None, "outputs") and one["name"] not in [name.snake for name in listed]
            ],
        )
    for struct in data["options"]:
        found[struct] = "option", [Name(one["name"]) for one in structs[struct]]
    found["outputs"] = "option", [Name(one["name"], one.get("flag", "")) for one in contract["outputs"]]
    found["limits of the engine"] = (
        "option",
        [Name(one["name"], one.get("flag", "")) for one in contract["options"]["Limits"]],
    )
    for typedef, enum in c["enumerations"].items():
        if typedef not in data["plumbing"]:
            found[typedef] = (
                "value",
                [Name(value["short"].lower(), "", value["name"], typedef) for value in enum["values"]],
            )
    found["expressions"] = "value", [Name(name) for name in contract["expressions"]]
    found["texts of tips"] = "value", [Name(one["name"]) for one in contract["enumerations"]["Tip"]]
    found["mesh"] = "value", [Name("edges"), Name("triangles")]
    found["marks"] = "value", [Name(one["short"].lower(), "", one["name"]) for one in c["marks"]]
    for struct in ("face_info", "face_check"):
        found[struct] = "member", [Name(one["name"]) for one in structs[struct]]
    for message in ("DetectResponse", "ModelIdentity"):
        found[message] = "member", [Name(one["name"]) for one in contract["messages"][message]]
    found["events of a session"] = (
        "member",
        [Name(one["name"]) for one in structs["face_listener"] if one["name"].startswith("on_")],
    )
    found["calls"] = (
        "call",
        [
            Name(name)
            for functions in c["functions"].values()
            for name in functions
            if name in data["calls"] or not re.search(data["no call"], name)
        ],
    )
    return {
        group: (kind, [name for name in names if not {name.snake, f"{group}.{name.snake}"} & set(data["plumbing"])])
        for group, (kind, names) in found.items()
    }


def forms(name, door, group, spelled):
    """{placeholder: what stands for it}."""
    plain = re.sub("_ns$", "", name.snake)
    camel = java.camel(plain) if "_" in plain.strip("_") else plain
    flag = name.flag or plain.replace("_", "-")
    made = {
        "snake": plain,
        "camel": camel,
        "kebab": plain.replace("_", "-"),
        "UPPER": plain.upper(),
        "flag": flag,
        "flagCamel": java.camel(flag.replace("-", "_")),
        "c": name.c,
        "enum": enums(door, name.typedef) if name.typedef else "",
    }
    if other := spelled.get(f"{group}.{name.snake}", spelled.get(name.snake)):
        made |= dict.fromkeys(("snake", "camel", "kebab", "UPPER", "flag"), other)
    return made


def has(door, kind, group, name, data, texts):
    """Whether a door has a name; None if doors.json does not say how the door would write it."""
    ways = data["doors"][door]["ways"]
    if kind == "call":
        way = data["calls"].get(name.snake, {}).get(door, ways.get("call"))
    else:
        way = ways.get(group, ways.get(kind))
    if way is None:
        return None
    made = forms(name, door, group, data["doors"][door].get("spelled", {}))
    for expression in [way] if isinstance(way, str) else way:
        used = [text for placeholder, text in made.items() if f"<{placeholder}>" in expression]
        for placeholder, text in made.items():
            expression = expression.replace(f"<{placeholder}>", text)
        # Most files lack even the bare name, and are soon done with.
        if not any(re.search(expression, text, re.M) for text in texts if not used or any(one in text for one in used)):
            return False
    return True


def compared(contract, data):
    """({(group, name): {door: True, or the reason why not}}, sentences about what is wrong)."""
    found, wrong, used = {}, [], set()
    reasons = {
        (one["door"], group, name): one["reason"]
        for one in data["left out"]
        for group, names in one["names"].items()
        for name in names
    }
    whole = groups(contract, data)
    for door, about in data["doors"].items():
        texts = [
            path.read_text(encoding="utf-8") for pattern in about["sources"] for path in sorted(ROOT.glob(pattern))
        ]
        for group, (kind, names) in whole.items():
            for name in names:
                there = has(door, kind, group, name, data, texts)
                own, rest = (door, group, name.snake), (door, group, "*")
                if there and own in reasons:
                    wrong.append(
                        f"{door} has {name.snake} of {group}, which doors.json lists as left out; remove it there"
                    )
                if not there and own not in reasons and rest not in reasons:
                    wrong.append(
                        f"{door} lacks {name.snake} of {group}; add it, or list it in doors.json with the reason"
                    )
                used |= {own if own in reasons else rest} if not there else {own}
                found.setdefault((group, name.snake), {})[door] = bool(there) or reasons.get(own, reasons.get(rest, ""))
    wrong += [
        f"doors.json leaves out {name} of {group} at {door}, where nothing is missing; remove it"
        for door, group, name in reasons
        if (door, group, name) not in used
    ]
    return found, wrong


def table(found, data):
    """Rows of groups, then why doors leave something out."""
    doors, rows = list(data["doors"]), collections.defaultdict(list)
    for (group, _), cells in found.items():
        rows[group].append(cells)
    lines = [f"| | {' | '.join(doors)} |", f"|---|{'---|' * len(doors)}"]
    for group, cells in rows.items():
        counts = [sum(one[door] is True for one in cells) for door in doors]
        shown = ["all" if count == len(cells) else f"{count} of {len(cells)}" if count else "–" for count in counts]
        lines.append(f"| {data['titles'].get(group, group)} | {' | '.join(shown)} |")
    for door in doors:
        if left := [one for one in data["left out"] if one["door"] == door]:
            lines += ["", f"**{door}** leaves out", ""]
            for one in left:
                what = "; ".join(
                    data["titles"].get(group, group)
                    + ("" if names == ["*"] else f" ({', '.join(f'`{name}`' for name in names)})")
                    for group, names in one["names"].items()
                )
                lines += textwrap.wrap(
                    f"- {what}: {one['reason']}.", WIDTH, subsequent_indent="  ", break_on_hyphens=False
                )
    return "\n".join(["", *lines, "", ""])


def listed(found, data):
    """Every name, and whether each door has it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["group", "name", *data["doors"]])
    for (group, name), cells in found.items():
        writer.writerow(
            [
                data["titles"].get(group, group),
                name,
                *("yes" if cells[door] is True else "no" for door in data["doors"]),
            ]
        )
    return text.getvalue()


@functools.lru_cache
def current():
    """The data, what was found and what is wrong today."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    return data, *compared(read(), data)


def files():
    data, found, _ = current()
    page = PAGE.read_text(encoding="utf-8")
    if not REGION.search(page):
        raise Problem(
            f"{PAGE.name} has no place for the table; write <!-- made by Tools/generate --> and <!-- end of the table -->"
        )
    return {PAGE: REGION.sub(lambda _: table(found, data), page), LIST: listed(found, data)}


def problems():
    return current()[2]
