"""Finds faces in photos and video: boxes, landmarks, head pose, expression and quality, with ids from frame to frame.

    import faceengine

    engine = faceengine.load()                       # or faceengine.connect(), to a running engine
    for face in engine.detect("photo.jpg", landmarks=True):
        print(face.box, face.confidence)

Positions are pixels of the upright image: the origin is its top-left corner, y points down. Left and right are the subject's
own. Pictures stay in memory on the machine. `faceengine.draw` marks and crops faces.
"""

import typing as _typing

from . import _abi, _library
from ._abi import (
    FACE_OWN_SIZE as OWN_SIZE,
    Accuracy,
    Action,
    CheckPreset,
    CheckState,
    Colour,
    Constellation,
    Contour,
    Fit,
    Format,
    IsoMeasure,
    MeshPoint,
    Orientation,
    Path,
    Precision,
    Region,
    Rotations,
    SessionMode,
    SpaceKind,
    Status,
    Tip,
    VisitEvent,
)
from ._abi import CheckEvent as CheckEventKind
from ._control import Canceller
from ._engine import Engine, connect, load
from ._errors import (
    AbortedError,
    AlreadyExistsError,
    CancelledError,
    DataLossError,
    DeadlineExceededError,
    FaceEngineError,
    FailedPreconditionError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnauthenticatedError,
    UnavailableError,
    UnimplementedError,
)
from ._faces import Box, Eyes, Face, Faces, Model, Mouth, Point, Points, Pose, Quality, expression_names
from ._images import Frame, ImageSource

if _typing.TYPE_CHECKING:
    from . import draw
    from ._engine import SearchOptions
    from ._keywords import (
        CheckOptions,
        CropOptions,
        DetectOptions,
        DrawOverlayOptions,
        DrawStyle,
        LoadOptions,
        SessionOptions,
        VisitOptions,
    )
    from ._mesh import contour_indices, contour_path, mesh_edges, mesh_triangles
    from ._sessions import (
        BestPicture,
        CheckUpdate,
        Event,
        FaceLeft,
        FaceVisit,
        FrameDropped,
        FrameEvent,
        FrameFaces,
        FrameFailed,
        PhotoCheck,
        Session,
    )
    from ._spaces import Space, orientation_of_camera

__version__ = _abi.VERSION

# Loaded when they are first used, so that the first face of a program comes sooner.
_LATER = {
    **dict.fromkeys(
        [
            "BestPicture",
            "CheckUpdate",
            "Event",
            "FaceLeft",
            "FaceVisit",
            "FrameDropped",
            "FrameEvent",
            "FrameFaces",
            "FrameFailed",
            "PhotoCheck",
            "Session",
        ],
        "._sessions",
    ),
    **dict.fromkeys(["contour_indices", "contour_path", "mesh_edges", "mesh_triangles"], "._mesh"),
    "Space": "._spaces",
    "orientation_of_camera": "._spaces",
}

__all__ = [
    "AbortedError",
    "Accuracy",
    "Action",
    "AlreadyExistsError",
    "BestPicture",
    "Box",
    "CancelledError",
    "Canceller",
    "CheckEventKind",
    "CheckPreset",
    "CheckState",
    "CheckUpdate",
    "Colour",
    "Constellation",
    "Contour",
    "DataLossError",
    "DeadlineExceededError",
    "Engine",
    "Event",
    "Eyes",
    "Face",
    "FaceEngineError",
    "FaceLeft",
    "FaceVisit",
    "Faces",
    "FailedPreconditionError",
    "Fit",
    "Format",
    "Frame",
    "FrameDropped",
    "FrameEvent",
    "FrameFaces",
    "FrameFailed",
    "ImageSource",
    "InternalError",
    "InvalidArgumentError",
    "IsoMeasure",
    "MeshPoint",
    "Model",
    "Mouth",
    "NotFoundError",
    "OWN_SIZE",
    "Orientation",
    "OutOfRangeError",
    "Path",
    "PermissionDeniedError",
    "PhotoCheck",
    "Point",
    "Points",
    "Pose",
    "Precision",
    "Quality",
    "Region",
    "ResourceExhaustedError",
    "Rotations",
    "Session",
    "SessionMode",
    "Space",
    "SpaceKind",
    "Status",
    "Tip",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "VisitEvent",
    "connect",
    "contour_indices",
    "contour_path",
    "draw",
    "expression_names",
    "library_version",
    "load",
    "mesh_edges",
    "mesh_triangles",
    "orientation_of_camera",
]


def library_version() -> str:
    """The version of libfaceengine, as in "0.2.0"."""
    version: bytes = _library.face.face_version_string()
    return version.decode()


def __getattr__(name: str) -> _typing.Any:
    import importlib

    if name == "draw":
        return importlib.import_module(".draw", __name__)
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(module, __name__), name)
    globals()[name] = value
    return value


def __dir__() -> _typing.List[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
