"""Drawing and crops."""

import os
import subprocess

import faceengine
import numpy as np
import pytest
from conftest import command
from faceengine import draw


def test_the_same_as_the_command_draws(loaded, photo, tmp_path):
    faces = loaded.detect(photo, landmarks=True)  # the command draws the five points of the mesh
    with draw.Picture(photo) as picture:
        picture.faces(faces, scale_to_faces=1, plates=1).save(tmp_path / "here.png")
        drawn = picture.array()
    subprocess.run([*command(), "draw", photo, "-o", tmp_path / "there.png"], check=True, capture_output=True)
    with draw.Picture(tmp_path / "there.png") as there, draw.Picture(tmp_path / "here.png") as here:
        assert np.array_equal(there.array(), drawn) and np.array_equal(here.array(), drawn)
        assert here.size == (512, 600)


@pytest.mark.parametrize("name", [b"a.png", b"a.jpg", b"a.webp", b"No\xebl.jpeg", b"\xff\xfe.PNG"])
def test_a_name_says_the_format_and_is_any_bytes(photo, tmp_path, name):
    path = os.fsencode(tmp_path) + b"/" + name
    with draw.Picture(photo) as picture:
        picture.save(os.fsdecode(path))
        drawn = picture.array().astype(int)
    with draw.Picture(os.fsdecode(path)) as saved:
        assert np.abs(saved.array() - drawn).mean() < 3
    with open(path, "rb") as file:
        assert file.read(4) in (b"\x89PNG", b"RIFF") or name.endswith((b"jpg", b"jpeg"))


def test_labels(loaded, photo):
    (face,) = loaded.detect(photo, pose=True)
    face.id = 7

    def drawn(**arguments):
        with draw.Picture(photo) as picture:
            return picture.faces([face], marks=draw.BOXES, plates=1, **arguments).array()

    plain = drawn()
    assert np.array_equal(plain, drawn(labels=[None])) and np.array_equal(plain, drawn(labels=[""]))
    named = drawn(labels=["Grace"])
    assert (named != plain).any() and (named != drawn(labels=["Hopper"])).any()
    # Letters that are missing in the fonts, or cannot be laid out here, take room, too.
    assert (drawn(labels=["グレース"]) != plain).any()
    assert (drawn(colours_by_id=1) != plain).any()
    colour = draw.colour_of_id(7)
    assert colour != draw.colour_of_id(8) and colour & 0xFF == 0xFF
    assert (drawn(colours_by_id=1) == [colour >> 24, colour >> 16 & 255, colour >> 8 & 255]).all(axis=2).any()
    for wrong in ([], ["a", "b"], ["a\0"], [3]):
        with pytest.raises((ValueError, TypeError)):
            drawn(labels=wrong)


def test_an_overlay_in_perspective(loaded, photo):
    (face,) = loaded.detect(photo, transform=True)
    overlay = np.full((100, 200, 4), 200, np.uint8)

    def drawn():
        with draw.Picture(photo) as picture:
            return picture.overlay(overlay, face).array()

    deep = drawn()
    face.transform = face.transform[:2]
    with pytest.raises(faceengine.InvalidArgumentError):
        drawn()
    face.transform = None
    assert (drawn() != deep).any()


def test_drawing_in_place_changes_only_the_picture(loaded, pixels):
    own = np.zeros((640, 560, 4), np.uint8)
    view = own[20:620, 24:536]
    view[:, :, :3] = pixels
    before = own.copy()
    picture = draw.Picture(view, in_place=True)
    picture.faces(loaded.detect(view, landmarks=True), marks=draw.BOXES | draw.LANDMARK_LINES)
    assert (own != before).any() and np.array_equal(own[:, :, 3], before[:, :, 3])
    outside = np.ones(own.shape[:2], bool)
    outside[20:620, 24:536] = False
    assert np.array_equal(own[outside], before[outside])
    picture.close()
    for wrong in (pixels, view[:, ::-1], "photo.jpg", view[:, :, :3][:, :, ::-1]):
        with pytest.raises((faceengine.InvalidArgumentError, FileNotFoundError)):
            draw.Picture(wrong, in_place=True)


