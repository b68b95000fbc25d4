"""Marks faces on pictures and crops them, with libfaceengine-draw.

    picture = draw.Picture("photo.jpg")
    picture.faces(faces, marks=draw.BOXES | draw.LANDMARK_LINES)
    picture.save("marked.png")

Positions are pixels of the upright picture. One thread at a time uses a picture.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple, Union

from . import _abi, _library
from ._abi import CropChoice, CropOverflow, DrawAnchor, DrawCoverShape, Format, Orientation
from ._errors import InvalidArgumentError, check_draw
from ._faces import Face, Faces
from ._images import ImageSource, describe
from ._options import array_of, fill, floats_of, no_text, number_of_enum, path_of, takes, text as _text, whole_number
from ._results import faces_of, info_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image as PILImage
    from typing_extensions import Literal, Unpack

    from ._abi import DrawAnchorName, FormatName, OrientationName
    from ._keywords import CropOptions, DrawOverlayOptions, DrawStyle

BOXES = _abi.FACE_DRAW_BOXES
CORNERS = _abi.FACE_DRAW_CORNERS
POINTS = _abi.FACE_DRAW_POINTS
IDS = _abi.FACE_DRAW_IDS
ANGLES = _abi.FACE_DRAW_ANGLES
LANDMARK_LINES = _abi.FACE_DRAW_LANDMARK_LINES
LANDMARK_POINTS = _abi.FACE_DRAW_LANDMARK_POINTS
FILLED = _abi.FACE_DRAW_FILLED
TURNED_BOXES = _abi.FACE_DRAW_TURNED_BOXES
AXES = _abi.FACE_DRAW_AXES
CONFIDENCES = _abi.FACE_DRAW_CONFIDENCES
MESH = _abi.FACE_DRAW_MESH
CONTOURS = _abi.FACE_DRAW_CONTOURS
IRISES = _abi.FACE_DRAW_IRISES
ALL_LANDMARKS = _abi.FACE_DRAW_ALL_LANDMARKS
BLUR = _abi.FACE_DRAW_BLUR
PIXELATE = _abi.FACE_DRAW_PIXELATE
COVERS = _abi.FACE_DRAW_COVERS
CROP_FILL = _abi.FACE_CROP_FILL

__all__ = [
    "ALL_LANDMARKS",
    "ANGLES",
    "AXES",
    "BLUR",
    "BOXES",
    "CONFIDENCES",
    "CONTOURS",
    "CORNERS",
    "COVERS",
    "CROP_FILL",
    "CropChoice",
    "CropOverflow",
    "DrawAnchor",
    "DrawCoverShape",
    "FILLED",
    "IDS",
    "IRISES",
    "LANDMARK_LINES",
    "LANDMARK_POINTS",
    "MESH",
    "PIXELATE",
    "POINTS",
    "Picture",
    "TURNED_BOXES",
    "colour_of_id",
    "crop_aligned",
    "crop_portrait",
]

_LONGEST_SIDE = 800  # pixels in a notebook, whose file the picture becomes a part of
_CHANNELS = {Format.RGB: 3, Format.BGR: 3, Format.RGBA: 4, Format.BGRA: 4, Format.GRAY: 1}


class Picture:
    """A picture to draw on: an upright copy of an image, or an array itself with in_place=True.

    The arguments are those of Engine.detect. What is drawn in place changes the array at once, and leaves its alpha; the array
    must be writable, with pixels next to each other.
    """

    def __init__(
        self,
        image: ImageSource,
        *,
        in_place: bool = False,
        format: Union[Format, FormatName, None] = None,
        orientation: Union[Orientation, OrientationName, int, None] = None,
        mirrored: bool = False,
    ) -> None:
        self._handle: Optional[int] = None
        described, kept = describe(image, format, orientation, mirrored)
        handle = ctypes.c_void_p()
        if in_place:
            given: Any = image
            array: Any = kept
            if not hasattr(array, "flags") or array is not given:
                raise InvalidArgumentError("in_place needs an array of uint8 whose pixels lie next to each other")
            if not array.flags.writeable:
                raise InvalidArgumentError("in_place needs a writable array")
            check_draw(
                _library.draw.face_picture_attach(
                    described.format,
                    described.width,
                    described.height,
                    described.strides[0],
                    described.planes[0],
                    described.plane_sizes[0],
                    ctypes.byref(handle),
                )
            )
            self._kept = array
        else:
            check_draw(_library.draw.face_picture_create(ctypes.byref(described), ctypes.byref(handle)))
        self._handle = handle.value

    @classmethod
    def _of(cls, handle: Any) -> Picture:
        picture = cls.__new__(cls)
        picture._handle = handle.value
        return picture

    def _alive(self) -> int:
        if self._handle is None:
            raise InvalidArgumentError("this picture is closed: make another one")
        return self._handle

    @takes(_abi.face_draw_style)
    def faces(
        self, faces: Iterable[Face], labels: Optional[Sequence[Optional[str]]] = None, **style: Unpack[DrawStyle]
    ) -> Picture:
        """Draws `marks` (landmarks only if they are known), and a label at each face if `labels` has one for each."""
        faces = faces_of("faces", faces)
        filled = fill(_abi.face_draw_style, style, _library.draw)
        infos = (_abi.face_info * len(faces))(*(info_of(face) for face in faces))
        given = [None] * len(faces) if labels is None else no_text("labels", labels)
        texts = [None if one is None else _text("labels", one) for one in given]
        if len(texts) != len(faces):
            raise InvalidArgumentError(
                f"there are {len(faces)} faces and {len(texts)} labels; give one for each, or None"
            )
        picture = self._alive()
        if filled.marks & _abi.FACE_DRAW_COVERS:
            check_draw(_library.draw.face_draw_covers(picture, None, infos, len(faces), ctypes.byref(filled)))
            filled.marks &= ~_abi.FACE_DRAW_COVERS
        if filled.marks & _abi.FACE_DRAW_ALL_LANDMARKS:
            for face in faces:
                if face.landmarks is not None:
                    self.landmarks(face.landmarks, **style)
        check_draw(
            _library.draw.face_draw_labelled_faces(
                picture, infos, (ctypes.c_char_p * len(texts))(*texts), len(faces), ctypes.byref(filled)
            )
        )
        return self

    @takes(_abi.face_draw_style)
    def covers(
        self,
        faces: Iterable[Face],
        image: Optional[ImageSource] = None,
        format: Union[Format, FormatName, None] = None,
        **style: Unpack[DrawStyle],
    ) -> Picture:
        """Covers faces and draws no other mark: blurred, or pixelated if `marks` has PIXELATE, and with an image over each cover."""
        faces = faces_of("faces", faces)
        filled = fill(_abi.face_draw_style, style, _library.draw)
        infos = (_abi.face_info * len(faces))(*(info_of(face) for face in faces))
        described, kept = (None, None) if image is None else describe(image, format)
        check_draw(
            _library.draw.face_draw_covers(
                self._alive(),
                None if described is None else ctypes.byref(described),
                infos,
                len(faces),
                ctypes.byref(filled),
            )
        )
        del kept
        return self

    @takes(_abi.face_draw_style)
    def landmarks(self, landmarks: NDArray[np.float32], **style: Unpack[DrawStyle]) -> Picture:
        """Draws the 478 landmarks of one face: lines, points, mesh, contours and irises according to `marks`."""
        array = array_of("landmarks", landmarks, 3)
        filled = fill(_abi.face_draw_style, style, _library.draw)
        pointer = array.ctypes.data_as(ctypes.POINTER(_abi.face_landmark))
        check_draw(_library.draw.face_draw_landmarks(self._alive(), pointer, len(array), ctypes.byref(filled)))
        return self

    @takes(_abi.face_draw_style)
    def mask(self, circle: Sequence[float], hollow: bool = False, **style: Unpack[DrawStyle]) -> Picture:
        """Draws the circle (x, y, radius) that a face should be held into; hollow: dims the picture outside it."""
        filled = fill(_abi.face_draw_style, style, _library.draw)
        struct = _abi.face_circle(*floats_of("circle", circle, "x, y, radius"))
        check_draw(
            _library.draw.face_draw_mask(self._alive(), ctypes.byref(struct), 1 if hollow else 0, ctypes.byref(filled))
        )
        return self

    @takes(_abi.face_draw_style)
    def text(
        self,
        text: str,
        place: Sequence[float],
        anchor: Union[DrawAnchor, DrawAnchorName] = DrawAnchor.LEFT,
        **style: Unpack[DrawStyle],
    ) -> Picture:
        """Draws a line of text with its baseline at `place` (x, y)."""
        filled = fill(_abi.face_draw_style, style, _library.draw)
        check_draw(
            _library.draw.face_draw_text(
                self._alive(),
                _text("text", text),
                _abi.face_point(*floats_of("place", place, "x, y")),
                number_of_enum(DrawAnchor, "anchor", anchor),
                ctypes.byref(filled),
            )
        )
        return self

    def image(
        self, image: ImageSource, box: Sequence[float], format: Union[Format, FormatName, None] = None
    ) -> Picture:
        """Draws another image so that it fills `box` (x, y, width, height), with its transparency."""
        described, kept = describe(image, format)
        struct = _abi.face_box(*floats_of("box", box, "x, y, width, height"))
        check_draw(_library.draw.face_draw_image(self._alive(), ctypes.byref(described), ctypes.byref(struct)))
        del kept
        return self

    @takes(_abi.face_draw_overlay_options)
    def overlay(
        self,
        overlay: ImageSource,
        face: Face,
        format: Union[Format, FormatName, None] = None,
        **options: Unpack[DrawOverlayOptions],
    ) -> Picture:
        """Draws an image with transparency, such as glasses, on a face: in its perspective if the transform or the pose is known,
        else placed, scaled and turned by its eyes."""
        import numpy as np

        described, kept = describe(overlay, format, name="overlay")
        filled, info = fill(_abi.face_draw_overlay_options, options, _library.draw), info_of(face, "face")
        if face.transform is not None:
            transform = np.ascontiguousarray(face.transform, np.float32)
            if transform.size != 16:
                raise InvalidArgumentError(f"the transform has the shape {transform.shape}; it must be 4 × 4")
            filled.transform = transform.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        check_draw(
            _library.draw.face_draw_overlay(
                self._alive(), ctypes.byref(described), ctypes.byref(info), ctypes.byref(filled)
            )
        )
        del kept
        return self

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height."""
        image = _library.fresh(_abi.face_image)
        check_draw(_library.draw.face_picture_image(self._alive(), ctypes.byref(image)))
        return image.width, image.height

    def array(self, format: Union[Format, FormatName] = Format.RGB) -> NDArray[np.uint8]:
        """A copy of the picture: height × width × 3 for "rgb" and "bgr", × 4 for "rgba" and "bgra", none for "gray"."""
        import numpy as np

        layout = Format(number_of_enum(Format, "format", format))
        if layout not in _CHANNELS:
            raise InvalidArgumentError("a picture is copied as rgb, bgr, rgba, bgra or gray")
        width, height = self.size
        channels = _CHANNELS[layout]
        array = np.empty((height, width) if channels == 1 else (height, width, channels), np.uint8)
        check_draw(_library.draw.face_picture_copy(self._alive(), layout, 0, array.ctypes.data, array.nbytes))
        return array

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Saves a PNG, JPEG or WebP file by the name's extension; an existing file is replaced at once.

        JPEG and WebP have quality 90. The file has the RGB profile (ICC) and the resolution of the image's file, and as PNG or
        WebP the transparency of a PNG or WebP. Any other extension raises InvalidArgumentError.
        """
        check_draw(_library.draw.face_picture_save(self._alive(), path_of("path", path)))

    def to_bytes(self, kind: Literal["png", "jpeg", "webp"] = "png") -> bytes:
        """The picture as a file of this kind, as `save` writes it."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture." + _text("kind", kind).decode())
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def to_pil(self) -> PILImage:
        """A copy of the picture as a PIL image."""
        from PIL import Image

        return Image.fromarray(self.array())

    def __repr__(self) -> str:
        if self._handle is None:
            return "Picture(closed)"
        width, height = self.size
        return f"Picture({width} × {height})"

    def _repr_png_(self) -> Optional[bytes]:
        """For notebooks: the picture, at most 800 pixels a side."""
        return None if self._handle is None else self._for_notebook().to_bytes()

    def _for_notebook(self) -> Picture:
        """The picture itself if it is small enough to be shown, else a smaller copy."""
        scale = _LONGEST_SIDE / max(self.size)
        if scale >= 1:
            return self
        import numpy as np

        width, height = (max(1, round(side * scale)) for side in self.size)
        return Picture(np.zeros((height, width, 3), np.uint8)).image(self.array(), (0, 0, width, height))

    def close(self) -> None:
        """Frees the picture; an array that was drawn on stays."""
        handle, self._handle = self._handle, None
        if handle is not None:
            _library.draw.face_picture_destroy(handle)

    def __enter__(self) -> Picture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()


