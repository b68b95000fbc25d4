"""The pages of the site: the repository's Markdown with its links turned to pages, the files that it links to, and the
references."""

import json
import logging
import os
import pathlib
import posixpath
import re
import shutil

import c_reference
import http_reference
import messages
import python_reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tools/site"
MAP = "docs/README.md"
PICTURES = {".png", ".jpg", ".svg"}
# Where a link to a file leads; any other file that is linked has a page with its text.
PAGES = {
    "README.md": "index.md",
    MAP: "index.md",
    "Gateway/Sources/GatewayHTTP/Resources/openapi.json": "reference/http.md",
    "Proto/face_engine.proto": "reference/messages.md",
    "Python/faceengine/__init__.py": "reference/python.md",
    **{f"include/{name}": "reference/c.md" for name in c_reference.HEADERS},
}
# A link's target, with the fenced blocks and the code in which there are none.
LINK = re.compile(
    r"(?P<code>^(?P<fence>`{3,})[^\n]*\n.*?^(?P=fence)$|(?P<ticks>`+)[^`].*?(?P=ticks))|(?<=\]\()(?P<target>[^)\s]+)(?=[)\s])",
    re.MULTILINE | re.DOTALL)


def slug(text, separator="-"):
    """The anchor of a heading, as hosts of Git repositories make it."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def contents():
    """The chapters of docs/README.md: [(title, [(text, path, description)])]."""
    chapters = []
    for line in (ROOT / MAP).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            chapters.append((line[3:], []))
        elif entry := re.fullmatch(r"- \[(.+?)\]\((\S+?)\)(?:: (.+))?", line):
            path = posixpath.normpath(posixpath.join("docs", entry[2]))
            chapters[-1][1].append((entry[1], path, entry[3] or ""))
    listed = {path for _, entries in chapters for _, path, _ in entries}
    missing = sorted({f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")} - listed - {MAP})
    if missing:
        raise SystemExit(f"site: {', '.join(missing)} is in no chapter of {MAP}: add a line there")
    return chapters


class Stage:
    """A folder that has the repository's layout, filled with pages and with what they link to, directly or through others."""

    def __init__(self, folder):
        self.folder = folder
        self.done = set()
        self.waiting = []

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def page_of(self, path, source):
        """The page, or picture, that a file or folder of the repository is on."""
        if path in PAGES:
            return PAGES[path]
        file = ROOT / path
        if not file.exists():
            raise SystemExit(f"site: {source} links to {path}, which is not there")
        self.waiting.append(path)
        if file.is_dir():
            return f"{path}/index.md"
        return path if file.suffix in PICTURES | {".md"} else f"{path}.md"

    def linked(self, text, source, place=None):
        """The text of the Markdown file `source` for the page `place`, its links led to pages."""
        place = place or source

        def replacement(match):
            target = match["target"]
            if target is None or "://" in target or target.startswith(("mailto:", "#")):
                return match[0]
            path, _, anchor = target.partition("#")
            page = self.page_of(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), source)
            page = posixpath.relpath(page, posixpath.dirname(place) or ".")
            return f"{page}#{anchor}" if anchor and page.endswith(".md") else page

        return LINK.sub(replacement, text)

    def add(self, path):
        """The pages of a file or folder, and of what they link to."""
        self.waiting.append(path)
        while self.waiting:
            path = self.waiting.pop()
            if path in self.done or path in PAGES:
                continue
            self.done.add(path)
            file = ROOT / path
            if file.is_dir():
                names = sorted(child.name for child in file.iterdir() if child.is_file())
                rows = "\n".join(f"- [{name}]({name})" for name in names)
                self.write(f"{path}/index.md", self.linked(f"{UNSEARCHED}# {path}\n\n{rows}\n", f"{path}/index.md"))
            elif file.suffix in PICTURES:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, self.folder / path)
            elif file.suffix == ".md":
                self.write(path, self.linked(file.read_text(encoding="utf-8"), path))
            else:
                self.write(f"{path}.md", source_page(path))


# A reference has each word often; the guides come first.
REFERENCE = "---\nsearch:\n  boost: 0.5\n---\n\n"
# Texts of files would crowd out the pages that explain them.
UNSEARCHED = "---\nsearch:\n  exclude: true\nhide:\n  - navigation\n  - toc\n---\n"


def source_page(path):
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    text = (ROOT / path).read_text(encoding="utf-8")
    try:
        language = get_lexer_for_filename(path, text).aliases[0]
    except ClassNotFound:
        language = "bash" if text.startswith("#!") else "docker" if path.endswith("Containerfile") else "text"
    fence = max(re.findall(r"`{3,}", text), key=len, default="``") + "`"
    return f"{UNSEARCHED}# {pathlib.Path(path).name}\n\n`{path}`\n\n{fence}{{.{language} .source}}\n{text}\n{fence}\n"


