"""The measurements of a face, compared with the C library and the command line."""

import contextlib
import copy
import ctypes
import dataclasses
import json
import pathlib
import pickle
import re
import subprocess

import faceengine
import numpy as np
import pytest
from conftest import EVERYTHING, ROOT, command, same
from faceengine import _abi, _images, _library


def test_every_output_has_its_shape(engine, photo):
    (face,) = engine.detect(photo, **EVERYTHING)
    for array, shape in ((face.landmarks, (478, 3)), (face.expressions, (52,)), (face.transform, (4, 4))):
        assert array.shape == shape and array.dtype == np.float32
    assert abs(face.pose.yaw) < 10 and face.eyes.left > 0.5 and face.mouth.open < 0.5 and face.quality.quality > 0.5
    assert not face.eyes.left_closed and not face.eyes.right_closed and face.mouth.smiling == (face.mouth.smile >= 0.5)
    assert faceengine.Eyes(0.49, 0.5).left_closed and not faceengine.Eyes(0.49, 0.5).right_closed
    assert len(faceengine.expression_names()) == 52 and faceengine.expression_names()[44] == "mouthSmileLeft"
    assert face.id is None and not face.other


def test_what_is_not_requested_is_none(engine, photo):
    (face,) = engine.detect(photo)
    assert face.points is not None
    assert [face.pose, face.eyes, face.mouth, face.quality, face.landmarks, face.expressions, face.transform] == [
        None
    ] * 7
    with pytest.raises(ValueError, match="landmarks=True"):
        face.region(faceengine.Region.NOSE)


@contextlib.contextmanager
def result_of_c(engine, image, **options):
    """The library's own result; `test_abi.py` compares its structs with the compiler's."""
    described, kept = _images.describe(image)
    filled, result = _library.fresh(_abi.face_options), ctypes.c_void_p()
    for name, value in options.items():
        setattr(filled, name, value)
    assert (
        _library.face.face_detect(engine._handle, ctypes.byref(described), ctypes.byref(filled), ctypes.byref(result))
        == 0
    )
    yield result
    _library.face.face_result_destroy(result)


def test_regions_are_the_librarys(loaded, photo):
    (face,) = loaded.detect(photo, landmarks=True)
    with result_of_c(loaded, photo, outputs=_abi.FACE_OUTPUT_LANDMARKS) as result:
        for region in faceengine.Region:
            points, count = (_abi.face_landmark * 478)(), ctypes.c_uint32()
            assert _library.face.face_result_landmarks(result, 0, region, points, 478, ctypes.byref(count)) == 0
            expected = np.frombuffer(points, np.float32).reshape(-1, 3)[: count.value]
            for found in (face.region(region), face.region(region.name.lower())):
                assert np.array_equal(found, expected), region
    with pytest.raises(ValueError, match="'left_eye'"):
        face.region("left_ear")


def test_constellations_are_the_librarys(loaded, photo):
    (face,) = loaded.detect(photo, landmarks=True)
    with result_of_c(loaded, photo, outputs=_abi.FACE_OUTPUT_LANDMARKS) as result:
        for constellation in faceengine.Constellation:
            for region in faceengine.Region:
                points, count = (_abi.face_landmark * 478)(), ctypes.c_uint32()
                assert (
                    _library.face.face_result_constellation(
                        result, 0, constellation, region, points, 478, ctypes.byref(count)
                    )
                    == 0
                )
                expected = np.frombuffer(points, np.float32).reshape(-1, 3)[: count.value]
                found = face.constellation(constellation.name.lower(), region)
                assert found.shape == expected.shape and np.allclose(found, expected, atol=1e-3), (
                    constellation,
                    region,
                )
    space = faceengine.Space("normalised")
    (moved,) = space.faces(loaded.detect(photo, landmarks=True))
    (found,) = loaded.detect(photo, landmarks=True)
    points = found.constellation("points_98")[:, :2]
    assert np.allclose(moved.constellation("points_98")[:, :2], points / (512, 600), atol=1e-4)
    with pytest.raises(ValueError, match="landmarks=True"):
        loaded.detect(photo)[0].constellation("points_65")


