"""The face mesh as data: edges, triangles and contours, as the library has them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Union

from . import _library
from ._abi import Contour, Path
from ._options import number_of_enum

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._abi import ContourName

    Indices = NDArray[np.uint16]


def mesh_edges() -> Indices:
    """The edges of the face mesh, uint16, 1322 × 2: indices of Face.landmarks, the smaller one first."""
    return _table(_library.face.face_mesh_edges, 2)


def mesh_triangles() -> Indices:
    """The triangles of the face mesh, uint16, 852 × 3: indices of Face.landmarks, counter-clockwise as the camera sees the face.

    Both eyes and the mouth are holes.
    """
    return _table(_library.face.face_mesh_triangles, 3)


def contour_indices(contour: Union[Contour, ContourName]) -> Indices:
    """The indices in Face.landmarks of one of ML Kit's contours, such as "left_eyebrow_top", in drawing order."""
    return _table(_library.face.face_contour_indices, 1, number_of_enum(Contour, "contour", contour)).reshape(-1)


def contour_path(contour: Union[Contour, ContourName]) -> Path:
    """How the points of a contour are joined."""
    return Path(_library.face.face_contour_path(number_of_enum(Contour, "contour", contour)))


def _table(function: Any, width: int, *arguments: int) -> Indices:
    """A read-only array on the library's memory, which lasts as long as the process."""
    import numpy as np

    count = ctypes.c_uint32()
    table = function(*arguments, ctypes.byref(count))
    found: Indices = np.ctypeslib.as_array(table, (count.value, width))
    found.flags.writeable = False
    return found
