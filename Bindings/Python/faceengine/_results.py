"""Reads results of the C library into Python's own objects, and writes those back into its structs."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Tuple

from . import _abi, _library
from ._errors import check
from ._faces import Box, Eyes, Face, Faces, Model, Mouth, Point, Points, Pose, Quality
from ._options import floats_of, no_text

_SHAPES: Dict[str, Tuple[int, ...]] = {"landmarks": (-1, 3), "transform": (4, 4)}
_OUTLINE = len(_abi.CONSTELLATIONS[_abi.Constellation.POINTS_98][_abi.Region.FACE_CONTOUR])
_IN_INFO = _abi.FACE_OUTPUT_POSE | _abi.FACE_OUTPUT_EYES | _abi.FACE_OUTPUT_MOUTH | _abi.FACE_OUTPUT_QUALITY


def read_and_destroy(handle: Any, outputs: int) -> Faces:
    """The faces of a result, which ends with this."""
    try:
        return read(handle, outputs)
    finally:
        _library.face.face_result_destroy(handle)


def read(result: Any, outputs: int) -> Faces:
    """The faces of a result, which stays."""
    library, width, height = _library.face, ctypes.c_uint32(), ctypes.c_uint32()
    check(library.face_result_image_size(result, ctypes.byref(width), ctypes.byref(height)))
    faces = Faces((), width.value, height.value)
    faces.unanalysed = library.face_result_unanalysed_count(result)
    faces.models = [_model(result, index) for index in range(library.face_result_model_count(result))]
    info = _abi.face_info(ctypes.sizeof(_abi.face_info))
    for index in range(library.face_result_count(result)):
        check(library.face_result_get(result, index, ctypes.byref(info)))
        face = _face(info)
        if outputs & ~_IN_INFO:
            _read_arrays(face, result, index, outputs)
        faces.append(face)
    return faces


def _model(result: Any, index: int) -> Model:
    model = _abi.face_model(ctypes.sizeof(_abi.face_model))
    check(_library.face.face_result_model(result, index, ctypes.byref(model)))
    return Model(model.name.decode(), model.revision, bytes(model.weights_sha256).hex())


def box_of(struct: Any) -> Box:
    return Box(struct.x, struct.y, struct.width, struct.height)


def _face(info: Any) -> Face:
    valid = info.valid
    return Face(
        box_of(info.box),
        box_of(info.clamped_box),
        info.confidence,
        points=_points(info) if valid & _abi.FACE_VALID_POINTS else None,
        id=info.id if valid & _abi.FACE_VALID_ID else None,
        frame_count=info.frame_count,
        predicted=info.predicted != 0,
        pose=Pose(info.yaw, info.pitch, info.roll) if valid & _abi.FACE_VALID_POSE else None,
        eyes=Eyes(info.left_eye_open, info.right_eye_open) if valid & _abi.FACE_VALID_EYES else None,
        mouth=Mouth(info.smile, info.mouth_open) if valid & _abi.FACE_VALID_MOUTH else None,
        quality=Quality(*(getattr(info, name) for name in Quality._fields))
        if valid & _abi.FACE_VALID_QUALITY
        else None,
    )


def _points(info: Any) -> Points:
    return Points(*(Point(point.x, point.y) for point in (getattr(info, name) for name in Points._fields)))


def _read_arrays(face: Face, result: Any, index: int, outputs: int) -> None:
    for name, bit in _abi.OUTPUTS.items():
        array = _array(name, bit, result, index) if outputs & bit & ~_IN_INFO else None
        if array is not None and hasattr(face, name):
            setattr(face, name, array)
            if name == "landmarks":
                face.outline = _outline(result, index)
        elif array is not None:
            face.other[name] = array


def _array(name: str, bit: int, result: Any, index: int) -> Optional[Any]:
    """The numbers of an output; None if the face has none."""
    import numpy as np

    kind: Any = ctypes.c_float
    function, what = _library.face.face_result_values, bit
    if bit == _abi.FACE_OUTPUT_LANDMARKS:
        kind, function, what = _abi.face_landmark, _library.face.face_result_landmarks, int(_abi.Region.ALL_POINTS)
    count = ctypes.c_uint32()
    if function(result, index, what, None, 0, ctypes.byref(count)) != 0:
        return None
    values: Any = (kind * count.value)()
    check(function(result, index, what, values, count, None))
    return np.frombuffer(values, np.float32).reshape(_SHAPES.get(name, (-1,)))


def _outline(result: Any, index: int) -> Any:
    """The contour of a face in its picture, which the mesh alone does not have."""
    import numpy as np

    constellation, region, count = int(_abi.Constellation.POINTS_98), int(_abi.Region.FACE_CONTOUR), _OUTLINE
    points: Any = (_abi.face_landmark * count)()
    check(_library.face.face_result_constellation(result, index, constellation, region, points, count, None))
    return np.frombuffer(points, np.float32).reshape(-1, 3)


def faces_of(name: str, faces: Any) -> List[Face]:
    """The faces of an argument that is an iterable of them."""
    if isinstance(faces, Face):
        raise TypeError(f"{name} must be a list of faceengine.Face, not Face; for one face give [face]")
    return list(no_text(name, faces, "a list of faceengine.Face"))


def info_of(face: Face, name: str = "each of faces") -> Any:
    """The C struct of a face, also of one that a program made or changed."""
    if not isinstance(face, Face):
        raise TypeError(f"{name} must be a faceengine.Face, not {type(face).__name__}")
    info, numbers = _library.fresh(_abi.face_info), ", ".join(Box._fields)
    info.box = _abi.face_box(*floats_of("the box of a face", face.box, numbers))
    info.clamped_box = _abi.face_box(*floats_of("the clamped_box of a face", face.clamped_box, numbers))
    info.confidence = face.confidence
    info.frame_count, info.predicted = face.frame_count, int(face.predicted)
    if face.points is not None:
        info.valid |= _abi.FACE_VALID_POINTS
        for name, point in zip(Points._fields, face.points):
            setattr(info, name, _abi.face_point(*point))
    if face.id is not None:
        info.valid |= _abi.FACE_VALID_ID
        info.id = face.id
    if face.pose is not None:
        info.valid |= _abi.FACE_VALID_POSE
        info.yaw, info.pitch, info.roll = face.pose
    return info
