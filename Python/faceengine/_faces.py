"""Faces and what was measured of them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from struct import Struct
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from . import _abi, _library
from ._abi import REGIONS, Region
from ._errors import check

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Point(NamedTuple):
    """A position in pixels of the upright image: the origin is its top-left corner, y points down."""

    x: float
    y: float


class Box(NamedTuple):
    """An axis-parallel box in pixels of the upright image; (x, y) is its top-left corner."""

    x: float
    y: float
    width: float
    height: float


class Points(NamedTuple):
    """The five points that the detector finds; left is the subject's left."""

    left_eye: Point
    right_eye: Point
    nose_tip: Point
    mouth_left: Point
    mouth_right: Point


class Pose(NamedTuple):
    """How the head is turned, in degrees."""

    yaw: float
    """Positive to the subject's left, the picture's right edge."""
    pitch: float
    """Positive with the chin up."""
    roll: float
    """Positive clockwise as the picture shows it."""


class Eyes(NamedTuple):
    """How far each eye is open: 0 closed, 1 wide open; below 0.5 an eye counts as closed."""

    left: float
    right: float


class Mouth(NamedTuple):
    """How much the mouth smiles, and how far it is open, 0 to 1."""

    smile: float
    open: float


class Quality(NamedTuple):
    """How good a picture of the face this is, 0 to 1, and the five parts of that."""

    quality: float
    sharpness: float
    exposure: float
    size: float
    frontality: float
    framing: float


@dataclass(eq=False)
class Face:
    """One face. What was not requested, or is not known, is None."""

    box: Box
    """May extend beyond the image."""
    clamped_box: Box
    """The part of the box inside the image."""
    confidence: float
    """0 to 1."""
    points: Optional[Points] = None
    id: Optional[int] = None
    """In a session that tracks: from 1, never used again in the session."""
    frame_count: int = 0
    """In a session that tracks: in how many frames this face was found."""
    predicted: bool = False
    """In a session with an analysis_rate: not searched for in this frame, but where its last movement leads."""
    pose: Optional[Pose] = None
    eyes: Optional[Eyes] = None
    mouth: Optional[Mouth] = None
    quality: Optional[Quality] = None
    landmarks: Optional[Floats] = None
    """float32, 478 × 3: x and y in pixels of the upright image, and z in the unit of x, smaller towards the camera."""
    expressions: Optional[Floats] = None
    """float32, 52 coefficients, 0 to 1, in the order of faceengine.expression_names()."""
    transform: Optional[Floats] = None
    """float32, 4 × 4: from the head to the camera's space, in centimetres."""
    other: Dict[str, Floats] = field(default_factory=dict, repr=False)
    """The numbers of outputs that have no member of their own, by the output's name."""

    _info: bytes = field(default=b"", repr=False)

    def region(self, region: Region) -> Floats:
        """The landmarks of one part of the face, in drawing order. Fails with ValueError without landmarks."""
        if self.landmarks is None:
            raise ValueError("the landmarks of this face are not known: request them with landmarks=True")
        if region == Region.ALL_POINTS:
            return self.landmarks
        return self.landmarks[list(REGIONS[region])]


class Faces(List[Face]):
    """The faces of one image, the most confident first."""

    def __init__(self, faces: Any = (), width: int = 0, height: int = 0, error: Optional[Exception] = None) -> None:
        super().__init__(faces)
        self.width = width
        """Pixels of the upright image."""
        self.height = height
        """Pixels of the upright image."""
        self.unanalysed = 0
        """How many faces at the end nothing was measured of although it was asked for: see max_analysed_faces."""
        self.error = error
        """In a batch, why this image has no result; otherwise None."""


def expression_names() -> Tuple[str, ...]:
    """The names of the 52 expression coefficients (ARKit's), in their order."""
    return tuple(
        _library.face.face_expression_name(number).decode() for number in range(_abi.FACE_EXPRESSION_COUNT))


def _flat(struct: Any, prefix: str = "") -> List[Tuple[str, str]]:
    """(name, format of the module struct) of each number in a C struct."""
    numbers = []
    for name, kind in struct._fields_:
        if hasattr(kind, "_fields_"):
            numbers += _flat(kind, f"{prefix}{name}.")
        else:
            numbers.append((prefix + name, kind._type_))
    return numbers


