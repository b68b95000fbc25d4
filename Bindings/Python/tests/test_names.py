"""The names of the package are those that docs/python.md lists."""

import re

import faceengine
import pytest
from conftest import ROOT, run_python
from faceengine import draw


def documented(section):
    """The names in backticks of a section of docs/python.md."""
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    part = text.split(f"\n## {section}\n")[1].split("\n## ")[0]
    return {name for name in re.findall(r"`([\w.]+)`", part)}


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_the_package_has_the_documented_names_alone():
    names = documented("All names")
    in_draw = {name.split(".", 1)[1] for name in names if name.startswith("draw.")}
    assert (
        public(dir(faceengine))
        == set(faceengine.__all__)
        == {name for name in names if not name.startswith(("arrow", "draw."))}
    )
    assert public(dir(draw)) == set(draw.__all__) == in_draw
    for module in (faceengine, draw):
        for name in module.__all__:
            assert getattr(module, name) is not None


def test_arrow_has_the_documented_names_alone():
    arrow = pytest.importorskip("faceengine.arrow", exc_type=ImportError)
    names = {name for name in documented("All names") if name.startswith("arrow.")}
    assert {f"arrow.{name}" for name in public(dir(arrow))} == {f"arrow.{name}" for name in arrow.__all__} == names


def test_nothing_else_is_in_the_package():
    """Also in a process that has used all of it, and one that has just imported it."""
    for use in ("", "faceengine.draw, faceengine.Session, faceengine.Space;"):
        done = run_python(f"import faceengine; {use} print(*vars(faceengine))")
        names = public(done.stdout.split())
        assert "load" in names and names <= set(faceengine.__all__), done.stderr
    for name in ("Any", "annotations", "TYPE_CHECKING", "typing"):
        with pytest.raises(AttributeError):
            getattr(faceengine, name)


def test_everything_can_be_imported_at_once():
    assert faceengine.library_version().count(".") == 2
    names = {}
    exec("from faceengine import *", names)
    names.pop("__builtins__")
    assert names.keys() == set(faceengine.__all__)