def test_the_mesh_is_a_surface_with_three_holes():
    edges, triangles = faceengine.mesh_edges(), faceengine.mesh_triangles()
    assert edges.shape == (1322, 2) and triangles.shape == (852, 3) and edges.dtype == triangles.dtype == np.uint16
    points = np.unique(triangles)
    assert list(points) == list(range(468)) and len(points) - len(edges) + len(triangles) == -2
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    assert len(np.unique(sides, axis=0)) == len(sides)
    found, times = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
    assert np.array_equal(found, edges) and set(times) == {1, 2} and (times == 1).sum() == 88
    with pytest.raises(ValueError, match="read-only"):
        edges[0] = 7


def test_contours_and_points_with_names(loaded, photo):
    (face,) = loaded.detect(photo, landmarks=True)
    assert (
        len(faceengine.Contour) == 15 and sum(len(faceengine.contour_indices(one)) for one in faceengine.Contour) == 133
    )
    for contour in faceengine.Contour:
        expected = face.landmarks[faceengine.contour_indices(contour)]
        assert np.array_equal(face.contour(contour.name.lower()), expected) and expected.shape[1] == 3
    assert (
        faceengine.contour_path("face") == faceengine.Path.CLOSED
        and faceengine.contour_path("nose_bridge") == faceengine.Path.OPEN
    )
    assert np.array_equal(face.contour("left_eye"), face.region("left_eye"))
    assert np.array_equal(face.mesh_point("chin"), face.landmarks[faceengine.MeshPoint.CHIN])
    assert face.mesh_point("right_cheek")[0] < face.mesh_point("nose_tip")[0] < face.mesh_point("left_cheek")[0]
    with pytest.raises(ValueError, match="'left_eyebrow_top'"):
        face.contour("left_brow")
    with pytest.raises(ValueError, match="'chin'"):
        face.mesh_point("beard")
    (plain,) = loaded.detect(photo)
    for call in (lambda: plain.contour("face"), lambda: plain.mesh_point("chin")):
        with pytest.raises(ValueError, match="landmarks=True"):
            call()


def test_where_a_face_looks(engine, photo):
    screen = ((17, -1, 0), (-17, -1, 0), (17, -20, 0))
    (face,) = engine.detect(photo, gaze=True)
    point = face.look_at(screen)
    twice = face.look_at(((34, 8.5, 0), (-34, 8.5, 0), (34, -29.5, 0)))
    assert twice.x - 0.5 == pytest.approx((point.x - 0.5) / 2, abs=1e-3)
    assert face.look_at([(x, y, -200) for x, y, _ in screen]) is None
    with pytest.raises(ValueError, match="no area"):
        face.look_at([screen[0]] * 3)
    with pytest.raises(ValueError, match="3 corners, not 2"):
        face.look_at(screen[:2])
    with pytest.raises(ValueError, match="gaze=True"):
        engine.detect(photo)[0].look_at(screen)


def test_models_of_a_result(engine, photo):
    detector, *networks = engine.detect(photo, landmarks=True).models
    assert detector.name == "yunet" and detector.revision >= 1 and re.fullmatch("[0-9a-f]{64}", detector.weights_sha256)
    assert networks and engine.detect(photo).models == [detector]


@pytest.mark.parametrize("accuracy", ["low", "balanced", "high"])
@pytest.mark.parametrize("name", ["grace_hopper.jpg", "astronaut.png"])
def test_the_same_bits_as_from_c(loaded, name, accuracy):
    image, info, count = ROOT / "Examples/photos" / name, _library.fresh(_abi.face_info), ctypes.c_uint32()
    (face,) = loaded.detect(image, accuracy=accuracy, **EVERYTHING)
    with result_of_c(loaded, image, accuracy=faceengine.Accuracy[accuracy.upper()], outputs=0x7F) as result:
        assert _library.face.face_result_get(result, 0, ctypes.byref(info)) == 0
        expressions, transform = (ctypes.c_float * 52)(), (ctypes.c_float * 16)()
        assert _library.face.face_result_expressions(result, 0, expressions, 52) == 0
        assert (
            _library.face.face_result_values(result, 0, _abi.FACE_OUTPUT_TRANSFORM, transform, 16, ctypes.byref(count))
            == 0
        )
    assert (
        bytes(expressions) == face.expressions.tobytes()
        and bytes(transform) == face.transform.tobytes()
        and count.value == 16
    )
    assert face.confidence == info.confidence
    for here, first, numbers in (
        (face.box, "box", 4),
        (face.clamped_box, "clamped_box", 4),
        (face.pose, "yaw", 3),
        (face.eyes, "left_eye_open", 2),
        (face.mouth, "smile", 2),
        (face.quality, "quality", 6),
        (np.ravel(face.points), "left_eye", 10),
    ):
        start = getattr(_abi.face_info, first).offset
        assert list(here) == list((ctypes.c_float * numbers).from_buffer_copy(info, start)), first


