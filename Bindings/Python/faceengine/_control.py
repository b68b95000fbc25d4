"""Ends calls: from another thread, or by Ctrl-C.

Python runs its signal handlers between two of its instructions, so a long call into C would delay KeyboardInterrupt to its end.
While the main thread is inside such a call, the interpreter writes the signal's number to a pipe (signal.set_wakeup_fd); a
thread that reads it cancels the call, and the handler runs when the call has returned. This costs a few microseconds a call.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
from typing import Any, Callable, List, Optional

from . import _library
from ._abi import Status
from ._errors import InvalidArgumentError, check


class Canceller:
    """Ends every call that was or will be given this canceller, from any thread: `detect(image, canceller=canceller)`.

    The calls raise CancelledError. Ctrl-C in a call of the main thread cancels the call's canceller, too.
    """

    def __init__(self) -> None:
        handle = ctypes.c_void_p()
        check(_library.face.face_canceller_create(ctypes.byref(handle)))
        self._handle: Optional[int] = handle.value
        self._cancelled = False

    @property
    def cancelled(self) -> bool:
        """Whether cancel() was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Ends the calls."""
        self._cancelled = True
        check(_library.face.face_canceller_cancel(self._handle))

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None and _library is not None:  # at the interpreter's end a module may have lost its names
            _library.face.face_canceller_destroy(handle)


class _Watcher:
    """Cancels the call of the main thread when SIGINT comes."""

    __slots__ = ("current", "descriptor", "descriptors", "main_thread", "own", "previous")

    def __init__(self) -> None:
        self.main_thread = threading.main_thread().ident
        self.descriptor = -1  # where the interpreter writes; -1: not started
        self.descriptors = (-1,)  # that alone
        self.current: Optional[Canceller] = None  # of the call that runs
        self.previous = -1  # the program's own descriptor for signals, such as asyncio's
        self.own: Optional[Canceller] = None  # for calls that are given none

    def start(self) -> None:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        self.descriptor, self.descriptors = writer, (writer,)
        threading.Thread(target=self._watch, args=(reader,), name="faceengine-sigint", daemon=True).start()

    def _watch(self, reader: int) -> None:
        while True:
            numbers = os.read(reader, 64)
            if not numbers:
                return
            canceller, previous = self.current, self.previous
            if previous >= 0:
                try:
                    os.write(previous, numbers)
                except OSError:
                    pass
            if canceller is not None and signal.SIGINT in numbers:
                canceller.cancel()

    def after_fork(self) -> None:
        """In the child the thread is gone, and the pipe is the parent's."""
        if self.current is not None:  # another thread forked during a call of the main thread
            try:
                signal.set_wakeup_fd(self.previous)
            except ValueError:
                pass
        self.main_thread = threading.get_ident()
        self.descriptor, self.current, self.previous, self.own = -1, None, -1, None


_watcher = _Watcher()
os.register_at_fork(after_in_child=_watcher.after_fork)


def run(function: Callable[..., int], options: Any, canceller: Optional[Canceller], *arguments: Any) -> int:
    """Calls a function of C whose `options` have a member for a canceller, so that Ctrl-C ends it. Returns its status."""
    watcher = _watcher
    if threading.get_ident() != watcher.main_thread:
        return function(*arguments)
    if watcher.descriptor < 0:
        watcher.start()
    while True:
        used = canceller or watcher.own
        if used is None or (used._cancelled and canceller is None):
            used = watcher.own = Canceller()
        options.canceller = used._handle
        previous: List[int] = []
        try:
            watcher.current = used
            try:
                # One call of C: a KeyboardInterrupt comes before it, or finds in the list what to restore.
                previous.extend(map(signal.set_wakeup_fd, watcher.descriptors))
            except ValueError:  # in an interpreter that has no signals
                return function(*arguments)
            # Ours: in a handler of a signal in a call.
            watcher.previous = -1 if previous[0] == watcher.descriptor else previous[0]
            status = function(*arguments)
        finally:
            watcher.current = None
            if previous:
                signal.set_wakeup_fd(previous[0])
        # KeyboardInterrupt has been raised by now, unless the program handles SIGINT in another way: then go on.
        if status != Status.CANCELLED or canceller is not None or not used._cancelled:
            return status


def handle_of(canceller: object) -> Any:
    """The C handle of a keyword `canceller`."""
    if not isinstance(canceller, Canceller):
        raise TypeError(f"canceller must be a faceengine.Canceller, not {type(canceller).__name__}")
    if canceller._handle is None:
        raise InvalidArgumentError("this canceller is destroyed")
    return canceller._handle
