"""Many threads on one engine, its sessions and cancellers. With the global lock they take turns anyway: a free-threaded build of
CPython finds more (docs/python.md)."""

import concurrent.futures
import queue
import random
import sys
import sysconfig
import threading

import faceengine
import numpy as np
import pytest
from conftest import EVERYTHING, run_python, same
from faceengine import _abi, _library

THREADS, ROUNDS = 8, 40


def in_threads(work, threads=THREADS):
    """Runs work(number) in as many threads at once, and raises what one of them raised."""
    start = threading.Barrier(threads)

    def one(number):
        start.wait()
        work(number)

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(one, range(threads)))


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has a global lock")
def test_the_package_leaves_the_global_lock_off():
    assert not sys._is_gil_enabled()


def test_threads_take_turns_with_forms_and_options(engine, pixels):
    narrow = pixels[:, 40:472]
    images = [pixels, pixels[:, ::-1].copy(), narrow, narrow[:, :, ::-1], np.zeros_like(pixels), pixels[:, :, 0].copy()]
    options = [{}, {"max_faces": 1}, {"min_confidence": 0.99}, {"pose": True}, {"landmarks": True}]
    kinds = [(image, keywords) for image in images for keywords in options]
    expected = [engine.detect(image, **keywords) for image, keywords in kinds]

    def work(number):
        chosen = random.Random(number)
        for _ in range(ROUNDS):
            place = chosen.randrange(len(kinds))
            image, keywords = kinds[place]
            assert same(engine.detect(image.copy() if chosen.random() < 0.3 else image, **keywords), expected[place])

    in_threads(work)


def test_threads_read_one_result(loaded, pixels):
    for _ in range(ROUNDS):
        faces, seen = loaded.detect(pixels, **EVERYTHING), [None] * THREADS

        def work(number):
            face = faces[0]
            seen[number] = [
                face,
                face.points,
                face.pose,
                face.quality,
                face.landmarks,
                face.other,
                faces.width,
                faces.height,
            ]

        in_threads(work)
        assert all(all(a is b for a, b in zip(seen[0], other)) for other in seen[1:])


def test_results_are_dropped_by_other_threads(loaded, pixels):
    expected, handed = loaded.detect(pixels), queue.SimpleQueue()

    def work(number):
        for _ in range(ROUNDS):
            handed.put(loaded.detect(pixels))
            assert same(handed.get(), expected)

    in_threads(work)


def test_cancellers_end_the_calls_they_are_given_to_and_no_others(engine, pixels):
    def work(number):
        for _ in range(ROUNDS // 4):
            canceller = faceengine.Canceller()
            other = threading.Thread(target=canceller.cancel)
            other.start()
            with pytest.raises(faceengine.CancelledError):
                while True:
                    engine.detect(pixels, canceller=canceller)
            other.join()
            assert len(engine.detect(pixels)) == 1

    in_threads(work)


def test_sessions_beside_calls(engine, pixels):
    def work(number):
        for _ in range(3):
            with engine.session([pixels] * 4, landmarks=number % 2 == 0) as session:
                found = [event for event in session if isinstance(event, faceengine.FrameFaces)]
            assert [event.number for event in found] == [1, 2, 3, 4] and all(len(event.faces) == 1 for event in found)
            assert len(engine.detect(pixels)) == 1

    in_threads(work)


def test_a_session_that_several_threads_use_and_close(engine, pixels):
    for _ in range(5):
        session, refused = engine.session(mode="newest"), []

        def work(number):
            try:
                for _ in range(ROUNDS):
                    session.submit(pixels)
                    session.next_event(0)
                if number == 0:
                    session.close()
            # it closes, or is closed
            except (faceengine.InvalidArgumentError, faceengine.FailedPreconditionError) as error:
                refused.append(str(error))

        in_threads(work, 4)
        assert session.closed and len(refused) <= 3
        with pytest.raises(faceengine.InvalidArgumentError, match="closed"):
            session.submit(pixels)


def test_frames_of_several_threads_are_all_counted(loaded, pixels):
    """A frame less would let a session of mode "every" wait for one that was answered."""
    with loaded.session(mode="every") as session:
        in_threads(lambda _: [session.submit(pixels) for _ in range(5)])
        session.flush()
        assert session._inbox.submitted == session._inbox.settled == 5 * THREADS and session._inbox.waiting() == 0
        in_threads(lambda _: [session._inbox.count_frame() for _ in range(5000)])
        assert session._inbox.submitted == 5005 * THREADS


def test_threads_close_one_engine():
    for _ in range(20):
        engine = faceengine.load()
        in_threads(lambda _: engine.close())
        assert engine.closed


def test_a_library_that_another_thread_opens_after_a_name_was_looked_up():
    library = _library.Library("libfaceengine.so.1", _abi.FACE_FUNCTIONS)
    library._open()  # by the other thread, when this one has not found the name and comes to __getattr__
    assert library.__getattr__("face_abi_version")() == _abi.FACE_ABI_VERSION
    for name in ("face_unknown", "_private"):
        with pytest.raises(AttributeError, match=name):
            getattr(library, name)


def test_the_first_calls_of_a_process_come_at_once(photo):
    done = run_python(
        """
import sys, threading
import faceengine, numpy as np
start, counts = threading.Barrier(8), []
def first():
    start.wait()
    engine = faceengine.load()
    counts.append((len(engine.detect(sys.argv[1], landmarks=True)), faceengine.draw.Picture(sys.argv[1]).size,
                   faceengine.Canceller().cancelled, faceengine.Space("normalised").box((0, 0, 5, 5), (10, 10))[2]))
threads = [threading.Thread(target=first) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(counts), *set(counts))
""",
        photo,
    )
    assert done.stdout == "8 (1, (512, 600), False, 0.5)\n", done.stdout + done.stderr
