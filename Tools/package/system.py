"""The system that a release is for: this machine's, or the Debian for ARM64 whose root FACE_ENGINE_ARM64 names."""

import os
import pathlib
import re
import subprocess

ROOT = os.environ.get("FACE_ENGINE_ARM64", "")
MACHINE = "aarch64" if ROOT else os.uname().machine
TRIPLE = f"{MACHINE}-linux-gnu"
# Where the loader looks.
FOLDERS = [pathlib.Path(ROOT or "/", folder) for folder in (f"usr/lib/{TRIPLE}", f"lib/{TRIPLE}")]


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def needed(file):
    """The names of the libraries that a file itself needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", file))


def libraries(file):
    """{soname: where the loader finds it}, all that a file needs, in any number of steps; None where there is none."""
    if not ROOT:
        places = re.findall(r"^\s*(\S+) => (\S.*?)(?: \(.*)?$", run("ldd", file), re.M)
        return {
            pathlib.PurePath(name).name: None if place == "not found" else pathlib.Path(place) for name, place in places
        }
    found, left = {}, needed(file)
    while left:
        name = left.pop()
        if name not in found:
            place = next((folder / name for folder in FOLDERS if (folder / name).exists()), None)
            found[name] = place
            left += needed(place) if place else []
    return found


def dpkg_query(*words):
    """What it prints; None where it finds nothing."""
    database = [f"--admindir={ROOT}/var/lib/dpkg"] if ROOT else []
    done = subprocess.run(["dpkg-query", *database, *map(str, words)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def package_of(place):
    """The Debian package that has a library, and None where none has."""
    place = place.resolve()
    if ROOT:
        place = pathlib.Path("/", place.relative_to(pathlib.Path(ROOT).resolve()))
    # A system with /lib in /usr knows some by either name.
    for path in (place, pathlib.Path("/usr", place.relative_to("/")), pathlib.Path("/", *place.parts[2:])):
        found = dpkg_query("--search", path)
        if found:
            return found.split(":")[0]
    return None


def version_of(package):
    """Version and architecture."""
    name = f"{package}:arm64" if ROOT else package
    shown = dpkg_query("--show", "--showformat", "${Version}\t${Architecture}\n", name)
    if not shown:
        shown = dpkg_query("--show", "--showformat", "${Version}\t${Architecture}\n", package)
    return shown.splitlines()[0].split("\t")


def copyright_of(package):
    return pathlib.Path(ROOT or "/", "usr/share/doc", package, "copyright")
