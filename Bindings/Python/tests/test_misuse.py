"""Misuse raises an exception with a message, and never crashes."""

import concurrent.futures
import io
import pathlib
import pickle
import threading

import faceengine
import numpy as np
import pytest
from conftest import run_python


@pytest.mark.parametrize("dtype", [float, np.float32, np.int8, np.uint16, bool, object, "S1", "M8[s]", ">u4"])
def test_another_dtype_raises(engine, dtype):
    with pytest.raises(faceengine.InvalidArgumentError, match="uint8"):
        engine.detect(np.zeros((100, 100, 3), dtype))


@pytest.mark.parametrize(
    "shape",
    [
        (),
        (100,),
        (100, 100, 2),
        (100, 100, 5),
        (0, 100, 3),
        (100, 0),
        (0, 0, 0),
        (2, 50, 50, 3),
        (8, 8, 3),
        (17000, 20, 3),
        (1 << 21, 1, 3),
        (100, 100, 0),
    ],
)
def test_another_shape_raises(engine, shape):
    with pytest.raises(ValueError):
        engine.detect(np.zeros(shape, np.uint8))


@pytest.mark.parametrize("image", [None, 7, 1.5, [1, 2], {"a": 1}, object(), faceengine, np.uint8(1), np.ma.masked])
def test_a_value_that_is_no_image_raises(engine, image):
    with pytest.raises((TypeError, ValueError)):
        engine.detect(image)


@pytest.mark.parametrize("image", [b"", b"x", b"\xff\xd8\xff", bytes(1000), memoryview(b"GIF89a")])
def test_damaged_files(engine, image):
    with pytest.raises(faceengine.InvalidArgumentError) as caught:
        engine.detect(image)
    assert caught.value.code == faceengine.Status.INVALID_ARGUMENT and len(caught.value.message) > 10


def test_files_that_are_not_there(engine, tmp_path):
    with pytest.raises(FileNotFoundError):
        engine.detect(tmp_path / "none.jpg")
    with pytest.raises(IsADirectoryError):
        engine.detect(tmp_path)
    with pytest.raises(ValueError):
        engine.detect("a\0b")


@pytest.mark.parametrize(
    "one",
    [
        "photo.jpg",
        b"photo.jpg",
        bytearray(9),
        memoryview(b"photo"),
        pathlib.Path("photo.jpg"),
        io.BytesIO(b"a\nb\n"),
        7,
        object(),
        faceengine.Frame("photo.jpg"),
        np.zeros((90, 80, 3), np.uint8),
        np.zeros((90, 80, 4), np.uint8),
        np.zeros((90, 80), np.uint8),
    ],
    ids=lambda one: type(one).__name__,
)
def test_one_image_is_no_list_of_images(engine, one):
    for use in (engine.detect_batch, engine.session, engine.guided_check):
        with pytest.raises(TypeError, match="list"):
            use(one)


def test_iterables_of_images_are_taken(engine, photo, pixels):
    for images in (
        [photo],
        (photo,),
        {photo},
        {photo: 1},
        iter([photo]),
        (one for one in [photo]),
        np.array([photo]),
        pixels[None],
        np.stack([pixels[:, :, 1]]),
    ):
        assert [len(faces) for faces in engine.detect_batch(images)] == [1]
    with pytest.raises(ValueError, match="orientation"):
        engine.detect_batch([photo], orientation=9)
    missing, wrong = engine.detect_batch([None, photo])[0].error, engine.detect_batch([pixels], format="nv12")[0].error
    assert isinstance(missing, TypeError) and isinstance(wrong, ValueError)


def test_a_text_is_no_list(loaded, pixels):
    for options in ({"mask": "123"}, {"min_iso": "123"}):
        with pytest.raises(TypeError, match="must be .*, not str"):
            loaded.guided_check(**options)
    for boxes in ("1234", ["1234"], b"1234"):
        with pytest.raises(TypeError, match="must be a list"):
            loaded.detect(pixels, boxes=boxes)
    with faceengine.draw.Picture(pixels) as picture, pytest.raises(TypeError, match="labels must be a list"):
        picture.faces(loaded.detect(pixels), labels="A")


def test_formats_that_do_not_fit(engine):
    for shape, form in (
        ((90, 90), "rgb"),
        ((90, 90, 3), "rgba"),
        ((90, 90, 3), "nv12"),
        ((91, 90), "nv12"),
        ((90, 91), "i420"),
        ((90, 90, 3), "encoded"),
        ((90, 90, 4), "yuyv"),
        ((90, 90, 4), "uyvy"),
        ((91, 90), "nv16"),
        ((90, 91), "nv16"),
    ):
        with pytest.raises(faceengine.InvalidArgumentError, match="shape"):
            engine.detect(np.zeros(shape, np.uint8), format=form)
    with pytest.raises(ValueError, match="'rgb'"):
        engine.detect(np.zeros((90, 90, 3), np.uint8), format="cmyk")
    with pytest.raises(faceengine.InvalidArgumentError):
        engine.detect(b"abc", format="rgb")


