"""Sessions with submitted or iterated frames, and the guided check."""

import asyncio
import gc
import pickle
import threading

import faceengine
import numpy as np
import pytest
from conftest import same
from faceengine import FaceLeft, FaceVisit, Frame, FrameDropped, FrameFaces, FrameFailed, VisitEvent


def video(pixels, frames=8):
    return [Frame(np.roll(pixels, 2 * number, 1), number * 40_000_000) for number in range(frames)]


async def gathered(session):
    with session:
        return [event async for event in session]


def found(events):
    return [event for event in events if isinstance(event, FrameFaces)]


def test_iterating_over_a_session(engine, pixels):
    with engine.session(video(pixels), landmarks=True, min_hits=1) as session:
        events = list(session)
    assert [event.number for event in found(events)] == list(range(1, 9))
    assert [event.timestamp_ns for event in found(events)] == [number * 40_000_000 for number in range(8)]
    assert {face.id for event in found(events) for face in event.faces} == {1}
    assert events[-1].faces[0].frame_count == 8 and events[-1].faces[0].landmarks.shape == (478, 3)
    assert events[0].faces.width == 512


def test_events_are_equal_after_pickling(loaded, pixels):
    with loaded.session([pixels, b"no picture"], min_hits=1, pose=True) as session:
        events = list(session)
    with loaded.guided_check([pixels]) as check:
        events += check
    kinds = {type(event) for event in events}
    assert {FrameFaces, FrameFailed, faceengine.CheckUpdate} <= kinds and pickle.loads(pickle.dumps(events)) == events
    assert events[0] != events[1]


def test_async_for(engine, pixels):
    async def frames():
        for frame in video(pixels):
            await asyncio.sleep(0)
            yield frame

    async def both():
        return await asyncio.gather(*(gathered(engine.session(one, min_hits=1)) for one in (video(pixels), frames())))

    for events in asyncio.run(both()):
        assert [event.number for event in found(events)] == list(range(1, 9))
        assert {face.id for event in found(events) for face in event.faces} == {1}


def test_a_session_without_tracking_only_detects(engine, pixels):
    with engine.session([pixels], track=False, pose=True) as session:
        (event,) = session
    assert same(event.faces, engine.detect(pixels, pose=True))
    assert event.faces[0].id is None


def test_submitting(engine, pixels):
    with engine.session(mode="newest") as session:
        assert session.next_event(timeout=0) is None
        numbers = [session.submit(frame) for frame in video(pixels)]
        session.flush(timeout=60)
        events = []
        while (event := session.next_event(timeout=0)) is not None:
            events.append(event)
    assert numbers == list(range(1, 9))
    settled = sorted(event.number for event in events if isinstance(event, (FrameFaces, FrameDropped)))
    assert settled == numbers and events[-1].number == 8
    assert session.closed and session.next_event() is None


def test_waiting_for_an_event_ends(loaded, pixels):
    """Covers timeouts of 0, and events that another thread adds."""
    with loaded.session() as session:
        for number in range(2000):
            session._inbox._add(number)
            assert session.next_event(timeout=1) == number
            assert session.next_event(timeout=number % 30 * 1e-7) is None
        with pytest.raises(ValueError, match="timeout is -1"):
            session.next_event(timeout=-1)
        session.submit(pixels)
        assert session.next_event(timeout=60).number == 1
        threading.Timer(0.1, session.close).start()
        assert session.next_event(timeout=60) is None and session.closed


@pytest.mark.parametrize("reidentify", [0, 1])
def test_a_face_that_returns_has_its_id_again(engine, pixels, reidentify):
    frames = [pixels] * 2 + [np.zeros_like(pixels)] * 5 + [pixels] * 2
    with engine.session(
        frames, max_missed_frames=1, detection_interval=1, min_hits=1, reidentify=reidentify
    ) as session:
        events = list(session)
    assert [event.face_id for event in events if isinstance(event, FaceLeft)] == [1]
    ids = [face.id for event in found(events) for face in event.faces]
    assert ids == ([1, 1, 1, 1] if reidentify else [1, 1, 2, 2])