# All numbers of a face in one step, which is ten times as fast as one by one. Members are only added at the end of a struct,
# so those that are known here keep their places.
_NUMBERS = _flat(_abi.face_info)
_unpack = Struct("@" + "".join(kind for _, kind in _NUMBERS)).unpack_from
_PLACE = {name: place for place, (name, _) in enumerate(_NUMBERS)}
_CONFIDENCE, _FRAMES, _ID = _PLACE["confidence"], _PLACE["frame_count"], _PLACE["id"]
_BOX, _CLAMPED = slice(_PLACE["box.x"], _PLACE["box.x"] + 4), slice(_PLACE["clamped_box.x"], _PLACE["clamped_box.x"] + 4)
_EYE = _PLACE["left_eye.x"]
_PREDICTED = _PLACE["predicted"]
_POSE = slice(_PLACE["yaw"], _PLACE["yaw"] + 3)
_EYES = slice(_PLACE["left_eye_open"], _PLACE["left_eye_open"] + 2)
_MOUTH = slice(_PLACE["smile"], _PLACE["smile"] + 2)
_QUALITY = slice(_PLACE["quality"], _PLACE["quality"] + 6)

_KNOWN = {"landmarks", "pose", "eyes", "mouth", "expressions", "quality"}
_BY_VALUES = {name: bit for name, bit in _abi.OUTPUTS.items() if name not in _KNOWN}
_SHAPES: Dict[str, Tuple[int, ...]] = {"transform": (4, 4)}
_BEYOND_INFO = sum(_BY_VALUES.values()) | _abi.FACE_OUTPUT_LANDMARKS | _abi.FACE_OUTPUT_EXPRESSIONS


def _face(values: Tuple[Any, ...], info: Any) -> Face:
    valid = values[1]
    face = Face(Box._make(values[_BOX]), Box._make(values[_CLAMPED]), values[_CONFIDENCE])
    if valid & _abi.FACE_VALID_POINTS:
        face.points = Points._make([Point(values[at], values[at + 1]) for at in range(_EYE, _EYE + 10, 2)])
    if valid & _abi.FACE_VALID_ID:
        face.id, face.frame_count = values[_ID], values[_FRAMES]
    face.predicted = bool(values[_PREDICTED])
    if valid & _abi.FACE_VALID_POSE:
        face.pose = Pose._make(values[_POSE])
    if valid & _abi.FACE_VALID_EYES:
        face.eyes = Eyes._make(values[_EYES])
    if valid & _abi.FACE_VALID_MOUTH:
        face.mouth = Mouth._make(values[_MOUTH])
    if valid & _abi.FACE_VALID_QUALITY:
        face.quality = Quality._make(values[_QUALITY])
    face._info = bytes(info)
    return face


def read(result: Any, outputs: int) -> Faces:
    """Reads a C result, whose faces may have these outputs."""
    library = _library.face
    count = library.face_result_count(result)
    faces = Faces()
    if count:
        info = _library.fresh(_abi.face_info)
        for index in range(count):
            check(library.face_result_get(result, index, ctypes.byref(info)))
            face = _face(_unpack(info), info)
            if outputs & _BEYOND_INFO:
                _read_arrays(result, index, face, outputs)
            faces.append(face)
    width, height = ctypes.c_uint32(), ctypes.c_uint32()
    check(library.face_result_image_size(result, ctypes.byref(width), ctypes.byref(height)))
    faces.width, faces.height = width.value, height.value
    faces.unanalysed = library.face_result_unanalysed_count(result)
    return faces


def _read_arrays(result: Any, index: int, face: Face, outputs: int) -> None:
    import numpy as np

    library, found = _library.face, ctypes.c_uint32()
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


def info_of(face: Face) -> Any:
    """The C struct of a face, also of one that a program made or changed."""
    info = _library.fresh(_abi.face_info)
    if face._info:
        ctypes.memmove(ctypes.byref(info), face._info, len(face._info))
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
