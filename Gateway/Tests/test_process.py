"""The process itself: standard output and error that nobody reads, flags without /proc, the engine of a system service, and what
docs/start.md calls."""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest

from support import ENGINE, GATEWAY, PATIENCE, PHOTO, ROOT, GatewayCase, Program, address_of, call, until

# The smallest pipe that Linux makes.
PAGE = 4096
HTTP = ("--http", "127.0.0.1:0", "--no-grpc")
# In a mount namespace with a /run of its own, which has the engine's socket.
IN_ITS_OWN_RUN = (
    "unshare",
    "--mount",
    "bash",
    "-euc",
    """
    mount -t tmpfs tmpfs /run
    mkdir /run/face-engine
    ln -s "$1" /run/face-engine/face-engine.sock
    unset XDG_RUNTIME_DIR
    exec "${@:2}" """,
    "test",
)
ROOT_OF_ITS_OWN = [] if os.geteuid() == 0 else ["--map-root-user"]


def needs(*command):
    """Skips a test where the system does not let it start this."""
    refused = subprocess.run([*command, "true"], capture_output=True, text=True)
    if refused.returncode != 0:
        raise unittest.SkipTest(f"SKIPPED: {' '.join(command[:3])}: {refused.stderr}")


class Unread:
    """A gateway whose standard streams are pipes that are full, or become so, while nobody reads them."""

    def __init__(self, engine, *flags, is_error_full=False):
        self.read_log, log = os.pipe()
        self.read_errors, errors = os.pipe()
        fcntl.fcntl(log, fcntl.F_SETPIPE_SZ, PAGE)
        self.process = subprocess.Popen([GATEWAY, "--socket", engine, *HTTP, *flags], stdout=log, stderr=errors)
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


class UnreadOutputTests(GatewayCase):
    def start(self, is_error_full=False, is_read=False):
        gateway = Unread(self.engine.path, is_error_full=is_error_full)
        self.addCleanup(gateway.close)
        if is_read:
            threading.Thread(target=self.read, args=(gateway.read_log,), daemon=True).start()
        return gateway

    def assert_ends(self, gateway):
        gateway.process.send_signal(signal.SIGTERM)
        self.assertEqual(gateway.process.wait(PATIENCE), 0)

    def test_a_full_log_does_not_keep_the_gateway_from_ending(self):
        gateway = self.start()
        gateway.call_until_full()
        self.assert_ends(gateway)
        errors = b""
        while data := os.read(gateway.read_errors, 65536):
            errors += data
        self.assertRegex(errors.decode(), r"nobody reads the log; lost its last [1-9]\d* lines")

    def test_full_errors_do_not_keep_the_gateway_from_serving_and_ending(self):
        gateway = self.start(is_error_full=True, is_read=True)
        gateway.process.send_signal(signal.SIGHUP)
        self.assertEqual(call(gateway.address, "GET", "/healthz")[0], 200)
        self.assert_ends(gateway)

    def test_messages_that_were_lost_are_counted(self):
        gateway = self.start(is_error_full=True, is_read=True)

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
        self.assert_ends(gateway)

    def test_a_closed_standard_output_is_not_given_to_a_connection(self):
        command = [GATEWAY, "--socket", self.engine.path, *HTTP]
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
        hide = [
            "unshare",
            *ROOT_OF_ITS_OWN,
            "--mount",
            "sh",
            "-c",
            'mount --make-rprivate / && mount -t tmpfs none /proc && exec "$@"',
            "sh",
        ]
        needs(*hide)
        done = subprocess.run([*hide, GATEWAY, "--http", "nonsense"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertIn("nonsense", done.stderr)

    @staticmethod
    def read(pipe):
        with contextlib.suppress(OSError):
            while os.read(pipe, 65536):
                pass


class StandardSocketTests(GatewayCase):
    """A gateway that is not told where the engine is, on a machine with an engine that runs as a system service."""

    def setUp(self):
        needs(*IN_ITS_OWN_RUN, "/none")

    def test_the_services_engine_is_found(self):
        gateway = self.enterContext(Program(*IN_ITS_OWN_RUN, self.engine.path, GATEWAY, *HTTP))
        address = address_of(gateway.said(r"http listens at (\S+)")[1])
        until(lambda: call(address, "GET", "/readyz")[0] == 200, "the engine's answer")
        status, found = call(address, "POST", "/v1/detect", PHOTO)
        self.assertEqual((status, found.count(b'"box"')), (200, 1))

    def test_without_an_engine_both_places_are_named(self):
        done = subprocess.run(
            [*IN_ITS_OWN_RUN, "/none", "env", "XDG_RUNTIME_DIR=/none", GATEWAY],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        self.assertNotEqual(done.returncode, 0)
        for place in ("XDG_RUNTIME_DIR", "/run/face-engine/face-engine.sock"):
            self.assertIn(place, done.stderr)


class StartTests(unittest.TestCase):
    """The sections of docs/start.md that call a gateway, as they are written: with an engine and a gateway of their own at the ports
    that are written there, in a network of their own."""

    def expect_seen(self, section):
        network = ["unshare", *ROOT_OF_ITS_OWN, "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        needs(*network)
        path = f"{ENGINE.parent}:{GATEWAY.parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [*network, ROOT / "Tests/start.py", section],
                cwd=folder,
                env={**os.environ, "PATH": path},
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_curl(self):
        self.expect_seen("curl")

    @unittest.skipUnless(shutil.which("node"), "SKIPPED: there is no node; install the Debian package nodejs")
    def test_node(self):
        self.expect_seen("Node")
