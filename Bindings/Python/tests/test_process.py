"""Signals, threads, forks and the interpreter's end. Code that may crash runs in its own process."""

import concurrent.futures
import os
import signal
import sys

import faceengine
import pytest
from conftest import LONG, run_python

# A moment after its call has begun the process gets SIGINT.
INTERRUPTED = """
import os, signal, sys, threading, time
import faceengine, numpy as np
engine = faceengine.connect(sys.argv[1]) if sys.argv[1] else faceengine.load()
image = np.random.default_rng(1).integers(0, 255, (1080, 1920, 3), np.uint8)
started = threading.Event()
def interrupt():
    started.wait()
    time.sleep(0.1)  # nothing has to have happened by then; most often the call runs
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
"""


def test_control_c_ends_a_call(where):
    done = run_python(
        INTERRUPTED
        + """
try:
    started.set()
    while True:
        engine.detect_batch([image] * 3000)
except KeyboardInterrupt:
    print("interrupted")
faces = engine.detect(image)
print("and continues", signal.set_wakeup_fd(-1))
""",
        where,
    )
    assert done.stdout.split("\n")[:2] == ["interrupted", "and continues -1"], done.stdout + done.stderr


def test_control_c_between_short_calls():
    """Sends several signals, since Python itself loses a KeyboardInterrupt that comes while an object is destroyed."""
    done = run_python(
        INTERRUPTED
        + """
image, ended = image[:64, :64].copy(), threading.Event()
def insist():
    pause = 0.1
    while not ended.wait(pause):
        os.kill(os.getpid(), signal.SIGINT)
        pause = 5  # long enough for a busy machine to reach the part without further signals
try:
    threading.Thread(target=insist).start()
    while True:
        engine.detect(image)
except KeyboardInterrupt:
    ended.set()
    print("interrupted")
try:
    started.set()
    time.sleep(60)
except KeyboardInterrupt:
    print("and again", len(engine.detect(image)), signal.set_wakeup_fd(-1))
""",
        "",
    )
    assert done.stdout == "interrupted\nand again 0 -1\n", done.stdout + done.stderr


@pytest.mark.skipif(
    sys.version_info < (3, 11), reason="a handler runs between any two instructions, also those that restore"
)
def test_exceptions_at_any_time_leave_the_programs_descriptor_for_signals():
    done = run_python("""
import os, signal
import faceengine, numpy as np
engine, image, armed = faceengine.load(), np.zeros((32, 32, 3), np.uint8), False
reader, writer = os.pipe()
os.set_blocking(writer, False)
signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
class Alarm(Exception):
    pass
def ring(*_):
    global armed
    if armed:
        armed = False  # also if Python loses the exception because an object is being destroyed
        raise Alarm
signal.signal(signal.SIGALRM, ring)
engine.detect(image)
def interrupted(seconds):
    global armed
    armed = True
    signal.setitimer(signal.ITIMER_REAL, seconds)
    while armed:
        engine.detect(image)
for number in range(2000):
    try:
        interrupted(1e-5 + number % 97 * 7e-6)
    except Alarm:
        pass
print(signal.set_wakeup_fd(-1) == writer, len(engine.detect(image)))
""")
    assert done.stdout == "True 0\n", done.stdout + done.stderr


def test_a_handler_that_raises_nothing_lets_the_call_go_on():
    done = run_python("""
import os, signal, socket, threading, time
import faceengine, numpy as np
from faceengine import _control
engine = faceengine.load()
images = [np.random.default_rng(1).integers(0, 255, (1080, 1920, 3), np.uint8)] * 50
def interrupt():
    while (canceller := _control._watcher.current) is None:  # no call runs
        time.sleep(0.001)
    cancellers.append(canceller)
    os.kill(os.getpid(), signal.SIGINT)
cancellers, heard, writer = [], [], socket.socketpair()
writer[1].setblocking(False)
signal.signal(signal.SIGINT, lambda *_: heard.append(time.monotonic()))
signal.set_wakeup_fd(writer[1].fileno())
threading.Thread(target=interrupt).start()
results = engine.detect_batch(images)
end = time.monotonic()
print(len(results), all(faces.error is None for faces in results), len(heard), heard[0] < end)
print(cancellers[0].cancelled, _control._watcher.own.cancelled)  # the call was ended and begun again, with another one
print(signal.set_wakeup_fd(-1) == writer[1].fileno(), writer[0].recv(9) == bytes([signal.SIGINT]))
""")
    assert done.stdout == "50 True 1 True\nTrue False\nTrue True\n", done.stdout + done.stderr


def test_control_c_ends_a_session():
    done = run_python(
        INTERRUPTED
        + """
import itertools
try:
    started.set()
    with engine.session(itertools.repeat(image)) as session:
        for event in session:
            pass
except KeyboardInterrupt:
    print("interrupted")
""",
        "",
    )
    assert done.stdout == "interrupted\n" and done.returncode == 0, done.stdout + done.stderr


def test_a_signal_does_not_end_later_calls(loaded, pixels):
    """A handler of the program takes the signal, in this thread and in another one."""
    for _ in range(2):
        assert len(loaded.detect(pixels)) == 1
        own = faceengine._control._watcher.own
        own.cancel()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            assert len(pool.submit(loaded.detect, pixels).result()) == 1
        assert len(loaded.detect(pixels)) == 1 and len(loaded.detect_batch([pixels])) == 1
        assert faceengine._control._watcher.own is not own


