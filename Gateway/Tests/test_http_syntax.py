"""HTTP/1 as it is written: heads, hosts, chunks, expectations, and the errors of a parser."""

import json
import re
import socket
import threading

from support import PATIENCE, PHOTO, GatewayCase, request, until


class SyntaxCase(GatewayCase):
    def status(self, *parts, **others):
        return int(re.match(rb"HTTP/1\.1 (\d+) ", self.raw(*parts, **others))[1])


def get(*headers, target="/healthz", version="1.1"):
    return "\r\n".join([f"GET {target} HTTP/{version}", *headers, "Connection: close", "", ""]).encode()


class HostTests(SyntaxCase):
    flags = ("--host-name", "Kiosk.example")

    def test_a_request_has_one_host(self):
        for headers, status in [
            (["Host: localhost"], 200),
            ([], 400),
            (["Host:"], 400),
            (["Host: localhost", "Host: localhost"], 400),
            (["Host: localhost:80@evil"], 400),
            (["Host: localhost:port"], 400),
            (["Host: local host"], 400),
            (["Host: localhost:8080"], 200),
            (["Host: evil.example"], 403),
            (["Host: 192.0.2.7:8080"], 200),
            (["Host: [2001:db8::1]:8080"], 200),
            (["Host: [::1"], 400),
            (["Host: 127.0.0.1.evil.example"], 403),
            (["Host: kiosk.example:8080"], 200),
        ]:
            with self.subTest(headers):
                self.assertEqual(self.status(get(*headers)), status)

    def test_the_host_of_an_absolute_target_counts(self):
        for target, status in (("http://evil", 403), ("http://localhost", 200), ("ftp://localhost", 400)):
            self.assertEqual(self.status(get("Host: localhost", target=f"{target}/healthz")), status)

    def test_http_1_0_is_answered_and_closed(self):
        # Health checkers send no host, and no browser speaks it.
        self.assertEqual(self.status(b"GET /healthz HTTP/1.0\r\n\r\n"), 200)
        self.assertIn(b"\r\nconnection: close\r\n", self.raw(b"GET /healthz HTTP/1.0\r\n\r\n").lower())

    def test_a_connection_is_kept_for_http_1_0_if_it_asks(self):
        ask = b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        self.assertEqual(self.raw(ask, ask, end=True).count(b"HTTP/1.1 200 OK"), 2)


class UpgradeTests(SyntaxCase):
    """No other protocol is switched to, so the next request is read as if none had been asked for: RFC 9110, section 7.8."""

    ASKS = {
        "h2c, as curl and Java send it": request(
            "GET /healthz",
            b"",
            "Connection: Upgrade, HTTP2-Settings",
            "Upgrade: h2c",
            "HTTP2-Settings: AAMAAABkAAQAAP__",
        ),
        "websocket": request("GET /healthz", b"", "Connection: Upgrade", "Upgrade: websocket"),
        "with a body": request("POST /v1/detect", PHOTO, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"),
        "CONNECT": b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\n\r\n",
    }

    def test_the_next_request_is_read(self):
        last = get("Host: localhost")
        for name, ask in self.ASKS.items():
            first = b"400" if name == "CONNECT" else b"200"
            for parts in ((ask, ask, last), (ask + ask + last,), (ask + ask[:30], ask[30:], last)):
                with self.subTest(name, parts=len(parts)):
                    self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", self.raw(*parts)), [first, first, b"200"])


class BodyTests(SyntaxCase):
    head = (
        f"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(PHOTO)}\r\nConnection: close\r\n".encode()
    )

    def test_an_expectation_is_met_before_the_body(self):
        answer = self.raw(self.head + b"Expect: 100-continue\r\n\r\n", PHOTO)
        self.assertTrue(answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"), answer[:100])

    def test_a_body_that_would_be_refused_is_not_asked_for(self):
        large = (
            b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n"
        )
        self.assertEqual(self.status(large), 413)
        self.assertEqual(self.status(large.replace(b"localhost", b"evil.example")), 403)
        self.assertEqual(self.status(self.head + b"Expect: the-unexpected\r\n\r\n"), 417)

    def test_a_refusal_is_read_by_a_client_that_sends_all_first(self):
        # On a line so slow that the gateway once gave up: more than two seconds pass between the refusal and the end.
        size, refused = 6_000_000, threading.Event()
        with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(b"POST /v1/detect HTTP/1.1\r\nHost: evil.example\r\nContent-Length: %d\r\n\r\n" % size)
            for _ in range(60):
                client.sendall(bytes(size // 60))
                refused.wait(0.05)
            answer = client.recv(65536)
        self.assertTrue(answer.startswith(b"HTTP/1.1 403 "), answer)

    def test_requests_that_follow_one_another_are_answered_in_order(self):
        one = request("POST /v1/detect", PHOTO)
        answer = self.raw(one + request("GET /nothing") + one + get("Host: localhost"))
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", answer), [b"200", b"404", b"200", b"200"])

    def test_all_that_was_sent_before_the_client_closed_its_side_is_answered(self):
        health = request("GET /healthz")
        answer = self.raw(health + request("GET /nothing") * 2000 + health, end=True)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", answer), [b"200", *[b"404"] * 2000, b"200"])

    def test_a_refused_request_with_a_short_body_keeps_the_connection(self):
        answer = self.raw(request("POST /nothing", b"hello") + get("Host: localhost"))
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", answer), [b"404", b"200"])

    def test_a_refused_request_that_ends_inside_its_body_has_one_answer_and_one_line(self):
        answer = self.raw(request("POST /nothing", b"hello-hello")[:-6], end=True)
        self.assertEqual(re.findall(rb"HTTP/1\.1 (\d+)", answer), [b"404"])
        # Lines have the order of their requests, so that another one of the first would come before it.
        self.raw(get("Host: localhost", target="/nothing-more"))
        lines = until(
            lambda: [line for line in self.gateway.calls() if line["status"] in (404, 499)][1:], "the next line"
        )
        self.assertEqual([line["status"] for line in lines], [404])

    def test_chunks_are_taken_and_their_extensions_bounded(self):
        head = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"

        def chunk(data, extension=b""):
            return b"%x%s\r\n%s\r\n" % (len(data), extension, data)

        pieces = b"".join(chunk(PHOTO[start : start + 10]) for start in range(0, len(PHOTO), 10)) + b"0\r\n\r\n"
        for body, status in [
            (pieces, 200),
            (chunk(PHOTO, b";name=value") + b"0\r\n\r\n", 200),
            (chunk(PHOTO[:10], b";" + b"x" * (1 << 20)), 400),
            (b"zz\r\n", 400),
            (b"5\r\nabcde\r\n-1\r\n", 400),
            (b"5\r\nab", 499),
        ]:
            self.assertEqual(self.status(head + body, end=True), status, body[:20])

    def test_the_parsers_errors_have_json(self):
        for text in [
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET\r\n\r\n",
            b"GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n",
            b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
        ]:
            with self.subTest(text):
                answer = self.raw(text)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
                self.assertEqual(json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"], "INVALID_ARGUMENT")
        answer = self.raw(get("Host: localhost", "X: " + "x" * 40_000))
        self.assertTrue(answer.startswith(b"HTTP/1.1 431 "), answer)

    def test_failed_calls_are_logged_with_their_bytes(self):
        self.assertEqual(self.status(request("POST /v1/detect", b"???", "Connection: close")), 400)
        self.assertEqual(self.gateway.calls(1, received_bytes=3)[0]["status"], 400)
