"""Reads results of the C library. What no one asks for is not read: each step after a search finds cold caches."""

from __future__ import annotations

import ctypes
from collections import deque
from functools import partial
from struct import Struct
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from . import _abi, _library
from ._errors import check
from ._faces import Box, Eyes, Face, Faces, Mouth, Point, Points, Pose, Quality

_face = _library.face
new: Callable[[Any], Any] = object.__new__
_Info: Any = _abi.face_info
_INFO_SIZE = ctypes.sizeof(_Info)


# Handles whose results are destroyed, each with the pointer to it that a call fills and the function that destroys its result;
# Faces leave them for the next ones.
empty: Deque[Tuple[Any, Any, Any]] = deque(maxlen=256)


def found(handle: Optional[int], outputs: int) -> Faces:
    """The faces of a result, which they own."""
    faces: Faces = new(Faces)
    faces._pair = pair = pair_of(handle)
    faces._result, faces._outputs = pair[0], outputs
    return faces


def pair_of(handle: Optional[int]) -> Tuple[Any, Any, Any]:
    result = ctypes.c_void_p(handle)
    return result, ctypes.byref(result), _face.face_result_destroy


def _destroy(faces: Any) -> None:
    try:
        pair = faces._pair
    except AttributeError:  # a list that a program made
        return
    # The handle stays in the pair until a call overwrites it: it is a number, which the library never uses again.
    pair[2](pair[0])
    if empty is not None:  # at the interpreter's end a module may have lost its names
        empty.append(pair)


def read(result: Any, outputs: int) -> Faces:
    """Reads a result that stays the library's."""
    faces: Faces = new(Faces)
    faces._result, faces._outputs = result, outputs
    for member in _MEMBERS_OF_FACES:
        getattr(faces, member)
    faces._result = None
    return faces


class _Later:
    """A member that is read when it is first asked for. Its value then hides this."""

    def __init__(self, name: str, compute: Callable[[Any], Any]) -> None:
        self.name, self.compute = name, compute

    def __get__(self, instance: Any, owner: object = None) -> Any:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self.name, self.compute(instance))  # the first value, where threads read at once


# What every program asks for, and is read at once: the box; the confidence, which stands behind the clamped one.
_BOX = _Info.box.offset
_box_and_confidence = Struct(f"=4f{_Info.confidence.offset - _BOX - 16}xf").unpack_from
_tuple: Any = tuple.__new__

# ---- Members of Face, whose numbers are in its C struct


def _numbers(layout: str, first: str, make: Callable[[Tuple[Any, ...]], Any], bit: int = 0) -> Callable[[Face], Any]:
    """Reads the members of C's struct from `first` on, as the module struct has them, if `bit` of `valid` is set."""
    unpack, offset = Struct("=" + layout).unpack_from, getattr(_abi.face_info, first).offset

    def compute(face: Face) -> Any:
        info = face._info
        return make(unpack(info, offset)) if not bit or info.valid & bit else None

    return compute


def _only(numbers: Tuple[Any, ...]) -> Any:
    return numbers[0]


def _points(numbers: Tuple[Any, ...]) -> Points:
    return Points._make(map(Point, numbers[::2], numbers[1::2]))


_tuple_of = partial(partial, tuple.__new__)  # what NamedTuple._make does, without Python's code
_MEMBERS_OF_FACE: Dict[str, Callable[[Any], Any]] = {
    "other": lambda face: {},
    "clamped_box": _numbers("4f", "clamped_box", _tuple_of(Box)),
    "points": _numbers("10f", "left_eye", _points, _abi.FACE_VALID_POINTS),
    "id": _numbers("Q", "id", _only, _abi.FACE_VALID_ID),
    "frame_count": _numbers("I", "frame_count", _only),  # 0 without an id
    "predicted": _numbers("I", "predicted", lambda numbers: numbers[0] != 0),
    "pose": _numbers("3f", "yaw", _tuple_of(Pose), _abi.FACE_VALID_POSE),
    "eyes": _numbers("2f", "left_eye_open", _tuple_of(Eyes), _abi.FACE_VALID_EYES),
    "mouth": _numbers("2f", "smile", _tuple_of(Mouth), _abi.FACE_VALID_MOUTH),
    "quality": _numbers("6f", "quality", _tuple_of(Quality), _abi.FACE_VALID_QUALITY),
}


# ---- Members of Faces

