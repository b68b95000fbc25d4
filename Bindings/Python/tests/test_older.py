"""Packages of other releases with today's library: an older one's options end two members earlier, a newer one warns."""

import json
import os
import shutil
import subprocess

import faceengine
import pytest
from conftest import INSTALLED, ROOT, run_python

SHORTER = (
    "face_load_options",
    "face_options",
    "face_session_options",
    "face_check_options",
    "face_draw_style",
    "face_crop_options",
)
PROGRAM = """
import ctypes, json, sys
import faceengine
from faceengine import _abi, draw
with faceengine.load() as engine:
    faces = engine.detect(sys.argv[1], landmarks=True)
    with engine.session([sys.argv[1]] * 3, min_hits=1) as session:
        events = list(session)
    checked = engine.check_photo(sys.argv[1], mask=(268, 227, 160), min_sharpness=0)
with draw.Picture(sys.argv[1]) as picture:
    picture.faces(faces, box_width=9)
    pixels = int(picture.array("rgb").astype(int).sum())
print(json.dumps({
    "sizes": [ctypes.sizeof(getattr(_abi, name)) for name in sys.argv[2:]], "box": list(faces[0].box), "points": len(faces[0].landmarks),
    "ids": [face.id for event in events for face in getattr(event, "faces", [])], "right": checked.right, "pixels": pixels}))
"""


# Debian's Python, which has what the generator needs.
GENERATOR = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import document, python
contract = document.read()
for name in sys.argv[3:]:
    del contract["c"]["structs"][name]["members"][-2:]
pathlib.Path(sys.argv[2]).write_text(python.files(contract)[python.OUTPUT], encoding="utf-8")
"""


@pytest.mark.skipif(INSTALLED, reason="the generator is not installed")
def test_a_package_with_shorter_options_gets_the_same(photo, tmp_path):
    shutil.copytree(
        ROOT / "Bindings/Python/faceengine", tmp_path / "faceengine", ignore=shutil.ignore_patterns("__pycache__")
    )
    subprocess.run(
        ["/usr/bin/python3", "-B", "-c", GENERATOR, ROOT / "Tools/contract", tmp_path / "faceengine/_abi.py", *SHORTER],
        check=True,
    )

    def result(**options):
        run = run_python(PROGRAM, photo, *SHORTER, **options)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    today, older = result(), result(env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert all(before < now for before, now in zip(older.pop("sizes"), today.pop("sizes")))
    assert older == today and older["right"] and older["ids"] == [1, 1, 1] and older["points"] == 478


@pytest.mark.skipif(INSTALLED, reason="the package is changed")
@pytest.mark.parametrize(
    "version, warned", [("0.1.99", False), (faceengine.library_version(), False), ("0.10.0", True)]
)
def test_a_package_newer_than_the_library_warns_once(version, warned, tmp_path):
    package = tmp_path / "faceengine"
    shutil.copytree(ROOT / "Bindings/Python/faceengine", package, ignore=shutil.ignore_patterns("__pycache__"))
    own = (package / "_abi.py").read_text(encoding="utf-8")
    changed = own.replace(f'VERSION = "{faceengine.__version__}"', f'VERSION = "{version}"')
    (package / "_abi.py").write_text(changed, encoding="utf-8")
    program = (
        "import faceengine; faceengine.load().close(); print(faceengine.__version__, faceengine.library_version())"
    )
    run = run_python(program, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert run.stdout.split() == [version, faceengine.library_version()]
    assert run.stderr.count("RuntimeWarning") == warned
    assert not warned or f"version {faceengine.library_version()}, this package {version}" in run.stderr
