#!/usr/bin/env python3
"""man.py XML_FOLDER MAN_FOLDER VERSION: manual pages of section 3 from Doxygen's XML, one for each C header, function, struct
and enum."""

import pathlib
import re
import sys
import xml.etree.ElementTree as ET

LINKS = {"face_engine.h": "-lfaceengine", "face_engine_draw.h": "-lfaceengine-draw", "face_jni.h": "-lfaceengine",
         "global_listener.h": "-lfaceengine", "face_engine_plugin.h": None}


def escaped(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def flat(element):
    """An element's text without markup, in one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def inline(element):
    """Running text with code in bold, and what stands in it as blocks."""
    out = escaped(element.text or "")
    for child in element:
        if child.tag == "computeroutput":
            out += f"\\fB{escaped(flat(child))}\\fR"
        elif child.tag in ("ref", "ulink", "bold", "emphasis"):
            out += inline(child)
        elif child.tag == "ndash":
            out += "\\-\\-"
        elif child.tag == "simplesect" and child.get("kind") == "par":
            out += f"\n.SH {flat(child.find('title')).upper()}\n" + paragraphs(child) + "\n.PP\n"
        elif child.tag == "simplesect" and child.get("kind") == "return":
            out += "\n.SH RETURN VALUE\n" + paragraphs(child) + "\n.PP\n"
        elif child.tag == "parameterlist":
            out += "\n.SH PARAMETERS\n"
            for item in child.findall("parameteritem"):
                names = ", ".join(flat(name) for name in item.iter("parametername"))
                out += f".TP\n.I {names}\n{paragraphs(item.find('parameterdescription'))}\n"
            out += ".PP\n"
        elif child.tag in ("programlisting", "verbatim"):
            out += "\n.PP\n.nf\n" + escaped(listing(child)) + "\n.fi\n"
        elif child.tag == "variablelist":
            terms = child.findall("varlistentry")
            for term, item in zip(terms, child.findall("listitem")):
                out += f"\n.TP\n.B {escaped(flat(term))}\n{paragraphs(item)}\n"
            out += ".PP\n"
        elif child.tag not in ("simplesect", "htmlonly"):  # see-also lists of examples
            out += inline(child)
        out += escaped(child.tail or "")
    return out


def paragraphs(element):
    return "\n.PP\n".join(tidy(inline(para)) for para in element.findall("para")) if element is not None else ""


def listing(element):
    if element.tag == "verbatim":
        return element.text.strip("\n")
    lines = []
    for line in element.iter("codeline"):
        text = ""
        for part in line.iter():
            text += " " if part.tag == "sp" else part.text or ""
            text += part.tail or "" if part is not line else ""
        lines.append(text.rstrip())
    return "\n".join(lines).strip("\n")


def tidy(text):
    """No empty lines and no line that troff would take for a request."""
    lines, literal = [], False
    for line in text.split("\n"):
        literal = (literal or line == ".nf") and line != ".fi"
        if literal or line.strip():
            lines.append(line if literal else line.strip())
    return "\n".join("\\&" + line if re.match(r"['.](?![A-Zfnt])", line) else line for line in lines)


def text_of(definition, between="\n.PP\n"):
    parts = [tidy(inline(para)) for tag in ("briefdescription", "detaileddescription")
             for para in definition.findall(f"{tag}/para")]
    return re.sub(r"(\n\.PP)+(?=\n\.(SH|PP)|\n*$)", "", between.join(part for part in parts if part))


def summary(definition):
    brief = flat(definition.find("briefdescription")) or flat(definition.find("detaileddescription")).split(". ")[0]
    return brief.removeprefix("FaceEngine: ").rstrip(".")


def members(tag, entries):
    """A list of members or values with what is said of each."""
    lines = []
    for name, description in entries:
        lines.append(f".TP\n.B {escaped(name)}\n{description or '.br'}")
    return f".SH {tag}\n" + "\n".join(lines) if lines else ""


def declaration(member):
    kind = flat(member.find("type")).replace("(*", " (*")
    return f"{kind}{'' if kind.endswith('*') else ' '}{member.findtext('name')}{member.findtext('argsstring') or ''}"


def header_of(definition):
    """The header that programs include for it."""
    path = pathlib.PurePath(definition.find("location").get("file"))
    return "face_engine.h" if path.parent.name == "face_engine" else path.name


class Pages:
    def __init__(self, folder, version):
        self.folder, self.version, self.names = folder, version, []
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, name, definition, synopsis, extra=""):
        header = header_of(definition)
        related = [other for other in [pathlib.PurePath(header).stem, *self.group] if other != name]
        body = text_of(definition)
        description, *sections = re.split(r"^(?=\.SH )", body, maxsplit=1, flags=re.MULTILINE)
        description = description.rstrip("\n")
        (self.folder / f"{name}.3").write_text("\n".join(part for part in (
            f'.TH {name} 3 "" "FaceEngine {self.version}" "FaceEngine"',
            f".SH NAME\n{name} \\- {escaped(summary(definition))}",
            f".SH SYNOPSIS\n.nf\n#include <{header}>" + (f"\n\n{escaped(synopsis)}" if synopsis else "") + "\n.fi",
            LINKS[header] and f".PP\nLink with {escaped(LINKS[header])}.",
            f".SH DESCRIPTION\n{description}", "".join(sections).rstrip("\n"), extra,
            ".SH SEE ALSO\n" + ",\n".join(f".BR {other} (3)" for other in related)
            if related else "") if part) + "\n", encoding="utf-8")
        self.names.append(name)


def make_headers(xml, pages):
    """A page for each header: its conventions, and all its functions. Where one has the header's name, it shares its page."""
    for header in LINKS:
        definition = ET.parse(xml / (header.replace("_", "__").replace(".", "_8") + ".xml")).getroot().find("compounddef")
        groups = (ET.parse(path).getroot().find("compounddef") for path in xml.glob("group__*.xml"))
        functions = [member for group in groups for member in group.iterfind("sectiondef/memberdef[@kind='function']")
                     if header_of(member) == header]
        functions.sort(key=lambda member: (member.find("location").get("file"), int(member.find("location").get("line"))))
        pages.group = list(dict.fromkeys(member.findtext("name") for member in functions))
        name = pathlib.PurePath(header).stem
        same = [member for member in functions if member.findtext("name") == name]
        pages.write(name, definition, "\n".join(declaration(one) + ";" for one in same),
                    "\n".join(f".SH FUNCTION\n{text_of(one)}" for one in same))


def make(xml, pages):
    for path in sorted(xml.glob("group__*.xml")):
        group = ET.parse(path).getroot().find("compounddef")
        structs = [ET.parse(xml / f"{inner.get('refid')}.xml").getroot().find("compounddef") for inner in group.findall("innerclass")]
        functions = list(group.iterfind("sectiondef/memberdef[@kind='function']"))
        enums = list(group.iterfind("sectiondef/memberdef[@kind='enum']"))
        pages.group = list(dict.fromkeys(member.findtext("name") for member in functions))
        overloads = {}
        for function in functions:
            overloads.setdefault(function.findtext("name"), []).append(function)
        for name, several in overloads.items():
            pages.write(name, several[0], "\n".join(declaration(one) + ";" for one in several),
                        "\n.PP\n".join(["", *(text_of(one) for one in several[1:])]) if len(several) > 1 else "")
        for struct in structs:
            if "__unnamed" in struct.findtext("compoundname"):
                continue  # has no name to look it up by; the struct that it is in shows it
            fields = list(struct.iterfind("sectiondef/memberdef[@kind='variable']"))
            name = struct.findtext("compoundname")
            pages.write(name, struct, f"struct {name} {{\n" + "".join(f"  {declaration(field)};\n" for field in fields) + "};",
                        members("MEMBERS", [(field.findtext("name"), text_of(field, "\n")) for field in fields]))
        for enum in enums:
            values = [(f"{value.findtext('name')} {value.findtext('initializer') or ''}".strip(), text_of(value, "\n"))
                      for value in enum.findall("enumvalue")]
            pages.write(enum.findtext("name"), enum, f"typedef {flat(enum.find('type'))} {enum.findtext('name')};", members("VALUES", values))


def main():
    xml, folder, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    pages = Pages(folder, version)
    make(xml, pages)
    make_headers(xml, pages)
    print(f"reference: {len(pages.names)} manual pages in {folder}")


if __name__ == "__main__":
    main()