_KNOWN = {"landmarks", "pose", "eyes", "mouth", "expressions", "quality"}
_BY_VALUES = {name: bit for name, bit in _abi.OUTPUTS.items() if name not in _KNOWN}
_SHAPES: Dict[str, Tuple[int, ...]] = {"transform": (4, 4)}
_BEYOND_INFO = sum(_BY_VALUES.values()) | _abi.FACE_OUTPUT_LANDMARKS | _abi.FACE_OUTPUT_EXPRESSIONS


def _data(faces: Any) -> List[Face]:
    result, outputs, data = faces._result, faces._outputs, []
    for index in range(_face.face_result_count(result)):
        face = new(Face)
        info = face._info = _Info(_INFO_SIZE)
        status = _face.face_result_get(result, index, ctypes.byref(info))
        if status != 0:
            check(status)
        *box, face.confidence = _box_and_confidence(info, _BOX)
        face.box = _tuple(Box, box)
        if outputs & _BEYOND_INFO:
            _read_arrays(result, index, face, outputs)
        data.append(face)
    return data


def _read_arrays(result: Any, index: int, face: Face, outputs: int) -> None:
    import numpy as np

    library, found = _face, ctypes.c_uint32()
    if outputs & _abi.FACE_OUTPUT_LANDMARKS:
        if library.face_result_landmarks(result, index, 0, None, 0, ctypes.byref(found)) == 0:
            points = (_abi.face_landmark * found.value)()
            check(library.face_result_landmarks(result, index, 0, points, found, None))
            face.landmarks = np.frombuffer(memoryview(points), np.float32).reshape(-1, 3)
    if outputs & _abi.FACE_OUTPUT_EXPRESSIONS:
        numbers = (ctypes.c_float * _abi.FACE_EXPRESSION_COUNT)()
        if library.face_result_expressions(result, index, numbers, _abi.FACE_EXPRESSION_COUNT) == 0:
            face.expressions = np.frombuffer(memoryview(numbers), np.float32)
    for name, bit in _BY_VALUES.items():
        if outputs & bit and library.face_result_values(result, index, bit, None, 0, ctypes.byref(found)) == 0:
            numbers = (ctypes.c_float * found.value)()
            check(library.face_result_values(result, index, bit, numbers, found, None))
            array = np.frombuffer(memoryview(numbers), np.float32).reshape(_SHAPES.get(name, (-1,)))
            if name == "transform":
                face.transform = array
            else:
                face.other[name] = array


def _size(faces: Any) -> Tuple[int, int]:
    width, height = ctypes.c_uint32(), ctypes.c_uint32()
    check(_face.face_result_image_size(faces._result, ctypes.byref(width), ctypes.byref(height)))
    return width.value, height.value


_MEMBERS_OF_FACES = {
    "data": _data,
    "width": lambda faces: _size(faces)[0],
    "height": lambda faces: _size(faces)[1],
    "unanalysed": lambda faces: _face.face_result_unanalysed_count(faces._result),
}

for _owner, _members in ((Face, _MEMBERS_OF_FACE), (Faces, _MEMBERS_OF_FACES)):
    for _name, _compute in _members.items():
        setattr(_owner, _name, _Later(_name, _compute))  # the dataclass is made, which would take it for a default


Faces.__del__ = _destroy  # type: ignore[attr-defined]


def info_of(face: Face) -> Any:
    """The C struct of a face, also of one that a program made or changed."""
    info = _library.fresh(_abi.face_info)
    if face._info is not None:
        ctypes.memmove(ctypes.byref(info), ctypes.byref(face._info), ctypes.sizeof(info))
    info.box, info.clamped_box, info.confidence = _abi.face_box(*face.box), _abi.face_box(*face.clamped_box), face.confidence
    valid = 0
    if face.points is not None:
        valid |= _abi.FACE_VALID_POINTS
        for name, point in zip(Points._fields, face.points):
            setattr(info, name, _abi.face_point(*point))
    if face.id is not None:
        valid |= _abi.FACE_VALID_ID
        info.id, info.frame_count = face.id, face.frame_count
    if face.pose is not None:
        valid |= _abi.FACE_VALID_POSE
        info.yaw, info.pitch, info.roll = face.pose
    known = _abi.FACE_VALID_POINTS | _abi.FACE_VALID_ID | _abi.FACE_VALID_POSE
    info.valid = (info.valid & ~known) | valid
    return info
