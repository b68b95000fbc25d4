"""Compares the contract with that of the last release, Proto/baseline: what programs and peers of that release rely on is only added to.

The messages of every .proto are compared as on the wire, the rest as contract.json has it: options with their defaults, and all that the C headers
declare. What is added says since which version it is there."""

import json
import pathlib
import re

import document
from contract import FIRST, ROOT, Contract, Problem, described
from headers import MESSAGES

FOLDER = ROOT / "Proto/baseline"
WIRE, CONTRACT = FOLDER / "face_engine.proto", FOLDER / "contract.json"
# The envelopes, and what the gateway says of others' protocols, have no words for programs.
PROTOS = [
    "Proto/face_engine.proto",
    "Proto/ttrpc.proto",
    "Gateway/Proto/health.proto",
    "Gateway/Proto/open_inference.proto",
    "Gateway/Proto/reflection.proto",
]
# Not in the baseline: texts for people may change, and the mesh is not what programs are compiled with.
LEFT_OUT = ("text", "sentence", "shown", "regions", "constellations", "contours", "mesh", "verdicts")
# Constants that say how much there is.
GROWING = re.compile(r"FACE_\w+_(?:ALL|COUNT|ALL_LANDMARKS)")


def kept(value):
    """What the baseline has of contract.json."""
    if isinstance(value, dict):
        return {name: kept(item) for name, item in value.items() if name not in LEFT_OUT}
    return [kept(item) for item in value] if isinstance(value, list) else value


def files():
    """{path: contents} of the baseline of these sources, for a release."""
    whole = kept(document.read())
    protos = {FOLDER / pathlib.Path(path).name: (ROOT / path).read_bytes() for path in PROTOS}
    return protos | {CONTRACT: document.printed(whole, whole=document.is_entry) + "\n"}


def problems():
    """A sentence for each difference that breaks something."""
    before, after = json.loads(CONTRACT.read_text(encoding="utf-8")), kept(document.read())
    return (
        wires(ROOT) + contract(before, after) + undated(Contract(WIRE).messages, Contract().messages, after["version"])
    )


# -- The wire


def wires(root):
    """Of each .proto, and of those that have none in the baseline."""
    known = sorted(
        str(path.relative_to(root)) for folder in ("Proto", "Gateway/Proto") for path in (root / folder).glob("*.proto")
    )
    found = [f"baseline.py does not know {path}; add it to PROTOS" for path in known if path not in PROTOS]
    for path in PROTOS:
        old, now = FOLDER / pathlib.Path(path).name, root / path
        if not now.exists():
            found.append(f"{path} is gone; keep it")
        elif old.exists():  # a new one has none until the next release
            found += [f"{now.name}: {sentence}" for sentence in wire(described(old), described(now))]
    return found


def wire(before, after):
    """Of two descriptors of files, as buf's rules WIRE have it, and names, which JSON has."""
    found = [f"the package is {after.package}, and was {before.package}"] if before.package != after.package else []
    found += messages(before.message_type, after.message_type, "")
    found += enumerations(before.enum_type, after.enum_type, "")
    services = {service.name: {method.name: method for method in service.method} for service in after.service}
    for service in before.service:
        for method in service.method:
            now = services.get(service.name, {}).get(method.name)
            if now is None:
                found.append(f"the method {service.name}/{method.name} is gone; keep it")
            elif now != method:
                found.append(f"the method {service.name}/{method.name} has other messages; add a method")
    return found


def messages(before, after, outer):
    found, now = [], {message.name: message for message in after}
    for message in before:
        name = f"{outer}{message.name}"
        if message.name not in now:
            found.append(f"the message {name} is gone; keep it")
            continue
        found += fields(message, now[message.name], name)
        found += messages(message.nested_type, now[message.name].nested_type, f"{name}.")
        found += enumerations(message.enum_type, now[message.name].enum_type, f"{name}.")
    return found


def fields(before, after, name):
    found, numbers = [], {field.number: field for field in after.field}
    for field in before.field:
        place, now = f"{name}.{field.name}", numbers.get(field.number)
        if now is None:
            moved = next((other.number for other in after.field if other.name == field.name), None)
            found.append(
                f"{place} has the number {moved}, and had {field.number}; keep the number"
                if moved
                else f"{place} is gone; keep it"
            )
        elif now.name != field.name:
            found.append(
                f"{place}, number {field.number}, is now {now.name}; keep the name, and give a new field a new number"
            )
        elif (now.type, now.type_name, now.label) != (field.type, field.type_name, field.label):
            found.append(f"{place} has another type; add a field")
        elif choice(before, field) != choice(after, now):
            found.append(f"{place} has moved into or out of a oneof; add a field")
    return found


def choice(message, field):
    """The oneof of a field; empty without one."""
    return message.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else ""


def enumerations(before, after, outer):
    found, now = (
        [],
        {enumeration.name: {value.number: value.name for value in enumeration.value} for enumeration in after},
    )
    for enumeration in before:
        for value in enumeration.value:
            if now.get(enumeration.name, {}).get(value.number) != value.name:
                found.append(f"{outer}{enumeration.name} has no {value.name} = {value.number}; keep it, and add values")
    return found


# -- Options, outputs and the C headers


def contract(before, after):
    """Of two documents as contract.json has them."""
    found = []
    for message in sorted(set(MESSAGES.values())):
        found += options(before["options"].get(message, []), after["options"].get(message, []), message)
        found += entries(
            before["switches"].get(message, []), after["switches"].get(message, []), message, ("flag",), after
        )
    found += entries(before["outputs"], after["outputs"], "outputs", ("number", "bit", "flag", "count"), after)
    for name, values in before["enumerations"].items():
        found += entries(values, after["enumerations"].get(name, []), name, ("number",), after)
    if after["expressions"][: len(before["expressions"])] != before["expressions"]:
        found.append("the expressions are others, or in another order; add behind them")
    return found + headers(before["c"], after["c"], after)


