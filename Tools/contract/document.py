"""The contract as JSON: Proto/contract.json, made of the .proto, the public C headers and faces.json. Other printers read it alone.

version        of the sources
outputs        what can be measured of a face, in the order of the bits, with the `count` of numbers if they are an array
options        by message: numbers with range, default, unit and flag; times are in nanoseconds, and without `most` there is no end
switches       by message: options that are on or off, and off by default
enumerations   of the .proto: values with number, text and, for people, `shown`
messages       the fields of each, with `count` numbers in one that is repeated so often
regions        which points of the mesh belong to each part of a face, and whether the line through them is closed
constellations the same of smaller sets of points, by their size
contours       the same of ML Kit's contours
expressions    the names of the coefficients, in their order
mesh           which points of the mesh are joined: each point of a trail with the next one; edges are pairs of points, triangles are threes
c              constants, types and functions of the headers; see headers.py

What has `since` came with that version, all else with the first release."""

import dataclasses
import json
import re

import mesh
from contract import ROOT

PATH = ROOT / "Proto/contract.json"
FACES = ROOT / "Proto/faces.json"
VERSION = ROOT / "Sources/Core/FaceCore/EngineVersion.swift"
WIDTH = 120


def document(contract, c):
    faces = json.loads(FACES.read_text(encoding="utf-8"))
    faces["mesh"] |= {
        "edges": sum(map(list, mesh.edges(faces["mesh"]["trails"])), []),
        "triangles": sum(map(list, mesh.triangles(**faces["mesh"])), []),
    }
    counts = {field.name: {"count": field.count} for field in contract.messages["Face"] if field.count}
    by_message = {
        "options": contract.options,
        "switches": contract.switches,
        "enumerations": contract.enumerations,
        "messages": contract.messages,
    }
    return {
        "version": version(),
        "outputs": [
            entry(output) | {"bit": 1 << place} | counts.get(output.name, {})
            for place, output in enumerate(contract.outputs)
        ],
        **{
            part: {name: [entry(one) for one in entries] for name, entries in found.items() if entries}
            for part, found in by_message.items()
        },
        **faces,
        "c": without_empty(c),
    }


def version():
    return re.search(r'StaticString = "([\d.]+)"', VERSION.read_text(encoding="utf-8"))[1]


def entry(one):
    """Without what says nothing: empty texts, and the end of a range that has none."""
    members = dataclasses.asdict(one)
    if "text" in members and (sentence := getattr(one, "sentence", "")):
        members["sentence"] = sentence
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in members.items()
        if value not in ("", None, float("inf"))
    }


def without_empty(value):
    if isinstance(value, dict):
        return {name: without_empty(item) for name, item in value.items() if item != ""}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def text(contract, c):
    return printed(document(contract, c), whole=is_entry) + "\n"


def is_entry(value):
    """Whether a value has a line of its own, however long: so a difference shows what has changed."""
    if isinstance(value, dict):
        return "name" in value or "line" in value
    return not any(isinstance(item, (dict, list)) for item in value)


def read():
    return json.loads(PATH.read_text(encoding="utf-8"))


def type_parts(written):
    """(name, number of stars, length of an array or 0) of a type as headers.py writes it."""
    name, stars, length = re.fullmatch(r"(\w+)(\**)(?:\[(\d+)\])?", written).groups()
    return name, len(stars), int(length or 0)


def printed(value, indent="", before="", whole=lambda value: False):
    """JSON whose parts are on one line where they fit."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(before) + len(line) <= WIDTH or not isinstance(value, (dict, list)) or whole(value):
        return line
    deeper = indent + "  "
    names = [f"{json.dumps(name)}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    items = value.values() if isinstance(value, dict) else value
    parts = [f"{deeper}{name}{printed(item, deeper, name, whole)}" for name, item in zip(names, items)]
    return "{}\n{}\n{}{}".format(
        "[{"[isinstance(value, dict)], ",\n".join(parts), indent, "]}"[isinstance(value, dict)]
    )
