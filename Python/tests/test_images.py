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
    for image in (pathlib.Path(photo), content, bytearray(content), memoryview(content)):
        assert same(detected(engine, image), expected)
    assert (expected.width, expected.height) == (512, 600)


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
        "cut out": padded[20:620, 30:542], "thinned out": padded[::2, ::2], "rows": padded[::2],
        "mirrored": padded[:, ::-1], "turned over": padded[::-1][::-1], "transposed": padded.transpose(1, 0, 2).transpose(1, 0, 2),
        "fortran": np.asfortranarray(pixels), "broadcast": np.broadcast_to(pixels[:, :, :1], pixels.shape),
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


def test_orientation_mirroring_and_region(engine, pixels):
    expected = detected(engine, pixels)
    turned = np.ascontiguousarray(np.rot90(pixels))  # lies on its left side: turn it clockwise to be upright
    faces = detected(engine, turned, orientation=faceengine.Orientation.RIGHT)
    assert (faces.width, faces.height) == (512, 600)
    assert np.allclose(faces[0].box, expected[0].box, atol=1)
    assert np.allclose(detected(engine, pixels[:, ::-1], mirrored=True)[0].box, expected[0].box, atol=1)
    assert len(engine.detect(pixels, region=(150, 100, 250, 260))) == 1
    assert len(engine.detect(pixels, region=(0, 300, 100, 260))) == 0