def visited(pixels, script):
    """Frames half a second apart, with the photo's face or nobody."""
    return [
        Frame(pixels if step == "F" else np.zeros_like(pixels), 1 + number * 500_000_000)
        for number, step in enumerate(script)
    ]


def test_visits_are_counted(engine, pixels):
    options = {"max_look_angle": 90, "min_stay": 1, "max_absence": 2}
    with engine.session(
        visited(pixels, "FFF..FF.....FFF"), visits=options, min_hits=1, detection_interval=1
    ) as session:
        events = list(session)
    assert all(face.pose is not None for event in found(events) for face in event.faces)
    visits = [event for event in events if isinstance(event, FaceVisit)]
    assert [(one.event, one.visit, one.present) for one in visits] == [
        (VisitEvent.CAME, 1, 1),
        (VisitEvent.LEFT, 1, 0),
        (VisitEvent.CAME, 2, 1),
        (VisitEvent.LEFT, 2, 0),
    ]
    assert [(one.stayed, one.looked) for one in visits] == [(1, 1), (3, 1.5), (1, 1), (1, 1)]
    assert [one.number for one in visits] == [3, 12, 15, 15] and visits[-1].last_seen_ns == 7_000_000_001
    assert pickle.loads(pickle.dumps(visits)) == visits


def test_the_last_visits_end_with_the_session(loaded, pixels):
    with loaded.session(visits=True, min_hits=1, mode="every") as session:
        for frame in visited(pixels, "FFF"):
            session.submit(frame)
        session.flush(timeout=60)
    events = []
    while (event := session.next_event(timeout=0)) is not None:
        events.append(event)
    assert [event.event for event in events if isinstance(event, FaceVisit)] == [VisitEvent.CAME, VisitEvent.LEFT]


def test_wrong_visits_are_refused(loaded):
    with pytest.raises(TypeError, match="min_stey"):
        loaded.session(visits={"min_stey": 1})
    with pytest.raises(TypeError, match="visits must be a dict"):
        loaded.session(visits=5)
    with pytest.raises(faceengine.InvalidArgumentError, match="max_look_angle is 91"):
        loaded.session(visits={"max_look_angle": 91})
    with pytest.raises(faceengine.InvalidArgumentError, match="track"):
        loaded.session(visits=True, track=False)


def test_a_session_can_be_stopped_early_or_dropped(engine, pixels):
    for event in engine.session(video(pixels, 50)):
        break
    session = engine.session()
    session.submit(pixels)
    del session, event
    gc.collect()
    with engine.session(video(pixels, 2)) as session:
        iterator = iter(session)
        next(iterator)
        session.close()
        assert all(isinstance(event, (FrameFaces, FrameFailed)) for event in iterator)


CIRCLE = (266, 236, 190)


def test_a_guided_check_gives_the_picture(engine, pixels):
    frames = [Frame(pixels, number * 100_000_000) for number in range(60)]
    with engine.guided_check(
        frames,
        mask=CIRCLE,
        use_timestamps=True,
        hold=0.5,
        start_delay=0.2,
        min_sharpness=0,
        crop_size=200,
        max_yaw=30,
        max_pitch=30,
        max_roll=30,
    ) as session:
        updates = [event for event in session if isinstance(event, faceengine.CheckUpdate)]
    states = [event.state.name for event in updates if event.event == faceengine.CheckEventKind.STATUS]
    assert states == ["WAITING", "START", "CHECKING", "FINISH"], [(one.event.name, one.tip.name) for one in updates]
    (result,) = [event for event in updates if event.event == faceengine.CheckEventKind.RESULT]
    assert np.array_equal(result.picture, pixels)
    assert result.crop.shape == (200, 200, 3) and result.crop_box.width > 100
    assert result.faces[0].box.width > 100 and result.progress == 1 and result.attempt == 1


