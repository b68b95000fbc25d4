"""The cache folder, and files in it that are known by their hash."""

import hashlib
import os
import pathlib


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def default_cache():
    """Where set-up keeps what it fetched and built, shared by all checkouts of a user."""
    if named := os.environ.get("FACE_ENGINE_CACHE"):
        return pathlib.Path(named)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "face-engine"


def sha256_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def has_hash(path, sha256):
    return path.is_file() and sha256_of(path) == sha256


def place(made, destination):
    """Move a finished file to its place: there is never half a file under the final name."""
    destination.parent.mkdir(parents=True, exist_ok=True)
    with open(made, "rb") as file:
        os.fsync(file.fileno())
    os.replace(made, destination)
