"""Engines: loaded models, or a connection to an engine process."""

from __future__ import annotations

import ctypes
import os
import pwd
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Sequence, Tuple, Union

from . import _abi, _library
from ._abi import Colour, Format, Orientation
from ._control import run
from ._errors import InvalidArgumentError, check, error_of
from ._faces import Faces
from ._images import ImageSource, describe, reference_to, several
from ._options import fill, keywords_of, no_text, number_of_enum, path_of, split, takes
from ._results import read, read_and_destroy

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._abi import ColourName, FormatName, OrientationName
    from ._control import Canceller
    from ._keywords import CheckOptions, DetectOptions, LoadOptions, SessionOptions, VisitOptions
    from ._sessions import PhotoCheck, Session

    PathLike = Union[str, "os.PathLike[str]"]

    class SearchOptions(DetectOptions, SessionOptions, total=False):
        """How a session searches, and what it looks for."""


class Engine:
    """Finds faces. `load` and `connect` make one.

    Any number of threads may use an engine at once, and each call releases Python's global lock. `close()`, or leaving a
    `with` block, frees it; calls that run in other threads still finish, and every later one raises InvalidArgumentError.
    """

    _handle: Optional[int] = None  # of an engine that is closed

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @takes(_abi.face_options)
    def detect(
        self,
        image: ImageSource,
        *,
        format: Union[Format, FormatName, None] = None,
        orientation: Union[Orientation, OrientationName, int, None] = None,
        mirrored: bool = False,
        region: Optional[Tuple[float, float, float, float]] = None,
        colour: Union[Colour, ColourName, None] = None,
        pixel_aspect: float = 1.0,
        **options: Unpack[DetectOptions],
    ) -> Faces:
        """Finds the faces of one image.

        image        a path, the bytes of a JPEG, PNG or WebP file, also in an array of uint8 with one dimension, or a file object
                     open for reading bytes, which is read to its end; an array of uint8, height × width × 3 (RGB unless `format` says otherwise), × 4 (RGBA) or
                     height × width (grey); or a PIL image
        format       of an array: "rgb", "bgr", "rgba", "bgra", "gray", "yuyv", "uyvy", or luma above chroma, "nv12", "nv21", "i420", "nv16"
        orientation  how the stored pixels have to be turned, as EXIF has it, 1 to 8; by default as a file says
        mirrored     the picture is a mirror image: it is mirrored back
        region       x, y, width, height: the part of the upright image to search
        colour       how luma and chroma are coded, as in "bt709_video"
        pixel_aspect  the width of a stored pixel by its height, for pixels that are no squares
        options      what to measure, as in landmarks=True, and how to search

        Rows of an array may have any distance, and the array may be read-only; such arrays are not copied, nor are
        frame[:, :, ::-1] and bytes. Other views (mirrored or thinned out ones) are copied.
        """
        handle, found = self._alive(), ctypes.c_void_p()
        described, kept = describe(image, format, orientation, mirrored, region, colour, pixel_aspect=pixel_aspect)
        filled = fill(_abi.face_options, options)
        check(
            run(
                _library.face.face_detect,
                filled,
                options.get("canceller"),
                handle,
                ctypes.byref(described),
                ctypes.byref(filled),
                ctypes.byref(found),
            )
        )
        del kept
        faces = read_and_destroy(found, filled.outputs)
        faces._source = reference_to(image), format, orientation, mirrored
        return faces

    @takes(_abi.face_options)
    def detect_batch(
        self,
        images: Iterable[ImageSource],
        *,
        format: Union[Format, FormatName, None] = None,
        orientation: Union[Orientation, OrientationName, int, None] = None,
        mirrored: bool = False,
        **options: Unpack[DetectOptions],
    ) -> List[Faces]:
        """Finds the faces of several images, one after the other, with one call.

        One that fails does not fail the others: its result is empty, and its `error` says why. All images are held in memory
        at once.
        """
        filled = fill(_abi.face_options, options)
        # Checked before the images, whose failures are their own.
        form = None if format is None else Format(number_of_enum(Format, "format", format))
        turn = None if orientation is None else Orientation(number_of_enum(Orientation, "orientation", orientation))
        results: List[Faces] = []
        described, places, sources = [], [], []
        for image in several("images", images):
            results.append(Faces())
            try:
                described.append(describe(image, form, turn, mirrored))
                places.append(len(results) - 1)
                sources.append((reference_to(image), format, orientation, mirrored))
            except Exception as error:
                results[-1].error = error
        if not described:
            return results
        pointers = (ctypes.POINTER(_abi.face_image) * len(described))(
            *(ctypes.pointer(image) for image, _ in described)
        )
        handles = (ctypes.c_void_p * len(described))()
        library, message = _library.face, ctypes.c_char_p()
        try:
            check(
                run(
                    library.face_detect_batch,
                    filled,
                    options.get("canceller"),
                    self._alive(),
                    pointers,
                    len(described),
                    ctypes.byref(filled),
                    handles,
                )
            )
            for place, handle, source in zip(places, handles, sources):
                status = library.face_result_status(handle, ctypes.byref(message))
                if status != 0:
                    results[place].error = error_of(status, message.value or b"")
                else:
                    results[place] = read(handle, filled.outputs)
                    results[place]._source = source
        finally:
            for handle in handles:
                library.face_result_destroy(handle)
        return results

    @takes(_abi.face_session_options, _abi.face_options)
    def session(
        self,
        frames: Optional[Any] = None,
        *,
        visits: Union[bool, VisitOptions, None] = None,
        **options: Unpack[SearchOptions],
    ) -> Session:
        """Searches the frames of a video in the background and follows the faces from frame to frame.

        frames   an iterable of images, or of Frame(image, timestamp_ns), which the session goes through when it is iterated;
                 with `async for` it may be an asynchronous iterable. A frame that cannot be read or searched is a FrameFailed in
                 its place. None: the program submits its frames itself
        visits   True, or a dict of max_look_angle (degrees), min_stay and max_absence (seconds): count people, whose arrivals and
                 departures are FaceVisit events. The head pose is measured, too
        options  how frames are searched, and what is measured. mode "every" searches each frame, which is the default with `frames`;
                 "newest", otherwise the default, is for a camera: a newer frame replaces the one that waits
        """
        from ._sessions import Session

        session, detection = split(options, _abi.face_session_options, _abi.face_options)
        counted = None if visits is None or visits is False else {} if visits is True else keywords_of("visits", visits)
        return Session(self, frames, session, detection, visits=counted)

    @takes(_abi.face_check_options)
    def guided_check(
        self,
        frames: Optional[Any] = None,
        *,
        search: Optional[SearchOptions] = None,
        **options: Unpack[CheckOptions],
    ) -> Session:
        """Leads a person in front of a camera to a good picture of the face: a session whose events include CheckUpdate.

        frames   as in `session`; the default mode is "every" with them
        search   how frames are searched, as in `session`
        options  what the check demands
        """
        from ._sessions import Session

        session, detection = split(keywords_of("search", search), _abi.face_session_options, _abi.face_options)
        return Session(self, frames, session, detection, options)

    @takes(_abi.face_check_options)
    def check_photo(
        self,
        image: ImageSource,
        *,
        format: Union[Format, FormatName, None] = None,
        orientation: Union[Orientation, OrientationName, int, None] = None,
        mirrored: bool = False,
        search: Optional[DetectOptions] = None,
        **options: Unpack[CheckOptions],
    ) -> PhotoCheck:
        """Checks one photo: it is right if no tip applies. Actions, motion and times do not count."""
        from ._sessions import check_photo

        return check_photo(self, describe(image, format, orientation, mirrored), keywords_of("search", search), options)

    def _alive(self) -> int:
        if self._handle is None:
            raise InvalidArgumentError("this engine is closed: load or connect another one")
        return self._handle

    def _take_handle(self) -> Optional[int]:
        """The handle, for one of the threads that close the engine at once."""
        handle: Optional[int] = self.__dict__.pop("_handle", None)
        return handle

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._handle is None

    def close(self) -> None:
        """Releases the engine. Open sessions keep what they need of it until they are closed."""
        handle = self._take_handle()
        if handle is not None:
            check(_library.face.face_release(handle))

    def __enter__(self) -> Engine:
        self._alive()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle = self._take_handle()
        if handle is not None and _library is not None:  # at the interpreter's end a module may have lost its names
            _library.face.face_release(handle)

    def __reduce__(self) -> Any:
        raise TypeError("an engine cannot be pickled or copied: load or connect one in each process")


