"""Connections that bring no request: half-sent heads, silence, slow bodies and slow readers, beside clients that do."""

import contextlib
import functools
import http.client
import os
import re
import resource
import socket
import subprocess
import time
import unittest
import unittest.mock

import grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as health_services

import face_engine_pb2_grpc as services
from authority import Authority
from engine_calls import OWN_CONNECTION, frame, start
from http2 import PREFACE
from support import GATEWAY, LONG, PATIENCE, PHOTO, Gateway, GatewayCase, call, failure, request, until

HALF_HEAD = b"GET /healthz HTTP/1.1\r\nHost: loc"
HEALTH, DETECT = request("GET /healthz"), request("POST /v1/detect", PHOTO)
HALF_BODY = request("POST /v1/detect", bytes(60_000))[:1000]
# More than fits into the buffers of both systems, so that most of it waits in the gateway.
MANY_REQUESTS = request("GET /openapi.json") * 400
COUNT = 2000 if LONG else 600


@contextlib.contextmanager
def held(address, count, first=b"", receive_buffer=0):
    """That many connections, each after it has sent `first`; some of them may be closed by the gateway."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(count):
            client = stack.enter_context(socket.socket())
            if receive_buffer:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            client.settimeout(PATIENCE)
            client.connect(address)
            with contextlib.suppress(OSError):  # it had to give way
                client.setblocking(False)
                client.send(first)
            connections.append(client)
        yield connections
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class CrowdTests(GatewayCase):
    def test_http_is_served_beside_crowds(self):
        for name, count, first, *buffer in [
            ("half a head", COUNT, HALF_HEAD),
            ("half a body", COUNT, HALF_BODY),
            ("nothing", COUNT, b""),
            ("unread answers", COUNT // 4, MANY_REQUESTS, 4096),
        ]:
            with self.subTest(name), held(self.gateway.http_address, count, first, *buffer):
                for _ in range(10):
                    self.assertEqual(self.http()[0], 200)

    def test_grpc_is_served_beside_silent_connections(self):
        for first in (b"", PREFACE):
            with self.subTest(first), held(self.gateway.grpc_address, COUNT, first):
                for _ in range(3):
                    self.assertEqual(len(self.detect(self.channel(OWN_CONNECTION)).faces), 1)

    def test_tls_is_served_beside_connections_without_a_handshake(self):
        authority = Authority(self.folder.name, "server")
        gateway = self.enterContext(Gateway(self.engine.path, *authority.flags("server")))
        with held(gateway.grpc_address, COUNT), held(gateway.http_address, COUNT):
            with grpc.secure_channel(gateway.grpc, authority.credentials()) as channel:
                self.assertEqual(len(self.detect(channel).faces), 1)


class SilentPlaceTests(GatewayCase):
    flags = ("--max-connections", "4")

    def test_a_connection_without_a_request_gives_way(self):
        with (
            held(self.gateway.http_address, 4) as (first, *others),
            contextlib.closing(http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE)) as used,
        ):
            used.request("GET", "/healthz")
            self.assertEqual(used.getresponse().status, 200)
            first.settimeout(PATIENCE)
            self.assertEqual(first.recv(1), b"")
            for other in others:
                with self.assertRaises(BlockingIOError):
                    other.recv(1)

    def test_an_address_takes_places_of_those_that_have_more(self):
        with contextlib.ExitStack() as stack:

            def connect(host, count):
                found = [
                    stack.enter_context(
                        socket.create_connection(self.gateway.http_address, timeout=PATIENCE, source_address=(host, 0))
                    )
                    for _ in range(count)
                ]
                return found

            crowd, few = connect("127.0.0.2", 4), connect("127.0.0.3", 2)
            self.assertEqual([client.recv(1) for client in crowd[:2]], [b"", b""])
            # Each has two. A third one takes a place of its own address.
            connect("127.0.0.2", 1)
            self.assertEqual(crowd[2].recv(1), b"")
            for client in few + crowd[3:]:
                client.sendall(DETECT)
                self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200 "))


class BurstTests(GatewayCase):
    """A proxy opens many connections at once, and sends its requests when it has them."""

    flags = ("--max-connections", "64", "--rate", "0")

    def answers(self, count, request):
        with held(self.gateway.http_address, count) as clients:
            for client in clients:
                client.settimeout(PATIENCE)
                client.sendall(request)
            return [client.recv(12) for client in clients]

    def test_a_burst_within_the_limit_is_answered(self):
        for _ in range(4):
            self.assertEqual(set(self.answers(64, DETECT)), {b"HTTP/1.1 200"})

    def test_a_burst_beyond_the_limit_is_answered_or_refused_with_an_answer(self):
        for _ in range(4):
            answers = self.answers(96, DETECT)
            self.assertLessEqual(set(answers), {b"HTTP/1.1 200", b"HTTP/1.1 503"})
            self.assertGreaterEqual(answers.count(b"HTTP/1.1 200"), 64)

    def test_health_is_answered_beyond_the_limit(self):
        self.assertEqual(set(self.answers(96, HEALTH)), {b"HTTP/1.1 200"})


class DescriptorTests(GatewayCase):
    """The limit of open files, which connections of clients must not reach: libdispatch ends the process then."""

    @staticmethod
    def limited(soft, hard):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def run_limited(self, soft, hard, *flags):
        return subprocess.run(
            [GATEWAY, "--socket", self.engine.path, "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", *flags],
            preexec_fn=self.limited(soft, hard),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def fitting(self):
        """The most connections with 300 files, as the gateway says."""
        done = self.run_limited(300, 300)
        self.assertNotEqual(done.returncode, 0)
        words = r"--max-connections 256 needs .*300 are allowed.*lower --max-connections to (\d+)"
        return int(re.search(words, done.stderr, re.S)[1])

    def test_a_limit_that_is_too_low_is_refused_with_what_would_fit(self):
        more = str(self.fitting() + 1)
        self.assertIn(f"--max-connections {more} needs", self.run_limited(300, 300, "--max-connections", more).stderr)
        done = self.run_limited(64, 64, "--max-connections", "1")
        self.assertIn("64 are allowed", done.stderr)
        self.assertNotIn("lower --max-connections", done.stderr)

    def test_connections_up_to_the_limit_leave_files_for_the_process(self):
        # As many as may be with 300 files, on both ports; the soft limit is raised.
        with unittest.mock.patch.object(
            subprocess, "Popen", functools.partial(subprocess.Popen, preexec_fn=self.limited(64, 300))
        ):
            gateway = Gateway(self.engine.path, "--max-connections", str(self.fitting()))
        self.addCleanup(gateway.stop)
        with held(gateway.http_address, 300), held(gateway.grpc_address, 300):
            # libdispatch looks after its threads each second.
            time.sleep(3)
            self.assertEqual(call(gateway.http_address, "POST", "/v1/detect", PHOTO)[0], 200)
            self.assertLess(len(os.listdir(f"/proc/{gateway.process.pid}/fd")), 290)
        self.assertEqual(gateway.stop(), 0)


class PlaceTests(GatewayCase):
    flags = ("--max-connections", "4")

    def test_a_connection_that_had_a_request_stays_longer_than_one_that_had_none(self):
        used = http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE)
        self.addCleanup(used.close)
        used.request("GET", "/healthz")
        used.getresponse().read()
        with held(self.gateway.http_address, 8) as (first, *_):
            # All have come when one of them had to go.
            first.settimeout(PATIENCE)
            self.assertEqual(first.recv(1), b"")
            # Not a health check, which a connection without a place may make, too.
            used.request("POST", "/v1/detect", PHOTO)
            self.assertEqual(used.getresponse().status, 200)

    def test_calls_that_are_being_answered_keep_their_places(self):
        # Streams of faces, which last.
        streams = []
        for _ in range(4):
            channel = self.channel(OWN_CONNECTION)
            streams.append((channel, self.begun(services.DetectorStub(channel).Watch, start(), frame(1))[1]))
        # Only the places for health are left to this address.
        channel = self.channel(OWN_CONNECTION)
        found = health_services.HealthStub(channel).Check(health.HealthCheckRequest(), timeout=PATIENCE)
        self.assertEqual(found.status, health.HealthCheckResponse.SERVING)
        self.assertIn("--max-connections", failure(grpc.StatusCode.UNAVAILABLE, self.detect, channel).details())
        channel.close()
        for channel, stream in streams:
            stream.cancel()
            channel.close()

        def serves():
            with (
                grpc.insecure_channel(self.gateway.grpc, options=OWN_CONNECTION) as channel,
                contextlib.suppress(grpc.RpcError),
            ):
                return len(self.detect(channel).faces) == 1

        until(serves, "a place that is free again")


class HeadTimeTests(GatewayCase):
    def test_an_unfinished_head_is_closed_though_the_request_timeout_is_longer(self):
        # The gateway gives a head 10 s, of the 60 s of a request.
        with held(self.gateway.http_address, 1, HALF_HEAD) as (client,):
            client.settimeout(30)
            self.assertEqual(client.recv(1), b"")
