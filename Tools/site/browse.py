"""Opens the site in Chromium, from the file system. No page has an error, requests a file that is not there or requests anything
from another machine; each link leads to a file of the site and, where it names one, to an anchor there. At a phone's and a desktop's
width nothing is wider than the screen, the search finds a word, from a server too, and the look can be switched.

CHROMIUM   the browser (default: chromium)
"""

import contextlib
import functools
import http.server
import os
import pathlib
import shutil
import sys
import threading
import urllib.parse

SIZES = {"phone": (390, 844), "desktop": (1440, 900)}
PAGES = ["index.html", "docs/install.html", "docs/operate.html", "docs/gateway.html", "docs/python.html", "docs/drawing.html",
         "docs/benchmarks.html", "docs/features.html", "ARCHITECTURE.html", "Models/index.html", "Proto/PROTOCOL.html",
         "reference/c.html", "reference/c/group__face__engine__detection.html", "reference/c/index.html", "reference/python.html",
         "reference/http.html", "reference/messages.html", "Examples/c/detect.c.html", "CONTRIBUTING.html"]
LIMIT = 15_000  # milliseconds until something that is waited for counts as not coming
# A page's links and anchors.
READ_PAGE = """[
  [...document.querySelectorAll("a[href], area[href]")].map(link => new URL(link.getAttribute("href"), document.baseURI).href),
  [...document.querySelectorAll("[id], [name]")].flatMap(place => [place.id, place.getAttribute("name")])]"""


@contextlib.contextmanager
def browser():
    from playwright.sync_api import sync_playwright

    program = shutil.which(os.environ.get("CHROMIUM", "chromium"))
    if program is None:
        print("site: chromium is not installed: run Tools/setup/packages.sh site", file=sys.stderr)
        sys.exit(77)
    # Root cannot use the sandbox.
    switches = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=switches)
        try:
            yield running
        finally:
            running.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a server of the folder, on this machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


class Reader:
    """A window of one size and look on the site at `base`, and what went wrong in it."""

    def __init__(self, running, base, size):
        self.base, self.faults, self.address = base, [], ""
        width, height = SIZES[size]
        self.context = running.new_context(
            viewport={"width": width, "height": height}, color_scheme="light", reduced_motion="reduce")
        self.context.set_default_timeout(LIMIT)
        self.page = self.context.new_page()
        self.page.on("console", lambda line: line.type in ("error", "warning") and self.fault(line.text))
        self.page.on("pageerror", lambda error: self.fault(str(error)))
        # A page that is left aborts what it was still asking for.
        self.page.on("requestfailed", lambda request: request.failure == "net::ERR_ABORTED"
                     or self.fault(f"{request.url}: {request.failure}"))
        self.page.on("request", lambda request: request.url.startswith((base, "data:", "blob:"))
                     or self.fault(f"asks {request.url}"))

    def fault(self, text):
        self.faults.append(f"{self.address}: {text}")

    def open(self, address):
        self.address = address
        self.page.goto(f"{self.base}/{address}", wait_until="load")

    def expect(self, condition, what):
        if not condition:
            self.fault(what)

    def looks(self):
        return self.page.evaluate("getComputedStyle(document.body).backgroundColor")

    def try_pages(self):
        for address in PAGES:
            self.open(address)
            wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            self.expect(wide <= 0, f"is {wide} pixels wider than the screen")
            self.expect(len(self.page.inner_text("body")) > 200, "shows next to nothing")

    def try_links(self, folder):
        pages = {}
        for path in sorted(folder.rglob("*.html")):
            self.open(path.relative_to(folder).as_posix())
            pages[path.as_uri()] = self.page.evaluate(READ_PAGE)
        self.faults += link_faults(folder, pages)

    def try_search(self):
        """A word of a guide, and a function of the C library."""
        for word, target in (("take-over", "docs/operate.html"), ("face_detect_batch", "reference/c.html")):
            self.open("index.html")
            # A phone has a button in place of the field.
            button = self.page.locator(".md-header__button[for=__search]")
            button.click() if button.is_visible() else self.page.locator("[data-md-component=search-query]").click()
            self.page.wait_for_function("document.activeElement.dataset.mdComponent === 'search-query'")
            # All at once: the theme's search reports "take-" as a query with a fault, which a busy machine shows it.
            # It reads the field when a key goes up.
            self.page.keyboard.insert_text(word)
            self.page.keyboard.press("End")
            results = self.page.locator(f".md-search-result__link[href*='{target}']")
            results.first.wait_for(state="attached")
            self.page.goto(results.first.evaluate("link => link.href"))
            reached = self.page.url.split("#")[0].split("?")[0]
            self.expect(reached.endswith(target), f"the search for {word} leads to {reached}")

    def try_look(self):
        """The look that was chosen stays on other pages, in the C reference too."""
        self.open("index.html")
        before = self.looks()
        # On a phone the switch is in the same bar.
        self.page.locator("[data-md-component=palette] label:visible").first.click()
        self.page.wait_for_function("before => getComputedStyle(document.body).backgroundColor !== before", arg=before)
        after = self.looks()
        self.open("docs/install.html")
        self.expect(self.looks() == after, "forgets the look that was chosen")
        self.open("reference/c/index.html")
        self.expect(self.page.evaluate("document.documentElement.dataset.look") == "dark", "is light where the site is dark")


def link_faults(folder, pages):
    """The links of {address: (links, anchors)} that lead nowhere; a link to another site is followed by its reader alone."""
    for page, (links, _) in pages.items():
        for link in dict.fromkeys(links):
            target, anchor = urllib.parse.urldefrag(link)
            scheme, _, path, *_ = urllib.parse.urlsplit(target)
            file = pathlib.Path(urllib.parse.unquote(path))
            if scheme == "file" and not (file.is_file() and file.is_relative_to(folder)):
                yield f"{page}: links to {link}, which is no file of the site"
            elif target in pages and anchor and not anchor.startswith("__") and urllib.parse.unquote(anchor) not in pages[target][1]:
                yield f"{page}: links to {link}, which has no such anchor"
            elif scheme not in ("file", "http", "https", "mailto", "javascript"):
                yield f"{page}: links to {link}"


def try_site(folder, log):
    from playwright.sync_api import Error

    faults = []
    with browser() as running, served(folder) as server:
        for base in (folder.as_uri(), server):
            for size in SIZES:
                reader = Reader(running, base, size)
                # The pages themselves are the same from both.
                steps = [reader.try_pages, reader.try_search, reader.try_look] if base != server else [reader.try_search]
                if base != server and size == "desktop":
                    steps.append(functools.partial(reader.try_links, folder))
                for step in steps:
                    try:
                        step()
                    except Error as error:
                        reader.fault(str(error).split("\nCall log")[0])
                faults += [f"{size}, {base.split(':')[0]}: {fault}" for fault in reader.faults]
                reader.context.close()
    for fault in faults:
        log(fault)
    if faults:
        sys.exit(f"site: {len(faults)} faults in Chromium")
