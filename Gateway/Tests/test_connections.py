"""Connections that bring no request: half-sent heads, silence, slow bodies and slow readers, beside clients that do."""

import contextlib
import http.client
import resource
import socket
import unittest

import grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as health_services

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from support import LONG, PATIENCE, PHOTO, Gateway, GatewayCase, until
from test_safety import certificates, read

HALF_HEAD = b"GET /healthz HTTP/1.1\r\nHost: loc"
HALF_BODY = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + bytes(1000)
# More than fits into the buffers of both systems, so that most of it waits in the gateway.
MANY_REQUESTS = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400
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


class ConnectionCase(GatewayCase):
    def get(self, path="/healthz", method="GET", body=None):
        connection = http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def detect(self, channel):
        return services.DetectorStub(channel).Detect(
            messages.DetectRequest(image=messages.Image(encoded=PHOTO)), timeout=PATIENCE)


class CrowdTests(ConnectionCase):
    def test_http_is_served_beside_connections_that_bring_nothing(self):
        for name, first in [("half a head", HALF_HEAD), ("half a body", HALF_BODY), ("nothing", b"")]:
            with self.subTest(name), held(self.gateway.http_address, COUNT, first):
                for _ in range(10):
                    self.assertEqual(self.get("/v1/detect", "POST", PHOTO), 200)

    def test_http_is_served_beside_clients_that_do_not_read(self):
        with held(self.gateway.http_address, COUNT // 4, MANY_REQUESTS, receive_buffer=4096):
            for _ in range(10):
                self.assertEqual(self.get("/v1/detect", "POST", PHOTO), 200)

    def test_grpc_is_served_beside_silent_connections(self):
        for name, first in [("nothing", b""), ("a preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]:
            with self.subTest(name), held(self.gateway.grpc_address, COUNT, first):
                for _ in range(3):
                    with grpc.insecure_channel(self.gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                        self.assertEqual(len(self.detect(channel).faces), 1)

    def test_tls_is_served_beside_connections_without_a_handshake(self):
        files = certificates(self.folder.name)
        gateway = Gateway(self.engine.path, "--tls-certificate", files["server.pem"], "--tls-key", files["server.key"])
        self.addCleanup(gateway.stop)
        with held(gateway.grpc_address, COUNT), held(gateway.http_address, COUNT):
            credentials = grpc.ssl_channel_credentials(read(files["ca.pem"]))
            with grpc.secure_channel(gateway.grpc, credentials) as channel:
                self.assertEqual(len(self.detect(channel).faces), 1)


class SilentPlaceTests(ConnectionCase):
    flags = ("--max-connections", "4")

    def test_a_connection_without_a_request_gives_way(self):
        # One address has half of the places.
        with held(self.gateway.http_address, 2) as (first, second):
            self.assertEqual(self.get(), 200)
            first.settimeout(PATIENCE)
            self.assertEqual(first.recv(1), b"")
            with self.assertRaises(BlockingIOError):
                second.recv(1)


class PlaceTests(ConnectionCase):
    flags = ("--max-connections", "4")

    def test_a_connection_that_had_a_request_stays_longer_than_one_that_had_none(self):
        used = http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE)
        self.addCleanup(used.close)
        used.request("GET", "/healthz")
        used.getresponse().read()
        with held(self.gateway.http_address, 8):
            used.request("GET", "/healthz")
            self.assertEqual(used.getresponse().read(), b'{"status": "ok"}')

    def test_calls_that_are_being_answered_keep_their_places(self):
        with grpc.insecure_channel(self.gateway.grpc) as watching:
            # Streams of faces, which last.
            streams = [self.watch() for _ in range(2)]
            # Only the places for health are left to this address.
            with grpc.insecure_channel(self.gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                found = health_services.HealthStub(channel).Check(health.HealthCheckRequest(), timeout=PATIENCE)
                self.assertEqual(found.status, health.HealthCheckResponse.SERVING)
                with self.assertRaises(grpc.RpcError) as caught:
                    self.detect(channel)
                self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
                self.assertIn("--max-connections", caught.exception.details())
            for channel, stream in streams:
                stream.cancel()
                channel.close()
            # A place is free again.
            until(lambda: self.serves(watching), "a place")

    def serves(self, channel):
        with grpc.insecure_channel(self.gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            with contextlib.suppress(grpc.RpcError):
                return len(self.detect(channel).faces) == 1

    def watch(self):
        """A channel with a stream whose first frame was answered."""
        channel = grpc.insecure_channel(self.gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)])
        hold = []

        def requests():
            yield messages.WatchRequest(start=messages.WatchStart(mode=messages.WatchStart.EVERY))
            yield messages.WatchRequest(frame=messages.WatchFrame(image=messages.Image(encoded=PHOTO)))
            until(lambda: hold, "the end of the test")
        stream = services.DetectorStub(channel).Watch(requests(), timeout=PATIENCE)
        next(stream)
        self.addCleanup(hold.append, True)
        return channel, stream


class MemoryTests(ConnectionCase):
    def test_memory_of_requests_is_bounded(self):
        size = 60 << 20
        head = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (size + 1)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(socket.create_connection(self.gateway.http_address, timeout=PATIENCE)) for _ in range(9)]
            for client in clients:
                with contextlib.suppress(OSError):  # it is refused during the transfer
                    client.sendall(head + bytes(size))
            answer = clients[-1].recv(65536)
            self.assertIn(b" 429 ", answer.split(b"\r\n")[0])
            self.assertIn(b"512 MiB", answer)
            self.assertLess(self.gateway.resident(), 1 << 30)
            self.assertEqual(self.get(), 200)
        self.assertEqual(until(lambda: self.get("/v1/detect", "POST", PHOTO) == 200, "room for a picture"), True)


class HeadTimeTests(ConnectionCase):
    def test_an_unfinished_head_is_closed_though_the_request_timeout_is_longer(self):
        # The gateway gives a head 10 s, of the 60 s of a request.
        with held(self.gateway.http_address, 1, HALF_HEAD) as (client,):
            client.settimeout(30)
            self.assertEqual(client.recv(1), b"")


if __name__ == "__main__":
    unittest.main()
