"""A process that has no descriptor left: what cannot be opened is not missing."""

import pytest

from conftest import ROOT, run_python

FIRST_USE = {
    "landmarks": "engine.detect(photo, landmarks=True)",
    "model": "faceengine.load('centerface')",
    "high": "engine.detect(photo, accuracy='high')",
    "tiff": "engine.detect(tiff)",
    "bmp": "engine.detect(bmp)",
    "heic": "engine.detect(heic)",
}


@pytest.mark.parametrize("use", FIRST_USE)
def test_what_cannot_be_opened_without_a_descriptor_is_used_later(use, photo):
    images = ROOT / "Tests/Fixtures/images"
    done = run_python(
        f"""
import os, pathlib, resource, sys
import faceengine
images = pathlib.Path(sys.argv[2])
photo, tiff, bmp, heic = [pathlib.Path(path).read_bytes() for path in (
    sys.argv[1], images / "rgb.tiff", images / "rgb.bmp", images / "quarters.heic")]
engine = faceengine.load()
engine.detect(photo)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
lowest = os.dup(0)
os.close(lowest)
resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
try:
    {FIRST_USE[use]}
except faceengine.FaceEngineError as error:
    print(type(error).__name__, error)
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
try:
    {FIRST_USE[use]}
    print("used")
except faceengine.FailedPreconditionError as error:
    print("unavailable here", error)
""",
        photo,
        images,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2, done.stdout + done.stderr
    if lines[1] == "used":
        assert lines[0].startswith("ResourceExhaustedError") and "ulimit -n" in lines[0], lines[0]
