"""The memory that the gateway takes for requests, and that it returns it."""

import collections
import concurrent.futures
import contextlib
import gzip
import http.client
import io
import multiprocessing
import json
import os
import pathlib
import resource
import select
import socket
import struct
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

import grpc
from PIL import Image
from tritonclient.grpc import service_pb2 as inference
from tritonclient.grpc import service_pb2_grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
import support
from authority import Authority
from engine_calls import OWN_CONNECTION, UNLIMITED, frame, request_of, start
from fake_engine import FakeEngine
from http2 import DATA, HEADERS, PING, SETTINGS, WINDOW_UPDATE, Client, field
from support import PATIENCE, PHOTO, Engine, Gateway, GatewayCase, Sent, call, request, until

MEBIBYTE = 1 << 20
# A file may have anything after its end.
UPLOAD = PHOTO + bytes(7_000_000 - len(PHOTO))
# What Gateway/Deploy/kubernetes/face-engine.yaml and Tools/systemd/face-engine-gateway.service allow at least.
SHIPPED_LIMIT = 512 * MEBIBYTE


class MemoryGroup:
    """A control group that limits the memory of a gateway. Raises OSError where none can be made."""

    def __init__(self, limit):
        old, new = pathlib.Path("/sys/fs/cgroup/memory"), pathlib.Path("/sys/fs/cgroup")
        is_old = (old / "memory.limit_in_bytes").exists()
        self.folder = (old if is_old else new) / f"face-engine-test-{os.getpid()}"
        self.folder.mkdir()
        self.usage = self.folder / ("memory.usage_in_bytes" if is_old else "memory.current")
        self.events = self.folder / ("memory.oom_control" if is_old else "memory.events")
        try:
            (self.folder / ("memory.limit_in_bytes" if is_old else "memory.max")).write_text(str(limit))
        except OSError:
            self.remove()
            raise

    def used(self):
        return int(self.usage.read_text())

    def kills(self):
        return int(dict(line.split() for line in self.events.read_text().splitlines())["oom_kill"])

    def program(self, folder):
        """A program that runs the gateway in the group."""
        path = pathlib.Path(folder, "grouped-gateway")
        path.write_text(f'#!/bin/sh\necho $$ > {self.folder}/cgroup.procs && exec {support.GATEWAY} "$@"\n')
        path.chmod(0o755)
        return path

    def remove(self):
        until(lambda: not (self.folder / "cgroup.procs").read_text(), "the end of the group's processes")
        self.folder.rmdir()


def post(address):
    return call(support.address_of(address), "POST", "/v1/detect", UPLOAD)[0]


def detect(address):
    with grpc.insecure_channel(address, options=UNLIMITED + OWN_CONNECTION) as channel:
        try:
            services.DetectorStub(channel).Detect(request_of(UPLOAD), timeout=PATIENCE)
            return 200
        except grpc.RpcError as error:
            return str(error.code()), error.details()


