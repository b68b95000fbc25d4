"""Clients that do not read their answers, or hardly: what they cost the gateway, and how they end."""

import contextlib
import os
import socket
import time

from authority import Authority
from http2 import DATA, HEADERS, RST_STREAM, Client
from support import PATIENCE, Gateway, GatewayCase, call, request, until

LARGE = b"// a large file of the page\n" * (3 << 20 >> 5)
FILE = b"/assets/large.js"
GET = request("GET /assets/large.js")
REFLECTION = b"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
DETECTOR = b"\x22\x16faceengine.v1.Detector"
# The name of a host, which comes back in the answer, twice: 120 kB.
HOST = b"\x0a\xe0\xd4\x03" + b"x" * 60_000
ENHANCE_YOUR_CALM = 11
MIB = 1 << 20


class ReaderCase(GatewayCase):
    timeout = 60

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        authority = Authority(cls.folder.name, "server")
        page = os.path.join(cls.folder.name, "page")
        os.mkdir(page)
        for name, content in (("index.html", b"<p>"), ("large.js", LARGE)):
            with open(os.path.join(page, name), "wb") as file:
                file.write(content)
        cls.serving = (*authority.flags("server"), "--page", page)
        cls.context, cls.h2 = authority.context(), authority.context()
        cls.h2.set_alpn_protocols(["h2"])

    def setUp(self):
        # One of its own, whose memory no other test has used.
        self.secure = self.enterContext(
            Gateway(self.engine.path, *self.serving, "--request-timeout", str(self.timeout))
        )

    def plain(self, is_secure=True):
        """A connection of HTTP/1."""
        client = socket.create_connection(self.secure.http_address, timeout=PATIENCE)
        return self.context.wrap_socket(client, server_hostname="localhost") if is_secure else client

    def connect(self, address=None):
        client = Client(address or self.secure.http_address, self.h2)
        self.addCleanup(client.close)
        return client

    @contextlib.contextmanager
    def growing_less(self, most):
        """The gateway grows by less than `most` bytes; afterwards, when the clients have gone, by less than 16 MiB."""
        before = self.secure.resident()
        with contextlib.ExitStack() as clients:
            yield clients
            self.assertLess((self.secure.resident() - before) / MIB, most / MIB)
        until(lambda: self.secure.resident() - before < 16 * MIB, "the memory's return")


class MemoryTests(ReaderCase):
    def test_an_answer_takes_its_memory_once(self):
        for address, count, ask in (
            (self.secure.http_address, 16, lambda client: client.get(FILE)),
            (self.secure.grpc_address, 48, lambda client: client.rpc(REFLECTION, DETECTOR)),
        ):
            with self.subTest(address), self.growing_less(24 * MIB) as clients:
                for _ in range(count):
                    client = Client(address, self.h2)
                    clients.callback(client.close)
                    streams = {ask(client) for _ in range(100)}
                    answers = client.frames(HEADERS)
                    self.assertEqual({next(answers)[2] for _ in streams}, streams)

    def test_an_answer_of_http_1_is_encrypted_as_it_is_read(self):
        with self.growing_less(48 * MIB) as clients:
            for _ in range(64):
                client = clients.enter_context(self.plain())
                client.sendall(GET * 4)
                self.assertEqual(client.recv(15), b"HTTP/1.1 200 OK")

    def test_requests_that_follow_an_unread_answer_are_bounded(self):
        large = request("GET " + FILE.decode(), b"", *["X-Long: " + "x" * 7900] * 3)
        with self.growing_less(48 * MIB) as clients:
            for _ in range(12):
                client = clients.enter_context(self.plain())
                client.settimeout(0.3)
                with contextlib.suppress(OSError):  # the gateway reads no more
                    client.sendall(large * 2000)

    def test_a_request_on_a_connection_with_too_many_unread_answers_is_refused(self):
        client = self.connect(self.secure.grpc_address)
        answers = client.frames(HEADERS)
        # Headers that end the stream are an error.
        begun = next(count for count in range(120) if client.rpc(REFLECTION, HOST) and next(answers)[1] & 1)
        self.assertIn(begun, range(60, 75))
        self.secure.calls(1, code="RESOURCE_EXHAUSTED")

    def test_clients_that_read_nothing_are_closed_before_they_take_all_memory(self):
        with self.growing_less(192 * MIB) as clients:
            crowd = []
            for _ in range(8):
                client = Client(self.secure.grpc_address, self.h2)
                clients.callback(client.close)
                crowd.append(client)
                with contextlib.suppress(OSError):
                    for _ in range(75):
                        client.rpc(REFLECTION, HOST)
            # 8 MiB of each, of 32 for an address.
            until(lambda: any(client.is_closed() for client in crowd), "the end of one of them")
            self.assertEqual(call(self.gateway.http_address, "GET", "/readyz")[0], 200)


