"""Nothing of a guided check outlives restart(): no event that was not fetched, no picture in the process's memory."""

import asyncio
import os
import re
import subprocess
import sys
import time
import weakref

import numpy as np
from faceengine import CheckUpdate, FrameFaces, Frame

CHECK = {
    "mask": (266, 236, 190),
    "use_timestamps": True,
    "hold": 0.3,
    "start_delay": 0.1,
    "min_sharpness": 0,
    "max_yaw": 30,
    "max_pitch": 30,
    "max_roll": 30,
}


def test_events_of_an_attempt_are_gone_after_restart(engine, pixels):
    with engine.guided_check(search={"mode": "every"}, **CHECK) as check:
        for number in range(20):
            check.submit(pixels, timestamp_ns=number * 100_000_000)
        check.restart()  # none of them was fetched, and some frames are still searched
        check.flush()
        events = iter(lambda: check.next_event(timeout=0), None)
        assert [type(event) for event in events] == [FrameFaces] * 20
        check.submit(pixels, timestamp_ns=2_000_000_000)
        check.flush()
        updates = [event for event in iter(lambda: check.next_event(timeout=0), None) if isinstance(event, CheckUpdate)]
        assert updates and {update.attempt for update in updates} == {2}


def comes_true(condition):
    end = time.monotonic() + 60
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


def is_gone(reference):
    """Whether an object ends; the session's thread may still be about to leave the callback that made it."""
    return comes_true(lambda: reference() is None)


def test_an_iterator_keeps_neither_event_nor_frame(loaded, pixels):
    def frames():
        for number in range(8):
            frame = pixels.copy()
            given.append(weakref.ref(frame))
            yield Frame(frame, number * 100_000_000)
            del frame  # before the next one, else it lives as long as this generator

    async def asynchronous():
        with loaded.guided_check(frames(), **CHECK) as check:
            async for event in check:
                events.append(weakref.ref(event))
                del event
                assert is_gone(events[-1])

    given, events = [], []
    with loaded.guided_check(frames(), **CHECK) as check:
        for event in check:
            events.append(weakref.ref(event))
            del event
            assert is_gone(events[-1]) and [one() for one in given[:-1]] == [None] * (len(given) - 1)
    asyncio.run(asynchronous())
    assert len(given) == 16 and len(events) > 16


# Goes through frames with a mark to the result, and begins anew with frames that have none. glibc overwrites memory
# when it is freed, so what is found is in use. The program's own frames and its result are gone, as those of a kiosk
# would be.
PROGRAM = """
import sys
import faceengine, numpy as np
from faceengine import CheckEventKind, CheckUpdate, Frame
check, path, where = eval(sys.argv[1]), sys.argv[2], sys.argv[3]
def say(what):
    print(what, flush=True)
    sys.stdin.readline()
def frames():
    for number in range(40):
        yield Frame(np.load(path) if not restarted else np.zeros((600, 512, 3), np.uint8), number * 100_000_000)
restarted = []
engine = faceengine.connect(where) if where else faceengine.load()
with engine.guided_check(frames(), **check) as session:
    for event in session:
        if isinstance(event, CheckUpdate) and event.event == CheckEventKind.RESULT:
            say("result")
            restarted.append(event.number)
            session.restart()
        count = isinstance(event, faceengine.FrameFaces) and restarted and event.number - restarted[0]
        del event
        if count == 8:
            say("restarted")
"""


def copies(process, mark):
    """In how many places of a process's memory a mark is."""
    found = 0
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            start, end, rights = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
            try:
                memory.seek(int(start, 16))
                found += memory.read(int(end, 16) - int(start, 16)).count(mark) if rights.startswith("rw") else 0
            except (OSError, OverflowError):  # of a device, or gone meanwhile
                continue
    return found


def test_no_picture_is_in_memory_after_restart(where, pixels, tmp_path):
    marked = pixels.copy()
    marked[3, 100:164] = np.random.default_rng(5).integers(0, 255, (64, 3), np.uint8)
    marks = marked[3, 100:164].tobytes(), np.insert(marked[3, 100:164, ::-1], 3, 255, axis=1).tobytes()  # RGB; BGRA
    np.save(tmp_path / "frame.npy", marked)
    environment = {**os.environ, "GLIBC_TUNABLES": "glibc.malloc.perturb=85"}
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, repr(CHECK), tmp_path / "frame.npy", where],
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with program:
        try:

            def count():
                return sum(copies(program.pid, mark) for mark in marks)

            assert program.stdout.readline() == "result\n" and count() > 0
            program.stdin.write("\n")
            program.stdin.flush()
            # The engine frees what calls took, such as scaled pictures, three seconds after the last one.
            assert program.stdout.readline() == "restarted\n" and comes_true(lambda: count() == 0)
        finally:
            program.kill()