def test_every_call_is_watched_for_signals(engine, pixels, monkeypatch):
    told = []
    monkeypatch.setattr(signal, "set_wakeup_fd", lambda descriptor: told.append(descriptor) or -1)
    for count in (2, 4, 6):  # before and after each call
        engine.detect(pixels)
        assert len(told) == count
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(engine.detect, pixels).result()
    assert len(told) == 6


FORKED = """
import os, sys
import faceengine, numpy as np
engine = faceengine.connect(sys.argv[1]) if sys.argv[1] else faceengine.load()
image = open(sys.argv[2], "rb").read()
assert len(engine.detect(image)) == 1
session = engine.session(mode="every")
session.submit(image)
session.flush()
child = os.fork()
if child == 0:
    said = []
    for use in (lambda: session.submit(image), session.flush, lambda: session.next_event()):
        try:
            use()
            said.append("nothing")
        except faceengine.FailedPreconditionError as error:
            said.append("refused")
    session.close()
    with engine.session([image]) as own:
        said.append(str(len(list(own))))
    said.append(str(len(engine.detect(image))))
    print(*said, flush=True)
    sys.exit(0)
_, status = os.waitpid(child, 0)
print("child", status, len(engine.detect(image)), session.submit(image), flush=True)
"""


def test_a_forked_child_detects_or_raises(where, photo):
    # A session's thread was idle at the fork, so the loaded model works in the child, too, or raises an error.
    done = run_python(FORKED, where, photo)
    lines = done.stdout.splitlines()
    assert lines[-1] == "child 0 1 2", done.stdout + done.stderr
    assert lines[0] == "refused refused refused 1 1", done.stdout + done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "end",
    [
        "",
        "sys.exit(0)",
        "del engine",
        "engine.close()",
        "del sessions",
        "sessions[0].close()",
        "run(lambda: [begun.set() for _ in range(10**6) if engine.detect(image)])",
        "run(lambda: [begun.set() for _ in engine.session(itertools.repeat(image))])",
        "gc.disable(); sessions.append(sessions)",
        "gc.disable(); faces = [engine.detect(image), sessions]; sessions.append([engine.detect(image), sessions])",
    ],
)
def test_the_end_with_running_sessions(where, end, photo):
    done = run_python(
        f"""
import gc, itertools, sys, threading
import faceengine
engine = faceengine.connect(sys.argv[1]) if sys.argv[1] else faceengine.load()
image, begun = open(sys.argv[2], "rb").read(), threading.Event()
def run(daemon):
    threading.Thread(target=daemon, daemon=True).start()
    begun.wait()
sessions = [engine.session(mode="newest", landmarks=True) for _ in range(2)] + [engine.guided_check()]
for _ in range(20):
    for session in sessions:
        session.submit(image)
{end}
""",
        where,
        photo,
    )
    # A daemon thread that keeps submitting gets the error that its session is closed, if it still has the time to print
    # it.
    told = done.stderr == "" or "run(" in end and "Fatal" not in done.stderr
    assert done.returncode == 0 and told, done.stderr


def test_what_outlives_the_package_ends_without_a_word(photo):
    done = run_python(
        """
import builtins, sys
import faceengine
engine = faceengine.load()
builtins.kept = [engine, engine.detect(sys.argv[1]), faceengine.Canceller()]  # cleared after all other modules
faceengine.kept = [engine.session()]
""",
        photo,
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_package_leaves_the_sigint_handler():
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert faceengine.load() is not None


def test_memory_does_not_grow(photo):
    """Many thousand calls: images, faces with landmarks, errors, batches, sessions and pictures leave nothing behind.

    One arena of malloc: each session's thread would take another one, until all are as large as they become.
    Without huge pages, which the kernel gives when it likes. What leaks grows in both halves; 80 bytes a call are too many.
    """
    calls = 50_000 if LONG else 12_500
    done = run_python(
        """
import ctypes, sys
ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)  # PR_SET_THP_DISABLE
import faceengine, numpy as np
calls = int(sys.argv[2])
engine = faceengine.load()
small = np.zeros((16, 16, 3), np.uint8)
photo = faceengine.draw.Picture(sys.argv[1]).array()
def some(count):
    for number in range(count):
        engine.detect(small)
        if number % 10 == 0:
            try:
                engine.detect(small.astype(float))
            except ValueError:
                pass
        if number % 500 == 0:
            engine.detect(photo, landmarks=True, transform=True)
            engine.detect_batch([small, b""])
            with engine.session([photo]) as session:
                list(session)
            faceengine.draw.Picture(photo).text("a", (9, 9)).close()
def used():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
some(calls * 2 // 5)
for half in range(2):
    before = used()
    some(calls)
    print(used() - before)
""",
        photo,
        calls,
        timeout=550,
        env={**os.environ, "MALLOC_ARENA_MAX": "1"},
    )
    assert done.returncode == 0 and min(map(int, done.stdout.split())) < 80 * calls, done.stdout + done.stderr