class PipelineTests(ReaderCase):
    """Many requests on a connection of HTTP/1 without TLS."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.serving = cls.serving[-2:]  # the page alone

    def test_requests_whose_answers_are_read_are_bounded(self):
        requests, end = request("HEAD /readyz") * 4096, time.monotonic() + 3
        with self.growing_less(32 * MIB) as clients:
            client, waiting = clients.enter_context(self.plain(is_secure=False)), b""
            client.setblocking(False)
            while time.monotonic() < end:
                waiting = waiting or requests
                with contextlib.suppress(BlockingIOError):
                    waiting = waiting[client.send(waiting) :]
                with contextlib.suppress(BlockingIOError):
                    self.assertTrue(client.recv(MIB), "the gateway closed the connection")

    def test_requests_that_a_client_sent_before_it_closed_its_side_are_bounded(self):
        upload = request("POST /v1/detect", bytes(32 * MIB))
        with self.growing_less(48 * MIB) as clients:
            for _ in range(20):
                client = clients.enter_context(self.plain(is_secure=False))
                # After it, the system receives many bytes that nobody reads.
                client.sendall(upload)
                self.assertIn(b" 400 ", client.recv(65536))
                client.sendall(GET * 16)
                self.assertEqual(client.recv(15), b"HTTP/1.1 200 OK")
                client.settimeout(0.5)
                with contextlib.suppress(OSError):
                    client.sendall(request("GET /") * (2 * MIB // 40))
                    client.shutdown(socket.SHUT_WR)
            self.assertEqual(call(self.secure.http_address, "GET", "/readyz")[0], 200)

    def test_small_requests_of_many_clients_are_bounded(self):
        with self.growing_less(64 * MIB) as clients:
            for _ in range(100):
                client = clients.enter_context(self.plain(is_secure=False))
                client.settimeout(0.1)
                with contextlib.suppress(OSError):  # the gateway reads no more
                    client.sendall(GET * 16 + request("GET /") * (5 * MIB // 40))


class RateTests(ReaderCase):
    timeout = 2

    def test_a_stream_that_takes_a_byte_at_a_time_is_ended_and_others_go_on(self):
        for address, begin in (
            (self.secure.http_address, lambda client: client.get(FILE)),
            (self.secure.grpc_address, lambda client: client.rpc(REFLECTION, DETECTOR)),
        ):
            with self.subTest(address):
                client = self.connect(address)
                slow = begin(client)
                client.open_window(1 << 20, 0)
                frames = iter(client.read, None)
                client.open_window(1, slow)
                end = time.monotonic() + PATIENCE
                for kind, _, stream, body in frames:
                    if (kind, stream) == (DATA, slow):
                        self.assertLess(time.monotonic(), end, "the stream continues")
                        time.sleep(0.05)
                        client.open_window(1, slow)
                    elif (kind, stream) == (RST_STREAM, slow):
                        self.assertEqual(int.from_bytes(body), ENHANCE_YOUR_CALM)
                        break
                else:
                    self.fail("the gateway closed the connection")
                other = begin(client)
                client.open_window(1 << 20, other)
                self.assertEqual(next(frame for frame in frames if frame[2] == other)[0], HEADERS)

    def test_a_connection_whose_window_stays_closed_is_closed(self):
        client = self.connect()
        client.open_window(1 << 20, client.get(FILE))
        while client.read():
            pass

    def test_a_watch_that_is_not_read_ends_alone(self):
        client = self.connect(self.secure.grpc_address)
        client.open_window(1 << 20, 0)
        watch = client.rpc(b"/grpc.health.v1.Health/Watch", b"")
        ended = next(client.frames(RST_STREAM))
        self.assertEqual((ended[2], int.from_bytes(ended[3])), (watch, ENHANCE_YOUR_CALM))
        self.assertFalse(client.is_closed())

    def test_a_client_of_http_1_that_does_not_read_is_closed(self):
        client = self.enterContext(self.plain())
        client.sendall(GET * 20)

        def is_closed():
            try:
                client.sendall(b"\r\n")
            except OSError:
                return True

        until(is_closed, "the end of the connection")

    def test_a_client_that_is_slow_gets_all_of_its_answer(self):
        client = self.connect()
        stream, start, size = client.get(FILE), time.monotonic(), 0
        client.open_window(1 << 30, 0)
        client.open_window(len(LARGE) // 64, stream)
        for kind, flags, of, body in iter(client.read, None):
            if (kind, of) != (DATA, stream):
                self.assertNotEqual(kind, RST_STREAM)
                continue
            size += len(body)
            if flags & 1:
                break
            # So that the answer takes longer than --request-timeout.
            if size % (len(LARGE) // 64) == 0:
                time.sleep(0.06)
                client.open_window(len(LARGE) // 64, stream)
        self.assertEqual(size, len(LARGE))
        self.assertGreater(time.monotonic() - start, self.timeout)
