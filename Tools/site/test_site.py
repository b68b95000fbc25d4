#!/usr/bin/env python3
"""test_site.py FOLDER: no link of the site in FOLDER leads nowhere. Then Chromium opens pages, from the file system and from a server,
at a phone's and a desktop's width: none has an error, requests anything from elsewhere or is wider than the screen; the search
finds a word of a guide and a function; the look stays as chosen, in the C reference too.

CHROMIUM   the browser (default: chromium)
"""

import functools
import html.parser
import http.server
import os
import pathlib
import shutil
import sys
import threading
import urllib.parse

PAGES = [
    "index.html",
    "docs/install.html",
    "docs/features.html",
    "docs/drawing.html",
    "docs/benchmarks.html",
    "Proto/PROTOCOL.html",
    "include/face_engine.h.html",
    "reference/c/index.html",
    "reference/c/group__face__engine__detection.html",
    "Bindings/Python/faceengine/__init__.py.html",
    "Gateway/Sources/GatewayHTTP/Resources/openapi.json.html",
    "Examples/c/detect.c.html",
    "reference/java/com/faceengine/Engine.html",
]
SEARCHES = {
    "take-over": "docs/operate.html",
    "face_detect_batch": "include/face_engine.h.html",
    "detect_batch": "__init__.py.html",
    "DetectRequest": "Proto/face_engine.proto.html",
}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values.get("id"), values.get("name")}
        self.links |= {(tag, values[name]) for name in ("href", "src") if values.get(name)}


def link_faults(folder):
    pages = {path: Page(path) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for tag, link in sorted(page.links):
            target, anchor = urllib.parse.urldefrag(link)
            address = urllib.parse.urlsplit(target)
            file = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
            if address.scheme or address.netloc:
                # Only a reader who follows it leaves the site.
                if address.scheme != "javascript" and (tag != "a" or address.scheme not in ("http", "https", "mailto")):
                    yield f"{path}: requests {link}"
            elif not file.is_file() or not file.is_relative_to(folder):
                yield f"{path}: links to {link}, which is no file of the site"
            # Doxygen names places of structs without pages of their own.
            elif (
                anchor
                and file in pages
                and folder / "reference" not in path.parents
                and anchor not in pages[file].anchors
            ):
                yield f"{path}: links to {link}, which has no such anchor"


def try_pages(page, base, fault):
    for address in PAGES:
        page.goto(f"{base}/{address}")
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if wide > 0:
            fault(f"is {wide} pixels wider than the screen")
    for word, target in SEARCHES.items():
        page.goto(f"{base}/index.html")
        page.locator("[for=__search]:visible, [data-md-component=search-query]:visible").first.click()
        page.wait_for_function("document.activeElement.dataset.mdComponent === 'search-query'")
        # All at once: the theme's search reports "take-" as a query with a fault. It reads the field when a key goes
        # up.
        page.keyboard.insert_text(word)
        page.keyboard.press("End")
        page.locator(f".md-search-result__link[href*='{target}']").first.wait_for(state="attached")
    look = "getComputedStyle(document.body).backgroundColor"
    page.goto(f"{base}/index.html")
    before = page.evaluate(look)
    page.locator("[data-md-component=palette] label:visible").first.click()
    page.wait_for_function(f"before => {look} !== before", arg=before)
    for address in PAGES[1], "reference/c/index.html":
        page.goto(f"{base}/{address}")
        if max(map(int, page.evaluate(look)[4:-1].split(","))) > 99:
            fault("is light though dark was chosen")


def browser_faults(folder):
    from playwright.sync_api import Error, sync_playwright

    program = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if program is None:
        print("site: chromium is not installed: run Tools/setup/packages.sh site", file=sys.stderr)
        sys.exit(77)
    faults = []
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        # Root cannot use the sandbox.
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        for base, width, height in (
            (folder.as_uri(), 390, 844),
            (folder.as_uri(), 1440, 900),
            (f"http://127.0.0.1:{server.server_port}", 1440, 900),
        ):
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce"
            )

            def fault(text, page=page, width=width):
                faults.append(f"{page.url}, {width} pixels wide: {text}")

            # Debian's javadoc has no fonts, and the references have no icon.
            page.on(
                "console",
                lambda line: (
                    line.type in ("error", "warning")
                    and not line.location["url"].endswith(("favicon.ico", "dejavu.css"))
                    and fault(line.text)
                ),
            )
            page.on("pageerror", fault)
            page.on(
                "request",
                lambda request: request.url.startswith((base, "data:", "blob:")) or fault(f"requests {request.url}"),
            )
            try:
                try_pages(page, base, fault)
            except Error as error:
                fault(str(error).split("Call log")[0])
            page.close()
        server.shutdown()
    return faults


if __name__ == "__main__":
    site = pathlib.Path(sys.argv[1]).resolve()
    found = [*link_faults(site), *browser_faults(site)]
    print("\n".join(found) or f"open {site}/index.html", file=sys.stderr)
    sys.exit(f"site: {len(found)} faults" if found else 0)
