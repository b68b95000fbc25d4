"""The wheel's metadata and scripts, without building one: Tests/Packages/wheel.sh builds and installs it."""

import configparser
import importlib
import os
import subprocess
import sys
import zipfile

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
def archive(wheel, tmp_path):
    """An archive with a licence and no program."""
    licences = tmp_path / "tree" / wheel.LICENCES.format(version="1.2.3")
    licences.mkdir(parents=True)
    for name in ("NOTICE", "LICENSE"):
        (licences / name).write_text("text")
    wheel.write_archive(tmp_path / "tree", "1.2.3", tmp_path / "made.whl")
    with zipfile.ZipFile(tmp_path / "made.whl") as made:
        yield made


def test_the_metadata_is_valid_and_says_whose_it_is(archive):
    metadata = pytest.importorskip("packaging.metadata")
    text = archive.read("faceengine-1.2.3.dist-info/METADATA")
    found = metadata.Metadata.from_email(text, validate=True)  # also that the licence is an expression of SPDX
    assert (found.metadata_version, found.name, str(found.version)) == ("2.4", "faceengine", "1.2.3")
    assert found.license_expression == "Apache-2.0" and found.license_files == ["LICENSE", "NOTICE"]
    assert found.author == "The FaceEngine authors"
    assert str(found.requires_python) == ">=3.9" and [str(one) for one in found.requires_dist] == ["numpy"]
    assert found.description.startswith("# Python") and "](../" not in found.description


def test_the_wheel_has_a_script_for_the_command(archive):
    scripts = configparser.ConfigParser()
    scripts.read_string(archive.read("faceengine-1.2.3.dist-info/entry_points.txt").decode())
    assert dict(scripts["console_scripts"]) == {"face-engine": "faceengine.__main__:main"}
    module, _, function = scripts["console_scripts"]["face-engine"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))
    assert "faceengine-1.2.3.dist-info/entry_points.txt,sha256=" in archive.read("faceengine-1.2.3.dist-info/RECORD").decode()


@pytest.mark.skipif(INSTALLED, reason="the wheel brings the command")
def test_the_script_does_not_start_itself(tmp_path):
    script = tmp_path / "face-engine"
    script.write_text(f"#!{sys.executable}\nfrom faceengine.__main__ import main\nmain()\n")
    script.chmod(0o755)
    done = subprocess.run([script], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 1 and "no face-engine" in done.stderr
