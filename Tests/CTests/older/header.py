#!/usr/bin/python3
"""header.py FOLDER [FEWER]: writes face_engine.h and face_engine_draw.h as they were in the last release, from what Proto/baseline has of
them: declarations without comments. Structs that grow are FEWER members shorter, as in releases before that one."""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def declared(written, name=""):
    """A declaration of C of a type as contract.json has it."""
    if isinstance(written, list):
        return f"{declared(written[0])}(*{name})({arguments(written)})"
    base, length = re.fullmatch(r"([^\[]+)(\[\d+\])?", written).groups()
    return f"{base} {name}{length or ''}"


def arguments(function):
    return ", ".join(map(declared, function[1:])) or "void"


def members(struct, fewer):
    is_sized = struct["members"][0]["name"] == "struct_size"
    return struct["members"][:-fewer] if is_sized and fewer else struct["members"]


def header(c, fewer):
    lines = ["#pragma once", "#include <stddef.h>", "#include <stdint.h>"]
    lines += [f"#define {name} {value}{'u' if value > 2**31 - 1 else ''}" for name, value in c["constants"].items()]
    lines += [f"typedef {declared(written, name)};" for name, written in c["aliases"].items()]
    lines += [
        f"enum {{ {', '.join('{name} = {number}'.format(**value) for value in one['values'])} }};"
        for one in c["enumerations"].values()
    ]
    lines += [f"typedef struct {name} {name};" for name in (*c["opaque"], *c["structs"])]
    lines += [f"typedef {declared(written, name)};" for name, written in c["callbacks"].items()]
    for name, struct in c["structs"].items():
        lines.append(
            f"struct {name} {{ {' '.join(declared(one['type'], one['name']) + ';' for one in members(struct, fewer))} }};"
        )
    for functions in c["functions"].values():
        lines += [f"{declared(function[0], name)}({arguments(function)});" for name, function in functions.items()]
    names = [name for functions in c["functions"].values() for name in functions]
    for name in c["structs"]:
        if f"{name}_init_sized" in names:
            lines.append(
                f"static inline void {name}_init({name} *value) {{ {name}_init_sized(value, sizeof *value); }}"
            )
    return "\n".join(lines) + "\n"


def main(folder, fewer="0"):
    baseline = json.loads((ROOT / "Proto/baseline/contract.json").read_text(encoding="utf-8"))
    pathlib.Path(folder, "face_engine.h").write_text(header(baseline["c"], int(fewer)), encoding="utf-8")
    pathlib.Path(folder, "face_engine_draw.h").write_text('#include "face_engine.h"\n', encoding="utf-8")


main(*sys.argv[1:])
