"""The forms of images that are accepted."""

import io
import pathlib

import faceengine
import numpy as np
import pytest
from conftest import same
from faceengine import _images


def detected(engine, image, **options):
    faces = engine.detect(image, **options)
    assert len(faces) == 1
    return faces


def test_a_file_by_path_and_by_bytes(engine, photo):
    content = pathlib.Path(photo).read_bytes()
    expected = detected(engine, photo)
    array = np.frombuffer(content, np.uint8)  # as from numpy.fromfile and cv2.imencode
    for image in (
        pathlib.Path(photo),
        content,
        bytearray(content),
        memoryview(content),
        array,
        array.repeat(2)[::2],
        array[:, np.newaxis],
    ):
        assert same(detected(engine, image), expected)
    assert same(engine.detect_batch([array])[0], expected) and same(detected(engine, array, format="encoded"), expected)
    with pytest.raises(TypeError, match="images must be a list"):
        engine.detect_batch(array)
    with pytest.raises(faceengine.InvalidArgumentError, match="shape"):
        engine.detect(array, format="rgb")
    with pytest.raises(faceengine.InvalidArgumentError, match="in_place"):
        faceengine.draw.Picture(array, in_place=True)
    assert (expected.width, expected.height) == (512, 600)


def test_what_opencv_encodes_is_a_file(engine, pixels):
    cv2 = pytest.importorskip("cv2")
    file = cv2.imencode(".png", pixels[:, :, ::-1])[1]
    assert np.array_equal(faceengine.draw.Picture(file).array(), pixels)
    assert same(detected(engine, file), detected(engine, file.tobytes()))


def test_every_order_of_channels_gives_the_same(engine, pixels):
    expected = detected(engine, pixels)
    alpha = np.full(pixels.shape[:2] + (1,), 9, np.uint8)
    assert same(detected(engine, np.ascontiguousarray(pixels[:, :, ::-1]), format="bgr"), expected)
    assert same(detected(engine, np.concatenate([pixels, alpha], 2)), expected)
    assert same(detected(engine, np.concatenate([pixels[:, :, ::-1], alpha], 2), format="BGRA"), expected)
    assert same(detected(engine, pixels, format=faceengine.Format.RGB), expected)
    # The same memory in the other order of channels.
    assert same(detected(engine, np.ascontiguousarray(pixels[:, :, ::-1])[:, :, ::-1]), expected)


def test_grey_has_two_shapes(engine, pixels):
    grey = pixels.mean(2).astype(np.uint8)
    assert same(detected(engine, grey), detected(engine, grey[:, :, np.newaxis]))


def test_views_give_what_their_copies_give(engine, pixels):
    padded = np.zeros((640, 700, 3), np.uint8)
    padded[20:620, 30:542] = pixels
    views = {
        "cut out": padded[20:620, 30:542],
        "thinned out": padded[::2, ::2],
        "rows": padded[::2],
        "mirrored": padded[:, ::-1],
        "turned over": padded[::-1][::-1],
        "transposed": padded.transpose(1, 0, 2).transpose(1, 0, 2),
        "fortran": np.asfortranarray(pixels),
        "broadcast": np.broadcast_to(pixels[:, :, :1], pixels.shape),
    }
    for name, view in views.items():
        assert same(engine.detect(view), engine.detect(np.ascontiguousarray(view))), name


def test_arrays_that_are_not_copied(pixels):
    padded = np.zeros((640, 700, 3), np.uint8)
    for array in (pixels, padded, padded[20:620, 30:542], padded[::2], padded[:, :, 0].copy()):
        image, kept = _images.describe(array)
        assert kept is array and image.planes[0] == array.__array_interface__["data"][0]
    image, kept = _images.describe(padded[:, :, ::-1])
    assert kept.base is not None and image.planes[0] == padded.__array_interface__["data"][0]
    assert image.format == faceengine.Format.BGR
    content = b"x" * 100
    assert _images.describe(content)[1] is content


