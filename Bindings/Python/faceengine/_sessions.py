"""Sessions: frames of a video that are searched in the background, with or without a guided check."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Deque,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    Union,
)

from . import _abi, _library
from ._abi import CheckState, Colour, Format, Orientation, SessionMode, Status, Tip, VisitEvent
from ._abi import CheckEvent as CheckEventKind
from ._control import Canceller, run
from ._errors import (
    FaceEngineError,
    FailedPreconditionError,
    InvalidArgumentError,
    OutOfRangeError,
    ResourceExhaustedError,
    UnimplementedError,
    check,
    error_of,
    of_image,
)
from ._faces import Box, Comparable, Faces
from ._images import Frame, ImageSource, describe, several
from ._options import fill, floats_of, nanoseconds, whole_number
from ._results import box_of, read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Protocol

    from ._abi import ColourName, FormatName, OrientationName

    class _Engine(Protocol):
        """What a session needs of an Engine."""

        def _alive(self) -> int: ...


# ---- Events


@dataclass(eq=False)
class FrameEvent(Comparable):
    """What happened to a frame."""

    number: int
    """Of the frame, from 1 in the order of submission."""
    timestamp_ns: int
    """As it was given with the frame."""


@dataclass(eq=False)
class FrameFaces(FrameEvent):
    """The frame was searched."""

    faces: Faces


@dataclass(eq=False)
class FrameDropped(FrameEvent):
    """A newer frame came before this one was searched."""

    dropped_so_far: int


@dataclass(eq=False)
class FrameFailed(FrameEvent):
    """The frame could not be searched."""

    error: FaceEngineError


@dataclass(eq=False)
class FaceLeft(FrameEvent):
    """A tracked face has left; this became known with this frame. With `reidentify` it may return with its id, and leave again."""

    face_id: int


@dataclass(eq=False)
class BestPicture(FrameEvent):
    """The best picture of a tracked face, in a session with `best_size`. Number and time are those of the picture's frame."""

    face_id: int
    left: bool
    """Whether the face has left; False: `Session.best` asked for the picture."""
    score: float
    """0 to 1: the quality times 0.5 plus the openness of the eye that is less open, up to 0.5."""
    faces: Faces
    """The one face as it was in that frame: its quality and eyes say why this picture is the best."""
    crop: "NDArray[np.uint8]" = field(repr=False)
    """The square around the face, best_size × best_size × 3, RGB."""
    crop_box: Box
    """The part of the upright frame that the crop shows."""


@dataclass(eq=False)
class FaceVisit(FrameEvent):
    """A person came or left; only in a session with `visits`. Times are those of the frames, or of the monotonic clock.

    The clock stands in for the times of frames that have none."""

    event: VisitEvent
    visit: int
    """Number of the visit, from 1 in the order of arrival."""
    face_id: int
    """The newest id of the face."""
    first_seen_ns: int
    last_seen_ns: int
    stayed: float
    """Seconds from the first sight of the face to the last one."""
    looked: float
    """Seconds for which the person looked at the screen, so far."""
    present: int
    """People in view after this event."""


@dataclass(eq=False)
class CheckUpdate(FrameEvent):
    """One event of a guided check."""

    event: CheckEventKind
    """STATUS: `state` changed; TIP: `tip` changed; DRAW: a frame that shows the face; CLEAR: it is no longer there; RESULT: the
    check succeeded; FAILED: it failed."""
    state: CheckState
    tip: Tip
    text: str
    """The tip in English."""
    progress: float
    """0 to 1: how much of `hold` is done."""
    actions_done: int
    action_count: int
    attempt: int
    """Number of the attempt: from 1, each restart adds 1."""
    circle: Tuple[float, float, float]
    """x, y and radius of the mask in pixels of the upright image."""
    faces: Optional[Faces] = None
    """DRAW and RESULT: the one face."""
    picture: Optional["NDArray[np.uint8]"] = field(default=None, repr=False)
    """RESULT: the whole upright picture, height × width × 3, RGB."""
    crop: Optional["NDArray[np.uint8]"] = field(default=None, repr=False)
    """RESULT: the square around the face, RGB."""
    crop_box: Optional[Box] = None
    """RESULT: the part of `picture` that the crop shows."""
    code: Optional[str] = None
    """FAILED: "time_out", "face_lost", ...: see docs/guided-check.md."""
    message: Optional[str] = None
    """FAILED: what went wrong, in one sentence."""


