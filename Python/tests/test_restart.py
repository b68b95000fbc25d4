"""An engine process that dies and is restarted: calls and sessions continue."""

import os
import signal
import subprocess
import time

import faceengine
import pytest

from conftest import INSTALLED, command


class Engine:
    def __init__(self, path):
        models = [] if INSTALLED else ["--model", os.path.join(os.environ["FACE_ENGINE_MODELS"], "yunet")]
        self.process = subprocess.Popen([*command(), "serve", "--socket", path, *models], stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)


def patiently(call):
    """Repeats `call` until there is an engine; returns its result."""
    end = time.monotonic() + 60
    while True:
        try:
            return call()
        except faceengine.UnavailableError:
            assert time.monotonic() < end
            time.sleep(0.01)


def test_calls_and_sessions_survive_an_engine_restart(tmp_path, pixels):
    path = str(tmp_path / "socket")
    first = Engine(path)
    try:
        connected = patiently(lambda: faceengine.connect(path))
        session = connected.session(mode="every")
        assert len(connected.detect(pixels)) == 1
        session.submit(pixels)
        assert isinstance(session.next_event(timeout=60), faceengine.FrameFaces)
        first.kill()
        for _ in range(100):  # each fails at once, although it has no time limit
            with pytest.raises(faceengine.UnavailableError, match="face-engine serve"):
                connected.detect(pixels)
        first = Engine(path)
        assert len(patiently(lambda: connected.detect(pixels))) == 1
        number = patiently(lambda: session.submit(pixels))
        while (event := session.next_event(timeout=60)).number != number:
            pass
        while not isinstance(event, faceengine.FrameFaces):  # events for faces that were in view before and left
            event = session.next_event(timeout=60)
        assert len(event.faces) == 1
        session.close()
        connected.close()
    finally:
        first.kill()
