"""Calls of face_detect with their structs, kept for the next one of the same form: a program searches many frames alike.

What runs between two searches finds the processor's caches full of the network, so each step that it leaves out counts
tenfold: a search of an array writes no more than the address of its pixels.
"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Mapping, Optional

_from_buffer = ctypes.c_char.from_buffer
_addressof = ctypes.addressof


class Call:
    """The structs of one call. One thread at a time uses them."""

    __slots__ = ("arguments", "image", "options", "outputs", "pixels", "planes", "pool")

    def __init__(self, image: Any, pixels: Any, options: Any) -> None:
        self.image, self.pixels, self.options = image, pixels, options
        self.planes, self.outputs = image.planes, options.outputs
        self.arguments = (ctypes.byref(image), ctypes.byref(options))
        self.pool: Optional[List[Call]] = None  # where it waits for its next use

    def release(self) -> None:
        """Ends the use of the pixels, and keeps the structs."""
        self.pixels = None
        if self.pool is not None:
            self.pool.append(self)


# Calls that wait, by what they can be used for.
_pools: Dict[Any, List[Call]] = {}
_MOST_POOLS = 256


def kept(image: Any, format: Any, options: Mapping[str, Any]) -> Optional[Call]:
    """A call for this image that was made for another one, if there is one."""
    try:
        pool = _pools[(image.shape, image.dtype, format, *options.items())]
        pixels = _from_buffer(image)
        call = pool.pop()
    except (AttributeError, BufferError, LookupError, TypeError, ValueError):
        return None  # no array; a first one; rows with padding; read-only; a list among the options
    call.planes[0] = _addressof(pixels)
    call.pixels = pixels
    return call


def keep(call: Call, image: Any, format: Any, options: Mapping[str, Any]) -> None:
    """Lets a call be used again for other arrays, if those differ from this image in nothing but the address of their pixels."""
    flags = getattr(image, "flags", None)
    if call.pixels is not image or flags is None or not flags.c_contiguous or call.planes[1] or "canceller" in options:
        return
    if len(_pools) >= _MOST_POOLS:
        _pools.clear()
    try:
        call.pool = _pools.setdefault((image.shape, image.dtype, format, *options.items()), [])
    except TypeError:  # a list among the options
        pass
