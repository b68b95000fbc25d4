#!/usr/bin/env python3
"""make.py FOLDER: makes the documentation's site in FOLDER, from the repository's own Markdown, headers, docstrings, .proto and
OpenAPI document, then tries it in Chromium, from the file system: every page and link.

Python's packages come from the package index, once, into the user's cache. Exits with 77 where Python can make no environment.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tools/site"
REQUIREMENTS = HERE / "requirements.txt"
WORK = ROOT / ".build/site-work"
sys.dont_write_bytecode = True  # leave no files in the checkout
sys.path[:0] = [str(ROOT / "Tests/Benchmarks"), str(HERE)]
from environment import enter  # noqa: E402

STARTED = time.monotonic()


def log(text):
    print(f"site: {text}", file=sys.stderr, flush=True)


def prepare():
    """This program in an environment with what it needs."""
    if sys.version_info < (3, 11):
        sys.exit("site: this needs Python 3.11 or later, as Debian 12 has")
    for module in ("venv", "ensurepip"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode != 0:
            log(f"this Python has no {module}: install python3-venv")
            sys.exit(77)
    pins = re.findall(r"^\w.*?==[\w.]+", REQUIREMENTS.read_text(encoding="utf-8"), re.M)
    enter("site", pins, lambda command: subprocess.run(
        [*command, "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", REQUIREMENTS],
        check=True))


def make_reference(folder):
    """Doxygen's pages and the XML that lists what is on them."""
    done = subprocess.run([ROOT / "Tools/reference/make.sh", folder, "xml"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(done.returncode)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1]).resolve()
    prepare()
    import browse
    import pages

    log("the tests of what makes it")
    if subprocess.run([sys.executable, HERE / "test_site.py"]).returncode != 0:
        sys.exit(1)
    log("the C reference, by Doxygen")
    make_reference(WORK / "reference")
    log("the pages")
    contents = pages.stage(WORK / "pages", WORK / "reference")
    log("the site")
    new = WORK / "site"
    shutil.rmtree(new, ignore_errors=True)
    pages.build(WORK / "pages", new, contents)
    output.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(output, ignore_errors=True)
    new.rename(output)
    log("Chromium")
    browse.try_site(output, log)
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    log(f"{len(list(output.rglob('*.html')))} pages, {size / 1e6:.1f} MB, {time.monotonic() - STARTED:.0f} s: {output}/index.html")


if __name__ == "__main__":
    main()
