"""What a notebook shows of a result."""

import base64
import html.parser
import io
import pathlib
import pickle
import re
import shutil

import faceengine
import numpy as np
import pytest
from conftest import run_python
from faceengine import draw


def shown(png, folder):
    """The pixels of a PNG file."""
    (folder / "shown.png").write_bytes(png)
    with draw.Picture(folder / "shown.png") as picture:
        return picture.array()


class Tags(html.parser.HTMLParser):
    """The tags of a text, and what stands between them."""

    def __init__(self, text):
        super().__init__()
        self.opened, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.opened.append(tag)
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_picture_is_shown_with_its_faces(engine, photo, pixels, tmp_path):
    with draw.Picture(photo) as plain:
        expected = plain.faces(engine.detect(photo), scale_to_faces=1).array()
    assert (expected != pixels).any()
    batch = engine.detect_batch([pixels, photo])
    for faces in (
        engine.detect(photo),
        engine.detect(pathlib.Path(photo)),
        engine.detect(pixels),
        engine.detect(pixels),
        *batch,
        engine.detect(pixels)[:1],
    ):
        assert np.array_equal(shown(faces._repr_png_(), tmp_path), expected)
        (encoded,) = re.findall(r'src="data:image/png;base64,([^"]+)"', faces._repr_html_())
        assert np.array_equal(shown(base64.b64decode(encoded), tmp_path), expected)


def test_other_forms_are_shown_upright(engine, pixels, tmp_path):
    turned = np.ascontiguousarray(np.rot90(pixels)[:, :, ::-1])
    faces = engine.detect(turned, format="bgr", orientation=faceengine.Orientation.RIGHT)
    picture = shown(faces._repr_png_(), tmp_path)
    assert picture.shape == pixels.shape and (picture == pixels).mean() > 0.9
    Image = pytest.importorskip("PIL.Image")
    opened = Image.fromarray(pixels)
    assert (shown(engine.detect(opened)._repr_png_(), tmp_path) == pixels).mean() > 0.9


def test_a_large_picture_is_shown_smaller(loaded, pixels, tmp_path):
    large = np.concatenate([np.concatenate([pixels, pixels], 1)] * 2)
    faces = loaded.detect(large, landmarks=True)
    before = [face.box for face in faces]
    picture = shown(faces._repr_png_(), tmp_path)
    assert picture.shape == (800, 683, 3) and [face.box for face in faces] == before
    # The boxes are where the faces are.
    found = loaded.detect(picture)
    assert len(found) == len(faces) == 4
    for number, face in enumerate(sorted(found, key=lambda face: (face.box.y > 400, face.box.x))):
        expected = sorted(faces, key=lambda face: (face.box.y > 600, face.box.x))[number].box
        assert np.allclose(face.box, np.array(expected) * 800 / 1200, atol=16)


def test_nothing_is_shown_of_what_is_not_known(loaded, photo, pixels, tmp_path):
    copy = shutil.copy(photo, tmp_path / "copy.jpg")
    gone, kept = loaded.detect(copy), pixels.copy()
    pathlib.Path(copy).unlink()
    released = loaded.detect(kept)
    del kept  # the result does not keep pixels in memory
    content = pathlib.Path(photo).read_bytes()
    own = faceengine.Faces([], 10, 10)
    for faces in (
        gone,
        released,
        loaded.detect(content),
        loaded.detect(io.BytesIO(content)),
        own,
        faceengine.Faces(),
        pickle.loads(pickle.dumps(loaded.detect(pixels))),
        loaded.detect_batch([b"", content])[1],
    ):
        assert faces._repr_png_() is None
        assert "<img" not in faces._repr_html_() and "</div>" in faces._repr_html_()
    replaced = tmp_path / "replaced.png"
    shutil.copy(photo, replaced)
    faces = loaded.detect(replaced)
    with draw.Picture(pixels[:300]) as other:
        other.save(replaced)
    assert len(faces) == 1 and faces._repr_png_() is None


def test_nothing_is_shown_without_the_drawing_library(photo):
    done = run_python(
        "import sys, faceengine; from faceengine import _library; _library.draw._file_name = 'libnone.so.1';"
        "faces = faceengine.load().detect(sys.argv[1]); print(faces._repr_png_());"
        "print('<table>' in faces._repr_html_())",
        photo,
    )
    assert done.stdout.split() == ["None", "True"], done.stderr


def test_the_table(loaded, pixels):
    text = loaded.detect(pixels.copy(), pose=True, quality=True)._repr_html_()
    tags = Tags(text)
    assert tags.open == [] and tags.opened.count("tr") == 2 and tags.texts[0] == "1 face in 512 × 600 pixels"
    names = tags.texts[1:10]
    assert names == ["x", "y", "width", "height", "confidence", "yaw", "pitch", "roll", "quality"]
    assert all(re.fullmatch(r"-?\d+\.\d{1,3}", cell) for cell in tags.texts[10:19]) and len(tags.texts) == 19
    assert Tags(loaded.detect(np.zeros_like(pixels))._repr_html_()).texts == ["0 faces in 512 × 600 pixels"]


def test_the_table_is_escaped_and_ends(loaded):
    box = faceengine.Box(1, 2, 3, 4)
    hostile = faceengine.Face(box, box, "<script>alert(1)</script>", id="<b>")
    faces = faceengine.Faces([hostile] * 60, 10, 10)
    tags = Tags(faces._repr_html_())
    assert "script" not in tags.opened and "b" not in tags.opened and tags.opened.count("tr") == 51
    assert tags.texts[-1] == "and 10 more" and tags.texts[1] == "id"
    (failed,) = loaded.detect_batch(["/nonexistent/<i>.jpg"])
    tags = Tags(failed._repr_html_())
    assert "i" not in tags.opened and "<i>" in tags.texts[0]
