"""The process itself: standard output and error that nobody reads, and flags without /proc."""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import tempfile
import threading
import unittest

from support import GATEWAY, PATIENCE, Engine, call, until

# The smallest pipe that Linux makes.
PAGE = 4096


class Unread:
    """A gateway whose standard streams are pipes that are full, or become so, while nobody reads them."""

    def __init__(self, engine, *flags, is_error_full=False):
        self.read_log, log = os.pipe()
        self.read_errors, errors = os.pipe()
        fcntl.fcntl(log, fcntl.F_SETPIPE_SZ, PAGE)
        self.process = subprocess.Popen(
            [GATEWAY, "--socket", engine, "--http", "127.0.0.1:0", "--no-grpc", *flags], stdout=log, stderr=errors)
        self.said = b""
        while b"sandbox" not in self.said:
            self.said += os.read(self.read_errors, 65536)
        self.address = ("127.0.0.1", int(self.said.split(b"http listens at 127.0.0.1:")[1].split(b"\n")[0]))
        if is_error_full:
            self.fill(f"/proc/self/fd/{errors}")
        os.close(log)
        os.close(errors)

    @staticmethod
    def fill(pipe):
        # The gateway has its own view of the pipe, which stays blocking.
        with open(pipe, "wb", buffering=0) as own:
            os.set_blocking(own.fileno(), False)
            while own.write(bytes(PAGE)):
                pass

    def call_until_full(self):
        """Makes calls until their lines fill the pipe and the gateway writes in vain."""
        waiting = f"/proc/{self.process.pid}/task"

        def writes():
            call(self.address, "GET", "/healthz")
            for task in os.listdir(waiting):
                with contextlib.suppress(OSError), open(f"{waiting}/{task}/wchan") as file:
                    if "pipe_w" in file.read():
                        return True
            # Where the kernel does not tell: more than fits.
            self.calls += 1
            return self.calls > 300
        self.calls = 0
        until(writes, "a full pipe")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.read_log)
        os.close(self.read_errors)


class UnreadOutputTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.engine = cls.enterClassContext(Engine(folder))

    def start(self, *flags, **others):
        gateway = Unread(self.engine.path, *flags, **others)
        self.addCleanup(gateway.close)
        return gateway

    def test_a_full_log_does_not_keep_the_gateway_from_ending(self):
        gateway = self.start()
        gateway.call_until_full()
        gateway.process.send_signal(signal.SIGTERM)
        self.assertEqual(gateway.process.wait(PATIENCE), 0)
        errors = b""
        while data := os.read(gateway.read_errors, 65536):
            errors += data
        self.assertRegex(errors.decode(), r"nobody reads the log; lost its last [1-9]\d* lines")

    def test_full_errors_do_not_keep_the_gateway_from_serving_and_ending(self):
        gateway = self.start(is_error_full=True)
        threading.Thread(target=self.read, args=(gateway.read_log,), daemon=True).start()
        gateway.process.send_signal(signal.SIGHUP)
        self.assertEqual(call(gateway.address, "GET", "/healthz")[0], 200)
        gateway.process.send_signal(signal.SIGTERM)
        self.assertEqual(gateway.process.wait(PATIENCE), 0)

    def test_messages_that_were_lost_are_counted(self):
        gateway = self.start(is_error_full=True)
        threading.Thread(target=self.read, args=(gateway.read_log,), daemon=True).start()

        def said():
            # The signal may be handled after the call, when there is room again.
            gateway.fill(f"/proc/{gateway.process.pid}/fd/2")
            gateway.process.send_signal(signal.SIGHUP)
            call(gateway.address, "GET", "/healthz")
            os.read(gateway.read_errors, 65536)
            gateway.process.send_signal(signal.SIGHUP)
            return b"messages before this one were lost" in os.read(gateway.read_errors, 65536)
        until(said, "the count")

    def test_a_log_whose_reader_has_gone_is_dropped(self):
        gateway = self.start()
        os.close(gateway.read_log)
        gateway.read_log = os.open("/dev/null", os.O_RDONLY)
        for _ in range(3):
            self.assertEqual(call(gateway.address, "GET", "/healthz")[0], 200)
        gateway.process.send_signal(signal.SIGTERM)
        self.assertEqual(gateway.process.wait(PATIENCE), 0)

    def test_a_closed_standard_output_is_not_given_to_a_connection(self):
        command = [GATEWAY, "--socket", self.engine.path, "--http", "127.0.0.1:0", "--no-grpc"]
        process = subprocess.Popen(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stderr.close)
        while b"sandbox" not in (line := process.stderr.readline()):
            if b"http listens" in line:
                address = ("127.0.0.1", int(line.rsplit(b":", 1)[1]))
        for _ in range(3):
            status, body = call(address, "GET", "/healthz")
            self.assertEqual((status, json.loads(body)), (200, {"status": "ok"}))
        self.assertEqual(os.readlink(f"/proc/{process.pid}/fd/1"), "/dev/null")

    def test_flags_are_read_without_proc(self):
        hide = ["unshare", "--mount", "sh", "-c", 'mount --make-rprivate / && mount -t tmpfs none /proc && exec "$@"', "sh"]
        if os.geteuid() != 0:
            hide[1:1] = ["--map-root-user"]
        refused = subprocess.run([*hide, "true"], capture_output=True, text=True)
        if refused.returncode != 0:
            self.skipTest(f"/proc cannot be hidden: {refused.stderr}")
        done = subprocess.run([*hide, GATEWAY, "--http", "nonsense"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn("nonsense", done.stderr)

    lines = ()

    def read(self, pipe):
        with contextlib.suppress(OSError):
            while data := os.read(pipe, 65536):
                self.lines = (*self.lines, data)
