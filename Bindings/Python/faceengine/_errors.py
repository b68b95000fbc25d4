"""Exceptions: each has the status code of the C library and its sentence, and is the built-in exception that fits."""

from __future__ import annotations

import errno
import re
from typing import Any, Dict, Type

from . import _library
from ._abi import Status


class FaceEngineError(Exception):
    """A call that failed. The text says in one sentence what was wrong and what to do.

    A subclass XError has the status X.
    """

    code: Status = Status.UNKNOWN
    """The status of the call, one of gRPC's codes."""

    def __init_subclass__(cls) -> None:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Error")).upper()
        cls.code = Status.__members__.get(name, cls.code)

    @property
    def message(self) -> str:
        """The sentence."""
        return str(self.args[0]) if self.args else ""

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> Any:  # OSError's own would take the sentence for a number
        return (_restored, (type(self), self.code, self.message))


class CancelledError(FaceEngineError):
    """A canceller or the end of a session ended the call."""


class InvalidArgumentError(FaceEngineError, ValueError):
    """The call can never work with these arguments, such as a damaged image or a closed engine."""


class DeadlineExceededError(FaceEngineError, TimeoutError):
    """The call took longer than its timeout."""


class NotFoundError(FaceEngineError, FileNotFoundError):
    """There is no such folder or file, or no such face."""


class AlreadyExistsError(FaceEngineError, ValueError):
    """Two models have the same name."""


class PermissionDeniedError(FaceEngineError, PermissionError):
    """The socket or the engine does not admit this user."""


class ResourceExhaustedError(FaceEngineError):
    """Memory or a limit of the engine does not suffice."""


class FailedPreconditionError(FaceEngineError, RuntimeError):
    """The call does not fit the state, such as a session in a forked process, or a model that cannot be used."""


class AbortedError(FaceEngineError):
    """The call was aborted."""


class OutOfRangeError(FaceEngineError, ValueError):
    """The image is too small or too large, or a crop does not fit."""


class UnimplementedError(FaceEngineError, NotImplementedError):
    """The library or the engine does not support this, such as checks by an older engine."""


class InternalError(FaceEngineError, RuntimeError):
    """A bug in the library: please report it."""


class UnavailableError(FaceEngineError, ConnectionError):
    """No engine answers at the socket, or it stopped: try again."""


class DataLossError(FaceEngineError):
    """The process at the socket is no engine."""


class UnauthenticatedError(FaceEngineError):
    """The call was not authenticated."""


_classes: Dict[int, Type[FaceEngineError]] = {one.code: one for one in FaceEngineError.__subclasses__()}


def _restored(kind: Type[FaceEngineError], code: Status, message: str) -> FaceEngineError:
    error = kind(message)
    error.code = code
    return error


def error_of(status: int, message: bytes) -> FaceEngineError:
    """The exception for a status and its sentence."""
    error = _classes.get(status, FaceEngineError)(message.decode("utf-8", "replace"))
    if type(error) is FaceEngineError:
        try:
            error.code = Status(status)
        except ValueError:  # of a newer library
            error.code = Status.UNKNOWN
    return error


_BUILT_IN = (
    (FileNotFoundError, NotFoundError),
    (PermissionError, PermissionDeniedError),
    (MemoryError, ResourceExhaustedError),
)
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def of_image(error: Exception) -> FaceEngineError:
    """An exception that an image caused, as one of this package with a code; the original is its cause."""
    if isinstance(error, FaceEngineError):
        return error
    kind: Type[FaceEngineError] = next(
        (ours for theirs, ours in _BUILT_IN if isinstance(error, theirs)), InvalidArgumentError
    )
    if getattr(error, "errno", None) in _EXHAUSTED:
        kind = ResourceExhaustedError
    made = kind(str(error) or type(error).__name__)
    made.__cause__ = error
    return made


def check(status: int) -> None:
    """Raises the exception of a call of libfaceengine that failed on this thread."""
    if status != 0:
        raise error_of(status, _library.face.face_last_error())


def check_draw(status: int) -> None:
    """Raises the exception of a call of libfaceengine-draw that failed on this thread."""
    if status != 0:
        raise error_of(status, _library.draw.face_draw_last_error())