def test_a_box_has_corners_and_a_center():
    box = faceengine.Box(10, 20, 30, 50)
    assert box.xyxy == (10, 20, 40, 70) and box.center == faceengine.Point(25, 45) == (25, 45)


def test_faces_are_equal_after_pickling(engine, pixels):
    faces = engine.detect(pixels, **EVERYTHING, gaze=True)
    again = pickle.loads(pickle.dumps(faces))
    assert again == faces and again[0] == faces[0] == copy.deepcopy(faces[0]) and "gaze" in faces[0].other
    for name, value in (
        ("confidence", 0.5),
        ("pose", None),
        ("landmarks", faces[0].landmarks + 1),
        ("expressions", None),
        ("other", {}),
    ):
        assert dataclasses.replace(faces[0], **{name: value}) != faces[0], name
    assert faces[0] != "a face" and engine.detect(pixels) == engine.detect(pixels) != faces
    with pytest.raises(TypeError, match="unhashable"):  # its members may change
        hash(faces[0])


def test_loaded_and_connected_agree(loaded, connected, photo, pixels):
    for image in (photo, pixels):
        assert same(loaded.detect(image, **EVERYTHING), connected.detect(image, **EVERYTHING))


def test_the_same_as_the_command_line_prints(photo, engine, socket):
    done = subprocess.run([*command(), "detect", "--json", "--socket", socket, photo], check=True, capture_output=True)
    (printed,) = json.loads(done.stdout)["faces"]
    (face,) = engine.detect(photo)
    assert np.allclose(
        list(printed["box"].values()) if isinstance(printed["box"], dict) else printed["box"], face.box, atol=0.01
    )
    assert printed["confidence"] == pytest.approx(face.confidence, abs=1e-4)


def test_a_batch(engine, photo, pixels, tmp_path):
    damaged = tmp_path / "damaged.jpg"
    damaged.write_bytes(pathlib.Path(photo).read_bytes()[:1000])
    results = engine.detect_batch([photo, damaged, pixels, tmp_path / "none.jpg", b"", pixels.astype(float)], pose=True)
    assert [len(faces) for faces in results] == [1, 0, 1, 0, 0, 0]
    assert results[0].error is None and same(results[0], engine.detect(photo, pose=True))
    assert isinstance(results[1].error, faceengine.InvalidArgumentError)
    assert isinstance(results[3].error, FileNotFoundError)
    assert isinstance(results[4].error, faceengine.InvalidArgumentError)
    assert isinstance(results[5].error, faceengine.InvalidArgumentError)
    assert engine.detect_batch([]) == []


def test_options_reach_the_library(engine, pixels):
    four = np.concatenate([np.concatenate([pixels, pixels], 1)] * 2)
    assert len(engine.detect(four)) == 4
    assert len(engine.detect(four, max_faces=3)) == 3
    assert len(engine.detect(four, min_confidence=0.999)) == 0
    assert len(engine.detect(four, min_face_size=300)) == 0
    with pytest.raises(faceengine.DeadlineExceededError) as caught:
        engine.detect(four, timeout=1e-9)
    assert isinstance(caught.value, TimeoutError) and caught.value.code == faceengine.Status.DEADLINE_EXCEEDED


def test_several_models(photo):
    with faceengine.load(["yunet", "centerface"], threads_per_frame=2, engine="kernels") as engine:
        assert len(engine.detect(photo, model="centerface")) == 1
        with pytest.raises(FileNotFoundError):
            engine.detect(photo, model="none")


