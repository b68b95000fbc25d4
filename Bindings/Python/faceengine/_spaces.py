"""Coordinate spaces: normalised ones, and a view that shows the image."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Sequence, Tuple, Union

from . import _abi, _library
from ._abi import Fit, Orientation, SpaceKind
from ._errors import check
from ._faces import Box, Faces, Point, Points
from ._options import array_of, floats_of, number_of_enum, whole_number
from ._results import box_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._abi import FitName, SpaceKindName

Size = Tuple[int, int]


class Space:
    """A coordinate space, to and from which pixels of an upright image are converted.

    kind        "pixels", "normalised" (0 to 1 from the top-left corner), "normalised_bottom_left" and "pixels_bottom_left" (y up), or "view"
    view        width and height of a view that shows the image, for the kind "view", like what follows
    fit         how the image fills the view: "contain", "cover" or "stretch"
    rotation    0, 90, 180 or 270 degrees clockwise: how the image is turned before it is shown
    mirrored    after the turn, left and right are exchanged
    """

    def __init__(
        self,
        kind: Union[SpaceKind, SpaceKindName] = SpaceKind.VIEW,
        view: Tuple[float, float] = (0, 0),
        fit: Union[Fit, FitName] = Fit.CONTAIN,
        rotation: int = 0,
        mirrored: bool = False,
    ) -> None:
        self._struct = _library.fresh(_abi.face_space)
        self._struct.kind = number_of_enum(SpaceKind, "kind", kind)
        self._struct.view_width, self._struct.view_height = floats_of("view", view, "width, height")
        self._struct.fit = number_of_enum(Fit, "fit", fit)
        self._struct.rotation = whole_number("rotation", rotation)
        self._struct.mirrored = 1 if mirrored else 0

    def points(self, points: Any, size: Size) -> "NDArray[np.float32]":
        """N × 2 points of an image of `size` (width, height) in this space."""
        return self._points(_library.face.face_points_to_space, points, size)

    def points_to_pixels(self, points: Any, size: Size) -> "NDArray[np.float32]":
        """N × 2 points of this space in pixels of an image of `size` (width, height)."""
        return self._points(_library.face.face_points_from_space, points, size)

    def box(self, box: Sequence[float], size: Size) -> Box:
        """A box of an image of `size` in this space; it keeps a positive size."""
        return self._box(_library.face.face_box_to_space, box, size)

    def box_to_pixels(self, box: Sequence[float], size: Size) -> Box:
        """A box of this space in pixels of an image of `size`."""
        return self._box(_library.face.face_box_from_space, box, size)

    def faces(self, faces: Faces) -> Faces:
        """The same faces with boxes, points and landmarks in this space. Left remains the subject's left."""
        from dataclasses import replace

        if not isinstance(faces, Faces):
            raise TypeError(f"faces must be faceengine.Faces, as detect returns them, not {type(faces).__name__}")
        size, converted = (faces.width, faces.height), Faces((), faces.width, faces.height, faces.error)
        for face in faces:
            points, landmarks, outline = face.points, face.landmarks, face.outline
            if points is not None:
                points = Points._make(Point(float(x), float(y)) for x, y in self.points(points, size))
            if landmarks is not None:
                landmarks = landmarks.copy()
                landmarks[:, :2] = self.points(landmarks[:, :2], size)
            if outline is not None:
                outline = outline.copy()
                outline[:, :2] = self.points(outline[:, :2], size)
            converted.append(
                replace(
                    face,
                    box=self.box(face.box, size),
                    clamped_box=self.box(face.clamped_box, size),
                    points=points,
                    landmarks=landmarks,
                    outline=outline,
                )
            )
        return converted

    def _points(self, function: Any, points: Any, size: Size) -> "NDArray[np.float32]":
        array: "NDArray[np.float32]" = array_of("points", points, 2)
        pointer = array.ctypes.data_as(ctypes.POINTER(_abi.face_point))
        check(function(ctypes.byref(self._struct), *_checked(size), pointer, len(array)))
        return array

    def _box(self, function: Any, box: Sequence[float], size: Size) -> Box:
        struct = _abi.face_box(*floats_of("box", box, ", ".join(Box._fields)))
        check(function(ctypes.byref(self._struct), *_checked(size), ctypes.byref(struct)))
        return box_of(struct)


def _checked(size: Size) -> Size:
    width, height = floats_of("size", size, "width, height")
    return whole_number("the width in size", size[0]), whole_number("the height in size", size[1])


def orientation_of_camera(sensor: int, device: int, faces_user: bool = False) -> Orientation:
    """The orientation of a camera's pixels in a device that may be turned, by degrees clockwise of sensor and device."""
    found = ctypes.c_uint32()
    check(
        _library.face.face_orientation_of_camera(
            whole_number("sensor", sensor), whole_number("device", device), 1 if faces_user else 0, ctypes.byref(found)
        )
    )
    return Orientation(found.value)
