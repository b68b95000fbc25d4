#!/usr/bin/env python3
"""manual.py COMMAND|XML_FOLDER FOLDER VERSION: manual pages.

Of a command (section 1): a page for it and for each of its subcommands, from what they say of themselves (`face-engine
--experimental-dump-help`), and from manual/PAGE.man with what a help text has no place for.
Of a folder with Doxygen's XML (section 3): a page for each C header, function, struct and enum."""

import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

MORE = pathlib.Path(__file__).parent / "manual"
LINKS = {
    "face_engine.h": "-lfaceengine",
    "face_engine_draw.h": "-lfaceengine-draw",
    "face_jni.h": "-lfaceengine",
    "global_listener.h": "-lfaceengine",
    "face_engine_plugin.h": None,
}


# ---- What all pages share


def escaped(text):
    """Plain text as roff: nothing in it may be taken for a request or a special character."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"^([.])", r"\\&\1", text, flags=re.MULTILINE)


def bold(text):
    return f"\\fB{escaped(text)}\\fR"


def italic(text):
    return f"\\fI{escaped(text)}\\fR"


def entry(name, text):
    """An entry of a list: its name and what is said of it, both as roff."""
    return [".TP", name, text or "\\&"]


def write(folder, name, section, title, abstract, parts):
    """Writes a page without its empty parts."""
    lines = [title, f".SH NAME\n{escaped(name)} \\- {escaped(abstract.rstrip('.'))}", *parts]
    (folder / f"{name}.{section}").write_text("\n".join(line for line in lines if line) + "\n", encoding="utf-8")


# ---- Commands


def spelled(argument):
    """As in \"-o, --output <output>\", in bold and italics."""
    names = [bold(("-" if name["kind"] == "short" else "--") + name["name"]) for name in argument.get("names", [])]
    value = italic(argument["valueName"]) if argument["kind"] != "flag" else ""
    return value if argument["kind"] == "positional" else ", ".join(names) + (f" {value}" if value else "")


def shown(command, kind):
    return [one for one in command.get(kind, []) if one["shouldDisplay"] and one.get("commandName") != "help"]