def test_luma_and_chroma(engine, pixels):
    cv2 = pytest.importorskip("cv2")
    expected = detected(engine, pixels)
    planes = cv2.cvtColor(pixels, cv2.COLOR_RGB2YUV_I420)
    faces = detected(engine, planes, format="i420", colour="bt601_video")
    assert (faces.width, faces.height) == (512, 600)
    assert np.allclose(faces[0].box, expected[0].box, atol=4)
    luma, u, v = planes[:600], planes[600:750].ravel(), planes[750:].ravel()
    nv12 = np.concatenate([luma, np.stack([u, v], 1).reshape(300, 512)])
    assert same(detected(engine, nv12, format="nv12", colour="bt601_video"), faces)
    nv16 = np.concatenate([luma, nv12[600:].repeat(2, axis=0)])
    assert detected(engine, nv16, format="nv16", colour="bt601_video")[0].box == pytest.approx(faces[0].box, abs=1)
    pairs = np.stack([luma, nv16[600:]], 2)
    yuyv, uyvy = pairs, np.ascontiguousarray(pairs[:, :, ::-1])
    expected = detected(engine, yuyv, format="yuyv", colour="bt601_video")
    assert same(detected(engine, uyvy, format="uyvy", colour="bt601_video"), expected)
    assert same(detected(engine, nv16, format="nv16", colour="bt601_video"), expected)


def test_pil_images(engine, photo):
    Image = pytest.importorskip("PIL.Image")
    picture = Image.open(photo)
    expected = detected(engine, np.asarray(picture.convert("RGB")))
    assert same(detected(engine, picture), expected)
    assert len(engine.detect(picture.convert("CMYK"))) == 1
    assert len(engine.detect(picture.convert("L"))) == 1
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    assert same(detected(engine, stream.getvalue()), expected)


def test_file_objects(engine, photo, tmp_path):
    expected = detected(engine, photo)
    content = pathlib.Path(photo).read_bytes()
    with open(photo, "rb") as file, open(photo, "rb", buffering=0) as raw:
        for image in (file, raw, io.BytesIO(content)):
            assert same(detected(engine, image), expected)
        with pytest.raises(faceengine.InvalidArgumentError, match=r"seek\(0\)"):
            engine.detect(file)
        file.seek(0)
        assert same(engine.detect_batch([file])[0], expected)
        file.seek(0)
        with faceengine.draw.Picture(file) as picture:
            assert picture.size == (512, 600)
    with open(photo, encoding="latin-1") as text, pytest.raises(faceengine.InvalidArgumentError, match="'rb'"):
        engine.detect(text)

    class Odd:
        def read(self):
            return 7

    with pytest.raises(faceengine.InvalidArgumentError, match="int"):
        engine.detect(Odd())
    with pytest.raises(faceengine.InvalidArgumentError):
        engine.detect(io.BytesIO(content), format="rgb")


def test_pil_images_of_16_bits_give_what_their_files_give(engine, pixels, tmp_path):
    Image = pytest.importorskip("PIL.Image")
    wide = (pixels.mean(2) * 257 + np.arange(512) % 200).clip(0, 65535).astype(np.uint16)
    Image.fromarray(wide).save(tmp_path / "wide.png")
    expected = detected(engine, tmp_path / "wide.png")
    with Image.open(tmp_path / "wide.png") as picture:
        assert picture.mode in ("I;16", "I") and same(detected(engine, picture), expected)
        older = picture.convert("I")  # the mode that older PIL gives such a file
    older.format = "PNG"
    assert same(detected(engine, older), expected)
    order = Image.frombytes("I;16B", (512, 600), wide.astype(">u2").tobytes())
    assert same(detected(engine, order), expected)


@pytest.mark.parametrize("mode", ["F", "I"])
def test_pil_images_without_a_white_raise(engine, pixels, mode):
    Image = pytest.importorskip("PIL.Image")
    with pytest.raises(faceengine.InvalidArgumentError, match="numpy.uint8"):
        engine.detect(Image.fromarray(pixels).convert("L").convert(mode))


def test_other_modes_of_pil_are_converted_or_raise(engine, pixels):
    Image = pytest.importorskip("PIL.Image")
    picture = Image.fromarray(pixels)
    for mode in ("P", "LA", "HSV", "YCbCr", "RGBX"):
        assert len(engine.detect(picture.convert(mode))) == 1, mode
    with pytest.raises(faceengine.InvalidArgumentError, match="mode La to RGB"):
        engine.detect(Image.new("La", (100, 100)))


def test_orientation_mirroring_and_region(engine, pixels):
    expected = detected(engine, pixels)
    turned = np.ascontiguousarray(np.rot90(pixels))  # lies on its left side: turn it clockwise to be upright
    faces = detected(engine, turned, orientation=faceengine.Orientation.RIGHT)
    assert (faces.width, faces.height) == (512, 600)
    assert np.allclose(faces[0].box, expected[0].box, atol=1)
    assert np.allclose(detected(engine, pixels[:, ::-1], mirrored=True)[0].box, expected[0].box, atol=1)
    assert len(engine.detect(pixels, region=(150, 100, 250, 260))) == 1
    assert len(engine.detect(pixels, region=(0, 300, 100, 260))) == 0
