"""Reads Proto/face_engine.proto as the contract of every door: options with range and default, outputs, actions, limits.

The comment of a field is a text for people, whose last line may have words with a colon for programs; the head of the .proto says
which. A word that is not known, or a value that is missing, is an error that names the field."""

import dataclasses
import pathlib
import re
import subprocess
import tempfile

from google.protobuf import descriptor_pb2

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROTO = ROOT / "Proto/face_engine.proto"
# Title: only in the contract of 0.2, with which new ones are compared.
WORDS = ("Range", "Default", "Unit", "Title", "Flag", "Text", "Since")
# What has no Since is there since the first release.
FIRST = "0.2"
NUMBERS = {"float": "number", "uint32": "count", "uint64": "count"}
SECOND = 1_000_000_000


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


@dataclasses.dataclass(frozen=True)
class Option:
    """A number of an options message."""

    name: str  # in the .proto and in C
    kind: str  # number, count or nanoseconds
    wide: bool  # whether an integer has 64 bits
    text: str  # the comment for people
    least: float
    most: float  # infinity where there is no end
    default: float
    unit: str
    flag: str  # on the command line; empty where it cannot be set
    since: str = ""  # the version that it came with; empty for the first release

    @property
    def sentence(self):
        return first_sentence(self.text)

    @property
    def words(self):
        return [word for word in self.name.split("_") if word != "ns"]

    @property
    def range(self):
        """As in "0 to 1", and "0 or more" where there is no end."""
        return (
            f"{plain(self.least)} to {plain(self.most)}"
            if self.most != float("inf")
            else f"{plain(self.least)} or more"
        )

    @property
    def default_text(self):
        """With its unit: durations are in seconds."""
        return f"{plain(self.default / SECOND)} s" if self.kind == "nanoseconds" else plain(self.default)


@dataclasses.dataclass(frozen=True)
class Switch:
    """An option that is on or off, and off by default."""

    name: str  # in the .proto and in C
    text: str
    flag: str
    since: str = ""

    @property
    def sentence(self):
        return first_sentence(self.text)


@dataclasses.dataclass(frozen=True)
class Output:
    """Something that is measured of a face if it is requested."""

    name: str
    number: int  # of its field in DetectOptions
    text: str
    flag: str
    since: str = ""

    @property
    def sentence(self):
        return first_sentence(self.text)