@dataclass(eq=False)
class PhotoCheck(Comparable):
    """What the check of a photo found."""

    tip: Tip
    """The most important tip; DONE for a photo that is right."""
    updates: List[CheckUpdate]
    """The events of the check in their order."""

    @property
    def right(self) -> bool:
        """Whether the photo is right."""
        return self.tip == Tip.DONE


Event = Union[FrameFaces, FrameDropped, FrameFailed, FaceLeft, FaceVisit, CheckUpdate, BestPicture]


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


def _rgb(image: Any) -> "Optional[NDArray[np.uint8]]":
    """A copy of a BGRA image of the library."""
    import numpy as np

    if not image:
        return None
    view = image.contents
    stride = view.strides[0] or view.width * 4
    size = (view.height - 1) * stride + view.width * 4
    memory = np.frombuffer((ctypes.c_uint8 * size).from_address(view.planes[0]), np.uint8)
    rows = np.lib.stride_tricks.as_strided(memory, (view.height, view.width, 4), (stride, 4, 1))
    return rows[:, :, 2::-1].copy()


def _known(kind: Any, value: int) -> Any:
    """A member of an enum; the number itself where a newer library has more of them."""
    try:
        return kind(value)
    except ValueError:
        return value


def _update(stamp: Tuple[int, int], found: Any, outputs: int) -> CheckUpdate:
    result = found.event == CheckEventKind.RESULT
    return CheckUpdate(
        *stamp,
        _known(CheckEventKind, found.event),
        _known(CheckState, found.state),
        _known(Tip, found.tip),
        _text(found.text) or "",
        found.progress,
        found.actions_done,
        found.action_count,
        found.attempt,
        (found.circle.x, found.circle.y, found.circle.radius),
        faces=read(found.faces, outputs) if found.faces else None,
        picture=_rgb(found.picture),
        crop=_rgb(found.crop),
        crop_box=box_of(found.crop_box) if result else None,
        code=_text(found.code),
        message=_text(found.message),
    )


def _best(stamp: Tuple[int, int], found: Any, outputs: int) -> BestPicture:
    crop = _rgb(found.crop)
    assert crop is not None
    return BestPicture(
        *stamp, found.face_id, found.left != 0, found.score, read(found.faces, outputs), crop, box_of(found.crop_box)
    )


# ---- Sessions

_IN_FLIGHT = 4  # so many frames of mode EVERY the library takes before it waits
_END = object()

# Sessions that are open, with what their callbacks need: a callback into an interpreter that ends would crash.
_open_sessions: Dict[int, Tuple[int, Any]] = {}


def _close(handle: int) -> int:
    """Closes a session, unless it is closed already. Returns the status."""
    entry = _open_sessions.pop(handle, None)
    if entry is None:
        return 0
    if entry[0] != os.getpid():
        return 0  # it is the parent's; this process has only a copy
    status: int = _library.face.face_session_close(handle)
    if status != 0:
        _open_sessions[handle] = entry
    return status


@atexit.register
def _close_all() -> None:
    for handle in list(_open_sessions):
        _close(handle)