def uploads(send, address, count):
    """The outcomes of so many uploads at once."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(send, [address] * count))


class LimitedCase(unittest.TestCase):
    limit = SHIPPED_LIMIT

    def setUp(self):
        try:
            self.group = MemoryGroup(self.limit)
        except OSError as error:
            self.skipTest(f"no control group can be made: {error}")
        self.addCleanup(self.group.remove)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.engine = self.enterContext(Engine(folder))
        self.program = self.group.program(folder)

    def start(self, *flags):
        with mock.patch.object(support, "GATEWAY", self.program):
            gateway = Gateway(self.engine.path, *flags)
        self.addCleanup(gateway.stop)
        return gateway


class ShippedLimitTests(LimitedCase):
    def assert_all_are_answered(self, send, address):
        # In several processes, since one would hardly send at once.
        with concurrent.futures.ProcessPoolExecutor(4, multiprocessing.get_context("spawn")) as pool:
            found = collections.Counter()
            for each in pool.map(uploads, [send] * 4, [address] * 4, [16] * 4):
                found.update(each)
        self.assertEqual(found, {200: 64})
        self.assertEqual(self.group.kills(), 0)
        until(lambda: self.group.used() < 64 * MEBIBYTE, "the return of the memory")

    def test_sixty_four_uploads_at_once_are_answered(self):
        gateway = self.start()
        self.assert_all_are_answered(post, gateway.http)
        self.assert_all_are_answered(detect, gateway.grpc)


class SmallLimitTests(LimitedCase):
    limit = 100 * MEBIBYTE

    def test_a_body_that_could_never_fit_is_reported_at_the_start(self):
        refused = subprocess.run(
            [self.program, "--socket", self.engine.path], capture_output=True, text=True, timeout=PATIENCE
        )
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--max-body 64 needs 171 MiB of memory, but the gateway may use only 100", refused.stderr)
        self.start("--max-body", "32")

    def test_large_requests_up_to_the_bound_have_files(self):
        refused = subprocess.run(
            [self.program, "--socket", self.engine.path, "--max-body", "32"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)),
        )
        # Connections with spare ones of both servers, requests of almost 4 MiB in 50, and the rest.
        self.assertIn(f"--max-connections 256 needs {2 * (256 + 128) + 12 + 64} open files", refused.stderr)


# The head of a large request, and so much of it that it may reserve room for the rest.
BEGUN = request("POST /v1/detect", bytes(60 * MEBIBYTE))[: 65 << 10]


class WaitingTests(GatewayCase):
    flags = ("--request-timeout", "20")

    def connect(self, start, source="127.0.0.1"):
        client = self.enterContext(
            socket.create_connection(self.gateway.http_address, timeout=PATIENCE, source_address=(source, 0))
        )
        client.sendall(start)
        return client

    def test_announced_bytes_take_no_room(self):
        for _ in range(32):
            self.connect(BEGUN[:100])
        self.assertEqual(self.http(body=UPLOAD)[0], 200)

    def test_a_sender_without_bytes_loses_its_room_while_others_wait(self):
        # Together they need more than there is; no more bytes follow.
        clients = [self.connect(BEGUN) for _ in range(9)]
        # Small ones pass.
        self.assertEqual(self.http()[0], 200)
        answer = http.client.HTTPResponse(clients[0])
        answer.begin()
        self.assertEqual((answer.status, answer.headers["retry-after"]), (503, "1"))
        self.assertIn(b"while others waited for the memory that it had reserved", answer.read())
        # Its room is another one's.
        self.assertEqual(self.http(body=UPLOAD)[0], 200)

    def test_an_address_leaves_room_for_others(self):
        # Each of the first takes what it can, and fills it slowly enough to keep it.
        clients = [self.connect(BEGUN, "127.0.0.2") for _ in range(9)]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            is_over = threading.Event()

            def feed():
                while not is_over.wait(0.2):
                    for client in clients:
                        with contextlib.suppress(OSError):
                            client.send(bytes(16 << 10), socket.MSG_DONTWAIT)

            feeding = pool.submit(feed)
            self.assertEqual(self.http(body=UPLOAD)[0], 200)
            # Without room for another of its own, the last one is still there.
            self.assertFalse(select.select(clients[-1:], [], [], 0)[0])
            is_over.set()
            feeding.result()

    def test_an_upload_of_http_2_that_was_told_to_try_again_may_send_its_rest(self):
        authority = Authority(self.folder.name, "server")
        gateway = self.enterContext(Gateway(self.engine.path, *self.flags, *authority.flags("server")))
        context = authority.context()
        context.set_alpn_protocols(["h2"])
        headers = b"\x83\x87" + b"".join(
            field(*each) for each in ((4, b"/v1/detect"), (1, b"localhost"), (28, b"%d" % (60 * MEBIBYTE)))
        )
        clients = []
        for _ in range(9):
            client = Client(gateway.http_address, context)
            self.addCleanup(client.close)
            stream = client.stream()
            client.send((HEADERS, 4, stream, headers))
            # All that its window allows.
            next(client.frames(SETTINGS))
            client.send((SETTINGS, 1, 0, b""), *[(DATA, 0, stream, bytes(16384))] * 32)
            clients.append((client, stream))
        # The first one has room and sends nothing more.
        client, stream = clients[0]
        client.open_window(1 << 20, 0, stream)
        opened, body = 0, b""
        for kind, flags, of, content in iter(client.read, None):
            if (kind, of) == (WINDOW_UPDATE, stream):
                opened += int.from_bytes(content)
            elif (kind, of) == (DATA, stream):
                body += content
                if flags & 1:
                    # What the gateway sends by itself precedes its answer.
                    client.send((PING, 0, 0, bytes(8)))
            elif kind == PING:
                break
        self.assertIn(b"while others waited for the memory that it had reserved", body)
        self.assertGreater(opened, 0)

    def test_the_next_request_has_the_room_of_one_that_ends(self):
        clients = [self.connect(BEGUN) for _ in range(8)]
        last = self.connect(request("POST /v1/detect", UPLOAD, "Expect: 100-continue")[: -len(UPLOAD)])
        self.assertIn(b" 100 ", last.recv(1024))
        for client in clients:
            client.close()
        last.sendall(UPLOAD)
        answer = http.client.HTTPResponse(last)
        answer.begin()
        self.assertEqual(answer.status, 200)


class BodiesBesideTests(GatewayCase):
    """Bodies that cost much do not hold up others."""

    def test_health_is_told_while_bodies_are_inflated(self):
        zeros = gzip.compress(bytes(64 * MEBIBYTE), 1)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            posts = [pool.submit(self.http, body=zeros, headers={"Content-Encoding": "gzip"}) for _ in range(8)]
            count = 0
            while not all(each.done() for each in posts):
                self.assertEqual(self.http("GET", "/healthz", None)[0], 200)
                count += 1
        self.assertLessEqual({each.result()[0] for each in posts}, {400, 503})
        # One between two bodies is what a loop that inflates them itself leaves.
        self.assertGreater(count, 3 * len(posts))


class ForgottenPictureTests(GatewayCase):
    """A person's picture in the gateway's memory."""

    def memory(self):
        """All that the gateway can write to, without pages of zeros."""
        folder = pathlib.Path(f"/proc/{self.gateway.process.pid}")
        with (folder / "mem").open("rb", buffering=0) as memory:
            for line in (folder / "maps").read_text().splitlines():
                start, end = (int(each, 16) for each in line.split()[0].split("-"))
                if line.split()[1].startswith("rw"):
                    memory.seek(start)
                    with contextlib.suppress(OSError):  # unmapped meanwhile
                        region = memory.read(end - start)
                        pages = (region[at : at + 4096] for at in range(0, len(region), 4096))
                        yield b"".join(page for page in pages if page.strip(b"\0"))

    def has(self, *pictures):
        """Whether two pages of one of them, one after the other, are there. Pages that have something else, too, are not returned."""
        pieces = [each[at : at + 8192] for each in pictures for at in range(0, len(each) - 8192, 4096)]
        self.assertGreater(len(pieces), 100)
        return any(piece in region for region in self.memory() for piece in pieces)

    def photo(self):
        """A photo that is like no other, with more pieces than a piece of memory that is used again."""
        photo = Image.open(io.BytesIO(PHOTO)).resize((1024, 1200))
        file = io.BytesIO()
        Image.blend(photo, Image.effect_noise(photo.size, 60).convert("RGB"), 0.2).save(file, "JPEG", quality=95)
        return file.getvalue()

    def test_nothing_of_a_stream_outlives_it(self):
        detector = services.DetectorStub(self.channel())
        for method, begin in ((detector.Check, start(check=messages.CheckOptions())), (detector.Watch, start())):
            photo = self.photo()
            sent, answers = self.begun(method, begin, frame(1, photo))
            for number in range(2, 10):
                sent.send(frame(number, photo))
                self.assertEqual(next(answers).id, number)
            sent.close()
            self.assertEqual(list(answers), [])
            until(lambda: not self.has(photo), "the end of the frames")

    def test_nothing_of_a_check_outlives_it(self):
        photo = self.photo()
        options = {"circle": {"x": 0.52, "y": 0.37, "radius": 0.3}, "hold": 0.3, "start-delay": 0.1}
        # As a browser's, which stays.
        connection = http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE)
        self.addCleanup(connection.close)

        def call(*arguments):
            connection.request(*arguments)
            answer = connection.getresponse()
            body = answer.read()
            self.assertLess(answer.status, 300, body)
            return body

        for method, path in (("POST", "/restart"), ("DELETE", "")):
            session = json.loads(call("POST", "/v1/sessions", json.dumps({"kind": "check", "options": options})))["id"]
            for number in range(1, 60):
                answer = json.loads(
                    call("POST", f"/v1/sessions/{session}/frames", photo, {"X-Timestamp-Ns": str(number * 10**8)})
                )
                if "picture" in answer:
                    break
            pictures = [call("GET", answer[part]["url"]) for part in ("picture", "crop")]
            self.assertTrue(self.has(pictures[0]))
            call(method, f"/v1/sessions/{session}{path}")
            until(lambda: not self.has(photo, *pictures), f"the end of the picture after {method}")


class CancelledTests(GatewayCase):
    """What a request takes counts until the last of it is freed, which the end of its client does not do."""

    # Goes to the engine in one message.
    FILE = PHOTO + bytes(3 * MEBIBYTE)

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.engine = FakeEngine(os.path.join(folder, "engine.sock"), is_slow=True)
        self.addCleanup(self.engine.close)
        self.gateway = self.enterContext(Gateway(self.engine.path))

    def used(self):
        return support.sample(self.gateway, "face_gateway_request_bytes")

    def assert_counts_until_the_engine_answers(self, name, cancel):
        until(lambda: self.engine.unanswered, "the engine's call")
        self.assertGreater(self.used(), len(self.FILE))
        cancel()
        until(lambda: any(name in line["call"] for line in self.gateway.calls(code="CANCELLED")), "the line of the log")
        self.assertGreater(self.used(), len(self.FILE))
        self.engine.answer_all()
        until(lambda: self.used() < MEBIBYTE, "the end of what it takes")

    def test_an_inference_over_http(self):
        size = len(self.FILE) + 4
        head = json.dumps(
            {"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "parameters": {"binary_data_size": size}}]}
        )
        client = socket.create_connection(self.gateway.http_address, timeout=PATIENCE)
        client.sendall(
            request(
                "POST /v2/models/faces/infer",
                head.encode() + struct.pack("<I", len(self.FILE)) + self.FILE,
                f"Inference-Header-Content-Length: {len(head)}",
            )
        )
        # With a reset.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.assert_counts_until_the_engine_answers("/infer", client.close)

    def inference(self):
        return inference.ModelInferRequest(
            model_name="faces",
            raw_input_contents=[struct.pack("<I", len(self.FILE)) + self.FILE],
            inputs=[inference.ModelInferRequest.InferInputTensor(name="image", datatype="BYTES", shape=[1])],
        )

    def test_an_inference_over_grpc(self):
        stub = service_pb2_grpc.GRPCInferenceServiceStub(self.channel())
        self.assert_counts_until_the_engine_answers("ModelInfer", stub.ModelInfer.future(self.inference()).cancel)

    def test_a_stream_of_inferences(self):
        requests = Sent(self.inference())
        self.addCleanup(requests.close)
        stream = service_pb2_grpc.GRPCInferenceServiceStub(self.channel()).ModelStreamInfer(requests)
        self.assert_counts_until_the_engine_answers("ModelStreamInfer", stream.cancel)

    def test_a_call_of_the_engine(self):
        answer = services.DetectorStub(self.channel()).Detect.future(request_of(self.FILE))
        self.assert_counts_until_the_engine_answers("Detector/Detect", answer.cancel)