@dataclasses.dataclass(frozen=True)
class Value:
    """A value of an enumeration."""

    name: str  # without the prefix that all values have, in lower case
    number: int
    text: str
    shown: str  # for people; empty if there is none
    since: str = ""


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a message, as the wire has it."""

    name: str
    kind: str  # uint32, uint64, int32, float, bool, string, bytes, enum or message
    repeated: bool
    text: str
    count: int | None  # how many numbers a repeated one has, which its text begins with; None if that varies
    since: str = ""

    @property
    def sentence(self):
        return first_sentence(self.text)


def first_sentence(text):
    return re.split(r"(?<=\.)\s", text)[0]


def plain(number):
    return str(int(number)) if number == int(number) else repr(number)


class Contract:
    """The contract: methods as (service, name), messages with their fields, options and texts by message, outputs, and
    enumerations by name."""

    def __init__(self, path=PROTO):
        file = described(path)
        comments = comments_of(file)
        self.messages, self.options, self.switches, self.outputs, self.enumerations = {}, {}, {}, [], {}
        self.methods = [
            (f"{file.package}.{service.name}", method.name) for service in file.service for method in service.method
        ]
        for place, message in enumerate(file.message_type):
            self.messages[message.name] = fields_of(message, (4, place), comments)
            self.options[message.name] = options_of(message, (4, place), comments)
            self.switches[message.name] = switches_of(message, (4, place), comments)
            if message.name == "DetectOptions":
                self.outputs = outputs_of(message, (4, place), comments)
        for place, enumeration in enumerate(file.enum_type):
            self.enumerations[enumeration.name] = values_of(enumeration, (5, place), comments)


def described(path):
    with tempfile.NamedTemporaryFile() as result:
        run = subprocess.run(
            [
                "protoc",
                "--include_source_info",
                f"--descriptor_set_out={result.name}",
                f"--proto_path={path.parent}",
                path.name,
            ],
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if run.returncode:
            raise Problem(run.stderr.strip())
        return descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(result.name).read_bytes()).file[0]


def comments_of(file):
    """{path in the descriptor: the comment before it, or behind it}."""
    found = {}
    for location in file.source_code_info.location:
        comment = location.leading_comments or location.trailing_comments
        if comment:
            found[tuple(location.path)] = comment
    return found


def split(comment, where):
    """The text for people, and the words for programs."""
    lines = [line.strip() for line in comment.strip().split("\n")]
    words = {}
    if lines and re.match(rf"(?:{'|'.join(WORDS)}): ", lines[-1]):
        for part in re.findall(r"(\w+): (.+?)\.(?:\s|$)(?=\w+: |$)", lines.pop()):
            if part[0] not in WORDS:
                raise Problem(f"{where}: the comment has the word {part[0]}; known are {', '.join(WORDS)}")
            words[part[0]] = part[1]
        if not re.fullmatch(r"\d+\.\d+", words.get("Since", FIRST)):
            raise Problem(
                f"{where}: it is there since {words['Since']}; write major and minor version, as in Since: {FIRST}."
            )
    return " ".join(lines), words


def number_of(text, kind, where):
    """A number; of durations in nanoseconds."""
    match = re.fullmatch(r"([\d.]+)(?: (s|ns))?", text)
    if not match or (kind == "nanoseconds") != (match[2] is not None):
        raise Problem(f"{where}: {text} is no number of this kind; durations have s or ns")
    value = float(match[1])
    return value * SECOND if match[2] == "s" else value


def range_of(text, kind, where):
    if match := re.fullmatch(r"(.+) or more", text):
        return number_of(match[1], kind, where), float("inf")
    least, to, most = text.partition(" to ")
    if not to:
        raise Problem(f"{where}: the range is {text}; write it as in 0 to 1, or 0 or more")
    return number_of(least, kind, where), number_of(most, kind, where)


def options_of(message, path, comments):
    found = []
    for place, field in enumerate(message.field):
        where = f"{message.name}.{field.name}"
        alone = field.HasField("oneof_index")
        comment = comments.get((*path, 8, field.oneof_index)) if alone else comments.get((*path, 2, place))
        text, words = split(comment or "", where)
        if "Range" in words:
            found.append(option(field, text, words, where))
        elif (
            alone
            and not field.type_name
            and message.oneof_decl[field.oneof_index].name == f"optional_{field.name}"
            and words
        ):
            raise Problem(f"{where}: the comment has no range; write one, as in Range: 0 to 1.")
    return found


def fields_of(message, path, comments):
    found = []
    for place, field in enumerate(message.field):
        text, words = split(comments.get((*path, 2, place), ""), f"{message.name}.{field.name}")
        if field.HasField("oneof_index") and not words:
            _, words = split(comments.get((*path, 8, field.oneof_index), ""), f"{message.name}.{field.name}")
        repeated = field.label == field.LABEL_REPEATED
        count = re.match(r"\d+", text) if repeated else None
        kind = descriptor_pb2.FieldDescriptorProto.Type.Name(field.type)[len("TYPE_") :].lower()
        found.append(
            Field(
                field.name,
                kind,
                repeated,
                " ".join(text.split()),
                int(count[0]) if count else None,
                words.get("Since", ""),
            )
        )
    return found


def option(field, text, words, where):
    kind = NUMBERS[descriptor_pb2.FieldDescriptorProto.Type.Name(field.type)[len("TYPE_") :].lower()]
    if field.name.endswith("_ns"):
        kind = "nanoseconds"
    if not text or "Default" not in words:
        raise Problem(f"{where}: an option has a sentence, a range and a default")
    least, most = range_of(words["Range"], kind, where)
    default = number_of(words["Default"], kind, where)
    if not least <= default <= most:
        raise Problem(f"{where}: the default {words['Default']} is outside its range {words['Range']}")
    in_words = [word for word in field.name.split("_") if word != "ns"]
    flag = words.get("Flag", "-".join(in_words))
    return Option(
        name=field.name,
        kind=kind,
        wide=field.type == field.TYPE_UINT64,
        text=text,
        least=least,
        most=most,
        default=default,
        unit=words.get("Unit", ""),
        flag="" if flag == "none" else flag,
        since=words.get("Since", ""),
    )


def switches_of(message, path, comments):
    found = []
    for place, field in enumerate(message.field):
        text, words = split(comments.get((*path, 2, place), ""), f"{message.name}.{field.name}")
        if field.type == field.TYPE_BOOL and words.get("Default") == "off":
            found.append(
                Switch(field.name, text, words.get("Flag", field.name.replace("_", "-")), words.get("Since", ""))
            )
    return found


def outputs_of(message, path, comments):
    """The switches of DetectOptions that have a flag."""
    found = []
    for place, field in enumerate(message.field):
        text, words = split(comments.get((*path, 2, place), ""), f"{message.name}.{field.name}")
        if field.type == field.TYPE_BOOL and "Flag" in words and "Default" not in words:
            found.append(Output(field.name, field.number, text, words["Flag"], words.get("Since", "")))
    return found


def values_of(enumeration, path, comments):
    prefix = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enumeration.name).upper() + "_"
    values = []
    for place, value in enumerate(enumeration.value):
        if not value.name.startswith(prefix):
            raise Problem(f"{value.name} does not begin with {prefix}")
        text, words = split(comments.get((*path, 2, place), ""), value.name)
        values.append(
            Value(value.name[len(prefix) :].lower(), value.number, text, words.get("Text", ""), words.get("Since", ""))
        )
    return values
