"""The C reference: Doxygen's pages, and a page of the site that lists what is on them, so that its search finds them."""

import re
import shutil
import xml.etree.ElementTree as ET

HEADERS = ["face_engine.h", "face_engine.hpp", "face_engine_draw.h", "face_engine_plugin.h", "face_jni.h", "global_listener.h"]
GROUPS = ["faceengine", "faceengine_draw", "plug_ins", "older_sdk"]
MEMBER = re.compile(r"(.+)_1(g*a[0-9a-f]{32,33})")


def flat(element):
    """An element's text in one line, for a cell of a table."""
    text = " ".join("".join(element.itertext()).split()) if element is not None else ""
    return re.sub(r"([|*_`<\[\]])", r"\\\1", text)


def brief(element):
    """The first sentence of a description, which Doxygen has as the brief one where the comment is longer."""
    for name in ("briefdescription", "detaileddescription"):
        text = flat(element.find(name))
        if text:
            return re.split(r"(?<=[.:]) ", text)[0].rstrip(":")
    return ""


class Reference:
    def __init__(self, folder):
        self.html = folder / "html"
        self.compounds = {}
        for path in (folder / "xml").glob("*.xml"):
            for compound in ET.parse(path).getroot().findall("compounddef"):
                self.compounds[compound.get("id")] = compound

    def group(self, name):
        return next(one for one in self.compounds.values() if one.get("kind") == "group" and one.findtext("compoundname") == name)

    def link(self, name, identity, compound):
        match = MEMBER.fullmatch(identity)
        target = f"{match[1]}.html#{match[2]}" if match else f"{identity}.html"
        if not match and not (self.html / target).is_file():
            # A simple struct is on the page of its topic.
            target = f"{compound.get('id')}.html#{identity}"
        return f"[`{name}`](c/{target})"

    def rows(self, compound):
        """(name, sentence) of all that a group, namespace or class documents."""
        for inner in compound.findall("innerclass"):
            if inner.get("prot") != "private" and "unnamed" not in inner.get("refid"):
                yield self.link(inner.text, inner.get("refid"), compound), brief(self.compounds[inner.get("refid")])
        for member in compound.iter("memberdef"):
            kind = member.get("kind")
            if kind in ("function", "enum", "typedef", "define") and member.get("prot") == "public" and member.findtext("name"):
                text = brief(member)
                if text or kind == "function":
                    yield self.link(member.findtext("name"), member.get("id"), compound), text

    def table(self, compound):
        rows = "".join(f"| {name} | {text} |\n" for name, text in self.rows(compound))
        return f"| name | what |\n|---|---|\n{rows}" if rows else ""


def page(folder):
    reference = Reference(folder)
    parts = ["# C and C++ reference", "[All pages, with every parameter and member](c/index.html), are made from the headers' own "
             "comments. These are their functions and types by topic; [C and C++](../docs/c-api.md) says what to use when."]
    for name in GROUPS:
        group = reference.group(name)
        parts.append(f"## {group.findtext('title')}")
        parts.append(reference.table(group))
        for inner in group.findall("innergroup"):
            topic = reference.compounds[inner.get("refid")]
            parts += [f"### {topic.findtext('title')}", reference.table(topic)]
    parts += ["## C++", "Objects with exceptions in one header, `face_engine.hpp`, in the namespace `face`."]
    parts.append(reference.table(reference.compounds["namespaceface"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def copy(html, folder):
    """Doxygen's pages with a way back to the site, in its light or dark look."""
    shutil.copytree(html, folder)
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}
    anchors = {name: set(re.findall(r'(?:id|name)="([^"]+)"', text)) for name, text in pages.items()}

    def existing(match, page):
        """Doxygen names places of simple structs, and of headings, that it did not write: then the page has to do."""
        name, anchor = match[1] or page, match[2]
        return match[0] if name not in anchors or anchor in anchors[name] else f'href="{name}"'

    for name, text in pages.items():
        text = re.sub(r'href="([\w.-]*)#([^"]*)"', lambda match, page=name: existing(match, page), text)
        text = text.replace("</head>", '<script src="../../assets/reference.js"></script>\n</head>', 1)
        (folder / name).write_text(text, encoding="utf-8")