def test_a_guided_check_fails_and_begins_again(engine, pixels):
    with engine.guided_check(mask=CIRCLE, use_timestamps=True, wait_timeout=0.3) as session:
        failures = []
        for attempt in range(2):
            for number in range(8):
                session.submit(np.zeros_like(pixels), timestamp_ns=(attempt * 10 + number) * 100_000_000)
                session.flush()
            while (event := session.next_event(timeout=0)) is not None:
                if isinstance(event, faceengine.CheckUpdate) and event.code:
                    failures.append((event.code, event.attempt))
            session.restart()
    assert failures == [("wait_time_out", 1), ("wait_time_out", 2)]


def test_a_photo_is_checked(engine, photo):
    assert engine.check_photo(photo, mask=CIRCLE, min_sharpness=0).right
    far = engine.check_photo(photo, mask=(266, 236, 1000))
    assert far.tip == faceengine.Tip.COME_CLOSER and not far.right
    assert far.updates[-1].code == "not_right" and far.updates[-1].message
    with pytest.raises(ValueError, match="hysteresis"):
        engine.check_photo(photo, hysteresis=7)


def test_actions_are_named(engine):
    with engine.guided_check(actions=["blink", faceengine.Action.SMILE], shuffle_actions=True, seed=3) as session:
        assert not session.closed
    for wrong in (["wink"], ["blink"] * 9, [77]):
        with pytest.raises(ValueError):
            engine.guided_check(actions=wrong)
    with pytest.raises(faceengine.FailedPreconditionError):
        with engine.session() as session:
            session.restart()


def bad_frames(photo, tmp_path):
    """One of each kind of frame that cannot be searched, with the exception that fits."""
    damaged = tmp_path / "damaged.jpg"
    damaged.write_bytes(open(photo, "rb").read()[:1000])
    (tmp_path / "empty.jpg").touch()
    return [
        (b"", ValueError),
        (b"no picture", ValueError),
        (damaged, ValueError),
        (tmp_path / "empty.jpg", ValueError),
        (tmp_path / "none.jpg", FileNotFoundError),
        (tmp_path, ValueError),
        (None, ValueError),
        (7, ValueError),
        (np.zeros((0, 0, 3), np.uint8), ValueError),
        (np.zeros((90, 90, 3)), ValueError),
        (np.zeros((8, 8, 3), np.uint8), ValueError),
    ]


def expect_all_others(events, bad):
    """Every second frame is bad: each has its failure in its place, and all others were searched."""
    assert [event.number for event in events] == list(range(1, 2 * len(bad) + 2))
    assert [event.timestamp_ns for event in events] == [number * 40_000_000 for number in range(len(events))]
    assert [type(event) for event in events] == [FrameFaces, FrameFailed] * len(bad) + [FrameFaces]
    for event, (_, kind) in zip(events[1::2], bad):
        assert isinstance(event.error, faceengine.FaceEngineError) and isinstance(event.error, kind), event
        assert (
            event.error.code not in (faceengine.Status.OK, faceengine.Status.UNKNOWN) and len(event.error.message) > 3
        )
    assert all(len(event.faces) == 1 for event in events[::2])


def among_good_ones(pixels, bad):
    frames = [pixels]
    for one, _ in bad:
        frames += [one, pixels]
    return [Frame(frame, number * 40_000_000) for number, frame in enumerate(frames)]


@pytest.mark.parametrize("mode", ["every", "newest"])
def test_bad_frames_fail_in_their_place(engine, pixels, photo, tmp_path, mode):
    bad, session = bad_frames(photo, tmp_path), None

    def frames():
        for frame in among_good_ones(pixels, bad):
            if session is not None and mode == "newest":
                session.flush()  # in this mode a newer frame may take the place of one that waits
            yield frame

    with engine.session(frames(), mode=mode, track=False) as session:
        expect_all_others(list(session), bad)


def test_bad_frames_fail_in_their_place_with_async_for(engine, pixels, photo, tmp_path):
    bad = bad_frames(photo, tmp_path)

    async def asynchronous():
        for frame in among_good_ones(pixels, bad):
            yield frame

    for frames in (among_good_ones(pixels, bad), asynchronous()):
        expect_all_others(asyncio.run(gathered(engine.session(frames, track=False))), bad)


