#!/usr/bin/env python3
"""filter.py HEADER: a header of include with its plain comments as Doxygen wants them; a comment belongs to what follows it, one
behind a member to that member, and a rule of dashes begins a group."""

import re
import sys

RULE = re.compile(r"^/\* -+ (.+?) -+ \*/$")


def blocks(lines):
    """Without the stars; indented lines of a comment keep their shape: they are tables of parameters or code."""
    shaped = False
    for line in lines:
        continued = line.startswith(" *") and not line.startswith(" */")
        text = line[3:] if continued else line
        blank = continued and not text.strip()
        begins = continued and (text.startswith("  ") or re.match(r"\S+ {2,}\S", text) is not None)
        if begins and not shaped:
            yield "@verbatim"
        elif shaped and not begins and not blank:
            yield "@endverbatim"
        shaped = begins or (shaped and blank)
        ends = shaped and text.rstrip().endswith("*/")
        yield text.rstrip()[:-2].rstrip() if ends else text
        if ends:
            yield "@endverbatim */"
            shaped = False


def main():
    first, group = True, False
    for line in blocks(open(sys.argv[1], encoding="utf-8").read().splitlines()):
        rule = RULE.match(line)
        if rule:
            name = rule.group(1)
            line = ("/** @} */\n" if group else "") + f"/** @defgroup {name.lower()} {name}\n * @{{ */"
            group = True
        elif line.startswith("/* "):
            line = ("/** @file\n * " if first else "/** ") + line[3:]
            first = False
        elif line.startswith("#endif /* FACE_ENGINE_") and group:
            line = "/** @} */\n" + line
        else:
            line = re.sub(r"(\S.*\S) +/\* ", r"\1 /**< ", line)
            line = re.sub(r"^( +)/\* ", r"\1/** ", line)
        print(line)


if __name__ == "__main__":
    main()
