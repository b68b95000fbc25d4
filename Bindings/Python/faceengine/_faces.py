"""Faces and their measurements."""

from __future__ import annotations

import ctypes
from collections import UserList
from dataclasses import dataclass, field, fields
from itertools import repeat
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi, _library
from ._abi import CONSTELLATIONS, REGIONS, Constellation, Contour, MeshPoint, Region
from ._errors import check
from ._options import array_of, floats_of, no_text, number_of_enum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._abi import ConstellationName, ContourName, MeshPointName, RegionName

    Floats = NDArray[np.float32]


def _rounded(numbers: Any, digits: int) -> str:
    """A tuple of numbers with their names, to be read by people."""
    shown = (f"{name}={_round(number, digits)}" for name, number in zip(numbers._fields, numbers))
    return f"{type(numbers).__name__}({', '.join(shown)})"


def _round(number: Any, digits: int) -> str:
    if isinstance(number, (int, str)):
        return repr(number)
    try:
        return repr(round(float(number), digits) + 0.0)  # no -0.0
    except (TypeError, ValueError):  # what a program put there
        return repr(number)


def _rounded_position(numbers: Any) -> str:
    """To a tenth of a pixel. Numbers that cannot be pixels are of a normalised space and need more digits."""
    try:
        return _rounded(numbers, 4 if max(map(abs, numbers)) <= 2 else 1)
    except TypeError:
        return _rounded(numbers, 1)


class Point(NamedTuple):
    """A position in pixels of the upright image: the origin is its top-left corner, y points down."""

    x: float
    y: float

    def __repr__(self) -> str:
        return _rounded_position(self)


