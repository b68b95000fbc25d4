"""Shared fixtures: an engine of each kind, photos, and functions that start programs.

FACE_ENGINE_LIBRARIES names the folder with the libraries (default: the checkout's .build/release); FACE_ENGINE_COMMAND the
command face-engine (default: beside them). The package is the checkout's own, or the installed one with FACE_ENGINE_INSTALLED.
FACE_ENGINE_LONG_TESTS=1 makes more calls where memory is looked at.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
INSTALLED = bool(os.environ.get("FACE_ENGINE_INSTALLED"))
if not INSTALLED:
    sys.path.insert(0, str(ROOT / "Bindings/Python"))
    build = ROOT / ".build/release"
    os.environ.setdefault("FACE_ENGINE_LIBRARIES", str(build))
    os.environ.setdefault("FACE_ENGINE_MODELS", str(ROOT / "Models"))
    # Programs that the tests start also find the package.
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT / "Bindings/Python"), os.environ.get("PYTHONPATH")])
    )
LONG = os.environ.get("FACE_ENGINE_LONG_TESTS") == "1"
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"

import faceengine  # noqa: E402


def command():
    """The command line of face-engine."""
    if INSTALLED:
        return [sys.executable, "-m", "faceengine"]
    named = os.environ.get("FACE_ENGINE_COMMAND") or os.path.join(os.environ["FACE_ENGINE_LIBRARIES"], "face-engine")
    if not os.access(named, os.X_OK):
        pytest.skip(f"there is no {named}")
    return [named]


def run_python(code, *arguments, timeout=600, **options):
    """Runs a Python program in its own process, since it may crash."""
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, **options
    )


def small_picture(path):
    """The photo as an array, RGB."""
    with faceengine.draw.Picture(path) as picture:
        return picture.array("rgb")


@pytest.fixture(scope="session")
def photo():
    return str(PHOTO)


@pytest.fixture(scope="session")
def pixels():
    """The photo as pixels: height × width × 3, RGB, not writable."""
    array = small_picture(PHOTO)
    array.setflags(write=False)
    return array


@pytest.fixture(scope="session")
def loaded():
    with faceengine.load() as engine:
        yield engine


def serve(path, log=subprocess.DEVNULL):
    """Starts an engine process."""
    models = [] if INSTALLED else ["--model", os.path.join(os.environ["FACE_ENGINE_MODELS"], "yunet")]
    return subprocess.Popen([*command(), "serve", "--socket", path, *models], stderr=log, stdout=log)


def patiently(call):
    """Repeats `call` until there is an engine; returns its result."""
    end = time.monotonic() + 300
    while True:
        try:
            return call()
        except faceengine.UnavailableError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)


@pytest.fixture(scope="session")
def socket():
    """The socket of a running engine."""
    folder = tempfile.mkdtemp(prefix="faceengine-")
    path = os.path.join(folder, "socket")
    with open(os.path.join(folder, "log"), "wb") as log:
        engine = serve(path, log)
    try:
        patiently(lambda: faceengine.connect(path)).close()
        yield path
    finally:
        engine.terminate()
        engine.wait(60)
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def connected(socket):
    with faceengine.connect(socket) as engine:
        yield engine


@pytest.fixture(params=["loaded", "connected"])
def where(request):
    """The socket that a program connects to, or nothing if it loads a model."""
    return request.getfixturevalue("socket") if request.param == "connected" else ""


@pytest.fixture(params=["loaded", "connected"])
def engine(request):
    """An engine of each kind."""
    return request.getfixturevalue(request.param)


def same(first, second):
    """Whether two results are equal to the last bit."""

    def numbers(face):
        arrays = [face.landmarks, face.expressions, face.transform]
        return (
            face.box,
            face.clamped_box,
            face.confidence,
            face.points,
            face.pose,
            face.eyes,
            face.mouth,
            face.quality,
            [None if array is None else array.tobytes() for array in arrays],
        )

    return [numbers(face) for face in first] == [numbers(face) for face in second] and (first.width, first.height) == (
        second.width,
        second.height,
    )


EVERYTHING = {name: True for name in ("landmarks", "pose", "eyes", "mouth", "expressions", "quality", "transform")}