def test_every_mark(loaded, photo, pixels):
    (face,) = faces = loaded.detect(photo, landmarks=True, pose=True)
    plain = draw.Picture(photo).array()
    marks = {
        "landmarks": lambda picture: picture.landmarks(face.landmarks, marks=draw.LANDMARK_POINTS),
        "mask": lambda picture: picture.mask((266, 236, 150), hollow=True),
        "text": lambda picture: picture.text("Grace Hopper", (256, 50), "middle", font="@cairo:"),
        "image": lambda picture: picture.image(pixels[100:200, 100:200], (10, 10, 50, 50)),
        "overlay": lambda picture: picture.overlay(np.full((100, 200, 4), 200, np.uint8), face, mirrored=True),
        "faces": lambda picture: picture.faces(faces, marks=draw.CORNERS | draw.ANGLES, box_colour=0xFF0000FF),
        **{
            str(mark): lambda picture, mark=mark: picture.faces(faces, marks=mark)
            for mark in (
                draw.FILLED,
                draw.TURNED_BOXES,
                draw.AXES,
                draw.CONFIDENCES,
                draw.MESH,
                draw.CONTOURS,
                draw.IRISES,
            )
        },
    }
    for name, mark in marks.items():
        with draw.Picture(photo) as picture:
            assert mark(picture) is picture
            assert (picture.array() != plain).any(), name


def test_a_face_of_the_programs_own_is_drawn(photo):
    box = faceengine.Box(100, 100, 50, 60)
    face = faceengine.Face(box, box, 1)
    with draw.Picture(photo) as picture:
        before = picture.array("bgr")
        assert (picture.faces([face]).array("bgr") != before).any()
        with pytest.raises(RuntimeError):
            picture.overlay(np.zeros((50, 50, 4), np.uint8), face)


def test_colours_by_name_and_number(photo):
    def drawn(colour):
        with draw.Picture(photo) as picture:
            return picture.mask((266, 236, 150), circle_colour=colour, antialias=0).array()

    red = drawn(0xFF0000FF)
    assert (red == [255, 0, 0]).all(axis=2).any()
    for same in ("red", "RED", "#ff0000", "#FF0000ff", (255, 0, 0), [255, 0, 0, 255], np.array([255, 0, 0]).tolist()):
        assert np.array_equal(drawn(same), red), same
    assert not np.array_equal(drawn((255, 0, 0, 100)), red) and np.array_equal(
        drawn("#ff000064"), drawn((255, 0, 0, 100))
    )
    for wrong in ("reddish", "#ff", "#gg0000", (1, 2), (256, 0, 0), (-1, 0, 0), (0.5, 0, 0), 1 << 32, None.__class__):
        with pytest.raises((ValueError, TypeError), match="circle_colour"):
            drawn(wrong)


def test_a_picture_becomes_bytes_and_other_pictures(photo, pixels):
    picture = draw.Picture(photo)
    assert repr(picture) == "Picture(512 × 600)"
    for kind, start in (("png", b"\x89PNG"), ("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF")):
        content = picture.to_bytes(kind)
        assert content.startswith(start) and np.abs(draw.Picture(content).array().astype(int) - pixels).mean() < 3
    assert np.array_equal(draw.Picture(picture.to_bytes()).array(), pixels)
    with pytest.raises(ValueError):
        picture.to_bytes("gif")
    assert np.array_equal(draw.Picture(picture._repr_png_()).array(), pixels)
    large = draw.Picture(np.concatenate([pixels, pixels]))
    assert draw.Picture(large._repr_png_()).size == (341, 800) and large.size == (512, 1200)
    pytest.importorskip("PIL.Image")
    assert np.array_equal(np.asarray(picture.to_pil()), pixels) and picture.to_pil().mode == "RGB"
    picture.close()
    assert repr(picture) == "Picture(closed)" and picture._repr_png_() is None