class Box(NamedTuple):
    """An axis-parallel box in pixels of the upright image; (x, y) is its top-left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def xyxy(self) -> Tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.width, self.y + self.height

    @property
    def center(self) -> Point:
        """The middle."""
        return Point(self.x + self.width / 2, self.y + self.height / 2)

    def __repr__(self) -> str:
        return _rounded_position(self)


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

    def __repr__(self) -> str:
        return _rounded(self, 1)


class Eyes(NamedTuple):
    """How far each eye is open: 0 closed, 1 wide open; below 0.5 an eye counts as closed."""

    left: float
    right: float

    @property
    def left_closed(self) -> bool:
        return self.left < 0.5

    @property
    def right_closed(self) -> bool:
        return self.right < 0.5

    def __repr__(self) -> str:
        return _rounded(self, 3)


class Mouth(NamedTuple):
    """How much the mouth smiles, and how far it is open, 0 to 1; from 0.5 a face counts as smiling."""

    smile: float
    open: float

    @property
    def smiling(self) -> bool:
        return self.smile >= 0.5

    def __repr__(self) -> str:
        return _rounded(self, 3)


class Quality(NamedTuple):
    """How good a picture of the face this is, 0 to 1, and the five parts of that."""

    quality: float
    sharpness: float
    exposure: float
    size: float
    frontality: float
    framing: float

    def __repr__(self) -> str:
        return _rounded(self, 3)


def _same(first: Any, second: Any) -> bool:
    if hasattr(first, "shape") or hasattr(second, "shape"):
        import numpy as np

        return np.array_equal(first, second)
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(_same(value, second[name]) for name, value in first.items())
    if isinstance(first, Exception):
        return type(first) is type(second) and first.args == second.args
    return bool(first == second)


class Comparable:
    """A dataclass, perhaps with arrays, that is equal to another one with the same members.

    It has no hash, as lists and arrays have none: its members may change.
    """

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        members: Any = self
        return all(_same(getattr(self, one.name), getattr(other, one.name)) for one in fields(members))


@dataclass(eq=False)
class Face(Comparable):
    """One face. What was not requested, or is not known, is None.

    Faces with the same members are equal. They are not hashable: as keys of a dictionary take their ids, or id(face).
    """

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
    outline: Optional[Floats] = field(default=None, repr=False)
    """With landmarks, float32, 33 × 3: the contour of the face in the picture, as the smaller constellations have it."""

    def __repr__(self) -> str:
        """What is known of the face, rounded; of an array the shape."""
        shown = [f"box={self.box!r}", f"confidence={_round(self.confidence, 3)}"]
        if self.id is not None:
            shown.append(f"id={self.id!r}")
        if self.predicted:
            shown.append("predicted=True")
        for name in ("pose", "eyes", "mouth", "quality", "points"):
            value = getattr(self, name)
            if value is not None:
                shown.append(f"{name}={value!r}")
        for name in ("landmarks", "expressions", "transform"):
            value = getattr(self, name)
            if value is not None:
                shown.append(f"{name}=<{' × '.join(map(str, getattr(value, 'shape', (len(value),))))}>")
        return f"Face({', '.join(shown)})"

    def region(self, region: Union[Region, RegionName]) -> Floats:
        """The landmarks of one part of the face, such as "left_eye", in drawing order. Fails with ValueError without landmarks."""
        place = Region(number_of_enum(Region, "region", region))
        if self.landmarks is None:
            raise ValueError("the landmarks of this face are not known: request them with landmarks=True")
        return self.landmarks if place == Region.ALL_POINTS else self.landmarks[list(REGIONS[place])]

    def contour(self, contour: Union[Contour, ContourName]) -> Floats:
        """The landmarks of one of ML Kit's contours, such as "left_eyebrow_top", in drawing order. Fails with ValueError without landmarks."""
        from ._mesh import contour_indices

        indices = contour_indices(contour)
        if self.landmarks is None:
            raise ValueError("the landmarks of this face are not known: request them with landmarks=True")
        return self.landmarks[indices]

    def mesh_point(self, point: Union[MeshPoint, MeshPointName]) -> Floats:
        """The landmark that has a name, such as "left_cheek", as x, y and z. Fails with ValueError without landmarks."""
        index = number_of_enum(MeshPoint, "point", point)
        if self.landmarks is None:
            raise ValueError("the landmarks of this face are not known: request them with landmarks=True")
        found: Floats = self.landmarks[index]
        return found

    def constellation(
        self,
        constellation: Union[Constellation, ConstellationName],
        region: Union[Region, RegionName] = Region.ALL_POINTS,
    ) -> Floats:
        """The landmarks as one of the smaller sets, such as "points_98", or one part of it. Fails with ValueError without landmarks.

        All points are in the order of the standard: of 98 that of WFLW, otherwise that of the regions.
        """
        import numpy as np

        wanted = Constellation(number_of_enum(Constellation, "constellation", constellation))
        part = Region(number_of_enum(Region, "region", region))
        if wanted == Constellation.MESH:
            return self.region(part)
        if self.landmarks is None or self.outline is None:
            raise ValueError("the landmarks of this face are not known: request them with landmarks=True")
        contour = dict(zip(CONSTELLATIONS[Constellation.POINTS_98][Region.FACE_CONTOUR], self.outline))
        return np.array(
            [contour[place] if place in contour else _between(self.landmarks, place) for place in _places(wanted, part)]
        )

    def look_at(self, screen: Sequence[Sequence[float]]) -> Optional[Point]:
        """Where the face looks on a screen: (0, 0) at its upper left corner as the person sees it, (1, 1) at the lower right one.

        screen   three corners, top left, top right and bottom left, as x, y and z in centimetres in the camera's space of `transform`. A
                 screen of 34 × 19 cm, 1 cm below the camera: ((17, -1, 0), (-17, -1, 0), (17, -20, 0))

        Other values are outside it. None if the eyes do not look towards its plane. Fails with ValueError without gaze=True.
        """
        if "gaze" not in self.other:
            raise ValueError("the gaze of this face is not known: request it with gaze=True")
        names, corners, found = "top_left, top_right, bottom_left", _abi.face_screen(), _abi.face_point()
        given = list(no_text("screen", screen, names))
        if len(given) != 3:
            raise ValueError(f"screen must be {names}: 3 corners, not {len(given)}")
        for name, corner in zip(names.split(", "), given):
            getattr(corners, name)[:] = floats_of(f"{name} of screen", corner, "x, y, z")
        gaze = array_of("gaze", self.other["gaze"], 12)
        status = _library.face.face_gaze_look_at(gaze.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), corners, found)
        if status == _abi.Status.OUT_OF_RANGE:
            return None
        check(status)
        return Point(found.x, found.y)

    def row(self) -> Dict[str, Any]:
        """The numbers by name, as a row of a table for pandas, Arrow or Spark. What is not known is None.

        confidence; x, y, width, height of the box; points, a list of ten: x and y of each in the order of Points; yaw, pitch,
        roll; left_eye_open, right_eye_open; smile, mouth_open; quality and its parts. Arrays, such as landmarks, are not in it.
        """
        row: Dict[str, Any] = {"confidence": self.confidence, **self.box._asdict()}
        row["points"] = None if self.points is None else [number for point in self.points for number in point]
        for group, names in _COLUMNS.items():
            row.update(zip(names, getattr(self, group) or repeat(None)))
        return row


