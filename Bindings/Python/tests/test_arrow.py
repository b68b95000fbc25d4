"""Parquet of what the command has written, against what the engine finds."""

import json
import subprocess
import sys

import faceengine
import numpy as np
import pytest
from conftest import PHOTO, ROOT, command

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from faceengine import arrow  # noqa: E402

NOBODY = ROOT / "Tests/Fixtures/images/quarters_large.jpg"
MEASURED = {"pose": True, "eyes": True, "mouth": True, "expressions": True, "quality": True}


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """A file of lines: a face with measurements, no face, and a failure."""
    path = tmp_path_factory.mktemp("lines") / "faces.jsonl"
    flags = ["--pose", "--expressions", "--quality"]
    done = subprocess.run(
        [*command(), "detect", "--json", "--output", path, *flags, PHOTO, NOBODY, "/none.jpg"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    return path


def test_parquet_has_the_rows_of_the_engine(lines, tmp_path, loaded):
    table = tmp_path / "faces.parquet"
    done = subprocess.run([sys.executable, "-m", "faceengine.arrow", lines, table], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{table}: 3 rows\n"), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["faces.parquet"]
    assert pq.read_schema(table).equals(arrow.SCHEMA)
    face, nobody, failure = pq.read_table(table).to_pylist()
    (found,) = faces = loaded.detect(PHOTO, **MEASURED)
    assert (face["image"], face["image_width"], face["image_height"], face["face"]) == (
        str(PHOTO),
        faces.width,
        faces.height,
        0,
    )
    for name, value in found.row().items():
        assert np.array_equal(np.float32(face[name]), np.float32(value)), name
    assert np.array_equal(np.float32(face["expressions"]), found.expressions)
    assert (nobody["image"], nobody["image_width"], nobody["face"], nobody["x"]) == (str(NOBODY), 485, None, None)
    assert failure["image"] == "/none.jpg" and "No such file" in failure["error"] and failure["image_width"] is None


def test_every_number_of_a_row_has_a_column(loaded):
    assert set(loaded.detect(PHOTO)[0].row()) <= set(arrow.SCHEMA.names)


def test_batches_hold_what_was_written_so_far(lines):
    text = lines.read_bytes()
    whole = [batch.num_rows for batch in arrow.batches(text.splitlines(True), rows=1)]
    assert whole == [1, 1, 1]
    (cut,) = arrow.batches(text[:-3].decode().splitlines(True))
    assert cut.num_rows == 2
    assert list(arrow.batches([])) == []


@pytest.mark.parametrize("wrong", ["{}\n", "[]\n", "no\n", '{"image": "a", "faces": [{}], "width": 1, "height": 1}\n'])
def test_other_lines_are_refused(wrong, tmp_path):
    good = json.dumps({"image": "a", "width": 8, "height": 8, "faces": []}) + "\n"
    with pytest.raises(ValueError, match="line 2 is no line of face-engine detect"):
        list(arrow.batches([good, wrong]))
    (tmp_path / "lines").write_text(good + wrong)
    done = subprocess.run(
        [sys.executable, "-m", "faceengine.arrow", tmp_path / "lines", tmp_path / "table"],
        capture_output=True,
        text=True,
    )
    assert (
        done.returncode == 1
        and done.stderr.startswith("faceengine.arrow: line 2")
        and not (tmp_path / "table").exists()
    )
    assert [path.name for path in tmp_path.iterdir()] == ["lines"]
    assert faceengine.arrow is arrow