def test_crops(loaded, photo):
    faces = loaded.detect(photo)
    assert draw.crop_portrait(photo, faces, width=160, height=200).array().shape == (200, 160, 3)
    assert draw.crop_aligned(photo, faces[0]).array("gray").shape == (112, 112)
    with pytest.raises(FileNotFoundError):
        draw.crop_portrait(photo, [])
    with pytest.raises(RuntimeError):
        draw.crop_portrait(photo, list(faces) * 2)
    assert draw.crop_portrait(photo, list(faces) * 2, choice="largest_face").size == (300, 300)
    with pytest.raises(ValueError):
        draw.crop_portrait(photo, faces, margin=9)


def test_a_closed_picture_raises(photo):
    picture = draw.Picture(photo)
    picture.close()
    picture.close()
    for use in (picture.array, lambda: picture.text("a", (1, 1)), lambda: picture.save("/nowhere/a.png")):
        with pytest.raises(faceengine.InvalidArgumentError):
            use()
    with draw.Picture(photo) as other, pytest.raises(FileNotFoundError):
        other.save("/nowhere/a.png")


def mirrored_cells(array, box, side):
    """The array with each cell of the box mirrored: the means of the cells stay."""
    left, top, right, bottom = box
    other = array.copy()
    for x in range(left, right, side):
        other[top:bottom, x : x + side] = array[top:bottom, x : x + side][:, ::-1]
    return other


@pytest.mark.parametrize("mark", [draw.BLUR, draw.PIXELATE])
@pytest.mark.parametrize("channels", [None, 3])
def test_only_the_means_of_cells_remain(loaded, pixels, mark, channels):
    (face,) = loaded.detect(pixels)
    shape = pixels.shape[:2] if channels is None else (*pixels.shape[:2], channels)
    one = np.random.default_rng(5).integers(0, 256, shape, np.uint8)
    face.box = faceengine.Box(96, 96, 240, 240)
    covers = [one.copy(), mirrored_cells(one, (96, 96, 336, 336), 40)]
    assert not np.array_equal(*covers)
    for array in covers:
        with draw.Picture(array, in_place=True) as picture:
            picture.faces([face], marks=mark, cover_shape="box", cover_margin=0)
    assert np.array_equal(*covers)
    assert not np.array_equal(covers[0], one) and np.array_equal(covers[0][:96], one[:96])


def test_a_picture_over_the_cover(loaded, photo):
    faces = loaded.detect(photo, landmarks=True)
    red = np.zeros((20, 20, 4), np.uint8)
    red[:10] = (255, 0, 0, 255)  # the lower half is transparent
    with draw.Picture(photo) as picture, draw.Picture(photo) as blurred, draw.Picture(photo) as marked:
        drawn = picture.covers(faces, red).array()
        plain = blurred.covers(faces).array()
        x, y, width, height = (int(number) for number in faces[0].box)
        assert (drawn[y + 5, x + width // 2] == (255, 0, 0)).all()
        lower = slice(y + 3 * height // 4, y + height)  # behind the smooth edge of the halves
        assert np.array_equal(drawn[lower, x : x + width], plain[lower, x : x + width])
        # Landmarks are drawn over the cover, other marks too.
        points = marked.faces(faces, marks=draw.BLUR | draw.LANDMARK_POINTS | draw.BOXES).array()
        inside = (slice(y + 9, y + height - 9), slice(x + 9, x + width - 9))
        assert (points[inside] != plain[inside]).any()
        edge = points[y : y + height, x].astype(int)
        assert (edge[:, 1] - edge[:, 0] > 150).sum() > height // 2  # green
        with pytest.raises(faceengine.InvalidArgumentError):
            marked.covers(faces, cover_cells=0)
