#!/usr/bin/env python3
"""filter.py HEADER: prints a header of include with its plain comments as Doxygen wants them.

A comment belongs to what follows it, one behind a member to that member, and a rule of dashes begins a group. Inside a comment

    name   text        describes a parameter of the function that follows, or is an entry of a list
    Fails with ...     is the paragraph about errors
    indented lines     are code, or a drawing

A comment between a rule and another comment describes the group. `typedef uint32_t face_x;` with the unnamed enum behind it becomes
`enum face_x : uint32_t`.
"""

import pathlib
import re
import sys

LIBRARIES = {"face_engine": "faceengine", "face_engine_draw": "faceengine_draw",
             "face_engine_plugin": "plug_ins", "face_jni": "older_sdk", "global_listener": "older_sdk"}

RULE = re.compile(r"^/\* -+ (.+?) -+ \*/$")
GROUP_INTRO = re.compile(r"^(/\* -+ .+? -+ \*/)\n\n/\* (?!-)((?:.(?!\*/))*.) ?\*/\n\n", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^(\S+) {2,}(\S.*)$")
ENUM = re.compile(r"^typedef (u?int32_t) (\w+);\n\nenum \{$(.*?)^\};$", re.MULTILINE | re.DOTALL)
SEVERAL = re.compile(r"^( +)(\w+) (\w+(?:, \w+)+);( +/\* (?:(?!\*/).)*\*/)?$", re.MULTILINE | re.DOTALL)
MEMBER_COMMENT = re.compile(r"^(?!#endif)([^\n/]*\S)?( +)/\* ((?:(?!\*/).)*?) ?\*/$", re.MULTILINE | re.DOTALL)
TOP_COMMENT = re.compile(r"^/\* (?!-)(.*?) ?\*/$", re.MULTILINE | re.DOTALL)


def names(pattern):
    """What a pattern's first group finds in any of the headers."""
    texts = (path.read_text(encoding="utf-8") for path in pathlib.Path("include").rglob("*.h"))
    return {name for text in texts for name in re.findall(pattern, text, re.MULTILINE)}


FUNCTIONS = names(r"^(?:FACE_API|FACE_PLUGIN_API|static inline|inline) [^;{=]*?\b((?:face|SmartDetector)_\w+)\(")
CONSTANTS = names(r"^(?:#define|  )\s*(FACE_[A-Z0-9_]+)\b(?<!_H)")


def linked(text):
    """Text with links to functions and constants, but not in `code`."""
    def link(word):
        name = word.group(0)
        return name + "()" if name in FUNCTIONS else "#" + name if name in CONSTANTS else name
    parts = text.split("`")
    return "`".join(part if index % 2 else re.sub(r"(?<![#\w])\w+\b(?!\()", link, part) for index, part in enumerate(parts))


def paragraphs(lines):
    """Lists of lines between empty ones; an indented paragraph and one that starts a list of rows stand alone."""
    part = []
    for line in lines:
        row = ROW.match(line) and not line.startswith(" ")
        starts = row and (not part or not ROW.match(part[0])) or line.startswith("    ") and not part
        if not line.strip() or starts:
            if part:
                yield part
            part = []
        if line.strip():
            part.append(line)
    if part:
        yield part


def rows(lines):
    """(name, text) of each row; a line that is indented continues the one before."""
    found = []
    for line in lines:
        match = ROW.match(line)
        if match and not line.startswith(" "):
            found.append((match.group(1), [match.group(2)]))
        else:
            found[-1][1].append(line.strip())
    return [(name, "\n".join(text)) for name, text in found]


def literal(lines):
    """Code or a drawing, with the indented paragraphs that follow one another joined."""
    kind = "verbatim" if any("--->" in line for line in lines) else "code"
    return [f"@{kind}" + ("{.cpp}" if kind == "code" else "")] + [line[4:] for line in lines] + [f"@end{kind}"]


def comment(text, declaration):
    """The lines of one comment, without its stars, as Doxygen reads them."""
    lines = [re.sub(r"^ \*(  ?$| |$)", "", line, count=1) for line in text.split("\n")]
    parts = list(paragraphs(lines))
    out, index = [], 0
    while index < len(parts):
        part = parts[index]
        index += 1
        if part[0].startswith("    "):
            while index < len(parts) and parts[index][0].startswith("    "):
                part = part + [""] + parts[index]
                index += 1
            out += literal(part)
            out.append("")
            continue
        part = [linked(line) for line in part]
        if ROW.match(part[0]):
            entries = rows(part)
            parameters = [name for name, _ in entries if re.search(rf"\b{re.escape(name)}\b", declaration)]
            if len(parameters) == len(entries):
                out += [f"@param {name} {text}" for name, text in entries]
            else:
                out += ["<dl>"]
                for name, text in entries:
                    title = f"<tt>{name.replace('--', chr(92) + '--')}</tt>" if name.startswith("-") else name
                    out += [f"<dt>{title}</dt><dd>{text}</dd>"]
                out += ["</dl>"]
        elif len(part) == 1 and not part[0].endswith((".", ":", ";", "...")) and index < len(parts):
            out += [f"@par {part[0]}"]  # a heading
        elif part[0].startswith("Fails ") and "(" in declaration:
            out += ["@par Errors"] + part
        elif part[0].startswith("Returns ") and any(line.startswith("@param") for line in out):
            out += ["@return " + part[0].removeprefix("Returns ")] + part[1:]
        else:
            out += part
        out.append("")
    return out


def top_comment(match, source):
    declaration = re.split(r";|\{|^/\*", source[match.end():].lstrip(), maxsplit=1, flags=re.MULTILINE)[0]
    first = match.start() == 0
    lines = (["@file"] if first else []) + comment(match.group(1), declaration)
    text = "/** " + "\n * ".join("\n".join(lines).rstrip().split("\n")) + "\n */"
    # Doxygen would show the stars of a drawing.
    return re.sub(r"@verbatim\n.*?@endverbatim", lambda found: found.group(0).replace("\n * ", "\n"), text, flags=re.DOTALL)


def member_comment(match):
    before, spaces, text = match.groups()
    return f"{before}{spaces}/**< {linked(text)} */" if before else f"{spaces}/** {linked(text)} */"


def main():
    path = pathlib.Path(sys.argv[1])
    family = "face_engine" if path.parent.name == "face_engine" else path.stem
    source = path.read_text(encoding="utf-8")
    source = ENUM.sub(lambda found: f"enum {found.group(2)} : {found.group(1)} {{{found.group(3)}}};", source)
    # Each of several members in one line has the comment behind them.
    source = SEVERAL.sub(lambda found: "\n".join(f"{found.group(1)}{found.group(2)} {name};{found.group(4) or ''}"
                                                 for name in found.group(3).split(", ")), source)
    # The C structs have no page of their own where C++ inherits from them, but a table: the C++ comments name them.
    source = re.sub(r" : detail::initialised<\w+, \w+>", "", source)
    intros = {rule: text for rule, text in GROUP_INTRO.findall(source)}
    source = GROUP_INTRO.sub(r"\1\n\n", source)
    source = TOP_COMMENT.sub(lambda match: top_comment(match, source), source)
    source = MEMBER_COMMENT.sub(member_comment, source)
    group = False
    for line in source.splitlines():
        rule = RULE.match(line)
        if rule:
            name = rule.group(1)
            print("/** @} */" if group else "")
            print(f"/** @defgroup {family}_{name.lower().replace(' ', '_')} {name}")
            print(f" * @ingroup {LIBRARIES[family]}\n *")
            print("\n".join(" * " + text for text in comment(intros.get(line, ""), "")) + "\n * @{ */")
            group = True
            continue
        if group and re.match(r"^#ifdef __cplusplus$|^#endif /\* [A-Z_]+_H \*/", line):
            print("/** @} */")
            group = False
        print(line)


if __name__ == "__main__":
    main()
