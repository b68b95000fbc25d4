"""What MkDocs needs to know of this repository: which of its files are pages, and where the references come from.

The pages are the documents that docs/README.md lists, and whatever they link to, each at its place in the repository. Markdown
stays as it is, and a source file becomes a page with its text.
"""

import json
import pathlib
import posixpath
import re
import xml.etree.ElementTree as ET
from importlib import metadata

import griffe
import jinja2
from mkdocs.structure.files import File
from openapidocs.mk.v3 import OpenAPIV3DocumentationHandler

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTENTS = "docs/README.md"
OPENAPI = "Gateway/Sources/GatewayHTTP/Resources/openapi.json"
# What Doxygen and javadoc made of the sources, by its place in the site.
MADE = {"reference/c": ROOT / ".build/reference/html", "reference/java": ROOT / ".build/java/reference"}
TAGS = ROOT / ".build/reference/tags.xml"
REFERENCE = "---\nsearch:\n  boost: 0.5\n---\n"  # guides come first in the search
SOURCE = "---\nsearch:\n  exclude: true\nhide: [navigation, toc]\n---\n"
LANGUAGES = {
    "": "text",
    "cfg": "text",
    "gateway": "docker",
    "h": "c",
    "hpp": "cpp",
    "proto": "protobuf",
    "service": "ini",
}


class Page(File):
    """A page whose source is no Markdown file. Links to the source lead to it."""

    def is_documentation_page(self):
        return True


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def chapters():
    """[(title, [(text, path)])] of docs/README.md, which lists every document."""
    parts = re.split(r"^## (.+)\n", read(CONTENTS), flags=re.MULTILINE)[1:]
    found = [
        (
            title,
            [
                (text, posixpath.normpath(f"docs/{path}"))
                for text, path in re.findall(r"^- \[(.+?)\]\((\S+?)\)", part, re.M)
            ],
        )
        for title, part in zip(parts[::2], parts[1::2])
    ]
    missing = (
        {f"docs/{file.name}" for file in ROOT.glob("docs/*.md")}
        - {path for _, rows in found for _, path in rows}
        - {CONTENTS}
    )
    if missing:
        raise SystemExit(f"site: add a line to {CONTENTS} for {', '.join(sorted(missing))}")
    return found


def code(path, language, number=0):
    """A fenced block of a document, which a test runs, with the paths of an installed package."""
    text = re.findall(rf"^```{language}\n(.*?)\n```$", read(path), re.MULTILINE | re.DOTALL)[number]
    return (
        re.sub(r" +# .*$", "", text, flags=re.M)
        .replace(".build/release/", "")
        .replace("Examples/photos/grace_hopper.jpg", "photo.jpg")
    )


def section(path, title):
    """A chapter of a document. Its heading may be a link."""
    found = re.search(rf"^## \[?{title}\b.*?(?=^## |\Z)", read(path), re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f'{path} has no heading "## {title}", which Tools/site/home.md shows')
    return found[0]


def c_reference():
    """Every name of Doxygen's pages, so that the search finds them there."""
    lines = [
        "# C and C++ reference",
        "[Doxygen's pages](../reference/c/index.html) are made from the headers' comments. These are the "
        "names by topic. [C and C++](../docs/c-api.md) says what to use when.",
        "",
    ]
    for compound in sorted(ET.parse(TAGS).getroot(), key=lambda one: one.get("kind") != "group"):
        members = [member for member in compound.findall("member") if member.get("kind") not in ("enumvalue", "friend")]
        if compound.get("kind") not in ("group", "class", "struct", "namespace") or not members:
            continue
        lines += ["", f"## {compound.findtext('title') or compound.findtext('name')}", ""]
        for member in members:
            target = f"../reference/c/{member.findtext('anchorfile')}#{member.findtext('anchor')}"
            lines.append(
                f"- [`{member.findtext('name')}`]({target}) `{member.findtext('arglist') or member.findtext('type') or ' '}`"
            )
    return "\n".join(lines)