# The names in Face.row, which are those of C.
_COLUMNS = {
    "pose": Pose._fields,
    "eyes": ("left_eye_open", "right_eye_open"),
    "mouth": ("smile", "mouth_open"),
    "quality": Quality._fields,
}


# The order of all 98 points, as WFLW has it.
_WFLW = (
    Region.FACE_CONTOUR,
    Region.RIGHT_EYEBROW,
    Region.LEFT_EYEBROW,
    Region.NOSE_CREST,
    Region.NOSE,
    Region.RIGHT_EYE,
    Region.LEFT_EYE,
    Region.OUTER_LIPS,
    Region.INNER_LIPS,
    Region.RIGHT_PUPIL,
    Region.LEFT_PUPIL,
)


def _places(constellation: Constellation, region: Region) -> List[Tuple[int, int, float]]:
    """Where the points of a region lie; of all regions each place once."""
    regions = CONSTELLATIONS[constellation]
    if region != Region.ALL_POINTS:
        return list(regions[region])
    if constellation == Constellation.POINTS_98:
        return [place for one in _WFLW for place in regions[one]]
    return list(dict.fromkeys(place for one in regions.values() for place in one))


def _between(landmarks: Floats, place: Tuple[int, int, float]) -> Floats:
    first, second, share = place
    point: Floats = landmarks[first] + (landmarks[second] - landmarks[first]) * landmarks.dtype.type(share)
    return point


class Model(NamedTuple):
    """A model that made a result."""

    name: str
    """As in "yunet"."""
    revision: int
    """From 1; raised when the same pixels begin to give other faces."""
    weights_sha256: str
    """The hash of the file with the weights that were used, 64 hexadecimal digits."""


class Faces(UserList[Face]):
    """The faces of one image, the most confident first: a list."""

    width: int
    """Pixels of the upright image."""
    height: int
    """Pixels of the upright image."""
    unanalysed: int
    """How many faces at the end were not measured, because a call measures only so many: see max_analysed_faces."""
    models: List[Model]
    """The models that found them: the detectors, then the networks for landmarks and expressions if something was measured."""
    error: Optional[Exception] = None
    """In a batch, why this image has no result; otherwise None."""

    _source: Any
    """(image, format, orientation, mirrored) as they were given; of an array or PIL image a weak reference. Not pickled."""

    def __init__(self, faces: Any = (), width: int = 0, height: int = 0, error: Optional[Exception] = None) -> None:
        super().__init__(faces)
        self.width, self.height, self.unanalysed, self.error = width, height, 0, error
        self.models = []
        self._source = None

    def __iter__(self) -> Iterator[Face]:
        return iter(self.data)  # UserList itself would go by places

    if not TYPE_CHECKING:  # its types are UserList's

        def __getitem__(self, place: Any) -> Any:
            if not isinstance(place, slice):
                return self.data[place]
            part = Faces(self.data[place], self.width, self.height, self.error)
            part.unanalysed, part.models = self.unanalysed, self.models
            part._source = self._source
            return part

    def __copy__(self) -> Faces:
        return self[:]

    def to_dicts(self) -> List[Dict[str, Any]]:
        """A dictionary for each face, of numbers and lists of Python alone, for JSON and tables. Its keys are always the same.

        It has what Face.row has, then id, frame_count and predicted, and as lists landmarks, expressions, transform and what is
        in `other`. What is not known is None.
        """
        dicts = []
        for face in self:
            numbers = {**face.row(), **{name: getattr(face, name) for name in _AFTER_ROW}, **face.other}
            dicts.append({name: _plain(value) for name, value in numbers.items()})
        return dicts

    def _repr_png_(self) -> Optional[bytes]:
        """For notebooks: the picture with the faces, where it is known."""
        from . import _notebook

        return _notebook.png(self)

    def _repr_html_(self) -> str:
        """For notebooks: the picture with the faces, where it is known, above a table."""
        from . import _notebook

        return _notebook.html(self)

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_source": None}


_AFTER_ROW = ("id", "frame_count", "predicted", "landmarks", "expressions", "transform")


def _plain(value: Any) -> Any:
    """A value without NumPy's types."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


def expression_names() -> Tuple[str, ...]:
    """The names of the 52 expression coefficients (ARKit's), in their order."""
    return tuple(_library.face.face_expression_name(number).decode() for number in range(_abi.FACE_EXPRESSION_COUNT))