def colour_of_id(id: int) -> int:
    """The colour of a face's id, as 0xRRGGBBAA: the same in every picture."""
    return int(_library.draw.face_draw_colour_of_id(whole_number("id", id, 1 << 64)))


@takes(_abi.face_crop_options)
def crop_portrait(
    image: ImageSource,
    faces: Iterable[Face],
    *,
    format: Union[Format, FormatName, None] = None,
    orientation: Union[Orientation, OrientationName, int, None] = None,
    mirrored: bool = False,
    **options: Unpack[CropOptions],
) -> Picture:
    """Crops a face from an image, centred on it as far as the picture reaches: an avatar of 300 × 300 pixels by default."""
    described, kept = describe(image, format, orientation, mirrored)
    faces = faces_of("faces", faces)
    filled, infos = (
        fill(_abi.face_crop_options, options, _library.draw),
        (_abi.face_info * len(faces))(*map(info_of, faces)),
    )
    handle = ctypes.c_void_p()
    check_draw(
        _library.draw.face_crop_portrait(
            ctypes.byref(described), infos, len(faces), ctypes.byref(filled), ctypes.byref(handle)
        )
    )
    del kept
    return Picture._of(handle)


def crop_aligned(
    image: ImageSource,
    face: Face,
    side: int = 0,
    *,
    format: Union[Format, FormatName, None] = None,
    orientation: Union[Orientation, OrientationName, int, None] = None,
    mirrored: bool = False,
) -> Picture:
    """Crops a face with its eyes level and in fixed places, for face recognition networks: 112 × 112 pixels by default."""
    described, kept = describe(image, format, orientation, mirrored)
    info, handle = info_of(face, "face"), ctypes.c_void_p()
    check_draw(
        _library.draw.face_crop_aligned(
            ctypes.byref(described), ctypes.byref(info), whole_number("side", side), ctypes.byref(handle)
        )
    )
    del kept
    return Picture._of(handle)


def __dir__() -> List[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
