"""The page of the Python package: the names that docs/python.md lists, in its order, each with its docstring."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What `**options` of the functions may be.
OPTIONS = ["DetectOptions", "LoadOptions", "SessionOptions", "SearchOptions", "CheckOptions", "DrawOverlayOptions", "DrawStyle",
           "CropOptions"]


def groups():
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    section = text.split("\n## All names\n")[1].split("\n## ")[0]
    for title, cell in re.findall(r"^\| (\w+) \| (.+) \|$", section, re.MULTILINE):
        yield title.capitalize(), [name for name in re.findall(r"`([\w.]+)`", cell) if name != "draw"]


def page():
    """Markdown, with links as they are from docs."""
    parts = ["# Python reference", "Every name of the package `faceengine`. [Python](python.md) says how to use it."]
    for title, names in [*groups(), ("Options", OPTIONS)]:
        parts.append(f"## {title}")
        if title == "Options":
            parts.append("The keywords that `**options` may have, all optional.")
        constants = []
        for name in names:
            (constants.append(name) if name.rsplit(".", 1)[-1].isupper() else parts.append(f"::: faceengine.{name}"))
        if constants:
            parts.append("Constants: " + ", ".join(f"`{name}`" for name in constants))
    return "\n\n".join(parts) + "\n"
