"""Damaged requests, over HTTP/1.1 and gRPC's HTTP/2, to a gateway that runs before an engine: looks for one that ends the
gateway, is answered with an internal error, or keeps a connection open. Some of them each time, or for FACE_FUZZ_SECONDS, a
minute in long tests:

    FACE_FUZZ_SECONDS=600 Gateway/Tests/test.sh test_fuzz

The folder that a failure names has the inputs found: add them to corpus/http or corpus/grpc, whose files are sent each time.
"""

import collections
import concurrent.futures
import errno
import gzip
import hashlib
import json
import os
import pathlib
import random
import re
import select
import socket
import struct
import sys
import tempfile
import time
import zlib

from http2 import BEGIN, DATA, HEADERS, frame, rpc_head
from support import LONG, GatewayCase, request, until

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
# No request makes the gateway wait: when a sender has finished, missing parts of its request are known to be missing.
PATIENCE = 20
LINGER = 0.05
COUNT = 1000
# The gateway keeps its connections to the engine.
POOL = 20


def png(side=16):
    """A grey picture."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress(b"".join(b"\0" + bytes([128]) * side for _ in range(side)))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", rows)
        + chunk(b"IEND", b"")
    )


HEALTH = request("GET /healthz")
BEGIN_SESSION = request(
    "POST /v1/sessions",
    b'{"kind":"track","options":{"max-side":320,"landmarks":true}}',
    "Content-Type: application/json",
)


def http_seeds(session):
    picture = png()
    chunked = b"%x;a=b\r\n%s\r\n0\r\nTrailer: x\r\n\r\n" % (len(picture), picture)
    tensor = b'{"inputs":[{"name":"image","datatype":"BYTES","shape":[1],"parameters":{"binary_data_size":%d}}]}' % (
        len(picture) + 4
    )
    return [
        request("GET /"),
        HEALTH,
        BEGIN_SESSION,
        request("GET /metrics", b"", "Accept: application/openmetrics-text"),
        request("GET /openapi.json", b"", 'If-None-Match: "x"', "Accept-Encoding: gzip"),
        request("POST /v1/detect?all&min-confidence=0.5&max-faces=3&box=1,2,3,4", picture, "Content-Type: image/png"),
        request("POST /v1/detect?accuracy=high&rotations=any&constellation=76", b"", "Transfer-Encoding: chunked")
        + chunked,
        request("POST /v1/detect", picture, "Expect: 100-continue", "Content-Type: multipart/form-data; boundary=a"),
        request(f"POST /v1/sessions/{session}/frames", picture),
        request(f"DELETE /v1/sessions/{session}"),
        request("GET /v2"),
        request("GET /v2/models/faces"),
        request("GET /v2/models/faces/ready"),
        request(
            "POST /v2/models/faces/infer",
            b'{"id":"1","inputs":[{"name":"image","datatype":"BYTES","shape":[1],"data":["AAAA"]}],"outputs":[{"name":"boxes"}]}',
            "Content-Type: application/json",
        ),
        request(
            "POST /v2/models/faces/infer",
            tensor + struct.pack("<I", len(picture)) + picture,
            f"Inference-Header-Content-Length: {len(tensor)}",
        ),
        request("OPTIONS /v1/detect", b"", "Origin: http://localhost", "Access-Control-Request-Method: POST"),
        HEALTH * 3,
    ]


def grpc_seeds():
    def call(stream, path, *messages, metadata=(), flag=b"\0"):
        head = rpc_head(path.encode(), *((name.encode(), value.encode()) for name, value in metadata))
        data = b"".join(flag + struct.pack(">I", len(message)) + message for message in messages)
        return frame(HEADERS, 4, stream, head) + frame(DATA, 1, stream, data)

    picture = png()
    image = b"\x0a" + bytes([len(picture) + 2]) + b"\x0a" + bytes([len(picture)]) + picture
    return [
        BEGIN + call(1, "/faceengine.v1.Health/Check", b"") + frame(4, 1, 0),
        BEGIN + call(1, "/grpc.health.v1.Health/Check", b"", metadata=[("grpc-timeout", "1S")]) + call(3, "/a/b", b""),
        BEGIN
        + call(
            1,
            "/faceengine.v1.Detector/Detect",
            image,
            metadata=[("traceparent", "00-" + "1" * 32 + "-" + "2" * 16 + "-01")],
        ),
        BEGIN
        + call(
            1,
            "/faceengine.v1.Detector/Detect",
            gzip.compress(image, mtime=0),
            metadata=[("grpc-encoding", "gzip")],
            flag=b"\1",
        ),
        BEGIN
        + call(
            1,
            "/faceengine.v1.Detector/Watch",
            b"\x0a\x00",
            b"\x12" + bytes([len(image) + 2]) + b"\x08\x01\x1a" + image[1:],
        ),
        BEGIN
        + call(1, "/faceengine.v1.Detector/Info", b"")
        + frame(6, 0, 0, b"12345678")
        + frame(8, 0, 0, b"\0\0\1\0"),
        BEGIN
        + call(
            1,
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            b"\x3a\x00",
            b"\x22\x18faceengine.v1.Detector.x",
        ),
        BEGIN + call(1, "/inference.GRPCInferenceService/ModelMetadata", b"\x0a\x05faces"),
        BEGIN
        + call(
            1,
            "/inference.GRPCInferenceService/ModelInfer",
            b"\x0a\x05faces\x2a\x14\x0a\x05image\x12\x05BYTES\x1a\x01\x01\x2a\x00" + b"\x3a\x08\x04\0\0\0abcd",
        ),
        BEGIN
        + call(1, "/faceengine.v1.Health/Check", b"")
        + frame(3, 0, 1, b"\0\0\0\x08")
        + frame(2, 0, 1, b"\0\0\0\0\x10"),
        BEGIN + frame(4, 0, 0, struct.pack(">HIHI", 4, 100, 5, 16384)) + call(1, "/faceengine.v1.Health/Watch", b""),
    ]


TOKENS = [
    b"\r\n",
    b"\r\n\r\n",
    b"\0",
    b"\xff" * 4,
    b"%00",
    b"%2e%2e/",
    b"Content-Length: 18446744073709551616\r\n",
    b"0\r\n\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Connection: Upgrade\r\nUpgrade: h2c\r\n",
    b"HTTP/1.0",
    b"-1",
    b"1e999",
    b"nan",
    b"[" * 400,
    b'{"a":',
    b"\\ud800",
    b"A" * 70000,
    b"\x7f\xff\xff\xff",
    b"\x80\0\0\0",
    frame(7, 0, 0, b"\0" * 8),
    frame(9, 4, 1, b"\x82"),
    frame(4, 0, 0, b"\0\4\xff\xff\xff\xff"),
    frame(0, 8, 1, b"\xff"),
]


def damaged(seed, others, chance):
    """`seed` after one to four changes."""
    bytes_ = bytearray(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        at = chance.randrange(len(bytes_) + 1)
        size = min(chance.choice((1, 1, 2, 4, 16, 64)), len(bytes_) - at)
        kind = chance.randrange(7)
        if kind == 0:
            bytes_[at : at + size] = chance.randbytes(size)
        elif kind == 1:
            del bytes_[at : at + size]
        elif kind == 2:
            bytes_[at:at] = chance.choice(TOKENS)
        elif kind == 3:
            bytes_[at : at + size] = chance.choice(TOKENS)
        elif kind == 4:
            bytes_[at:at] = bytes_[at : at + size] * chance.choice((1, 2, 50))
        elif kind == 5:
            other = chance.choice(others)
            bytes_[at:] = other[chance.randrange(len(other)) :]
        elif at < len(bytes_):
            bytes_[at] ^= 1 << chance.randrange(8)
    return bytes(bytes_)


def converse(address, request, pause_at, linger=0):
    """The answer to a request that is sent in two parts, until the connection is closed, which this requests when nothing
    has come for `linger` seconds: an HTTP/2 client that has finished gets no answers."""
    answer = bytearray()
    with socket.create_connection(address, timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            connection.sendall(request[:pause_at])
            connection.sendall(request[pause_at:])
            while linger > 0 and select.select([connection], [], [], linger)[0] and (data := connection.recv(65536)):
                answer += data
            connection.shutdown(socket.SHUT_WR)
            while data := connection.recv(65536):
                answer += data
        except OSError as error:
            # The gateway may close the connection before all is sent.
            if error.errno not in (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN):
                raise
    return bytes(answer)


class Fuzzer:
    def __init__(self, gateway, seed=0):
        self.gateway = gateway
        self.chance = random.Random(seed)
        self.outcomes = collections.Counter()
        self.findings = []  # (what is wrong, file)
        self.folder = pathlib.Path(tempfile.gettempdir(), "gateway-fuzz")
        self.begin()

    def begin(self):
        """Opens a session; sessions end when they are idle or a request closes them."""
        begun = converse(self.gateway.http_address, BEGIN_SESSION, 0)
        # This is refused while the maximum number is open.
        session = json.loads(begun[begun.index(b"\r\n\r\n") :]).get("id", "none")
        self.kinds = {
            "http": (self.gateway.http_address, http_seeds(session)),
            "grpc": (self.gateway.grpc_address, grpc_seeds()),
        }

    def replay(self):
        """Sends the seeds and earlier findings."""
        for kind, (_, seeds) in self.kinds.items():
            for request in seeds + [path.read_bytes() for path in sorted((CORPUS / kind).glob("*"))]:
                self.judge(kind, request, len(request))

    def run(self, count):
        """Sends that many damaged requests, sixteen at a time."""
        self.begin()
        work = []
        for _ in range(count):
            kind = self.chance.choice(tuple(self.kinds))
            seeds = self.kinds[kind][1]
            request = damaged(self.chance.choice(seeds), seeds, self.chance)
            work.append((kind, request, self.chance.randrange(len(request) + 1)))
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda each: self.judge(*each), work))

    def judge(self, kind, request, pause_at):
        try:
            answer = converse(self.kinds[kind][0], request, pause_at, LINGER if kind == "grpc" else 0)
        except OSError as error:
            return self.report(kind, request, f"{type(error).__name__}: {error}")
        if kind == "grpc":
            self.outcomes["grpc: answered" if len(answer) > 0 else "grpc: closed"] += 1
            return
        statuses = re.findall(rb"(?:^|\n)HTTP/1\.[01] (\d{3})", answer)
        self.outcomes[f"http: {statuses[0].decode()}" if statuses else "http: closed"] += 1
        if b"500" in statuses or (answer and not statuses):
            self.report(kind, request, f"it was answered with {answer[:200]!r}")

    def report(self, kind, request, what):
        self.folder.mkdir(exist_ok=True)
        path = self.folder / f"{kind}-{hashlib.sha256(request).hexdigest()[:16]}"
        path.write_bytes(request)
        self.findings.append((what, str(path)))


class FuzzTests(GatewayCase):
    # As many requests as they can send.
    flags = ("--rate", "0")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.gateway.process.pid}/fd"))

    def test_damaged_requests_leave_the_gateway_as_it_was(self):
        seconds = float(os.environ.get("FACE_FUZZ_SECONDS", "60" if LONG else "0"))
        fuzzer = Fuzzer(self.gateway, random.randrange(1 << 32) if seconds > 0 else 1)
        fuzzer.replay()
        fuzzer.run(COUNT)
        before, descriptors = self.gateway.resident(), self.descriptors()
        end = time.monotonic() + seconds
        while time.monotonic() < end and not fuzzer.findings:
            fuzzer.run(COUNT)
        print(f"\nfuzz: {dict(sorted(fuzzer.outcomes.items()))}", file=sys.stderr)
        self.assertIsNone(self.gateway.process.poll(), self.gateway.errors[-20:])
        self.assertEqual(fuzzer.findings, [])
        self.assertEqual(converse(self.gateway.http_address, HEALTH, 0)[:12], b"HTTP/1.1 200")
        until(lambda: self.descriptors() <= descriptors + POOL, "closing what was opened")
        self.assertLess(self.gateway.resident() - before, 64 << 20)
