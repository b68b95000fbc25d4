"""Calls of face_detect with their structs, kept for the next one of the same form: a program searches many frames alike.

What runs between two searches finds the processor's caches full of the network, so a step costs what it touches, and that ten
times what it costs alone: a search of an array compares its form, reads the address of its pixels and writes that.
"""

from __future__ import annotations

import ctypes
import sys
from collections import deque
from time import perf_counter
from typing import Any, Deque, Mapping, Optional

from . import _library
from ._control import Interruptible
from ._errors import check
from ._faces import Faces
from ._results import empty, new, pair_of

_IS_CPYTHON = sys.implementation.name == "cpython"
# NumPy's C struct of an array, PyArrayObject, is a Python object followed by the address of the pixels. Reading that costs a third
# of what the buffer protocol does.
_PIXELS = object.__basicsize__ // 8
_words: Any = (ctypes.c_size_t * (sys.maxsize // 8)).from_address(0)  # the memory of this process, word by word

_MOST_KEPT = 8  # of an engine, for cameras, threads and options that take turns
_TRIES = (None,) * _MOST_KEPT
_BRIEF = 0.02  # seconds
_UNWATCHED = 100  # calls


class Call(Interruptible):
    """One call of face_detect. One thread at a time uses it."""

    __slots__ = ("described", "dtype", "engine", "filled", "format", "image", "keywords", "kind", "longest_brief", "outputs",
                 "pixels", "shape", "strides", "unwatched")

    def __init__(self, engine: int, is_local: bool, image: Any, options: Any, canceller: Any) -> None:
        self.image, self.outputs = image, options.outputs
        self.kind: Any = None  # the type of the arrays that it can be kept for
        # In how many next calls Ctrl-C may wait for their end, since one of the same form was brief. What is measured takes as long
        # as there are faces, and an engine process may stop.
        self.unwatched, self.longest_brief = 0, _BRIEF if is_local and self.outputs == 0 else 0.0
        # Pointers that ctypes need not check or convert.
        self.engine, self.described, self.filled = _library.pointer(engine), ctypes.byref(image), ctypes.byref(options)
        super().__init__(_library.face.unchecked("face_detect"), options, canceller)

    def search(self) -> Faces:
        """Finds the faces."""
        try:
            pair = empty.pop()
        except IndexError:
            pair = pair_of(None)
        faces: Faces = new(Faces)
        faces._pair, faces._result, faces._outputs = pair, pair[0], self.outputs
        if self.unwatched > 0:
            self.unwatched -= 1
            if self._canceller is not None:
                self._use(None)
            status = self._function(self.engine, self.described, self.filled, pair[1])
        else:
            start = perf_counter()
            status = self.run((self.engine, self.described, self.filled, pair[1]))
            if perf_counter() - start < self.longest_brief and self._given is None:
                self.unwatched = _UNWATCHED
        if status != 0:
            check(status)
        return faces

    def remember(self, image: Any, format: Any, options: Mapping[str, Any]) -> None:
        """Lets the call be kept, if other arrays may differ from this `image` in nothing but the address of their pixels."""
        if not hasattr(image, "strides") or self.image.planes[1] or "canceller" in options or not _IS_CPYTHON:
            return
        if _words[id(image) // 8 + _PIXELS] != self.image.planes[0]:
            return
        try:
            hash((format, *options.items()))
        except TypeError:  # such as a list, which the program may change
            return
        self.shape, self.strides, self.dtype = image.shape, image.strides, image.dtype
        self.format, self.keywords = format, dict(options)
        self.pixels = ctypes.c_void_p.from_buffer(self.image, type(self.image).planes.offset)
        self.kind = type(image)


def kept(calls: Deque[Call], image: Any, format: Any, options: Mapping[str, Any]) -> Optional[Call]:
    """A call that searches this image, which it does not keep alive, out of `calls`, if there is one; its user puts it back."""
    try:
        for _ in _TRIES:
            call = calls.pop()
            if (type(image) is call.kind and image.shape == call.shape and image.strides == call.strides
                    and image.dtype is call.dtype and format == call.format and options == call.keywords):
                call.pixels.value = _words[id(image) // 8 + _PIXELS]
                return call
            calls.appendleft(call)
    except (IndexError, ValueError):  # there is no other; an option that has no one value, such as an array
        pass
    return None


def kept_calls() -> Deque[Call]:
    """Where an engine keeps its calls."""
    return deque(maxlen=_MOST_KEPT)