class _Visits:
    """Counts the visits of a session."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._handle: Optional[int] = None
        filled, handle = fill(_abi.face_visit_options, options), ctypes.c_void_p()
        check(_library.face.face_visits_create(ctypes.byref(filled), ctypes.byref(handle)))
        self._handle = handle.value

    def update(self, timestamp: int, result: Any) -> List[Any]:
        """The new events after a frame; `result` is None for one that failed."""
        count = ctypes.c_uint32()
        check(
            _library.face.face_visits_update(
                self._handle, timestamp or time.monotonic_ns(), result, ctypes.byref(count)
            )
        )
        return self._events(count.value)

    def end(self) -> List[Any]:
        """The departure of all who are in view."""
        count = ctypes.c_uint32()
        check(_library.face.face_visits_end(self._handle, ctypes.byref(count)))
        return self._events(count.value)

    def _events(self, count: int) -> List[Any]:
        events = [_library.fresh(_abi.face_visit) for _ in range(count)]
        for place, event in enumerate(events):
            check(_library.face.face_visits_get(self._handle, place, ctypes.byref(event)))
        return events

    def __del__(self) -> None:
        # At the interpreter's end a module may have lost its names.
        if self._handle is not None and _library is not None:
            _library.face.face_visits_destroy(self._handle)


class _Inbox:
    """Receives a session's callbacks on the session's thread and keeps the events until they are fetched."""

    def __init__(self, outputs: int, visits: Optional[_Visits] = None) -> None:
        self.outputs = outputs
        self._visits = visits
        self._last = 0, 0  # number and time of the last frame
        self._events: Deque[Any] = deque()
        # Guards the events. A handler of a signal may use the session, too.
        self._changed = threading.Condition(threading.RLock())
        self._attempt = 1  # of a guided check
        self.submitted = self.settled = 0  # frames in all, and those that have had their event
        self.refused = 0  # frames that the library never had: its numbers do not count them
        self._counting = threading.RLock()  # of these numbers; a handler of a signal may submit, too
        self.wake: Optional[Callable[[], object]] = None
        self._requested = threading.local()  # the pictures that a call of this thread gets
        listener = _library.fresh(_abi.face_listener)
        kinds: Dict[str, Any] = dict(_abi.face_listener._fields_)  # type: ignore[arg-type]
        self._callbacks = {
            name: kinds[name](getattr(self, name))
            for name in ("on_faces", "on_dropped", "on_failed", "on_left", "on_check", "on_best")
        }
        for name, callback in self._callbacks.items():
            setattr(listener, name, callback)
        self.listener = listener

    def _add(self, event: Any) -> None:
        with self._changed:
            if self._is_over(event):
                return
            self._events.append(event)
            self._changed.notify()
        wake = self.wake
        if wake is not None:
            try:
                wake()
            except RuntimeError:  # the event loop is closed
                self.wake = None

    def _is_over(self, event: Any) -> bool:
        """Whether an event is of an attempt that restart() has ended."""
        return isinstance(event, CheckUpdate) and event.attempt < self._attempt

    def restart(self) -> None:
        """Forgets the attempt. The events of frames stay: each frame has one."""
        with self._changed:
            self._attempt += 1
            kept = [event for event in self._events if not self._is_over(event)]
            self._events.clear()
            self._events.extend(kept)

    def take(self, timeout: Optional[float]) -> List[Any]:
        """The next event, for which it waits up to `timeout` seconds (None: without limit), as a list that is empty without one."""
        deadline = None if timeout is None else time.monotonic() + nanoseconds("timeout", timeout) / 1e9
        with self._changed:
            while not self._events:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return []
                self._changed.wait(left)
            return [self._events.popleft()]

    def count_frame(self) -> None:
        """Counts a frame that was submitted."""
        with self._counting:
            self.submitted += 1

    def refuse(self, timestamp: int, error: FaceEngineError) -> None:
        """Adds the event of a frame that cannot be submitted. Those submitted before have had theirs."""
        self.refused += 1
        self._add(FrameFailed(self.submitted + self.refused, timestamp, error))

    def _stamp(self, frame: Any) -> Tuple[int, int]:
        """Number and time of a frame of the library."""
        return frame.contents.number + self.refused, frame.contents.timestamp_ns

    def _settle(self) -> None:
        with self._counting:
            self.settled += 1

    def waiting(self) -> int:
        """How many frames have not had their event."""
        return self.submitted - self.settled

    def on_faces(self, frame: Any, result: Any, _: Any) -> None:
        number, timestamp = self._stamp(frame)
        self._settle()
        self._add(FrameFaces(number, timestamp, read(result, self.outputs)))
        self._last = number, timestamp
        if self._visits is not None:
            self._add_visits(self._visits.update(timestamp, result))

    def on_dropped(self, frame: Any, so_far: int, _: Any) -> None:
        stamp = self._stamp(frame)
        self._settle()
        self._add(FrameDropped(*stamp, so_far))

    def on_failed(self, frame: Any, status: int, message: bytes, _: Any) -> None:
        stamp = self._stamp(frame)
        self._settle()
        self._add(FrameFailed(*stamp, error_of(status, message or b"")))
        self._last = stamp
        if self._visits is not None:
            self._add_visits(self._visits.update(stamp[1], None))

    def end_visits(self) -> None:
        """Adds the departure of all who are in view, after the last frame."""
        if self._visits is not None:
            self._add_visits(self._visits.end())

    def _add_visits(self, events: List[Any]) -> None:
        for one in events:
            self._add(
                FaceVisit(
                    *self._last,
                    _known(VisitEvent, one.event),
                    one.visit,
                    one.face_id,
                    one.first_seen_ns,
                    one.last_seen_ns,
                    one.stayed_ns / 1e9,
                    one.looked_ns / 1e9,
                    one.present,
                )
            )

    def on_left(self, frame: Any, face_id: int, _: Any) -> None:
        self._add(FaceLeft(*self._stamp(frame), face_id))

    def on_check(self, frame: Any, found: Any, _: Any) -> None:
        self._add(_update(self._stamp(frame), found.contents, self.outputs))

    def on_best(self, frame: Any, found: Any, _: Any) -> None:
        picture = _best(self._stamp(frame), found.contents, self.outputs)
        requested: Optional[List[BestPicture]] = getattr(self._requested, "pictures", None)
        if requested is None:
            self._add(picture)
        else:
            requested.append(picture)

    def best(self, handle: int, face_id: int) -> List[BestPicture]:
        """The pictures for which the library calls on_best on this thread."""
        pictures: List[BestPicture] = []
        self._requested.pictures = pictures
        try:
            check(_library.face.face_session_best(handle, face_id))
        finally:
            del self._requested.pictures
        return pictures


class Session:
    """A stream of frames that is searched in the background. `Engine.session` and `Engine.guided_check` make one.

        with engine.session(frames, landmarks=True) as session:
            for event in session:
                if isinstance(event, faceengine.FrameFaces): ...

    Without `frames`, the program calls `submit` and fetches events with `next_event`; they wait in memory until then. With
    `async for` the frames are fetched and submitted in a thread, so that the event loop is not blocked.
    A session belongs to the process that made it: in a forked child its calls raise FailedPreconditionError.
    """

    def __init__(
        self,
        engine: _Engine,
        frames: Optional[Any],
        session: Dict[str, Any],
        detection: Dict[str, Any],
        checks: Optional[Mapping[str, Any]] = None,
        visits: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self._handle: Optional[int] = None
        self._frames = None if frames is None else several("frames", frames)
        self._process = os.getpid()
        if frames is not None and session.get("mode") is None:
            session = {**session, "mode": SessionMode.EVERY}
        self._canceller: Optional[Canceller] = detection.get("canceller")
        if visits is not None:
            if not session.get("track", True):
                raise InvalidArgumentError("visits are counted by the ids of faces: leave out track=False")
            detection = {**detection, "pose": True}
        found = fill(_abi.face_options, detection)
        outer = fill(_abi.face_session_options, session)
        if checks is not None and "max_missed_frames" not in session:
            outer.max_missed_frames = 45  # as face_check_open has it without options
        outer.options = ctypes.pointer(found)
        self._inbox = _Inbox(found.outputs, None if visits is None else _Visits(visits))
        self._every = outer.mode == SessionMode.EVERY
        handle = ctypes.c_void_p()
        library = _library.face
        if checks is None:
            check(library.face_session_open(engine._alive(), ctypes.byref(outer), ctypes.byref(handle)))
        else:
            filled = fill(_abi.face_check_options, checks)
            check(
                library.face_check_open(
                    engine._alive(), ctypes.byref(outer), ctypes.byref(filled), ctypes.byref(handle)
                )
            )
        assert handle.value is not None
        self._handle = handle.value
        _open_sessions[handle.value] = (self._process, self._inbox)
        check(library.face_session_bind_listener(handle, ctypes.byref(self._inbox.listener)))

    def submit(
        self,
        image: Union[ImageSource, Frame],
        *,
        timestamp_ns: int = 0,
        format: Union[Format, FormatName, None] = None,
        orientation: Union[Orientation, OrientationName, int, None] = None,
        mirrored: bool = False,
        region: Optional[Tuple[float, float, float, float]] = None,
        colour: Union[Colour, ColourName, None] = None,
        pixel_aspect: float = 1.0,
    ) -> int:
        """Submits a frame, which is copied, and returns its number. In mode "every" it waits while 4 frames are unanswered.

        The arguments are those of Engine.detect.
        """
        handle = self._alive()
        if isinstance(image, Frame):
            image, timestamp_ns = image
        described, kept = describe(image, format, orientation, mirrored, region, colour, timestamp_ns, pixel_aspect)
        number = self._submit(handle, described)
        del kept
        return number

    def _submit(self, handle: int, described: Any) -> int:
        if self._every and threading.current_thread() is threading.main_thread():
            self._wait_for_room()
        number = ctypes.c_uint64()
        check(_library.face.face_session_submit(handle, ctypes.byref(described), ctypes.byref(number)))
        self._inbox.count_frame()
        return number.value + self._inbox.refused

    def next_event(self, timeout: Optional[float] = None) -> Optional[Event]:
        """The next event; waits for one up to `timeout` seconds (None: without limit). None if there is none, or at the end."""
        self._own_process()
        found = self._inbox.take(0 if self._handle is None else timeout)
        return None if not found or found[0] is _END else found[0]

    def flush(self, timeout: Optional[float] = None) -> None:
        """Waits until every frame that was submitted has had its event. Raises DeadlineExceededError after `timeout` seconds."""
        limit = None if timeout is None else nanoseconds("timeout", timeout)
        while True:
            step = 100_000_000 if limit is None else max(1, min(limit, 100_000_000))  # so that Ctrl-C is heard
            status = _library.face.face_session_flush(self._alive(), step)
            if limit is not None:
                limit -= step
            if status != Status.DEADLINE_EXCEEDED or (limit is not None and limit <= 0):
                check(status)
                return

    def follow(self, box: Tuple[float, float, float, float]) -> int:
        """Follows a face that you know already, in pixels of the next frame that is submitted, and returns its id."""
        face_id = ctypes.c_uint64()
        struct = _abi.face_box(*floats_of("box", box, "x, y, width, height"))
        check(_library.face.face_session_follow(self._alive(), ctypes.byref(struct), ctypes.byref(face_id)))
        return face_id.value

    def best(self, face_id: Optional[int] = None) -> List[BestPicture]:
        """The best picture so far of one face, or of all faces that the session follows now; NotFoundError for a face without one.

        A session with `best_size` keeps them until the face leaves, which is an event BestPicture. Call this before the session
        is closed: faces that are still in view then do not leave.
        """
        return self._inbox.best(self._alive(), 0 if face_id is None else whole_number("face_id", face_id, 1 << 64))

    def restart(self) -> None:
        """Begins a new attempt of a guided check with the next frame.

        Nothing of the attempt before remains in the session: its CheckUpdates that were not fetched are gone, with their pictures,
        and none comes later. What was fetched belongs to the program.
        """
        check(_library.face.face_check_restart(self._alive()))
        self._inbox.restart()

    # -- Going through frames

    def __iter__(self) -> Iterator[Event]:
        """Submits the frames, and gives every event until the last frame has had its own.

        An exception of the frames is raised after the events of the frames before.
        """
        inbox, frames = self._inbox, iter(self._given_frames())
        failure: Optional[Exception] = None
        while True:
            try:
                if not self._submit_next(frames):
                    break
            except Exception as error:
                failure = error
                break
            # The list is empty while the program has the event: an iterator keeps no picture.
            while found := inbox.take(None if self._is_full() else 0):
                if found[0] is _END:
                    return
                yield found.pop()
        if self._handle is not None:
            self.flush()
            inbox.end_visits()
        while found := inbox.take(0):
            if found[0] is not _END:
                yield found.pop()
        if failure is not None:
            raise failure

    async def __aiter__(self) -> AsyncIterator[Event]:
        loop, woken, inbox = asyncio.get_running_loop(), asyncio.Event(), self._inbox
        inbox.wake = lambda: loop.call_soon_threadsafe(woken.set)
        frames = self._given_frames()
        asynchronous = frames.__aiter__() if hasattr(frames, "__aiter__") else None
        iterator: Any = iter(frames) if asynchronous is None else None

        async def fetch() -> bool:
            if asynchronous is None:
                return await loop.run_in_executor(None, self._submit_next, iterator)
            try:
                frame = await asynchronous.__anext__()
            except StopAsyncIteration:
                return False
            await loop.run_in_executor(None, self._submit_given, frame)
            return True

        failure: Optional[Exception] = None
        try:
            while True:
                try:
                    if not await fetch():
                        break
                except Exception as error:
                    failure = error
                    break
                while True:
                    woken.clear()
                    found = inbox.take(0)
                    if found and found[0] is _END:
                        return
                    if found:
                        yield found.pop()
                    elif self._is_full():
                        await woken.wait()
                    else:
                        break
            if self._handle is not None:
                await loop.run_in_executor(None, self.flush)
                inbox.end_visits()
            while found := inbox.take(0):
                if found[0] is not _END:
                    yield found.pop()
            if failure is not None:
                raise failure
        finally:
            inbox.wake = None

    def _is_full(self) -> bool:
        """Whether an event of a frame has to come before the next frame is submitted."""
        return self._every and self._inbox.waiting() >= _IN_FLIGHT

    def _submit_next(self, frames: Iterator[Any]) -> bool:
        """Submits the next frame of the iterable, and keeps no reference to it; false at the end."""
        frame = next(frames, _END)
        if frame is not _END:
            self._submit_given(frame)
        return frame is not _END

    def _submit_given(self, frame: Any) -> None:
        """Submits a frame of the iterable. One that cannot be read or searched has a FrameFailed in its place."""
        handle = self._alive()
        image, timestamp = frame if isinstance(frame, Frame) else (frame, 0)
        try:
            described, kept = describe(image, timestamp_ns=timestamp)
        except Exception as error:
            refusal = of_image(error)
        else:
            try:
                self._submit(handle, described)
                return
            except (InvalidArgumentError, OutOfRangeError, ResourceExhaustedError, UnimplementedError) as error:
                self._alive()  # that the session was closed is not the frame's failure
                refusal = error
            finally:
                del kept
        self.flush()
        self._inbox.refuse(timestamp, refusal)

    def _given_frames(self) -> Any:
        self._alive()
        if self._frames is None:
            raise InvalidArgumentError(
                "this session has no frames to iterate over: give them to session(), or call submit()"
            )
        return self._frames

    def _wait_for_room(self) -> None:
        """Waits in Python, where Ctrl-C is heard, for what the library would wait for."""
        pause = threading.Event()
        while self._inbox.waiting() >= _IN_FLIGHT and self._handle is not None:
            pause.wait(0.001)

    # -- Its end

    def _own_process(self) -> None:
        if self._process != os.getpid():
            raise FailedPreconditionError("this session belongs to the process that opened it: open one after the fork")

    def _alive(self) -> int:
        self._own_process()
        if self._handle is None or self._handle not in _open_sessions:
            raise InvalidArgumentError("this session is closed: open another one")
        return self._handle

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._handle is None

    def close(self) -> None:
        """Ends the session. Frames that wait end in FrameFailed with CancelledError."""
        if self._process != os.getpid():
            self._handle = None
            return
        handle = self._handle
        if handle is None:
            return
        check(_close(handle))
        self._handle = None
        self._inbox.end_visits()
        self._inbox._add(_END)

    def __enter__(self) -> Session:
        self._alive()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        # At the interpreter's end, which closes all, a module may have lost its names.
        if handle is None or os is None or self._process != os.getpid():
            return
        self._handle = None
        # Garbage may be collected inside a callback of this very session, where it cannot be closed.
        if _close(handle) != 0:
            try:
                threading.Thread(target=_close, args=(handle,), name="faceengine-close").start()
            except RuntimeError:  # the interpreter ends, which closes all
                pass

    def __reduce__(self) -> Any:
        raise TypeError("a session cannot be pickled or copied: open one in each process")


def check_photo(
    engine: _Engine, image: Tuple[Any, Any], search: Mapping[str, Any], options: Mapping[str, Any]
) -> PhotoCheck:
    """Engine.check_photo."""
    described, kept = image
    detection, filled = fill(_abi.face_options, search), fill(_abi.face_check_options, options)
    inbox, tip = _Inbox(detection.outputs), ctypes.c_uint32()
    check(
        run(
            _library.face.face_check_image,
            detection,
            search.get("canceller"),
            engine._alive(),
            ctypes.byref(described),
            ctypes.byref(detection),
            ctypes.byref(filled),
            ctypes.byref(inbox.listener),
            ctypes.byref(tip),
        )
    )
    del kept
    updates = []
    while found := inbox.take(0):
        if isinstance(found[0], CheckUpdate):
            updates.append(found[0])
    return PhotoCheck(_known(Tip, tip.value), updates)
