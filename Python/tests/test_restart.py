"""An engine process that dies and comes back: calls and sessions go on."""

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
    """What `call` returns once there is an engine."""
    end = time.monotonic() + 60
    while True:
        try:
            return call()
        except faceengine.UnavailableError:
            assert time.monotonic() < end
            time.sleep(0.01)


def test_an_engine_that_comes_back(tmp_path, pixels):
    path = str(tmp_path / "socket")
    first = Engine(path)
    try:
        connected = patiently(lambda: faceengine.connect(path))
        session = connected.session(mode="every")
        assert len(connected.detect(pixels)) == 1
        session.submit(pixels)
        assert isinstance(session.next_event(timeout=60), faceengine.FrameFaces)
        first.kill()
        for _ in range(100):  # each at once, although it may take as long as it likes
            with pytest.raises(faceengine.UnavailableError, match="face-engine serve"):
                connected.detect(pixels)
        first = Engine(path)
        assert len(patiently(lambda: connected.detect(pixels))) == 1
        number = patiently(lambda: session.submit(pixels))
        while (event := session.next_event(timeout=60)).number != number:
            pass
        while not isinstance(event, faceengine.FrameFaces):  # who was in view before has left
            event = session.next_event(timeout=60)
        assert len(event.faces) == 1
        session.close()
        connected.close()
    finally:
        first.kill()
