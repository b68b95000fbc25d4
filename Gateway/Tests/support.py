"""An engine and a gateway that the tests run, and shared helpers."""

import contextlib
import http.client
import json
import os
import pathlib
import queue
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import grpc

import answers
import face_engine_pb2 as messages
import face_engine_pb2_grpc as services

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGINE = pathlib.Path(os.environ.get("FACE_ENGINE", ROOT / ".build/release/face-engine"))
GATEWAY = pathlib.Path(os.environ.get("FACE_ENGINE_GATEWAY", ROOT / "Gateway/.build/release/face-engine-gateway"))
PHOTO = (ROOT / "Examples/photos/grace_hopper.jpg").read_bytes()
# Whether tests do all that they can, rather than a part of it that takes less time.
LONG = os.environ.get("FACE_ENGINE_LONG_TESTS") == "1"
# Nothing that is waited for takes as long.
PATIENCE = 60


def ask(address, method, path, body=None, headers=None, context=None):
    """The status, headers and body of an answer to one HTTP request on a connection of its own, over TLS with a `context`."""
    if context:
        connection = http.client.HTTPSConnection("localhost", address[1], timeout=PATIENCE, context=context)
    else:
        connection = http.client.HTTPConnection(*address, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        content = answer.read()
        answers.check(method, path, answer.status, answer.headers, content)
        return answer.status, answer.headers, content


def request(line, body=b"", *headers):
    """The bytes of a request of HTTP/1."""
    length = [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([f"{line} HTTP/1.1", "Host: localhost", *headers, *length, "", ""]).encode() + body


def call(address, method, path, body=None):
    """The status and the body of an answer."""
    status, _, body = ask(address, method, path, body)
    return status, body


def failure(code, call, *arguments, **others):
    """The error of an RPC, which has this code."""
    try:
        call(*arguments, **{"timeout": PATIENCE, **others})
    except grpc.RpcError as error:
        assert error.code() == code, (error.code(), error.details())
        return error
    raise AssertionError(f"the call did not fail with {code}")


def varint(number):
    """A number in protobuf."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def bytes_field(number, body):
    """A field of bytes in protobuf."""
    return varint(number << 3 | 2) + varint(len(body)) + body


def until(condition, what):
    """Waits until `condition()` is true, and returns its value."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} did not happen within {PATIENCE} s")


def metrics(gateway, accept="*/*"):
    """The page /metrics."""
    return ask(gateway.http_address, "GET", "/metrics", headers={"Accept": accept})[2].decode()


def sample(gateway, name):
    """The value of a metric of whole numbers, by its name with its labels."""
    return next(int(line.split()[-1]) for line in metrics(gateway).splitlines() if line.startswith(name + " "))


class Program:
    """A running program with the lines that it has written."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [str(argument) for argument in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines, self.errors = [], []
        self.readers = [
            threading.Thread(target=self._read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))
        ]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(file, lines):
        for line in file:
            lines.append(line.rstrip("\n"))

    def said(self, pattern):
        """The match of `pattern` in a line on standard error."""

        def look():
            if self.process.poll() is not None and not any(re.search(pattern, line) for line in self.errors):
                for reader in self.readers:
                    reader.join(5)
                raise AssertionError(f"it ended with {self.process.returncode}: {self.errors}")
            return next((found for line in list(self.errors) if (found := re.search(pattern, line))), None)

        return until(look, f"a line with {pattern}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def resident(self):
        """The resident memory in bytes."""
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGESIZE")

    def stop(self, number=signal.SIGTERM):
        """The exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        for reader in self.readers:
            reader.join(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Engine(Program):
    def __init__(self, folder, *flags):
        self.path = os.path.join(folder, "engine.sock")
        super().__init__(ENGINE, "serve", "--socket", self.path, *flags)
        until(lambda: self.answers() or self.process.poll() is not None, "the engine's start")

    def answers(self):
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(self.path) == 0


class Gateway(Program):
    def __init__(self, engine, *flags):
        flags = list(flags)
        for name in ("--http", "--grpc"):
            if name not in flags:
                flags += [name, "127.0.0.1:0"]
        super().__init__(GATEWAY, "--socket", engine, *flags)
        self.grpc = self.said(r"grpc listens at (\S+)")[1] if "--no-grpc" not in flags else None
        self.http = self.said(r"http listens at (\S+)")[1] if "--no-http" not in flags else None

    def calls(self, count=0, **members):
        """The calls that the log has, at least so many, with these members."""

        def logged():
            lines = [line for line in map(json.loads, list(self.lines)) if members.items() <= line.items()]
            return lines if len(lines) >= count else None

        return until(lambda: logged() is not None, f"{count} lines") and logged()

    @property
    def http_address(self):
        return address_of(self.http)

    @property
    def grpc_address(self):
        return address_of(self.grpc)


def address_of(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


class GatewayCase(unittest.TestCase):
    """Tests of one gateway, with these flags and files, before an engine: that of all such classes of a module, or one of their own
    for tests that end or stop it."""

    flags = ()
    # The texts of files, by their flags.
    flag_files = {}
    owns_engine = False
    engine_flags = ()
    shared = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.enterClassContext(cls.folder)
        if cls.owns_engine:
            cls.engine = Engine(cls.folder.name, *cls.engine_flags)
            cls.addClassCleanup(lambda: cls.engine.stop())  # the one that it is by then
        else:
            cls.engine = GatewayCase.shared or GatewayCase.share()
        for flag, text in cls.flag_files.items():
            path = pathlib.Path(cls.folder.name, flag.strip("-"))
            path.write_text(text)
            cls.flags = (*cls.flags, flag, str(path))
        cls.gateway = Gateway(cls.engine.path, *cls.flags)
        cls.addClassCleanup(lambda: cls.gateway.stop())

    def channel(self, options=(), gateway=None):
        """A channel to the gateway, which the test's end closes."""
        return self.enterContext(grpc.insecure_channel((gateway or self.gateway).grpc, options=list(options)))

    def http(self, method="POST", path="/v1/detect", body=PHOTO, headers=None, gateway=None, context=None):
        """The status, headers and body of an answer."""
        return ask((gateway or self.gateway).http_address, method, path, body, headers, context)

    def json(self, status, *arguments, **others):
        """The JSON of an answer with that status."""
        found, headers, body = self.http(*arguments, **{"body": None, **others} if len(arguments) < 3 else others)
        self.assertEqual((found, headers["content-type"]), (status, "application/json"), body)
        return json.loads(body)

    def fails(self, status, code, *arguments, **others):
        """The message of an answer with that error; without a code that of the Open Inference Protocol."""
        error = self.json(status, *arguments, **others)["error"]
        if code is None:
            return error
        self.assertEqual(error["code"], code)
        return error["message"]

    def raw(self, *parts, end=False, address=None):
        """Everything that the gateway sends until it closes; after each part, the answer's beginning is waited for."""
        with socket.create_connection(address or self.gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(parts[0])
            seen = b""
            for part in parts[1:]:
                seen += client.recv(65536)
                client.sendall(part)
            if end:
                client.shutdown(socket.SHUT_WR)
            while data := client.recv(65536):
                seen += data
        return seen

    def by_the_socket(self, file, *flags):
        """The faces that the command finds with the engine itself."""
        path = pathlib.Path(self.folder.name, "picture")
        path.write_bytes(file)
        done = subprocess.run(
            [ENGINE, "detect", "--socket", self.engine.path, "--json", *flags, path],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        return json.loads(done.stdout)["faces"]

    def begun(self, method, *requests, **others):
        """A stream of requests, and that of its answers, once the first of them has come."""
        sent = Sent(*requests)
        self.addCleanup(sent.close)
        answers = method(sent, **{"timeout": PATIENCE, **others})
        next(answers)
        return sent, answers

    def detect(self, channel, **others):
        request = messages.DetectRequest(image=messages.Image(encoded=PHOTO))
        return services.DetectorStub(channel).Detect(request, **{"timeout": PATIENCE, **others})

    @staticmethod
    def share():
        """Starts the module's engine, which ends with its tests."""
        folder = tempfile.TemporaryDirectory()
        unittest.addModuleCleanup(folder.cleanup)
        GatewayCase.shared = Engine(folder.name)

        def stop():
            engine, GatewayCase.shared = GatewayCase.shared, None
            engine.stop()

        unittest.addModuleCleanup(stop)
        return GatewayCase.shared


class Sent:
    """A stream of requests that a test sends one by one."""

    def __init__(self, *first):
        self.items = queue.Queue()
        for item in first:
            self.send(item)

    def send(self, item):
        self.items.put(item)

    def close(self):
        self.items.put(None)

    def __iter__(self):
        return self

    def __next__(self):
        item = self.items.get()
        if item is None:
            raise StopIteration
        return item