def test_spaces_convert_faces_and_points(engine, photo):
    faces = engine.detect(photo, landmarks=True)
    view = faceengine.Space("view", view=(256, 300))
    converted = view.faces(faces)
    assert np.allclose(converted[0].box, np.array(faces[0].box) / 2)
    assert np.allclose(converted[0].landmarks[:, :2], faces[0].landmarks[:, :2] / 2)
    assert np.allclose(view.box_to_pixels(converted[0].box, (512, 600)), faces[0].box)
    assert np.allclose(view.points_to_pixels(view.points([[1, 2]], (512, 600)), (512, 600)), [[1, 2]])
    with pytest.raises(ValueError):
        faceengine.Space("view", view=(0, 0)).points([[1, 2]], (512, 600))
    assert faceengine.orientation_of_camera(90, 0) == faceengine.Orientation.RIGHT
    with pytest.raises(ValueError):
        faceengine.orientation_of_camera(91, 0)


def test_calls_search_the_array_they_are_given(engine, pixels):
    empty, other = np.zeros_like(pixels), pixels[:, ::-1].copy()
    frame = pixels.copy()
    padded = np.zeros((600, 700, 3), np.uint8)[:, :512]
    padded[:] = pixels
    expected, mirrored = engine.detect(pixels), engine.detect(other)
    assert not same(expected, mirrored)
    for _ in range(3):
        assert same(engine.detect(frame), expected) and same(engine.detect(other), mirrored)
        assert same(engine.detect(padded), expected) and same(engine.detect(pixels), expected)
        assert len(engine.detect(empty)) == 0
        assert same(engine.detect(frame, format="bgr"), engine.detect(frame[:, :, ::-1]))
        assert len(engine.detect(frame, max_faces=1)) == 1 and len(engine.detect(frame, min_confidence=0.9999)) == 0
        known = {"boxes": [expected[0].box], "pose": True}  # a list is not hashable
        assert same(engine.detect(frame, **known), engine.detect(pixels, **known))
        assert same(engine.detect(frame, boxes=np.array([expected[0].box]), pose=True), engine.detect(frame, **known))
        assert same(engine.detect(frame, boxes=(expected[0].box,), pose=True), engine.detect(frame, **known))
        for none in ([], (), np.empty((0, 4))):
            assert len(engine.detect(frame, boxes=none, pose=True)) == 0 and same(
                engine.detect(frame, boxes=None), expected
            )
        assert same(engine.detect(pixels.view(np.recarray)), expected)
    for number in range(20):  # arrays are freed and allocated at another address each time
        moved = np.zeros((600 + number, 512, 3), np.uint8)[number:]
        moved[:] = (pixels, other)[number % 2]
        assert same(engine.detect(moved), (expected, mirrored)[number % 2])
    frame.resize((300, 1024, 3))  # NumPy refuses this while the memory is referenced
    with pytest.raises(faceengine.InvalidArgumentError):
        engine.detect(np.zeros((600, 512, 3), np.int8))


def test_results_of_c_end_with_the_call(loaded, pixels, monkeypatch):
    """Each that was read, also one that could not be."""
    read, destroyed, library = [], [], _library.face
    get, destroy = library.face_result_get, library.face_result_destroy

    def handle_of(result):
        return getattr(result, "value", result)

    monkeypatch.setattr(
        library, "face_result_get", lambda result, *rest: read.append(handle_of(result)) or get(result, *rest)
    )
    monkeypatch.setattr(
        library, "face_result_destroy", lambda result: destroyed.append(handle_of(result)) or destroy(result)
    )
    loaded.detect(pixels)
    loaded.detect_batch([pixels, b"", pixels])
    assert len(set(read)) == 3 and set(read) <= set(destroyed) and len(set(destroyed)) == len(destroyed) == 4
    monkeypatch.setattr(library, "face_result_get", lambda *_: faceengine.Status.INTERNAL)
    for use in (lambda: loaded.detect(pixels), lambda: loaded.detect_batch([pixels])):
        with pytest.raises(faceengine.InternalError):
            use()
    assert len(set(destroyed)) == len(destroyed) == 6


def test_faces_are_a_list(loaded, pixels):
    faces = loaded.detect(pixels, landmarks=True)
    assert faces and len(faces) == 1 and faces == [faces[0]] and faces[0] in faces and list(faces) == faces.data
    assert (faces.width, faces.height, faces.unanalysed, faces.error) == (512, 600, 0, None)
    part = faces[:1]
    assert part == faces and (part.width, part.height) == (512, 600) and not faces[1:]
    assert copy.copy(loaded.detect(pixels)).width == 512
    faces.append(faces[0])
    assert len(faces) == 2 and len(part) == 1
    assert loaded.detect(np.zeros_like(pixels)) == []
    faces[0].confidence = 0.25
    assert faces[1].confidence == 0.25 and repr(faces[0]).startswith("Face(box=Box(x=")
    assert dataclasses.replace(faces[0], id=7).box == faces[0].box
    with pytest.raises(AttributeError):
        faces.none