def code(document, language, number=0):
    """A fenced block of a document, as its tests run it."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[number].rstrip("\n")


def installed(text):
    """An example of a checkout for who has installed a package: shorter, too."""
    text = re.sub(r" +# .*$", "", text, flags=re.MULTILINE)
    return text.replace(".build/release/", "").replace("Examples/photos/grace_hopper.jpg", "photo.jpg")


def section(document, title):
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[0]


def home(stage, chapters):
    """The first page: how it is installed and five lines of code, then the chapters, and what the README compares."""
    first, rest = (ROOT / "README.md").read_text(encoding="utf-8").split("\n\n")[1].replace("\n", " ").split(". ", 1)
    first += "."
    cards = []
    for title, entries in chapters:
        rows = "\n".join(f"- [{text}]({stage.linked(f'[]({path})', 'README.md', 'index.md')[3:-1]})" for text, path, _ in entries)
        cards.append(f'<div class="chapter" markdown>\n\n### {title}\n\n{rows}\n\n</div>')
    text = (HERE / "home.md").read_text(encoding="utf-8")
    for name, value in {
        "first": first,
        "rest": rest,
        "python": installed(code("README.md", "python")),
        "command": installed(code("README.md", "sh", 2).splitlines()[1]),
        "curl": installed(code("docs/gateway.md", "sh").splitlines()[-1]),
        "chapters": "\n\n".join(cards),
        "readme": "\n".join(stage.linked(section("README.md", title), "README.md", "index.md")
                            for title in ("Features at a glance", "Benchmarks")),
    }.items():
        # As far to the right as its placeholder.
        text = re.sub(rf"^( *)\{{\{{ {name} \}}\}}", lambda match: match[1] + value.replace("\n", "\n" + match[1]), text, flags=re.M)
    stage.write("index.md", text)
    stage.add("docs/detected.png")
    stage.add("LICENSE")


def stage(folder, reference):
    """Fills the folder, and returns MkDocs' nav."""
    shutil.rmtree(folder, ignore_errors=True)
    chapters = contents()
    made = Stage(folder)
    home(made, chapters)
    for _, entries in chapters:
        for _, path, _ in entries:
            made.add(path)
    made.write("reference/c.md", REFERENCE + c_reference.page(reference))
    c_reference.copy(reference / "html", folder / "reference/c")
    made.write("reference/http.md", REFERENCE + http_reference.page())
    made.write("reference/messages.md", REFERENCE + made.linked(messages.page(), "Proto/PROTOCOL.md", "reference/messages.md"))
    made.write("reference/python.md", REFERENCE + made.linked(python_reference.page(), "docs/python.md", "reference/python.md"))
    made.add("Proto/ttrpc.proto")
    shutil.copyfile(ROOT / "Gateway/Sources/GatewayHTTP/Resources/openapi.json", folder / "reference/openapi.json")
    shutil.copytree(HERE / "assets", folder / "assets")
    made.add("docs/python.md")
    return [{"Home": "index.md"}] + [
        {title: [{text: made.page_of(path, MAP)} for text, path, _ in entries]} for title, entries in chapters]


class Warnings(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def build(folder, output, nav):
    """The site, by MkDocs. Its warnings are errors."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    warnings = Warnings()
    logging.getLogger("mkdocs").addHandler(warnings)
    config = load_config(str(HERE / "mkdocs.yml"), docs_dir=str(folder), site_dir=str(output), nav=nav)
    config.mdx_configs["toc"]["slugify"] = slug
    config.plugins.run_event("startup", command="build", dirty=False)
    build_site(config)
    config.plugins.run_event("shutdown")
    if warnings.lines:
        raise SystemExit("\n".join(f"site: {line}" for line in warnings.lines))
    finish(output)


def finish(output):
    """What a site that is opened as files needs, and nothing that only a server would."""
    for name in ("404.html", "sitemap.xml", "sitemap.xml.gz"):
        (output / name).unlink(missing_ok=True)
    for path in output.rglob("*.map"):
        path.unlink()
    for path in (output / "assets").rglob("*.*"):
        if path.suffix in (".js", ".css"):
            text = path.read_text(encoding="utf-8")
            # Its scripts would fetch what our pages have no need of: diagrams, and a part of browsers that all have.
            text = re.sub(r"https://[\w.]+/(?:mermaid@|resize-observer-polyfill)[^\"'`]*", "", text)
            path.write_text(re.sub(r"\n?(?://|/\*)# sourceMappingURL=.*?(?:\*/)?\n?$", "\n", text), encoding="utf-8")
    index = (output / "search/search_index.json").read_text(encoding="utf-8")
    (output / "search/search_index.js").write_text(f"var __index = {index};\n", encoding="utf-8")
    [worker] = (output / "assets/javascripts/workers").glob("search.*.js")
    script = output / "assets/search-worker.js"
    script.write_text(f"var searchWorker = {json.dumps(worker.read_text(encoding='utf-8'))};\n", encoding="utf-8")
    copy_licences(output / "assets/licences")


def copy_licences(folder):
    """Those of what the site has of others: the theme with its scripts and icons."""
    from importlib import metadata

    folder.mkdir()
    for name in ("mkdocs-material", "pygments"):
        texts = [file for file in metadata.files(name) if "licenses" in file.parts]
        if not texts:
            raise SystemExit(f"site: {name} comes without its licence")
        for file in texts:
            shutil.copyfile(file.locate(), folder / f"{name}-{file.name}")
