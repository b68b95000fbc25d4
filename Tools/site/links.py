"""Tries the links of a site that is a folder of files: each leads to a file of it and, where it names one, to an anchor there;
and no page takes a script, a style, a font or a picture from elsewhere."""

import pathlib
import re
import sys
import urllib.parse
from html.parser import HTMLParser

# Elements whose address is fetched when the page is shown; an `a` is followed by its reader alone.
FETCHED = {"script", "link", "img", "iframe", "source", "video", "audio", "embed", "object", "image", "use", "track", "input"}
ADDRESSES = ("href", "src", "xlink:href", "data", "data-worker", "poster", "action")


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.links, self.anchors, self.styles, self.in_style = [], set(), [], False

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        self.in_style = tag == "style"
        if given.get("style"):
            self.styles.append(given["style"])
        for name in ADDRESSES:
            if given.get(name) is not None:
                self.links.append((tag, given[name]))
        for entry in (given.get("srcset") or "").split(","):
            if entry.strip():
                self.links.append((tag, entry.split()[0]))

    def handle_endtag(self, tag):
        self.in_style = False

    def handle_data(self, data):
        if self.in_style:
            self.styles.append(data)


def addresses_of_style(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = re.findall(r"url\(\s*['\"]?([^'\")]+?)['\"]?\s*\)", text)
    return found + re.findall(r"@import\s+['\"]([^'\"]+)['\"]", text)


def problems(folder):
    """What is wrong, a sentence each; raises where there are no pages."""
    folder = pathlib.Path(folder)
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        page = pages[path.resolve()] = Page()
        page.feed(path.read_text(encoding="utf-8"))
    if not pages or not any(page.links for page in pages.values()):
        raise ValueError(f"{folder} has no pages with links")
    found = []

    def follow(path, tag, address, page=None):
        address = address.strip()
        if re.match(r"(data|blob|javascript|about|mailto):", address):
            return
        parts = urllib.parse.urlsplit(address)
        if parts.scheme or parts.netloc:
            if tag in FETCHED:
                found.append(f"{path.relative_to(folder)} fetches {address} ({tag})")
            elif parts.scheme not in ("http", "https"):
                found.append(f"{path.relative_to(folder)} links to {address}")
            return
        target = path
        if parts.path:
            if parts.path.startswith("/"):
                found.append(f"{path.relative_to(folder)} links to {address}, from the top of a server")
                return
            target = path.parent / urllib.parse.unquote(parts.path)
        if not target.is_file():
            found.append(f"{path.relative_to(folder)} links to {address}, which is no file")
        elif parts.fragment and target.resolve() in pages:
            anchor = urllib.parse.unquote(parts.fragment)
            if anchor not in pages[target.resolve()].anchors and not anchor.startswith("__"):
                found.append(f"{path.relative_to(folder)} links to {address}, which has no such place")

    for path, page in pages.items():
        path = folder / path.relative_to(folder.resolve())
        for tag, address in page.links:
            follow(path, tag, address)
        for style in page.styles:
            for address in addresses_of_style(style):
                follow(path, "link", address)
    for path in folder.rglob("*.css"):
        for address in addresses_of_style(path.read_text(encoding="utf-8")):
            if not address.startswith("#"):
                follow(path, "link", address)
    for path in folder.rglob("*.svg"):
        for address in re.findall(r"(?:href|src)=[\"']([^\"']+)", path.read_text(encoding="utf-8")):
            follow(path, "image", address)
    for path in folder.rglob("*.js"):
        for address in re.findall(r"[\"'`](https?://[^\"'`\s]+(?:\.m?js|\.css|-polyfill))[\"'`]", path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(folder)} may fetch {address}")
    return sorted(set(found))


if __name__ == "__main__":
    faults = problems(sys.argv[1])
    print("\n".join(faults))
    sys.exit(1 if faults else 0)