@takes(_abi.face_load_options)
def load(
    model: Union[PathLike, Sequence[Optional[PathLike]], None] = None,
    **options: Unpack[LoadOptions],
) -> Engine:
    """Loads models, to run them in this process.

    model    the folder of a model, or the name of an installed one, such as "centerface"; by default the installed detector,
             YuNet. A list of several loads them all: each call may choose one with model="NAME"
    options  how the models run
    """
    models = [model] if model is None or isinstance(model, (str, os.PathLike)) else list(no_text("model", model))
    folders = (ctypes.c_char_p * len(models))(*(None if one is None else path_of("model", one) for one in models))
    filled = fill(_abi.face_load_options, options)
    handle = ctypes.c_void_p()
    check(_library.face.face_load_models(folders, len(models), ctypes.byref(filled), ctypes.byref(handle)))
    assert handle.value is not None
    return Engine(handle.value)


def _user(user: Union[int, str]) -> int:
    """The number of a user."""
    if not isinstance(user, (int, str)):
        raise TypeError(f"engine_user must be the name or number of a user, not {type(user).__name__}")
    try:
        number = user if isinstance(user, int) else pwd.getpwnam(user).pw_uid
    except KeyError:
        raise InvalidArgumentError(
            f"there is no user {user!r}; set engine_user to the name or number of a user"
        ) from None
    if not 0 <= number < _abi.FACE_NO_USER:
        raise InvalidArgumentError(f"engine_user is {user}; set it to the name or number of a user")
    return number


def connect(
    socket: Optional[PathLike] = None,
    *,
    engine_user: Union[int, str, None] = None,
    timeout: Optional[float] = None,
    canceller: Optional[Canceller] = None,
) -> Engine:
    """Connects to a running engine process (`face-engine serve`); by default at the user's own socket, or the system's.

    engine_user  a user that the engine may run as, by name or number. Always accepted are this process's own user, root, and
                 the owner of a folder that root made for the socket, as /run/face-engine
    timeout      seconds to wait for the engine, here and in calls that have no timeout of their own; by default 60
    canceller    ends the wait for the connection
    """
    user = None if engine_user is None else _user(engine_user)
    options = fill(_abi.face_connect_options, {"engine_user": user, "timeout": timeout, "canceller": canceller})
    path = None if socket is None else path_of("socket", socket)
    handle = ctypes.c_void_p()
    check(run(_library.face.face_connect_with, options, canceller, path, ctypes.byref(options), ctypes.byref(handle)))
    assert handle.value is not None
    return Engine(handle.value)
