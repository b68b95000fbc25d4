"""The wheel's metadata and scripts, without building one: Tests/Packages/wheel.sh builds and installs it."""

import configparser
import importlib
import os
import subprocess
import sys

import pytest
from conftest import INSTALLED, ROOT

pytest.importorskip("tomllib", reason="Tools/package/wheel.py needs Python 3.11")


@pytest.fixture(scope="module")
def wheel():
    """Tools/package/wheel.py as a module."""
    sys.path.insert(0, str(ROOT / "Tools/package"))
    try:
        yield importlib.import_module("wheel")
    finally:
        sys.path.remove(str(ROOT / "Tools/package"))
        sys.modules.pop("wheel", None)


@pytest.fixture
def information(wheel, tmp_path):
    """The folder dist-info of a wheel with a licence and no program."""
    licences = tmp_path / wheel.LICENCES.format(version="1.2.3")
    licences.mkdir(parents=True)
    for name in ("NOTICE", "LICENSE"):
        (licences / name).write_text("text")
    wheel.write_information(tmp_path, "1.2.3")
    return licences.parent


def test_the_metadata_is_valid_and_says_whose_it_is(information):
    metadata = pytest.importorskip("packaging.metadata")
    text = (information / "METADATA").read_bytes()
    found = metadata.Metadata.from_email(text, validate=True)  # also that the licence is an expression of SPDX
    assert (found.metadata_version, found.name, str(found.version)) == ("2.4", "faceengine", "1.2.3")
    assert found.license_expression == "Apache-2.0" and found.license_files == ["LICENSE", "NOTICE"]
    assert found.author == "The FaceEngine authors"
    assert str(found.requires_python) == ">=3.9" and [str(one) for one in found.requires_dist] == ["numpy"]
    assert found.description.startswith("# Python") and "](../" not in found.description


def test_the_wheel_has_a_script_for_the_command(information):
    scripts = configparser.ConfigParser()
    scripts.read_string((information / "entry_points.txt").read_text())
    assert dict(scripts["console_scripts"]) == {"face-engine": "faceengine.__main__:main"}
    module, _, function = scripts["console_scripts"]["face-engine"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    record = (information / "RECORD").read_text().splitlines()
    assert {f"{information.name}/{name},," for name in ("METADATA", "WHEEL", "entry_points.txt", "licenses/NOTICE", "RECORD")} <= set(record)


@pytest.mark.skipif(INSTALLED, reason="the wheel brings the command")
def test_the_script_does_not_start_itself(tmp_path):
    script = tmp_path / "face-engine"
    script.write_text(f"#!{sys.executable}\nfrom faceengine.__main__ import main\nmain()\n")
    script.chmod(0o755)
    done = subprocess.run([script], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 1 and "no face-engine" in done.stderr