@pytest.mark.parametrize(
    "options, kind",
    [
        ({"max_faces": -1}, ValueError),
        ({"max_faces": 1 << 32}, ValueError),
        ({"max_faces": 1.5}, TypeError),
        ({"max_faces": "3"}, TypeError),
        ({"min_confidence": "a lot"}, TypeError),
        ({"min_confidence": 2}, ValueError),
        ({"min_confidence": float("nan")}, ValueError),
        ({"accuracy": "best"}, ValueError),
        ({"accuracy": 99}, ValueError),
        ({"model": 3}, TypeError),
        ({"model": "a\0b"}, ValueError),
        ({"model": "none"}, FileNotFoundError),
        ({"timeout": -1}, ValueError),
        ({"timeout": float("inf")}, ValueError),
        ({"timeout": "soon"}, TypeError),
        ({"canceller": 3}, TypeError),
        ({"max_side": 3}, ValueError),
        ({"landmark": True}, TypeError),
        ({"orientation": 9}, ValueError),
        ({"region": (1, 2)}, ValueError),
        ({"region": (0, 0, -1, -1)}, ValueError),
        ({"colour": "red"}, ValueError),
    ],
)
def test_wrong_options_raise(engine, pixels, options, kind):
    with pytest.raises(kind) as caught:
        engine.detect(pixels, **options)
    assert len(str(caught.value)) > 10


def test_models_and_sockets_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        faceengine.load(tmp_path / "none")
    assert caught.value.code == faceengine.Status.NOT_FOUND
    with pytest.raises(ConnectionError) as caught:
        faceengine.connect(tmp_path / "none")
    assert caught.value.code == faceengine.Status.UNAVAILABLE
    for wrong in ([], [None] * 17):
        with pytest.raises(ValueError):
            faceengine.load(wrong)
    with pytest.raises(ValueError):
        faceengine.load(threads_per_frame=99)
    with pytest.raises(ValueError, match="options->engine"):
        faceengine.load(engine="../ncnn")
    with pytest.raises(TypeError):
        faceengine.load(thread_per_frame=1)


def test_a_closed_engine_raises(pixels):
    engine = faceengine.load()
    session = engine.session()
    engine.close()
    engine.close()
    assert engine.closed
    for use in (
        lambda: engine.detect(pixels),
        lambda: engine.detect_batch([pixels]),
        engine.session,
        engine.guided_check,
        lambda: engine.check_photo(pixels),
        engine.__enter__,
    ):
        with pytest.raises(faceengine.InvalidArgumentError, match="closed"):
            use()
    session.submit(pixels)  # the session keeps the engine that it needs
    session.flush()
    assert isinstance(session.next_event(), faceengine.FrameFaces)
    session.close()
    session.close()
    for use in (
        lambda: session.submit(pixels),
        session.flush,
        session.restart,
        lambda: list(session),
        session.__enter__,
    ):
        with pytest.raises(faceengine.InvalidArgumentError, match="closed"):
            use()


def test_closing_an_engine_ends_calls_of_other_threads(pixels):
    engine, searched = faceengine.load(), threading.Semaphore(0)

    def search(_):
        with pytest.raises(faceengine.InvalidArgumentError):
            while True:
                assert len(engine.detect(pixels)) == 1
                searched.release()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        ends = pool.map(search, range(4))
        for _ in range(8):
            assert searched.acquire(timeout=60)
        engine.close()
        assert len(list(ends)) == 4


def test_cancelling(engine, pixels):
    canceller = faceengine.Canceller()
    canceller.cancel()
    assert canceller.cancelled
    with pytest.raises(faceengine.CancelledError) as caught:
        engine.detect(pixels, canceller=canceller)
    assert caught.value.code == faceengine.Status.CANCELLED
    with pytest.raises(faceengine.CancelledError):
        engine.detect_batch([pixels], canceller=canceller)
    assert len(engine.detect(pixels)) == 1


def test_exceptions_are_pickled_and_engines_not(loaded):
    for kind in faceengine.FaceEngineError.__subclasses__():
        error = pickle.loads(pickle.dumps(kind("A sentence.")))
        assert type(error) is kind and error.message == "A sentence." == str(error) and error.code == kind.code
    with pytest.raises(TypeError, match="process"):
        pickle.dumps(loaded)


def test_a_missing_or_invalid_library_raises(tmp_path):
    import os

    code = "import faceengine; faceengine.load()"
    done = run_python(code, env={**os.environ, "FACE_ENGINE_LIBRARIES": str(tmp_path)})
    assert done.returncode == 1 and "ImportError" in done.stderr and "FACE_ENGINE_LIBRARIES" in done.stderr
    (tmp_path / "libfaceengine.so.1").write_bytes(b"no library")
    done = run_python(code, env={**os.environ, "FACE_ENGINE_LIBRARIES": str(tmp_path)})
    assert done.returncode == 1 and "ImportError" in done.stderr


@pytest.mark.parametrize("user", ["no such user", -1, 2**32 - 1, 2**40])
def test_an_unknown_engine_user_is_refused(user):
    with pytest.raises(faceengine.InvalidArgumentError, match="engine_user"):
        faceengine.connect("/nonexistent/socket", engine_user=user)


@pytest.mark.parametrize("user", [None, "root", 0, 65534])
def test_engine_of_another_user(user):
    with pytest.raises(faceengine.UnavailableError, match="no engine listens"):
        faceengine.connect("/nonexistent/socket", engine_user=user)
