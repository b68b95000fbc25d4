"""The examples, with a video file instead of the camera; the types; the command line of the package."""

import runpy
import subprocess
import sys

import faceengine
import numpy as np
import pytest
from conftest import INSTALLED, ROOT, run_python


def run_example(name, *arguments):
    done = subprocess.run(
        [sys.executable, ROOT / "Examples/python" / name, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_example_report(photo, tmp_path):
    pytest.importorskip("matplotlib")
    lines = run_example("report.py", photo, tmp_path / "report.png")
    assert lines[0] == f"{photo}: 1 faces in 512 x 600 pixels" and lines[1].startswith("strongest: ")
    assert (tmp_path / "report.png").stat().st_size > 50_000


def test_example_report_skips_faces_that_are_not_measured(loaded, pixels, tmp_path):
    pytest.importorskip("matplotlib")
    crowd, path = np.full((600, 800, 3), 128, np.uint8), tmp_path / "crowd.png"
    crowd[:, :512], crowd[280:310, 640:666] = pixels, pixels[::20, ::20]
    assert [face.landmarks is None for face in loaded.detect(crowd, landmarks=True)] == [False, True]
    faceengine.draw.Picture(crowd).save(path)
    lines = run_example("report.py", path, tmp_path / "report.png")
    assert lines[0] == f"{path}: 2 faces in 800 x 600 pixels" and lines[1].startswith("strongest: ")


def test_example_camera(pixels, tmp_path):
    cv2 = pytest.importorskip("cv2")
    writer = cv2.VideoWriter(str(tmp_path / "camera.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 25, (512, 600))
    for number in range(12):
        writer.write(np.ascontiguousarray(np.roll(pixels, number, 1)[:, :, ::-1]))
    writer.release()
    assert run_example("camera.py", tmp_path / "camera.avi", "--save", tmp_path / "marked.avi") == ["1 people"]
    marked, frames = cv2.VideoCapture(str(tmp_path / "marked.avi")), 0
    while True:
        read, frame = marked.read()
        if not read:
            break
        frames += 1
        blue, green, red = (frame[:, :, channel].astype(int) for channel in range(3))
        assert ((green > red + 60) & (green > blue + 60)).sum() > 500  # green pixels of the box
    assert frames == 12


def test_the_camera_example_counts_faces_with_an_id(pixels):
    pytest.importorskip("cv2")
    finish = runpy.run_path(str(ROOT / "Examples/python/camera.py"))["finish"]
    box, people = faceengine.Box(50, 50, 90, 90), set()
    faces = faceengine.Faces([faceengine.Face(box, box, 1), faceengine.Face(box, box, 1, id=7)])
    finish(faceengine.FrameFaces(1, 0, faces), {1: pixels.copy()}, people)
    assert people == {7}


def test_example_of_the_readme():
    text = (ROOT / "README.md").read_text()
    example = text.split("```python\n")[1].split("```")[0]
    done = run_python(example, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith("Box(x=176.") and "Pose(" in line


@pytest.mark.parametrize("module", ["pandas", "polars", "supervision"])
def test_examples_of_other_packages(loaded, pixels, module):
    made = pytest.importorskip(
        module, reason=f"{module} is not installed, so its example in docs/python.md was not run"
    )
    text = (ROOT / "docs/python.md").read_text()
    (example,) = (block.split("```")[0] for block in text.split("```python\n")[1:] if f"import {module}\n" in block)
    for faces in (loaded.detect(pixels, pose=True), loaded.detect(np.zeros_like(pixels), pose=True)):
        names = {"faces": faces}
        exec(example, names)
        if module == "supervision":
            detections = names["detections"]
            assert isinstance(detections, made.Detections) and len(detections) == len(faces)
            if faces:
                x, y, width, height = faces[0].box
                assert np.allclose(detections.xyxy, [[x, y, x + width, y + height]])
                assert detections.confidence[0] == pytest.approx(faces[0].confidence)
        else:
            table = names["table"]
            assert isinstance(table, made.DataFrame) and len(table) == len(faces)
            if faces:
                assert table["x"][0] == faces[0].box.x and table["yaw"][0] == faces[0].pose.yaw


TYPED = """
import faceengine
with faceengine.load(threads_per_frame=2) as engine:
    for face in engine.detect("photo.jpg", landmarks=True, accuracy="low"):
        reveal_type(face.box.width)
        reveal_type(face.landmarks)
        face.region("left_eye")
        face.region("left_ear")
        faceengine.draw.Picture("photo.jpg").faces([face], box_colour="red", point_colour=(255, 0, 0))
    for event in engine.session(["a.jpg"], mode="every", pose=True):
        if isinstance(event, faceengine.FrameFaces):
            reveal_type(event.faces[0].id)
    with open("photo.jpg", "rb") as file:
        reveal_type(engine.detect(file).to_dicts())
    faceengine.draw.Picture("photo.jpg")
    engine.detect("photo.jpg", landmark=True)
    engine.detect("photo.jpg", max_faces="3")
    engine.detect("photo.jpg", accuracy="best")
    engine.detect("photo.jpg", format="cmyk")
    engine.guided_check(actions=["wink"])
    faceengine.Space("screen")
"""


def test_types_are_checked_by_mypy(tmp_path):
    pytest.importorskip("mypy.api")
    (tmp_path / "typed.py").write_text(TYPED)
    done = run_python(
        "import sys; from mypy.__main__ import console_entry; console_entry()",
        "--strict",
        "--cache-dir",
        tmp_path / "cache",
        tmp_path / "typed.py",
        cwd=tmp_path,
    )
    said = done.stdout
    assert (
        '"float"' in said and "ndarray" in said and '"int | None"' in said.replace("Union[int, None]", "int | None")
    ), said
    assert "landmark" in said and said.count("error:") == 7, said + done.stderr
    if not INSTALLED:
        done = run_python(
            "from mypy.__main__ import console_entry; console_entry()",
            "--strict",
            "--cache-dir",
            tmp_path / "cache",
            "-p",
            "faceengine",
            cwd=ROOT / "Bindings/Python",
        )
        assert done.returncode == 0, done.stdout


@pytest.mark.skipif(not INSTALLED, reason="the wheel brings the command")
def test_the_command(photo):
    done = subprocess.run(
        [sys.executable, "-m", "faceengine", "detect", "--json", photo], capture_output=True, text=True
    )
    assert done.returncode == 0 and '"box"' in done.stdout, done.stderr
    assert subprocess.run([sys.executable, "-m", "faceengine", "--no-such"], capture_output=True).returncode != 0
