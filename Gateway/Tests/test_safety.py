"""Attacks that the gateway stops: unknown callers, pages of other origins, and clients that exhaust its resources."""

import contextlib
import gzip
import http.client
import json
import pathlib
import socket
import struct
import subprocess
import tempfile
import unittest
import zlib

import grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from authority import Authority
from http2 import BEGIN, PREFACE, frame, read_frame, text
from support import GATEWAY, PATIENCE, PHOTO, Gateway, GatewayCase, failure, until

TOKEN = "a-token-of-enough-letters"


def refusal(*flags):
    """The exit code and messages of a gateway that does not start."""
    done = subprocess.run([GATEWAY, "--socket", "/nowhere", *flags], capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stderr


class StartTests(unittest.TestCase):
    def test_addresses_beyond_loopback_need_tls_and_authentication(self):
        for flags, word in [
            (["--http", "0.0.0.0:0"], "--tls-certificate"),
            (["--grpc", "[::]:0"], "--tls-certificate"),
            (["--http", "0.0.0.0:0", "--tls-certificate", "a", "--tls-key", "b"], "--token-file"),
            (["--client-ca", "ca"], "--client-ca needs TLS"),
            (["--tls-key", "b"], "give both"),
            (["--tls-certificate", "/none", "--tls-key", "/none"], "cannot open /none: open failed: No such file"),
            (["--token-file", "/none"], "cannot open /none: open failed: No such file"),
            (["--token-file", "/"], "/ is not a regular file; give the path of a file"),
            (["--http", "example.com:80"], "example.com"),
            (["--http", "999.0.0.1:80"], "999.0.0.1"),
            (["--page", "/nowhere"], "--page /nowhere has no readable index.html"),
            (["--host-name", "http://kiosk.example"], "--host-name http://kiosk.example is not a name"),
            (["--host-name", "kiosk.example:80"], "is not a name"),
            (["--allow-origin", "kiosk"], "is not an origin"),
            (["--no-http", "--no-grpc"], "nothing to serve"),
            (["--nonsense"], "Unknown option '--nonsense'"),
        ]:
            with self.subTest(flags):
                code, words = refusal(*flags)
                self.assertEqual(code, 1 if "open failed" in word else 2)
                self.assertIn(word, words)

    def test_an_address_that_cannot_be_listened_at_is_reported(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for name, other in (("http", "grpc"), ("grpc", "http")):
                code, words = refusal(f"--{name}", f"127.0.0.1:{port}", f"--no-{other}")
                self.assertNotEqual(code, 0)
                self.assertIn(
                    f"{name} cannot listen at 127.0.0.1:{port}: Address already in use; stop the program", words
                )
                self.assertIn(f"with --{name}", words)
        code, words = refusal("--insecure", "--no-grpc", "--http", "192.0.2.1:0")
        self.assertNotEqual(code, 0)
        self.assertIn(
            "http cannot listen at 192.0.2.1:0: Cannot assign requested address; choose an address of this machine",
            words,
        )


class TLSTests(GatewayCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.authority = Authority(cls.folder.name, "server", "client")

    def test_http_and_grpc_are_served_over_tls(self):
        gateway = self.enterContext(Gateway(self.engine.path, *self.authority.flags("server")))
        self.assertEqual(self.http(gateway=gateway, context=self.authority.context())[0], 200)
        with grpc.secure_channel(gateway.grpc, self.authority.credentials()) as channel:
            self.assertEqual(len(self.detect(channel).faces), 1)
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.http(gateway=gateway)

    def test_http_2_is_chosen_where_the_client_can(self):
        gateway = self.enterContext(
            Gateway(self.engine.path, *self.authority.flags("server"), "--max-body", "2", "--request-timeout", "2")
        )
        with tempfile.NamedTemporaryFile() as photo, tempfile.NamedTemporaryFile() as large:
            for file, content in ((photo, PHOTO), (large, bytes(3 << 20))):
                file.write(content)
                file.flush()

            flags = ["-sS", "--cacert", self.authority.file, "-w", "\n%{http_version} %{http_code}\n"]

            def curl(*arguments, version="--http2"):
                """The version, status and bodies of the answers to a client that keeps its connection."""
                done = subprocess.run(
                    ["curl", version, *flags, *arguments], capture_output=True, text=True, timeout=PATIENCE
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                return done.stdout

            root = f"https://localhost:{gateway.http_address[1]}"
            for version, told in (("--http2", "2"), ("--http1.1", "1.1")):
                answer = curl("--data-binary", f"@{photo.name}", f"{root}/v1/detect", version=version)
                self.assertIn(f"\n{told} 200\n", answer)
                self.assertEqual(len(json.loads(answer.splitlines()[0])["faces"]), 1)
            self.assertEqual(curl("-I", f"{root}/healthz").count("HTTP/2 200"), 1)
            for path, more, status in [
                ("v1/detect", ["--data-binary", f"@{large.name}"], 413),
                ("healthz", ["-H", "Host: evil.example"], 403),
                ("nothing", [], 404),
                ("healthz", ["-H", "X-Long: " + "x" * (31 << 10)], 200),
                ("healthz", ["-H", "X-Long: " + "x" * (33 << 10)], 431),
                ("healthz", [f"-HX-{number}: x" for number in range(90)], 200),
                ("healthz", [f"-HX-{number}: x" for number in range(101)], 431),
            ]:
                self.assertIn(f"\n2 {status}\n", curl(*more, f"{root}/{path}"))
            # Many at once on one connection.
            one = ["--next", *flags, "--data-binary", f"@{photo.name}", f"{root}/v1/detect"]
            self.assertEqual(curl("--parallel", "--parallel-max", "40", *(one * 20)[1:]).count("\n2 200\n"), 20)

    def test_clients_need_a_certificate(self):
        flags = (*self.authority.flags("server"), "--client-ca", self.authority.file)
        gateway = self.enterContext(Gateway(self.engine.path, *flags))
        context = self.authority.context()
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.http(gateway=gateway, context=context)
        with grpc.secure_channel(gateway.grpc, self.authority.credentials()) as channel:
            with self.assertRaises(grpc.RpcError):
                self.detect(channel)
        context.load_cert_chain(self.authority.folder / "client.pem")
        self.assertEqual(self.http(gateway=gateway, context=context)[0], 200)
        with grpc.secure_channel(gateway.grpc, self.authority.credentials("client")) as channel:
            self.assertEqual(len(self.detect(channel).faces), 1)


class BrowserTests(GatewayCase):
    flags = ("--allow-origin", "https://shop.example")

    def test_other_origins_are_refused(self):
        host = self.gateway.http
        for origin, status in [
            ("https://evil.example", 403),
            ("null", 403),
            ("https://shop.example", 200),
            (f"http://{host}", 200),
        ]:
            with self.subTest(origin):
                found, headers, _ = self.http(headers={"Origin": origin})
                self.assertEqual(found, status)
                self.assertEqual(headers["access-control-allow-origin"], origin if "shop" in origin else None)

    def test_a_preflight_request_is_answered_for_allowed_origins(self):
        for origin, *answer in (
            ("https://shop.example", 204, "https://shop.example", True),
            ("https://evil.example", 403, None, False),
        ):
            ask = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            status, headers, _ = self.http("OPTIONS", headers=ask, body=None)
            methods = headers.get("access-control-allow-methods", "")
            self.assertEqual([status, headers["access-control-allow-origin"], "POST" in methods], answer)


class BoundTests(GatewayCase):
    flags = ("--max-body", "2")

    def test_a_large_body_is_refused(self):
        self.assertIn("--max-body", self.fails(413, "RESOURCE_EXHAUSTED", "POST", "/v1/detect", PHOTO + bytes(2 << 20)))

    def test_paths_without_a_token_take_no_body(self):
        for path in (
            "/",
            "/face-check.js",
            "/openapi.json",
            "/healthz",
            "/readyz",
            "/v2/health/live",
            "/v2/health/ready",
        ):
            with self.subTest(path):
                self.assertIn(b"this path accepts no body", self.http("GET", path, b"x")[2])
                self.assertEqual(self.http("GET", path, None)[0], 200)

    def test_a_body_without_a_length_is_bounded(self):
        def pieces():
            for _ in range(64):
                yield bytes(1 << 20)

        before = self.gateway.resident()
        try:
            status, _, _ = self.http(body=pieces())  # sent in chunks, since it has no length
            self.assertEqual(status, 413)
        except OSError:
            pass  # the connection was closed during the transfer
        self.assertEqual(self.http()[0], 200)
        self.assertLess(self.gateway.resident() - before, 48 << 20)

    def test_a_body_may_be_compressed(self):
        for coding, compress in (("gzip", gzip.compress), ("x-gzip", gzip.compress), ("deflate", zlib.compress)):
            headers = {"Content-Encoding": coding}
            self.assertEqual(self.http(body=compress(PHOTO), headers=headers)[0], 200)
            for body in (PHOTO, b"", compress(PHOTO)[:-1], compress(PHOTO) + b"more", gzip.compress(PHOTO)[10:]):
                status, _, answer = self.http(body=body, headers=headers)
                self.assertEqual((status, b" data is damaged or cut short" in answer), (400, True), (coding, answer))
            self.assertEqual(self.http(body=compress(bytes(64 << 20)), headers=headers)[0], 413)
        # Members one after the other are gzip's alone.
        halves = PHOTO[:1000], PHOTO[1000:]
        for coding, compress, status in (("gzip", gzip.compress, 200), ("deflate", zlib.compress, 400)):
            self.assertEqual(
                self.http(body=b"".join(map(compress, halves)), headers={"Content-Encoding": coding})[0], status
            )
        self.assertEqual(self.http(headers={"Content-Encoding": "br"})[0], 415)


class HTTP2Tests(GatewayCase):
    """HTTP/2 frames that no library sends."""

    # Of a PING.
    LAST = b"the last"

    @classmethod
    def headers(cls, stream, path=b"/faceengine.v1.Detector/Detect", more=b"", kind=None):
        """Each field goes into the client's table, and is then number 62: first those of any call, then `more`, then the content's
        `kind`."""

        def literal(index, value):
            return bytes([0x40 | index]) + text(value)

        block = (
            bytes([0x83, 0x86])
            + literal(4, path)
            + literal(1, b"localhost")
            + b"\x40\x02te\x08trailers"
            + more
            + (kind or literal(31, b"application/grpc"))
        )
        return frame(1, 4, stream, block)

    @staticmethod
    def fields(count, size):
        """That many fields, whose size is counted with 37 bytes more. A frame has at most 16384 bytes."""
        return b"".join(b"\x40" + text(b"x-%03d" % number) + text(b"x" * size) for number in range(count))

    def flood(self, frames):
        """Sends `frames`; returns whether the gateway closed the connection meanwhile, rather than answer the LAST of them."""
        answered = frame(6, 1, 0, self.LAST)
        with socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE) as client:
            try:
                client.sendall(BEGIN)
                for each in frames:
                    client.sendall(each)
                seen = b""
                while data := client.recv(65536):
                    seen = seen[-len(answered) :] + data
                    if answered in seen:
                        return False
                return True
            except socket.timeout:
                return False
            except OSError:
                return True

    def health_check(self, stream):
        return self.headers(stream, b"/grpc.health.v1.Health/Check") + frame(0, 1, stream, bytes(5))

    @contextlib.contextmanager
    def connected(self, settings=b""):
        """An open connection, and a function that reads its next frame."""
        with (
            socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE) as client,
            client.makefile("rb") as file,
        ):
            client.sendall(PREFACE + frame(4, 0, 0, settings))

            def read():
                found = read_frame(file)
                self.assertIsNotNone(found, "the gateway closed the connection")
                return found

            yield client, read

    def survives(self):
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            self.assertEqual(len(self.detect(channel).faces), 1)

    def test_floods_end_the_connection(self):
        before, last, first = self.gateway.resident(), frame(6, 0, 0, self.LAST), self.headers(1)
        # Headers that grow when they are decoded; a block of them that has no end; calls with too many headers.
        large = b"\x40" + text(b"large") + text(b"x" * 3900)
        endless = first[:4] + b"\0" + first[5:]
        lists = [self.headers(stream, more=self.fields(125, 100)) for stream in range(1, 501, 2)]
        resets = (self.headers(stream) + frame(3, 0, stream, struct.pack(">I", 8)) for stream in range(1, 20001, 2))
        for name, frames, *ends in [
            ("resets", resets, True),
            ("settings", [frame(4, 0, 0) * 100] * 1000 + [last], False, True),
            ("pings", [frame(6, 0, 0, bytes(8)) * 100] * 1000 + [last], False, True),
            ("empty data", [first] + [frame(0, 0, 1) * 1000] * 1000, True),
            ("priorities", [frame(2, 0, 3, bytes(4) + b"\1") * 1000] * 1000, True),
            ("acknowledgements", [frame(4, 1, 0) * 1000] * 1000, True),
            ("60 large headers", [self.headers(1, more=large + b"\xbe" * 60), last], False),
            ("12,000 large headers", [self.headers(1, more=large + b"\xbe" * 12_000), last], True),
            ("200 lists of headers", lists[:200] + [last], False),
            ("250 lists of headers", lists + [last], True),
            ("endless headers", [endless] + [frame(9, 0, 1, b"\x40\x01a\x01b" * 1000)] * 100, True),
        ]:
            with self.subTest(name):
                self.assertIn(self.flood(frames), ends)
        self.survives()
        self.assertLess(self.gateway.resident() - before, 64 << 20)

    def test_answers_wait_for_the_clients_window(self):
        before = self.gateway.resident()
        # The window of every stream is 0.
        with self.connected(struct.pack(">HI", 4, 0)) as (client, read):
            streams = range(1, 201, 2)
            for stream in streams:
                client.sendall(self.health_check(stream))
            until(lambda: len(self.gateway.lines) >= len(streams), "the calls")
            for stream in streams:
                client.sendall(frame(8, 0, stream, struct.pack(">I", 3)))
            client.sendall(frame(6, 0, 0, b"whatever"))
            data, ended = {stream: b"" for stream in streams}, set()
            while len(ended) < len(streams):
                kind, flags, stream, body = read()
                if kind == 0:
                    data[stream] += body
                    # The rest is sent once a part was received.
                    if len(data[stream]) == 3:
                        client.sendall(frame(8, 0, stream, struct.pack(">I", 4)))
                elif kind == 1 and flags & 1:
                    ended.add(stream)
            self.assertEqual(set(data.values()), {b"\0\0\0\0\2\x08\1"})
        self.assertLess(self.gateway.resident() - before, 64 << 20)

    def test_padding_takes_no_part_of_the_window(self):
        # Large messages have a window of their own.
        for size in (400_000, 1_500_000, 5_000_000):
            with self.subTest(size), self.connected() as (client, read):
                request = messages.DetectRequest(
                    image=messages.Image(encoded=PHOTO + bytes(size - len(PHOTO)))
                ).SerializeToString()
                message = struct.pack(">BI", 0, len(request)) + request
                # The window is that of the gateway's settings, once they are acknowledged.
                until(lambda: read()[:2] == (4, 0), "the settings")
                client.sendall(frame(4, 1, 0) + self.headers(1))
                window = 512 << 10
                parts = [message[start : start + 1000] for start in range(0, len(message), 1000)]
                for index, part in enumerate(parts):
                    body = b"\xff" + part + bytes(255)
                    while window < len(body):
                        kind, _, stream, answer = read()
                        if (kind, stream) == (8, 1):
                            window += int.from_bytes(answer)
                    window -= len(body)
                    client.sendall(frame(0, 8 | (index == len(parts) - 1), 1, body))
                while True:
                    kind, flags, stream, answer = read()
                    self.assertNotEqual(kind, 3, "the stream was reset")
                    if kind == 1 and flags & 1:
                        break
                self.assertNotIn(b"exhausted", answer)

    def test_streams_beyond_the_bound_are_refused(self):
        with self.connected() as (client, read):
            until(lambda: read()[:2] == (4, 1), "the settings' acknowledgement")
            for stream in range(1, 261, 2):
                client.sendall(self.headers(stream))
            refused = next(each for each in iter(read, None) if each[0] in (3, 7))
            self.assertEqual(refused[::2], (3, 257))
        self.survives()

    def test_a_call_with_too_many_headers_is_told_the_limit(self):
        gateway = self.enterContext(Gateway(self.engine.path))
        for path in ("/faceengine.v1.Detector/Detect", "/grpc.health.v1.Health/Watch", "/nobody.Here/Call"):
            with self.subTest(path), grpc.insecure_channel(gateway.grpc) as channel:
                seen = len(gateway.lines)
                error = failure(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    channel.unary_unary(path),
                    b"",
                    metadata=[("x-long", "x" * 20_000)],
                )
                self.assertEqual(error.details(), "the headers have more than 16384 bytes; send less metadata")
                self.assertIn(b"header_bytes", dict(error.trailing_metadata())["grpc-status-details-bin"])
                line = json.loads(until(lambda: gateway.lines[seen:], "the call's line")[0])
                self.assertEqual((line["call"], line["code"]), (path[1:], "RESOURCE_EXHAUSTED"))

    def test_headers_that_were_dropped_are_known_to_later_calls(self):
        with self.connected() as (client, read):
            client.sendall(self.headers(1, more=self.fields(125, 100)))
            # The type of this call's content is the last field of the other one's, before which there are three of its
            # own now.
            client.sendall(self.headers(3, b"/grpc.health.v1.Health/Check", kind=b"\xc1") + frame(0, 1, 3, bytes(5)))
            frames = {1: [], 3: []}
            while not any(kind == 1 and flags & 1 for kind, flags, _ in frames[3]):
                kind, flags, stream, body = read()
                if stream:
                    frames[stream].append((kind, flags, body))
            self.assertIn(b"\0\0\0\0\2\x08\1", [body for kind, _, body in frames[3] if kind == 0])
            # Headers that end the call are all of the answer, then the server tells the client to send no more.
            self.assertEqual([(kind, flags & 1) for kind, flags, _ in frames[1]], [(1, 1), (3, 0)])

    def test_a_client_that_goes_on_after_its_answer_is_told_to_stop(self):
        """A moment after the answer: haproxy would drop it otherwise (test_haproxy)."""
        with self.connected() as (client, read):
            client.sendall(self.headers(1, b"/nobody.Here/Call"))
            frames = []
            while not frames or frames[-1][0] != 3:
                kind, flags, stream, body = read()
                if stream:
                    frames.append((kind, flags & 1, body))
            self.assertEqual([each[:2] for each in frames], [(1, 1), (3, 0)])
            self.assertEqual(frames[-1][2], bytes(4))


def threads(gateway):
    """What the system says of each thread."""
    for path in pathlib.Path(f"/proc/{gateway.process.pid}/task").glob("*/status"):
        yield dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)


class FlagTests(GatewayCase):
    flags = ("--rate", "5", "--allow-admin", "--sandbox", "off")

    def test_admin_is_open_with_its_flag(self):
        self.assertGreater(
            services.AdminStub(self.channel()).Stats(messages.StatsRequest(), timeout=PATIENCE).uptime_ns, 0
        )

    def test_the_sandbox_can_be_turned_off(self):
        self.gateway.said("no sandbox")
        self.assertTrue(all(status["Seccomp"] == "0" for status in threads(self.gateway)))

    def test_calls_beyond_the_rate_are_refused(self):
        statuses = [self.http("GET", "/metrics", None)[0] for _ in range(30)]
        self.assertEqual(statuses[0], 200)
        self.assertIn(429, statuses)
        until(lambda: self.http("GET", "/metrics", None)[0] == 200, "another call")


class LogTests(GatewayCase):
    def test_each_call_is_logged_without_its_picture(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        self.http(headers={"traceparent": trace})
        self.http("GET", "/nobody/knows?name=Grace", None)
        self.detect(self.channel(), metadata=[("traceparent", trace)])
        lines = self.gateway.calls(3)
        self.assertEqual(
            [(line["transport"], line["call"], line["code"]) for line in lines],
            [
                ("http", "POST /v1/detect", "OK"),
                ("http", "other", "NOT_FOUND"),
                ("grpc", "faceengine.v1.Detector/Detect", "OK"),
            ],
        )
        self.assertEqual([line.get("traceparent") for line in lines], [trace, None, trace])
        self.assertEqual(lines[0]["received_bytes"], len(PHOTO))
        self.assertNotIn("Grace", "".join(self.gateway.lines))


class SandboxTests(GatewayCase):
    def test_the_gateway_is_sandboxed(self):
        held = self.gateway.said("sandbox restricts (.*)")[1].split(",")
        self.assertIn("privileges", held)
        for status in threads(self.gateway):
            self.assertEqual(status["NoNewPrivs"], "1")
            if "system_calls" in held:
                self.assertEqual(status["Seccomp"], "2")
        # Everything works in the sandbox: pictures, the page, the memory metric, a session, a health check.
        self.assertEqual(self.http()[0], 200)
        self.assertEqual(self.http("GET", "/", None)[0], 200)
        self.assertIn(b"process_resident_memory_bytes", self.http("GET", "/metrics", None)[2])
        self.assertEqual(self.http("POST", "/v1/sessions", b'{"kind": "track"}')[0], 201)
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            self.assertEqual(len(self.detect(channel).faces), 1)


class SlowLorisTests(GatewayCase):
    flags = ("--request-timeout", "1")

    def test_an_unfinished_request_is_closed(self):
        for start in (b"GET /heal", b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"):
            with self.subTest(start), socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
                client.sendall(start)
                client.settimeout(0.2)

                def is_closed():
                    try:
                        client.sendall(b"x")
                        return client.recv(65536) == b""
                    except socket.timeout:
                        return False
                    except OSError:
                        return True

                until(is_closed, "the connection's end")

    def test_an_unfinished_grpc_message_is_ended(self):
        seen = len(self.gateway.lines)
        with socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE) as client:
            client.sendall(BEGIN + HTTP2Tests.headers(1) + frame(0, 0, 1, b"\0" + struct.pack(">I", 1000) + bytes(10)))
            line = until(lambda: self.gateway.lines[seen:], "the end of the call")[0]
        self.assertEqual(json.loads(line)["code"], "DEADLINE_EXCEEDED")

    def test_silent_grpc_connections_are_closed(self):
        with socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE) as client:
            while client.recv(65536):
                pass