def synopsis(names, command):
    words = [bold(" ".join(names))]
    arguments = shown(command, "arguments")
    if any(argument["kind"] != "positional" for argument in arguments):
        words.append("[\\fIoptions\\fR]")
    if shown(command, "subcommands"):
        words.append("\\fIsubcommand\\fR")
    for argument in arguments:
        if argument["kind"] == "positional":
            word = italic(argument["valueName"]) + (" ..." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    return " ".join(words)


def option(argument):
    text = argument.get("abstract", "").strip()
    default, values = argument.get("defaultValue"), argument.get("allValues", [])
    texts = argument.get("allValueDescriptions", {})
    if values and not texts:
        text += f" One of {', '.join(values)}."
    if default and "(default" not in text:
        text += f" (default: {default})"
    lines = entry(spelled(argument), escaped(text))
    rows = [(value, f"{texts.get(value, '')}.") for value in values] if texts else []
    rows += [line.split(": ", 1) for line in argument.get("discussion", "").split("\n") if line]
    if rows:  # a list below the option: of its values, or of the settings that it takes
        lines += [".RS", *(line for name, text in rows for line in entry(bold(name), escaped(text))), ".RE"]
    return lines


def options(command):
    """The arguments: first those without a section of their own."""
    sections = {"Options": []}
    for argument in shown(command, "arguments"):
        sections.setdefault(argument.get("sectionTitle") or "Options", []).append(argument)
    lines = [".SH OPTIONS"] if any(sections.values()) else []
    for title, arguments in sections.items():
        lines += [f".SS {escaped(title)}"] if title != "Options" else []
        lines += [line for argument in arguments for line in option(argument)]
    return lines


def exit_status(text):
    """The section of \"Exit code: 0 done, 1 a file failed, 2 wrong usage.\""""
    rows = re.split(r", (?=\d )", text.removeprefix("Exit code: ").rstrip("."))
    meanings = (row.split(" ", 1) for row in rows)
    return [".SH EXIT STATUS", *(line for code, meaning in meanings for line in entry(code, f"{escaped(meaning)}."))]


def write_command(names, command, folder, version):
    name = "-".join(names)
    parts = [part.strip() for part in re.split(r"\n\s*\n", command.get("discussion", "").strip()) if part]
    codes = [part for part in parts if part.startswith("Exit code: ")]
    described = "\n.PP\n".join(escaped(part) for part in parts if part not in codes)
    subcommands = shown(command, "subcommands")
    more = MORE / f"{name}.man"
    write(
        folder,
        name,
        1,
        f'.TH {escaped(name.upper())} 1 "" "FaceEngine {version}" "User Commands"\n'
        ".ad l",  # long words, such as the form of an option, cannot be spread over a line
        command["abstract"],
        [
            ".SH SYNOPSIS",
            synopsis(names, command),
            f".SH DESCRIPTION\n{described}" if described else "",
            ".SH SUBCOMMANDS" if subcommands else "",
            *(
                line
                for sub in subcommands
                for line in entry(bold(f"{name}-{sub['commandName']}") + "(1)", escaped(sub["abstract"]))
            ),
            *options(command),
            *(exit_status(codes[0]) if codes else []),
            more.read_text(encoding="utf-8").rstrip() if more.exists() else "",
            f".SH SEE ALSO\n{bold('-'.join(names[:-1]))}(1)" if len(names) > 1 else "",
        ],
    )
    for sub in subcommands:
        write_command([*names, sub["commandName"]], sub, folder, version)


# ---- Headers


def flat(element):
    """An element's text without markup, in one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def inline(element):
    """Running text with code in bold, and what stands in it as blocks."""
    out = escaped(element.text or "")
    for child in element:
        if child.tag == "computeroutput":
            out += bold(flat(child))
        elif child.tag == "ndash":
            out += "\\-\\-"
        elif child.tag == "simplesect" and child.get("kind") in ("par", "return"):
            title = flat(child.find("title")).upper() or "RETURN VALUE"
            out += f"\n.SH {title}\n{paragraphs(child)}\n.PP\n"
        elif child.tag == "parameterlist":
            out += "\n.SH PARAMETERS\n"
            for item in child.findall("parameteritem"):
                names = ", ".join(flat(name) for name in item.iter("parametername"))
                out += f".TP\n.I {names}\n{paragraphs(item.find('parameterdescription'))}\n"
            out += ".PP\n"
        elif child.tag in ("programlisting", "verbatim"):
            out += "\n.PP\n.nf\n" + escaped(listing(child)) + "\n.fi\n"
        elif child.tag == "variablelist":
            for term, item in zip(child.findall("varlistentry"), child.findall("listitem")):
                out += f"\n.TP\n.B {escaped(flat(term))}\n{paragraphs(item)}\n"
            out += ".PP\n"
        elif child.tag not in ("simplesect", "htmlonly"):  # see-also lists of examples
            out += inline(child)
        out += escaped(child.tail or "")
    return out


def paragraphs(element):
    return "\n.PP\n".join(tidy(inline(para)) for para in element.findall("para")) if element is not None else ""


def listing(element):
    """Lines of code, in which Doxygen has elements for spaces."""
    for space in element.iter("sp"):
        space.text = " "
    lines = ["".join(line.itertext()).rstrip() for line in element.iter("codeline")]
    return (element.text if element.tag == "verbatim" else "\n".join(lines)).strip("\n")


def tidy(text):
    """No empty lines and no spaces around lines, but in code."""
    lines, literal = [], False
    for line in text.split("\n"):
        literal = (literal or line == ".nf") and line != ".fi"
        if literal or line.strip():
            lines.append(line if literal else line.strip())
    return "\n".join(lines)


def text_of(definition, between="\n.PP\n"):
    parts = [
        tidy(inline(para))
        for tag in ("briefdescription", "detaileddescription")
        for para in definition.findall(f"{tag}/para")
    ]
    return re.sub(r"(\n\.PP)+(?=\n\.(SH|PP)|\n*$)", "", between.join(part for part in parts if part))


def members(title, rows):
    """A section of members or values with what is said of each."""
    lines = [f".TP\n{bold(name)}\n{text_of(one, chr(10)) or '.br'}" for name, one in rows]
    return "\n".join([f".SH {title}", *lines]) if lines else ""


def declaration(member):
    kind = flat(member.find("type")).replace("(*", " (*")
    return f"{kind}{'' if kind.endswith('*') else ' '}{member.findtext('name')}{member.findtext('argsstring') or ''}"


def header_of(definition):
    """The header that programs include for it."""
    path = pathlib.PurePath(definition.find("location").get("file"))
    return "face_engine.h" if path.parent.name == "face_engine" else path.name


def names_of(functions):
    return list(dict.fromkeys(member.findtext("name") for member in functions))


class Headers:
    def __init__(self, xml, folder, version):
        self.xml, self.folder, self.version = xml, folder, version
        self.groups = [self.definition(path.stem) for path in sorted(xml.glob("group__*.xml"))]

    def definition(self, name):
        return ET.parse(self.xml / f"{name}.xml").getroot().find("compounddef")

    def write(self, name, definition, related, synopsis, extra=""):
        header = header_of(definition)
        related = [other for other in dict.fromkeys([pathlib.PurePath(header).stem, *related]) if other != name]
        brief = flat(definition.find("briefdescription")) or flat(definition.find("detaileddescription")).split(". ")[0]
        description, *sections = re.split(r"^(?=\.SH )", text_of(definition), maxsplit=1, flags=re.MULTILINE)
        write(
            self.folder,
            name,
            3,
            f'.TH {name} 3 "" "FaceEngine {self.version}" "FaceEngine"',
            brief.removeprefix("FaceEngine: "),
            [
                f".SH SYNOPSIS\n.nf\n#include <{header}>" + (f"\n\n{escaped(synopsis)}" if synopsis else "") + "\n.fi",
                LINKS[header] and f".PP\nLink with {escaped(LINKS[header])}.",
                f".SH DESCRIPTION\n{description.rstrip()}",
                "".join(sections).rstrip("\n"),
                extra,
                ".SH SEE ALSO\n" + ",\n".join(f".BR {other} (3)" for other in related) if related else "",
            ],
        )

    def write_group(self, group):
        functions = list(group.iterfind("sectiondef/memberdef[@kind='function']"))
        related = names_of(functions)
        for name in related:
            first, *others = several = [one for one in functions if one.findtext("name") == name]
            self.write(
                name,
                first,
                related,
                "\n".join(declaration(one) + ";" for one in several),
                "\n.PP\n".join(["", *(text_of(one) for one in others)]) if others else "",
            )
        for struct in (self.definition(inner.get("refid")) for inner in group.findall("innerclass")):
            name = struct.findtext("compoundname")
            if "__unnamed" in name:
                continue  # has no name to look it up by; the struct that it is in shows it
            fields = list(struct.iterfind("sectiondef/memberdef[@kind='variable']"))
            shown_fields = "".join(f"  {declaration(field)};\n" for field in fields)
            self.write(
                name,
                struct,
                related,
                f"struct {name} {{\n{shown_fields}}};",
                members("MEMBERS", [(field.findtext("name"), field) for field in fields]),
            )
        for enum in group.iterfind("sectiondef/memberdef[@kind='enum']"):
            values = [
                (f"{value.findtext('name')} {value.findtext('initializer') or ''}".strip(), value)
                for value in enum.findall("enumvalue")
            ]
            self.write(
                enum.findtext("name"),
                enum,
                related,
                f"typedef {flat(enum.find('type'))} {enum.findtext('name')};",
                members("VALUES", values),
            )

    def write_header(self, header):
        """Its conventions, and all its functions. A function with the header's name shares its page."""
        functions = [
            member
            for group in self.groups
            for member in group.iterfind("sectiondef/memberdef[@kind='function']")
            if header_of(member) == header
        ]
        functions.sort(
            key=lambda member: (member.find("location").get("file"), int(member.find("location").get("line")))
        )
        name = pathlib.PurePath(header).stem
        same = [member for member in functions if member.findtext("name") == name]
        self.write(
            name,
            self.definition(header.replace("_", "__").replace(".", "_8")),
            names_of(functions),
            "\n".join(declaration(one) + ";" for one in same),
            "\n".join(f".SH FUNCTION\n{text_of(one)}" for one in same),
        )


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, folder, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        headers = Headers(source, folder, version)
        for group in headers.groups:
            headers.write_group(group)
        for header in LINKS:
            headers.write_header(header)
    else:
        described = subprocess.run(
            [source, "--experimental-dump-help"], check=True, capture_output=True, text=True
        ).stdout
        command = json.loads(described)["command"]
        write_command([command["commandName"]], command, folder, version)


if __name__ == "__main__":
    main()