def java_reference():
    names = sorted(file.stem for file in MADE["reference/java"].glob("com/faceengine/[A-Z]*.html"))
    return (
        "# Java reference\n\nThe classes of `com.faceengine`. [Java](../../../../../docs/java.md) says how to use them.\n\n"
        + "\n".join(f"- [`{name}`](../../../../../reference/java/com/faceengine/{name}.html)" for name in names)
    )


def http_reference():
    text = OpenAPIV3DocumentationHandler(json.loads(read(OPENAPI)), style="MKDOCS", source=OPENAPI).write()
    # Each example has a warning that it is made from the schema.
    return re.sub(r'<span class="small-note">.*?</em>', "", text)


# The text of pages that are not the file's own.
REFERENCES = {
    "include/face_engine.h": c_reference,
    "Bindings/Java/source/com/faceengine/package-info.java": java_reference,
    "Bindings/Python/faceengine/__init__.py": lambda: read("Tools/site/python.md").replace("](../../", "](../../../"),
    OPENAPI: http_reference,
}


def page(config, path):
    """The file, or folder, of the repository as a page or picture."""
    file, text = ROOT / path, None
    if path == "README.md":
        text = jinja2.Template(read("Tools/site/home.md")).render(
            read=read, code=code, section=section, chapters=chapters()
        )
    elif path in REFERENCES:
        text = REFERENCE + REFERENCES[path]()
    elif file.is_dir():
        names = sorted(one.name for one in file.iterdir() if one.is_file())
        text = f"{SOURCE}# {path}\n\n" + "\n".join(f"- [{name}]({file.name}/{name})" for name in names)
    elif file.suffix not in (".md", ".png", ".jpg", ".svg"):
        suffix = file.suffix[1:]
        front = REFERENCE if any(path == one for _, rows in chapters() for _, one in rows) else SOURCE
        text = f"{front}# {file.name}\n\n`{path}`\n\n`````{LANGUAGES.get(suffix, suffix)}\n{read(path)}\n`````\n"
    if text is None:
        return File.generated(config, path, abs_src_path=str(file))
    made = (File if path == "README.md" else Page).generated(config, path, content=text)
    made.dest_uri = "index.html" if path == "README.md" else f"{path}/index.html" if file.is_dir() else f"{path}.html"
    return made


def on_files(files, config):
    waiting = ["README.md", "LICENSE", *(path for _, rows in chapters() for _, path in rows)]
    while waiting:
        path = waiting.pop()
        if files.get_file_from_path(path) or not (ROOT / path).exists():
            continue  # MkDocs reports a link to nothing
        files.append(page(config, path))
        if path.endswith(".md") or (ROOT / path).is_dir():
            text = files.get_file_from_path(path).content_string
            links = re.findall(r"\]\(([\w./+-]+)", text)
            waiting += [posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) for link in links]
    for place, folder in MADE.items():
        for file in (file for file in folder.rglob("*") if file.is_file()):
            files.append(
                File.generated(config, f"{place}/{file.relative_to(folder).as_posix()}", abs_src_path=str(file))
            )
    for name in ("mkdocs-material", "pygments"):
        for file in (file for file in metadata.files(name) if "licenses" in file.parts):
            files.append(File.generated(config, f"assets/licences/{name}-{file.name}", abs_src_path=str(file.locate())))
    return files


def on_config(config):
    config.nav = [
        {"Home": "README.md"},
        *({title: [{text: path} for text, path in rows]} for title, rows in chapters()),
    ]
    return config


def on_post_build(config):
    # Its links are those of a server's first folder.
    pathlib.Path(config.site_dir, "404.html").unlink()


class Columns(griffe.Extension):
    """Docstrings with columns, a name and two spaces or more before its text, as lists."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = re.sub(
                r"^(\S+(?: \S+)*?) {2,}(\S.*(?:\n  +\S.*)*)",
                lambda row: f"- `{row[1].strip('`')}`: " + re.sub(r"\s*\n\s+", " ", row[2]),
                obj.docstring.value,
                flags=re.MULTILINE,
            )
