#!/usr/bin/env python3
"""filter.py HEADER: prints a header of include with its plain comments as Doxygen wants them.

A comment belongs to what follows it, one behind a member to that member. A rule of dashes begins a group, which a comment between
two empty lines describes. Inside a comment

    name   text        describes a parameter of the function that follows, or is an entry of a list
    Fails with ...     is the paragraph about errors
"""

import pathlib
import re
import sys

LIBRARIES = {"face_engine": "faceengine", "face_engine_draw": "faceengine_draw", "face_engine_plugin": "plug_ins"}
ROW = r"^(\S+) {2,}(\S.*(?:\n +\S.*)*)\n?"
SEVERAL = r"^( +)(\w+) (\w+(?:, \w+)+);( +/\* (?:(?!\*/).)*\*/)?$"
FLAGS = re.MULTILINE | re.DOTALL


def names(pattern):
    """What the group of a pattern finds in any of the headers."""
    return {
        name
        for path in pathlib.Path("include").rglob("*.h")
        for name in re.findall(pattern, path.read_text(encoding="utf-8"), re.M)
    }


FUNCTIONS = names(r"^(?:FACE_API|FACE_PLUGIN_API|static inline|inline) [^;{=]*?\b((?:face|SmartDetector)_\w+)\(")
CONSTANTS = names(r"^(?:#define|  )\s*(FACE_[A-Z0-9_]+)\b(?<!_H)")


def linked(text):
    """Text with links to functions and constants, but not in `code` and indented lines."""
    return re.sub(
        r"`[^`]*`|^    .*|(?<![#\w])\w+\b(?!\()",
        lambda word: word[0] + "()" if word[0] in FUNCTIONS else "#" + word[0] if word[0] in CONSTANTS else word[0],
        text,
        flags=re.MULTILINE,
    )


def comment(text, declaration=""):
    """The text of one comment, without its stars, as Doxygen reads it."""

    def rows(block):
        entries = [(name, re.sub(r"\n +", "\n", text)) for name, text in re.findall(ROW, block[0], re.MULTILINE)]
        if all(re.search(rf"\b{re.escape(name)}\b", declaration) for name, _ in entries):
            return "\n" + "".join(f"@param {name} {text}\n" for name, text in entries)
        return (
            "\n<dl>"
            + "".join(f"<dt>{name.replace('--', chr(92) + '--')}</dt><dd>{text}</dd>\n" for name, text in entries)
            + "</dl>\n"
        )

    text = re.sub(r"^ \* ?", "", text, flags=re.MULTILINE)
    text = linked(re.sub(rf"(?:{ROW})+", rows, text, flags=re.MULTILINE))
    text = re.sub(r"(?:^    .+\n|\n(?=    ))+", r"@code{.c}\n\g<0>@endcode\n", text + "\n", flags=re.MULTILINE)
    text = re.sub(r"(?<=\n\n)(\w.*[^.:;\n])(?=\n\n)", r"@par \1", text)
    if "(" in declaration:
        text = re.sub(r"^(?=Fails )", "@par Errors\n", text, flags=re.MULTILINE)
    return re.sub(r"^Returns ", "@return ", text, flags=re.MULTILINE) if "@param" in text else text


def top_comment(match):
    declaration = re.split(r";|\{|^/\*", match.string[match.end() :].lstrip(), maxsplit=1, flags=re.MULTILINE)[0]
    return "/** " + comment(match[1], declaration) + "\n */"


def member_comment(match):
    before, spaces, text = match.groups(default="")
    text = linked(re.sub(r"\n +", "\n", text))
    return f"{before}{spaces}/**{'<' if before else ''} {text} */"


def main():
    path = pathlib.Path(sys.argv[1])
    family = "face_engine" if path.parent.name == "face_engine" else path.stem
    source = re.sub(r"^ *\/\* (?:end of )?generated.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    source = re.sub(r"^typedef (u?int32_t) (\w+);\n\nenum \{$(.*?)^\};$", r"enum \2 : \1 {\3};", source, flags=FLAGS)
    # Each of several members in one line has the comment behind them.
    source = re.sub(
        SEVERAL,
        lambda line: "\n".join(f"{line[1]}{line[2]} {name};{line[4] or ''}" for name in line[3].split(", ")),
        source,
        flags=FLAGS,
    )
    # The C structs have no page of their own where C++ inherits from them, but a table: the C++ comments name them.
    source = re.sub(r" : detail::initialised<\w+, \w+>", "", source)
    source = "/* @file\n" + source.removeprefix("/* ")
    first, *parts = re.split(r"^/\* -+ (.+?) -+ \*/\n(?:\n/\* (?!-)((?:.(?!\*/))*.) ?\*/\n\n)?", source, flags=FLAGS)
    groups = [("", "", first), *zip(parts[::3], parts[1::3], parts[2::3])]
    for title, intro, text in groups:
        text = re.sub(r"^/\* (?!-)(.*?) ?\*/$", top_comment, text, flags=FLAGS)
        text = re.sub(r"^(?!#endif)([^\n/]*\S)?( +)/\* ((?:(?!\*/).)*?) ?\*/$", member_comment, text, flags=FLAGS)
        if title:
            text = (
                f"/** @defgroup {family}_{title.lower().replace(' ', '_')} {title}\n@ingroup {LIBRARIES.get(family, 'older_sdk')}\n\n"
                f"{comment(intro or '')}\n@{{ */\n{text}\n/** @}} */"
            )
        print(text)


if __name__ == "__main__":
    main()
