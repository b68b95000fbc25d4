"""Calls of face_detect with their structs, kept for the next one of the same form: a program searches many frames alike.

What runs between two searches finds the processor's caches full of the network, so a step costs what it touches, and that ten
times what it costs alone: a search of an array compares its form, reads the address of its pixels and writes that.
"""

from __future__ import annotations

import ctypes
import sys
from collections import deque
from typing import Any, Deque, Mapping, Optional

from . import _library
from ._control import Interruptible

_IS_CPYTHON = sys.implementation.name == "cpython"
if _IS_CPYTHON:
    # The buffer protocol says where pixels are in less than half the time that __array_interface__ takes.
    # docs.python.org/3/c-api/buffer.html, PyObject_GetBuffer; ctypes need convert only the first of its arguments.
    _get_buffer, _release_buffer = ctypes.pythonapi["PyObject_GetBuffer"], ctypes.pythonapi["PyBuffer_Release"]
    _get_buffer.argtypes, _get_buffer.restype, _release_buffer.restype = (ctypes.py_object,), None, None
_STRIDED = 0x18  # PyBUF_STRIDES: rows may have gaps; they need not be writable
_Buffer = ctypes.c_void_p * 16  # room for a Py_buffer, which begins with the address

_MOST_KEPT = 8  # of an engine, for cameras, threads and options that take turns
_TRIES = (None,) * _MOST_KEPT


class Call(Interruptible):
    """One call of face_detect. One thread at a time uses it."""

    __slots__ = ("address", "buffer", "described", "dtype", "engine", "filled", "format", "image", "keywords", "kind", "outputs",
                 "pixels", "shape", "strides")

    def __init__(self, engine: int, image: Any, options: Any, canceller: Any) -> None:
        self.image, self.outputs = image, options.outputs
        self.kind: Any = None  # the type of the arrays that it can be kept for
        # Pointers that ctypes need not check or convert.
        self.engine, self.described, self.filled = _library.pointer(engine), ctypes.byref(image), ctypes.byref(options)
        super().__init__(_library.face.unchecked("face_detect"), options, canceller)

    def fits(self, image: Any, format: Any, options: Mapping[str, Any]) -> bool:
        """Whether this call searches `image` if no more than the address of the pixels changes."""
        return (type(image) is self.kind and image.shape == self.shape and image.strides == self.strides
                and image.dtype is self.dtype and format == self.format and options == self.keywords)

    def point_to(self, image: Any) -> None:
        """Lets the call search the pixels of an array, which it does not keep alive."""
        _get_buffer(image, self.buffer, _STRIDED)
        self.pixels.value = self.address.value
        _release_buffer(self.buffer)

    def remember(self, image: Any, format: Any, options: Mapping[str, Any]) -> None:
        """Lets the call be kept, if other arrays may differ from this `image` in nothing but the address of their pixels."""
        if not hasattr(image, "strides") or self.image.planes[1] or "canceller" in options or not _IS_CPYTHON:
            return
        try:
            hash((format, *options.items()))
        except TypeError:  # such as a list, which the program may change
            return
        self.shape, self.strides, self.dtype = image.shape, image.strides, image.dtype
        self.format, self.keywords = format, dict(options)
        buffer = _Buffer()
        self.buffer, self.address = ctypes.byref(buffer), ctypes.c_void_p.from_buffer(buffer)
        self.pixels = ctypes.c_void_p.from_buffer(self.image, type(self.image).planes.offset)
        self.kind = type(image)


def kept(calls: Deque[Call], image: Any, format: Any, options: Mapping[str, Any]) -> Optional[Call]:
    """A call for this image out of `calls`, if there is one; its user puts it back."""
    try:
        for _ in _TRIES:
            call = calls.pop()
            if call.fits(image, format, options):
                call.point_to(image)
                return call
            calls.appendleft(call)
    except (IndexError, ValueError):  # there is no other; an option that has no one value, such as an array
        pass
    return None


def kept_calls() -> Deque[Call]:
    """Where an engine keeps its calls."""
    return deque(maxlen=_MOST_KEPT)
