"""Describes images to the C library: arrays without a copy, files, PIL images."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple, Union
from weakref import ref

from . import _abi, _library
from ._abi import Colour, Format, Orientation
from ._errors import InvalidArgumentError
from ._options import float_of, floats_of, number_of_enum, whole_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image as PILImage
    from typing_extensions import Protocol

    from ._abi import ColourName, FormatName, OrientationName

    class _File(Protocol):
        def read(self) -> bytes: ...

    ImageSource = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, _File, NDArray[np.uint8], PILImage]
    """A file's path, its bytes (JPEG, PNG, WebP, HEIC, AVIF, TIFF, BMP, GIF), also in an array of uint8 with one dimension, or an
    object that reads them; pixels in an array of uint8, or a PIL image."""
else:
    ImageSource = Any

_CHANNELS: Dict[int, int] = {
    Format.RGBA: 4,
    Format.BGRA: 4,
    Format.RGB: 3,
    Format.BGR: 3,
    Format.GRAY: 1,
    Format.YUYV: 2,
    Format.UYVY: 2,
}
_DEFAULTS: Dict[int, int] = {4: Format.RGBA, 3: Format.RGB, 1: Format.GRAY}
_REVERSED: Dict[int, int] = {Format.RGB: Format.BGR, Format.BGR: Format.RGB}
_PLANAR = {Format.NV12, Format.NV21, Format.I420, Format.NV16}
_MAX_STRIDE = 131072
_TOO_LARGE = 1 << 20  # more pixels a side than any limit: the library says what is allowed


class Frame(NamedTuple):
    """A frame of a session with its own time."""

    image: Any
    timestamp_ns: int = 0


def describe(
    source: Any,
    format: Union[Format, FormatName, None] = None,
    orientation: Union[Orientation, OrientationName, int, None] = None,
    mirrored: bool = False,
    region: Optional[Tuple[float, float, float, float]] = None,
    colour: Union[Colour, ColourName, None] = None,
    timestamp_ns: int = 0,
    pixel_aspect: float = 1.0,
    name: str = "image",
) -> Tuple[Any, Any]:
    """A face_image, and what has to be kept alive while it is used. `name` is that of the argument `source`."""
    image = _library.fresh(_abi.face_image)
    ndarray = getattr(sys.modules.get("numpy"), "ndarray", None)  # None also while another thread imports NumPy
    wanted = None if format is None else number_of_enum(Format, "format", format)
    if ndarray is not None and isinstance(source, ndarray):
        kept = _describe_array(image, source, wanted)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        kept = _describe_file(image, source, wanted)
    elif isinstance(source, (str, os.PathLike)):
        with open(os.fspath(source), "rb") as file:
            kept = _describe_file(image, file.read(), wanted)
    elif type(source).__module__.startswith("PIL.") and hasattr(source, "convert"):
        kept = _describe_array(image, _pixels_of_pil(source), None)
    elif hasattr(source, "__array__"):
        import numpy as np

        kept = _describe_array(image, np.asarray(source), wanted)
    elif hasattr(source, "read"):
        kept = _describe_file(image, _content(source), wanted)
    else:
        raise TypeError(
            f"{name} must be a path, the bytes of a file, a file object, a NumPy array of uint8, or a PIL image, not "
            f"{type(source).__name__}"
        )
    if orientation is not None:
        image.orientation = number_of_enum(Orientation, "orientation", orientation)
    if pixel_aspect != 1:
        image.pixel_aspect = float_of("pixel_aspect", pixel_aspect)
    if mirrored:
        image.mirrored = 1
    if colour is not None:
        image.colour = number_of_enum(Colour, "colour", colour)
    if region is not None:
        image.region = _abi.face_box(*floats_of("region", region, "x, y, width, height"))
    if timestamp_ns:
        image.timestamp_ns = whole_number("timestamp_ns", timestamp_ns, 1 << 64)
    return image, kept


def several(name: str, images: Any) -> Any:
    """An iterable of images. One image alone, whose letters, bytes or rows would be searched one by one, raises TypeError."""
    shape = getattr(images, "shape", ())
    # N × height × width × channels are images, and so are N × height × width; an array of paths has one dimension.
    is_array = isinstance(shape, tuple) and (
        len(shape) == 2 or (len(shape) == 3 and shape[2] in _DEFAULTS) or _is_file(images)
    )
    is_file = hasattr(images, "readline")
    is_one = is_array or is_file or isinstance(images, (str, bytes, bytearray, memoryview, os.PathLike, Frame))
    if not is_one and any(hasattr(images, method) for method in ("__iter__", "__aiter__", "__getitem__")):
        return images
    raise TypeError(
        f"{name} must be a list or another iterable of images, not {type(images).__name__}; for one image give [image]"
    )


def reference_to(source: Any) -> Any:
    """What leads to an image later, without keeping its pixels alive: a path, or a weak reference; None where there is none."""
    if isinstance(source, (str, os.PathLike)):
        return source
    if isinstance(source, memoryview) or hasattr(source, "read"):  # what it shows may be gone; it was read
        return None
    try:
        return ref(source)
    except TypeError:  # bytes
        return None


def _is_file(array: Any) -> bool:
    """Whether an array has the bytes of a file, as cv2.imencode returns them: of OpenCV before 4.5 they are N × 1."""
    shape: Any = getattr(array, "shape", ())
    return getattr(array, "dtype", None) == "uint8" and (len(shape) == 1 or (len(shape) == 2 and shape[1] == 1))


def _content(file: Any) -> Any:
    """The bytes of a file object, from where it stands."""
    content = file.read()
    if isinstance(content, str):
        raise InvalidArgumentError("the file object returns text: open it with mode 'rb'")
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise InvalidArgumentError(
            f"the file object's read() returns {type(content).__name__}; it must return all bytes of a picture file at once"
        )
    if len(content) == 0:
        raise InvalidArgumentError("the file object is at its end: go back to the picture's first byte with .seek(0)")
    return content


def _pixels_of_pil(picture: Any) -> Any:
    """The pixels of a PIL image as an array that the library can read."""
    import numpy as np

    mode = picture.mode
    if mode in ("RGB", "RGBA", "L"):
        return np.asarray(picture)
    # PIL itself would cut off above 255 instead of scaling. Older ones read PNG files of 16 bits as I.
    if mode.startswith("I;16") or (mode == "I" and getattr(picture, "format", None) == "PNG"):
        wide = np.asarray(picture).astype(np.uint32)
        # as libpng does it, so that a file gives the same by its path
        return ((wide * 255 + 32895) >> 16).astype(np.uint8)
    if mode in ("I", "F"):
        raise InvalidArgumentError(
            f"a PIL image of mode {mode} does not say which number is white: scale its numbers to 0 to 255 in a NumPy array, then "
            "use .astype(numpy.uint8)"
        )
    try:
        return np.asarray(picture.convert("RGB"))
    except ValueError as error:
        raise InvalidArgumentError(
            f"PIL cannot convert an image of mode {mode} to RGB ({error}): convert it to RGB, RGBA or L yourself"
        ) from None


def _describe_file(image: Any, source: Any, wanted: Optional[int]) -> Any:
    if wanted not in (None, Format.ENCODED):
        raise InvalidArgumentError("bytes are a whole picture file; give raw pixels as a NumPy array")
    source = bytes(source)  # bytes themselves are not copied
    image.planes[0] = ctypes.cast(ctypes.c_char_p(source), ctypes.c_void_p).value
    image.plane_sizes[0] = len(source)
    return source


def _describe_array(image: Any, array: Any, wanted: Optional[int]) -> Any:
    """Describes an array; returns what the library reads: the array itself, a view or a copy of it, or the bytes of a file."""
    if wanted in (None, Format.ENCODED) and _is_file(array):
        return _describe_file(image, array, wanted)
    shape = array.shape
    if array.dtype.kind != "u" or array.dtype.itemsize != 1:
        raise InvalidArgumentError(
            f"the pixels of an array must be uint8, but these are {array.dtype}: scale them to 0 to 255, then use .astype(numpy.uint8)"
        )
    if wanted is not None and wanted in _PLANAR:
        return _describe_planes(image, array, wanted)
    channels = 1 if len(shape) == 2 else shape[2] if len(shape) == 3 else 0
    layout = _DEFAULTS.get(channels) if wanted is None else wanted
    if layout is None or _CHANNELS.get(layout) != channels:
        expected = "height × width × 3, × 4 or height × width"
        if wanted is not None:
            expected = f"height × width × {_CHANNELS[wanted]}" if wanted in _CHANNELS else "the bytes of a file"
        raise InvalidArgumentError(f"the array has the shape {shape}, but this format needs {expected}")
    height, width = shape[0], shape[1]
    if not (0 < width < _TOO_LARGE and 0 < height < _TOO_LARGE):
        raise InvalidArgumentError(f"the array has the shape {shape}; both sides must be 16 to 16384 pixels")
    # frame[:, :, ::-1]: the other order of the same memory
    if channels == 3 and array.strides[2] == -1 and layout in _REVERSED:
        layout, array = _REVERSED[layout], array[:, :, ::-1]
    row, pixel, *channel = array.strides
    if (channels != 1 and channel != [1]) or pixel != channels or not width * channels <= row <= _MAX_STRIDE:
        array, row = _contiguous(array), width * channels
    image.format, image.width, image.height = layout, width, height
    image.planes[0], image.strides[0] = array.__array_interface__["data"][0], row
    image.plane_sizes[0] = (height - 1) * row + width * channels
    return array


def _describe_planes(image: Any, array: Any, wanted: int) -> Any:
    """Luma above chroma, as OpenCV and video libraries have it."""
    full = wanted == Format.NV16  # chroma of the full height
    if array.ndim != 2 or array.shape[0] % (2 if full else 3) != 0 or array.shape[1] % 2 != 0 or array.size == 0:
        needs = "(height × 2) × width with an even width" if full else "(height × 3 / 2) × width with both even"
        raise InvalidArgumentError(f"the array has the shape {array.shape}, but this format needs {needs}")
    array = _contiguous(array)
    width, height = array.shape[1], array.shape[0] // 2 if full else array.shape[0] // 3 * 2
    address, luma = array.__array_interface__["data"][0], width * height
    chroma = [luma // 4, luma // 4] if wanted == Format.I420 else [luma if full else luma // 2]
    image.format, image.width, image.height = wanted, width, height
    for plane, size in enumerate([luma, *chroma]):
        image.planes[plane], image.plane_sizes[plane] = address, size
        address += size
    return array


def _contiguous(array: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(array)
