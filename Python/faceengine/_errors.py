"""Exceptions: each has the status code of the C library and its sentence, and is the built-in exception that fits."""

from __future__ import annotations

import errno
from typing import Any, Dict, Type

from . import _library
from ._abi import Status


class FaceEngineError(Exception):
    """A call that failed. The text says in one sentence what was wrong and what to do."""

    code: Status = Status.UNKNOWN
    """The status of the call, one of gRPC's codes."""

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

    code = Status.CANCELLED


class InvalidArgumentError(FaceEngineError, ValueError):
    """The call can never work with these arguments, such as a damaged image or a closed engine."""

    code = Status.INVALID_ARGUMENT


class DeadlineExceededError(FaceEngineError, TimeoutError):
    """The call took longer than its timeout."""

    code = Status.DEADLINE_EXCEEDED


class NotFoundError(FaceEngineError, FileNotFoundError):
    """There is no such folder or file, or no such face."""

    code = Status.NOT_FOUND


class AlreadyExistsError(FaceEngineError, ValueError):
    """Two models have the same name."""

    code = Status.ALREADY_EXISTS


class PermissionDeniedError(FaceEngineError, PermissionError):
    """The socket or the engine does not admit this user."""

    code = Status.PERMISSION_DENIED


class ResourceExhaustedError(FaceEngineError):
    """Memory or a limit of the engine does not suffice."""

    code = Status.RESOURCE_EXHAUSTED


class FailedPreconditionError(FaceEngineError, RuntimeError):
    """The call does not fit the state, such as a session in a forked process, or a model that cannot be used."""

    code = Status.FAILED_PRECONDITION


class AbortedError(FaceEngineError):
    """The call was aborted."""

    code = Status.ABORTED


class OutOfRangeError(FaceEngineError, ValueError):
    """The image is too small or too large, or a crop does not fit."""

    code = Status.OUT_OF_RANGE


class UnimplementedError(FaceEngineError, NotImplementedError):
    """The library or the engine does not support this, such as checks by an older engine."""

    code = Status.UNIMPLEMENTED


class InternalError(FaceEngineError, RuntimeError):
    """A bug in the library: please report it."""

    code = Status.INTERNAL


class UnavailableError(FaceEngineError, ConnectionError):
    """No engine answers at the socket, or it stopped: try again."""

    code = Status.UNAVAILABLE


class DataLossError(FaceEngineError):
    """The process at the socket is no engine."""

    code = Status.DATA_LOSS


class UnauthenticatedError(FaceEngineError):
    """The call was not authenticated."""

    code = Status.UNAUTHENTICATED


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


_BUILT_IN = ((FileNotFoundError, NotFoundError), (PermissionError, PermissionDeniedError), (MemoryError, ResourceExhaustedError))
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def of_image(error: Exception) -> FaceEngineError:
    """An exception that an image caused, as one of this package with a code; the original is its cause."""
    if isinstance(error, FaceEngineError):
        return error
    kind: Type[FaceEngineError] = next((ours for theirs, ours in _BUILT_IN if isinstance(error, theirs)), InvalidArgumentError)
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