def test_a_face_is_a_row_of_a_table(loaded, pixels):
    (face,) = loaded.detect(pixels, **EVERYTHING)
    row = face.row()
    assert (row["x"], row["height"], row["confidence"], row["yaw"]) == (
        face.box.x,
        face.box.height,
        face.confidence,
        face.pose.yaw,
    )
    assert row["points"][2:4] == list(face.points.right_eye) and row["right_eye_open"] == face.eyes.right
    assert row["framing"] == face.quality.framing and row["mouth_open"] == face.mouth.open
    (plain,) = loaded.detect(pixels)
    assert plain.row().keys() == row.keys() and plain.row()["roll"] is None and plain.row()["quality"] is None


def test_faces_become_dictionaries_of_plain_numbers(engine, pixels):
    faces = engine.detect(pixels, **EVERYTHING)
    (face,), (dictionary,) = faces, faces.to_dicts()
    again = json.loads(json.dumps(dictionary))
    assert again == dictionary and {name: dictionary[name] for name in face.row()} == face.row()
    assert dictionary["landmarks"] == face.landmarks.tolist() and dictionary["transform"] == face.transform.tolist()
    assert dictionary["expressions"] == face.expressions.tolist() and dictionary["id"] is None
    (plain,) = engine.detect(pixels).to_dicts()
    assert plain.keys() == dictionary.keys() and plain["landmarks"] is None and plain["predicted"] is False
    assert engine.detect(np.zeros_like(pixels)).to_dicts() == []


def test_dictionaries_of_a_programs_own_faces():
    box = faceengine.Box(*np.array([1, 2, 3, 4], np.float32))
    face = faceengine.Face(
        box,
        box,
        np.float64(0.5),
        points=faceengine.Points(*[faceengine.Point(np.float32(1), 2)] * 5),
        id=np.uint64(7),
        other={"gaze": np.zeros(2, np.float32)},
    )
    (dictionary,) = json.loads(json.dumps(faceengine.Faces([face]).to_dicts()))
    assert (dictionary["width"], dictionary["confidence"], dictionary["id"], dictionary["gaze"]) == (3, 0.5, 7, [0, 0])
    assert dictionary["points"] == [1, 2] * 5


def test_what_is_printed_is_rounded_and_what_is_stored_is_not(loaded, pixels):
    (face,) = faces = loaded.detect(pixels, **EVERYTHING)
    text = repr(faces)
    assert text == f"[{face!r}]" and "\n" not in text and "None" not in text
    printed = [len(number) for number in re.findall(r"\d+\.(\d+)", text)]
    assert len(printed) > 20 and max(printed) <= 3
    box = r"Box\(x=\d+\.\d, y=\d+\.\d, width=\d+\.\d, height=\d+\.\d\)"
    assert re.match(rf"\[Face\(box={box}, confidence=0\.\d{{1,3}}, pose=Pose\(yaw=", text)
    assert "landmarks=<478 × 3>" in text and "expressions=<52>" in text and "transform=<4 × 4>" in text
    assert face.box.x == float(np.float32(face.box.x)) != round(face.box.x, 1)


def test_what_is_printed_of_other_numbers():
    box = faceengine.Box(0.123456, 0.2, 0.3, 0.987654)  # of a normalised space
    assert repr(box) == "Box(x=0.1235, y=0.2, width=0.3, height=0.9877)"
    assert repr(faceengine.Box(-0.04, 1000000.26, 3, float("nan"))) == "Box(x=0.0, y=1000000.3, width=3, height=nan)"
    assert repr(faceengine.Point(np.float32(183.456), "a")) == "Point(x=183.5, y='a')"
    assert repr(faceengine.Pose(1.26, None, np.float64(-3))) == "Pose(yaw=1.3, pitch=None, roll=-3.0)"
    assert repr(faceengine.Face(box, box, 0.98765, id=3, predicted=True)) == (
        "Face(box=Box(x=0.1235, y=0.2, width=0.3, height=0.9877), confidence=0.988, id=3, predicted=True)"
    )
    assert repr(faceengine.Faces()) == "[]"