def entries(before, after, where, same, whole):
    """Of two lists of entries with names."""
    found, now = [], {one["name"]: one for one in after}
    for one in before:
        if one["name"] not in now:
            found.append(f"{where}: {one['name']} is gone; keep it")
            continue
        found += [
            f"{where}: {one['name']} has {name} {now[one['name']].get(name)}, and had {one.get(name)}"
            for name in (*same, "since")
            if now[one["name"]].get(name) != one.get(name)
        ]
    known = {one["name"] for one in before}
    return found + [
        dated(f"{where}: {one['name']}", one.get("since"), whole["version"])
        for one in after
        if one["name"] not in known and not is_dated(one.get("since"), whole["version"])
    ]


def is_dated(since, version):
    return (since or FIRST) == version.rpartition(".")[0]


def dated(what, since, version):
    return f"{what} is new, and says since {since or FIRST}; write Since: {version.rpartition('.')[0]}. in its comment"


def options(before, after, message):
    found, now = [], {one["name"]: one for one in after}
    for one in before:
        new = now.get(one["name"])
        if new is None:
            found.append(f"{message}.{one['name']} is no option any more; keep it")
            continue
        found += [
            f"{message}.{one['name']} has the {name} {new.get(name)}, and had {one.get(name)}; programs rely on it"
            for name in ("kind", "wide", "default", "flag", "since")
            if new.get(name) != one.get(name)
        ]
        if new["least"] > one["least"] or new.get("most", float("inf")) < one.get("most", float("inf")):
            found.append(f"{message}.{one['name']} has a smaller range than it had; programs rely on it")
    return found


def headers(before, after, whole):
    found = []
    for name, value in before["constants"].items():
        new = after["constants"].get(name)
        if new is None or new != value and not (GROWING.fullmatch(name) and new > value):
            found.append(f"{name} is {new}, and was {value}")
    for part in ("aliases", "callbacks"):
        found += [
            f"the type {name} is {after[part].get(name)}, and was {one}"
            for name, one in before[part].items()
            if after[part].get(name) != one
        ]
    found += [f"the type {name} is gone; keep it" for name in before["opaque"] if name not in after["opaque"]]
    for library, functions in before["functions"].items():
        found += [
            f"{name} is {after['functions'][library].get(name)}, and was {one}; add a function"
            for name, one in functions.items()
            if after["functions"][library].get(name) != one
        ]
    for name, enumeration in before["enumerations"].items():
        found += entries(
            enumeration["values"], after["enumerations"].get(name, {"values": []})["values"], name, ("number",), whole
        )
    for name, struct in before["structs"].items():
        found += members(name, struct, after["structs"].get(name), whole)
    return found + [sentence for name, struct in after["structs"].items() for sentence in layout(name, struct, after)]


def members(name, before, after, whole):
    if after is None:
        return [f"the struct {name} is gone; keep it"]
    if not is_sized(before):
        places = [
            [(one["name"], one["type"], one["offset"]) for one in struct["members"]] for struct in (before, after)
        ]
        return [] if places[0] == places[1] else [f"{name} has other members; it has no struct_size, and never changes"]
    found = entries(before["members"], after["members"], name, ("type", "offset"), whole)
    known = {one["name"] for one in before["members"]}
    return found + [
        f"{name}.{one['name']} is at byte {one['offset']}, inside what was {before['size']} bytes; move it to the end"
        for one in after["members"]
        if one["name"] not in known and one["offset"] < before["size"]
    ]


def is_sized(struct):
    return struct["members"][0]["name"] == "struct_size"


def layout(name, struct, c):
    """What lets a struct grow: nothing behind its last member, and no struct inside that grows itself."""
    if not is_sized(struct):
        return []
    last = struct["members"][-1]
    end = last["offset"] + size_of(last["type"], c)
    found = (
        [f"{name} ends with {struct['size'] - end} unused bytes; add a uint32_t reserved"]
        if end < struct["size"]
        else []
    )
    for member in struct["members"]:
        base = (
            re.match(r"\w+", member["type"])[0] if isinstance(member["type"], str) and "*" not in member["type"] else ""
        )
        if base in c["structs"] and is_sized(c["structs"][base]):
            found.append(f"{name}.{member['name']} is a struct that grows; make it a pointer")
    return found


def size_of(written, c):
    """The bytes of a type as headers.py writes it."""
    if isinstance(written, list) or "*" in written:
        return 8
    name, _, length = document.type_parts(written)
    name = c["aliases"].get(name, name)
    sizes = {"float": 4, "double": 8, "size_t": 8, "char": 1, "int": 4}
    if name in c["structs"]:
        size = c["structs"][name]["size"]
    elif name in sizes:
        size = sizes[name]
    elif bits := re.fullmatch(r"u?int(\d+)_t", name):
        size = int(bits[1]) // 8
    else:
        raise Problem(f"the size of {name} is unknown: add it to size_of.")
    return size * (length or 1)


# -- Fields


def undated(before, after, version):
    """Fields of two contracts that are new in a message that is not."""
    return [
        dated(f"{message}.{field.name}", field.since, version)
        for message, now in after.items()
        if message in before
        for field in now
        if field.name not in {one.name for one in before[message]} and not is_dated(field.since, version)
    ]
