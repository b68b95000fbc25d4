"""The script that the wheel installs, and what an installed wheel says of itself; Tests/Packages/wheel.sh builds and installs it."""

import importlib.metadata
import os
import subprocess
import sys

import pytest
from conftest import INSTALLED


def wheel():
    """The package, if it is a wheel that is installed."""
    try:
        return importlib.metadata.distribution("faceengine")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the wheel is not installed")


def test_the_metadata_is_valid_and_says_whose_it_is():
    found = wheel()
    text = found.metadata
    assert (text["Name"], text["License-Expression"], text["Author"]) == (
        "faceengine",
        "Apache-2.0",
        "The FaceEngine authors",
    )
    assert text["Requires-Python"] == ">=3.9" and found.requires == ["numpy", 'pyarrow ; extra == "arrow"']
    assert {"LICENSE", "NOTICE", "BUNDLED.txt", "libcairo2.txt"} <= set(text.get_all("License-File"))
    description = text.get_payload()
    assert description.startswith("# Python") and "](../" not in description
    metadata = pytest.importorskip("packaging.metadata")
    metadata.Metadata.from_email(found.read_text("METADATA").encode(), validate=True)


def test_the_wheel_has_a_script_for_the_command():
    (script,) = wheel().entry_points
    assert (script.group, script.name) == ("console_scripts", "face-engine") and callable(script.load())


@pytest.mark.skipif(INSTALLED, reason="the wheel brings the command")
def test_the_script_does_not_start_itself(tmp_path):
    script = tmp_path / "face-engine"
    script.write_text(f"#!{sys.executable}\nfrom faceengine.__main__ import main\nmain()\n")
    script.chmod(0o755)
    done = subprocess.run(
        [script], capture_output=True, text=True, timeout=60, env={**os.environ, "PATH": str(tmp_path)}
    )
    assert done.returncode == 1 and "no face-engine" in done.stderr