def test_numbers_agree_after_a_bad_frame(engine, pixels):
    with engine.session([b"", pixels], track=False) as session:
        assert [event.number for event in session] == [1, 2]
        assert session.submit(pixels) == 3
        session.flush()
        assert session.next_event().number == 3


def test_bad_frames_of_a_guided_check(engine, pixels):
    frames = [Frame(frame, number * 100_000_000) for number, frame in enumerate([pixels, b"", pixels])]
    with engine.guided_check(frames, use_timestamps=True) as session:
        events = [event for event in session if isinstance(event, (FrameFaces, FrameFailed))]
    assert [(type(event), event.number) for event in events] == [(FrameFaces, 1), (FrameFailed, 2), (FrameFaces, 3)]


def test_events_come_before_the_exception_of_the_frames(engine, pixels):
    def frames():
        yield from [pixels, b"", pixels]
        raise LookupError("the camera was unplugged")

    async def gather(session, events):
        async for event in session:
            events.append(event)

    def go_through(session, events):
        for event in session:
            events.append(event)

    for watch in (go_through, lambda session, events: asyncio.run(gather(session, events))):
        events = []
        with pytest.raises(LookupError, match="unplugged"), engine.session(frames(), track=False) as session:
            watch(session, events)
        assert [(type(event), event.number) for event in events] == [(FrameFaces, 1), (FrameFailed, 2), (FrameFaces, 3)]


def test_a_session_that_is_closed_ends_its_frames(engine, pixels):
    def frames():
        yield pixels
        session.close()
        yield b""

    session = engine.session(frames(), track=False)
    with pytest.raises(faceengine.InvalidArgumentError, match="closed"):
        list(session)


def blurred(pixels, reach):
    """The mean of the square around each pixel."""
    wide = np.pad(pixels.astype(np.uint32), ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    side = 2 * reach + 1
    return (
        sum(wide[y : y + pixels.shape[0], x : x + pixels.shape[1]] for y in range(side) for x in range(side)) // side**2
    ).astype(np.uint8)


def test_the_best_picture_comes_when_the_face_leaves(engine, pixels):
    nobody = np.full_like(pixels, 90)
    frames = [blurred(pixels, 5), blurred(pixels, 2), pixels, blurred(pixels, 5), nobody, nobody, nobody]
    options = {"best_size": 128, "min_hits": 1, "max_missed_frames": 1, "detection_interval": 1}
    with engine.session([Frame(frame, 1000 * number) for number, frame in enumerate(frames, 1)], **options) as session:
        events = list(session)
    (best,) = (event for event in events if isinstance(event, faceengine.BestPicture))
    assert events.index(best) == events.index(next(event for event in events if isinstance(event, FaceLeft))) + 1
    assert (best.face_id, best.left, best.number, best.timestamp_ns) == (1, True, 3, 3000)
    assert (
        same(best.faces, found(events)[2].faces)
        and best.faces[0].quality.sharpness > found(events)[1].faces[0].quality.sharpness
    )
    assert 0 < best.score <= best.faces[0].quality.quality
    x, y, width, height = (round(number) for number in best.crop_box)
    assert best.crop.shape == (128, 128, 3) and width == height
    whole = pixels[max(y, 0) : y + height, max(x, 0) : x + width]
    assert abs(int(best.crop.mean()) - int(whole.mean())) < 10
    assert pickle.loads(pickle.dumps(best)) == best


def test_the_best_picture_so_far_on_request(loaded, pixels):
    with loaded.session(mode="every", best_size=64, best_margin=1, min_hits=1) as session:
        assert session.best() == []
        session.submit(pixels, timestamp_ns=5)
        session.flush()
        assert isinstance(session.next_event(), FrameFaces)
        (best,) = session.best()
        assert session.best(1) == [best] and not best.left and best.timestamp_ns == 5 and best.crop.shape == (64, 64, 3)
        assert session.next_event(timeout=0) is None, "a request has no event"
        with pytest.raises(faceengine.NotFoundError, match="face 2"):
            session.best(2)
    with loaded.session() as session, pytest.raises(faceengine.FailedPreconditionError, match="best_size"):
        session.best()
