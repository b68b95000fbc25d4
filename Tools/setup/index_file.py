#!/usr/bin/env python3
"""index_file.py PROJECT FILE SHA256 DEST: fetch one file of a project from the Python package index, and check it.

For files that pip itself will not download as they are (a source package whose set-up script makes up its version).
The index, its certificate and its password are the ones pip is configured with. A file already at DEST with the right
hash is kept; an interrupted download goes on where it stopped.
"""

import ast
import base64
import hashlib
import html.parser
import os
import pathlib
import ssl
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

TIMEOUT_SECONDS = 60
CHUNK_BYTES = 1 << 18


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def pip_settings():
    """pip's settings by name, the environment winning over the files as it does for pip."""
    said = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True)
    if said.returncode != 0:
        raise Problem("python3 has no working pip, which knows the package index: run Tools/setup/packages.sh build.")
    rank = {"global": 0, "download": 1, ":env:": 2}
    best = {}
    for line in said.stdout.splitlines():
        key, _, value = line.partition("=")
        section, _, name = key.rpartition(".")
        if section in rank and rank[section] >= best.get(name, (-1, ""))[0]:
            best[name] = (rank[section], ast.literal_eval(value))
    return {name: value for name, (_, value) in best.items()}


def default_index():
    """The index pip uses when nothing is configured."""
    from pip._internal.models.index import PyPI

    return PyPI.simple_url


class Index:
    """The configured index: opens addresses with pip's certificate and password."""

    def __init__(self):
        settings = pip_settings()
        address = urllib.parse.urlsplit(settings.get("index-url") or default_index())
        self.headers = {"User-Agent": "face-engine-setup", "Accept-Encoding": "identity"}
        if address.username:
            secret = ":".join(urllib.parse.unquote(part or "") for part in (address.username, address.password))
            self.headers["Authorization"] = "Basic " + base64.b64encode(secret.encode()).decode()
            address = address._replace(netloc=address.netloc.rpartition("@")[2])
        self.host = address.netloc
        self.root = address.geturl().rstrip("/") + "/"
        self.context = ssl.create_default_context(cafile=settings.get("cert"))

    def open(self, address, first_byte=0):
        headers = dict(self.headers)
        if urllib.parse.urlsplit(address).netloc != self.host:
            headers.pop("Authorization", None)  # the password is for the index alone
        if first_byte:
            headers["Range"] = f"bytes={first_byte}-"
        request = urllib.request.Request(address, headers=headers)
        return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=self.context)

    def address_of(self, project, name):
        page = self.root + project + "/"
        links = Links()
        with self.open(page) as answer:
            links.feed(answer.read().decode())
        for link in links.found:
            if urllib.parse.urlsplit(link).path.endswith("/" + name):
                return urllib.parse.urljoin(page, link).partition("#")[0]
        raise Problem(f"The package index has no {name}: check pip's index-url, or use an index that has {project}.")


class Links(html.parser.HTMLParser):
    """The targets of all links on a page."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.found += [value for name, value in attributes if name == "href" and value]


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def download(index, address, part):
    """Fill `part`, going on after the bytes it already has where the server allows that."""
    have = part.stat().st_size if part.exists() else 0
    try:
        answer = index.open(address, have)
    except urllib.error.HTTPError as error:
        if error.code != 416:  # 416: the part is complete already, or longer than the file
            raise
        return
    with answer, open(part, "ab" if answer.status == 206 else "wb") as file:
        while chunk := answer.read(CHUNK_BYTES):
            file.write(chunk)


def fetch(project, name, sha256, destination):
    if destination.exists():
        if sha256_of(destination) == sha256:
            return
        destination.unlink()
    destination.parent.mkdir(parents=True, exist_ok=True)
    part = destination.with_name(destination.name + ".part")
    index = Index()
    address = index.address_of(project, name)
    download(index, address, part)
    seen = sha256_of(part)
    if seen != sha256:
        part.unlink()
        raise Problem(
            f"The downloaded {name} is not the expected file (sha256 {seen}, expected {sha256}) and was deleted: "
            "try again, and if it stays so, do not trust the package index."
        )
    os.replace(part, destination)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    project, name, sha256, destination = sys.argv[1:]
    try:
        fetch(project, name, sha256, pathlib.Path(destination))
    except Problem as problem:
        sys.exit(str(problem))
    except KeyboardInterrupt:
        print("\nInterrupted; run this again and the download goes on where it stopped.", file=sys.stderr)
        sys.exit(130)
    except urllib.error.URLError as error:
        reason = getattr(error, "reason", error)
        sys.exit(f"Could not reach the package index ({reason}): check the network and pip's index-url, "
                 f"or put {name} at {destination} by hand.")
    except OSError as error:
        sys.exit(f"Could not download {name} ({error}): check the network and the free disk space, "
                 "then run this again.")


if __name__ == "__main__":
    main()
