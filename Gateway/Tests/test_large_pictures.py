"""Pictures that are larger than a message of the engine: they reach it through shared memory."""

import collections
import concurrent.futures
import contextlib
import hashlib
import http.client
import io
import json
import os
import pathlib
import socket
import sys
import tempfile
import threading
import unittest

import grpc
import numpy
from PIL import Image

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from engine_calls import UNLIMITED, frame, image_of, request_of, start
from fake_engine import FEATURES, REMOTE_OPEN, Connection, StubEngine, descriptors
from support import PATIENCE, PHOTO, ROOT, Gateway, GatewayCase, bytes_field, failure, request, sample, until, varint

sys.path.append(str(ROOT / "Examples/python"))

import face_client  # noqa: E402

MESSAGE_LIMIT = 4 << 20


def canvas(width, height):
    """The photo in the middle of noise, which no file makes much smaller."""
    noise = numpy.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=numpy.uint8)
    image = Image.fromarray(noise)
    photo = Image.open(io.BytesIO(PHOTO)).convert("RGB")
    image.paste(photo, ((width - photo.width) // 2, (height - photo.height) // 2))
    return image


def encoded(image, kind, **others):
    file = io.BytesIO()
    image.save(file, kind, **others)
    return file.getvalue()


LARGE = encoded(canvas(2200, 1800), "JPEG", quality=95)
LARGER = encoded(canvas(3600, 2800), "JPEG", quality=95)
assert MESSAGE_LIMIT < len(LARGE) < 8 << 20 < len(LARGER)


def shared_descriptors(program):
    """The memory that a process shares with others: open, or mapped."""
    folder, found = pathlib.Path(f"/proc/{program.process.pid}"), []
    for link in (folder / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found += [target for target in [os.readlink(link)] if "memfd:" in target]
    return found + [line for line in (folder / "maps").read_text().splitlines() if "memfd:" in line]


class LargeCase(GatewayCase):
    def setUp(self):
        self.open = self.channel(UNLIMITED)
        self.detector = services.DetectorStub(self.open)

    def assert_same(self, answer, faces):
        """An answer of gRPC has the faces of the command."""
        self.assertEqual(
            [(face.box.x, face.box.y, face.box.width, face.box.height) for face in answer.faces],
            [tuple(numpy.float32(face["box"][name]) for name in ("x", "y", "width", "height")) for face in faces],
        )

    def mapped_bytes(self):
        """The shared memory that the engine has mapped."""
        return sample(self.gateway, "face_engine_mapped_bytes")

    def found(self, **pixels):
        """The answer to raw pixels."""
        pixels = messages.Pixels(width=3000, height=2000, **{"format": messages.PIXEL_FORMAT_RGB, **pixels})
        return self.detector.Detect(messages.DetectRequest(image=messages.Image(pixels=pixels)), timeout=PATIENCE)

    def assert_all_is_freed(self):
        until(lambda: shared_descriptors(self.gateway) == [], "the end of the gateway's shared memory")
        until(lambda: self.mapped_bytes() == 0, "the end of the engine's mappings")


class PictureTests(LargeCase):
    def test_a_large_file_is_answered_as_by_the_socket(self):
        for file in (LARGE, LARGER):
            with self.subTest(len(file)):
                faces = self.by_the_socket(file)
                self.assertEqual(len(faces), 1)
                self.assertEqual(self.json(200, "POST", "/v1/detect", file)["faces"], faces)
                self.assert_same(self.detector.Detect(request_of(file), timeout=PATIENCE), faces)
        self.assert_all_is_freed()

    def test_the_largest_files_that_go_in_a_message_and_the_next_ones_are_answered(self):
        for size in range(MESSAGE_LIMIT - (64 << 10), MESSAGE_LIMIT + (16 << 10), 8 << 10):
            # A file may have anything after its end.
            answer = self.detector.Detect(request_of(PHOTO + bytes(size - len(PHOTO))), timeout=PATIENCE)
            self.assertEqual(len(answer.faces), 1, size)

    def test_raw_pixels_are_answered_as_by_the_socket(self):
        image = canvas(3000, 2000)
        faces = self.by_the_socket(encoded(image, "PNG", compress_level=1))
        self.assertEqual(len(faces), 1)
        self.assert_same(self.found(data=image.tobytes()), faces)
        # Rows with a gap, and colours with planes of their own.
        padded = numpy.zeros((2000, 3100, 3), numpy.uint8)
        padded[:, :3000] = numpy.asarray(image)
        self.assert_same(self.found(stride=9300, data=padded.tobytes()), faces)
        luma, blue, red = image.convert("YCbCr").split()
        planes = [luma] + [plane.resize((1500, 1000)) for plane in (blue, red)]
        chroma = [{"offset": 6_000_000, "stride": 1500}, {"offset": 7_500_000}]
        found = self.found(
            format=messages.PIXEL_FORMAT_I420, data=b"".join(plane.tobytes() for plane in planes), chroma=chroma
        )
        self.assertEqual(len(found.faces), 1)
        self.assertAlmostEqual(found.faces[0].box.x, faces[0]["box"]["x"], delta=20)

    def test_what_is_no_picture_is_refused(self):
        failure(grpc.StatusCode.INVALID_ARGUMENT, lambda **_: self.found(data=bytes(3000 * 2000 * 3 - 1)))
        failure(grpc.StatusCode.INVALID_ARGUMENT, self.detector.Detect, request_of(bytes(5 << 20)))
        self.fails(400, "INVALID_ARGUMENT", "POST", "/v1/detect", bytes(5 << 20))
        with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 67108865\r\n\r\n")
            self.assertIn(b" 413 ", client.recv(65536))
        self.assert_all_is_freed()

    def test_a_batch_of_files_is_answered(self):
        files = [PHOTO, LARGE, b"?", LARGER]
        answer = self.detector.DetectBatch(
            messages.DetectBatchRequest(images=[image_of(file) for file in files]), timeout=PATIENCE
        )
        self.assertEqual([len(each.result.faces) for each in answer.results], [1, 1, 0, 1])
        self.assertEqual(answer.results[2].failure.code, grpc.StatusCode.INVALID_ARGUMENT.value[0])
        self.assert_same(answer.results[3].result, self.by_the_socket(LARGER))

    def test_what_is_no_picture_has_to_fit_into_a_message(self):
        pixels = messages.Pixels(format=messages.PIXEL_FORMAT_RGB, width=1000, height=1000, data=bytes(3_000_000))
        batch = messages.DetectBatchRequest(images=[messages.Image(pixels=pixels)] * 2)
        error = failure(grpc.StatusCode.RESOURCE_EXHAUSTED, self.detector.DetectBatch, batch)
        self.assertIn("max_message_bytes", error.details())
        # An unknown field of the request.
        unknown = b"\xa2\x06" + b"\x80\x80\xc0\x02" + bytes(5 << 20)
        call = self.open.unary_unary("/faceengine.v1.Detector/Detect")
        for message, code, word in [
            (request_of(LARGE).SerializeToString() + unknown, "RESOURCE_EXHAUSTED", "max_message_bytes"),
            (b"\xff" * (5 << 20), "INVALID_ARGUMENT", "malformed"),
        ]:
            self.assertIn(word, failure(grpc.StatusCode[code], call, message).details())


class StreamTests(LargeCase):
    def test_large_frames_are_answered_in_order_among_small_ones(self):
        files = [PHOTO, LARGE, PHOTO, LARGER, LARGE, PHOTO, LARGE, LARGE, PHOTO]
        for method in (self.detector.Watch, self.detector.Check):
            begin = (
                start(tracking=messages.Tracking())
                if method == self.detector.Watch
                else start(check=messages.CheckOptions())
            )
            requests = [begin] + [frame(number, file) for number, file in enumerate(files, 1)]
            answers = list(method(iter(requests), timeout=PATIENCE))
            self.assertEqual([answer.id for answer in answers], list(range(1, len(files) + 1)))
            self.assertEqual([len(answer.result.faces) for answer in answers], [1] * len(files))
            self.assertEqual(
                [answer.result.width for answer in answers],
                [{len(PHOTO): 512, len(LARGE): 2200, len(LARGER): 3600}[len(file)] for file in files],
            )
        self.assert_all_is_freed()

    def test_the_newest_of_large_frames_is_searched(self):
        requests = [start(messages.WatchStart.NEWEST)] + [frame(number, LARGE) for number in range(1, 21)]
        answers = list(self.detector.Watch(iter(requests), timeout=PATIENCE))
        self.assertEqual([answer.id for answer in answers], list(range(1, 21)))
        self.assertEqual(len(answers[-1].result.faces), 1)
        self.assert_all_is_freed()

    def test_frames_of_a_session_may_be_large(self):
        path = "/v1/sessions/" + self.json(201, "POST", "/v1/sessions", '{"kind": "track"}')["id"]
        for number, file in enumerate((LARGE, PHOTO, LARGER), 1):
            answer = self.json(200, "POST", f"{path}/frames", file, {"X-Timestamp-Ns": str(number * 10**8)})
            self.assertEqual((answer["frame"], len(answer["faces"])), (number, 1), answer)
        self.assert_all_is_freed()

    def test_a_cancelled_stream_frees_its_frames(self):
        _, answers = self.begun(self.detector.Watch, start(), *(frame(number, LARGE) for number in range(1, 5)))
        answers.cancel()
        self.assert_all_is_freed()


class ManyTests(LargeCase):
    def test_sixty_four_uploads_at_once_and_a_slow_one(self):
        faces = self.by_the_socket(LARGE)
        with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as slow:
            slow.sendall(request("POST /v1/detect", LARGE)[:-1000])

            def upload(number):
                """The faces, once there is room."""
                while True:
                    if number % 2:
                        status, _, answer = self.http(body=LARGE)
                        if status == 200:
                            return json.loads(answer)["faces"]
                        self.assertTrue(status == 429 and b"which is the limit" in answer, answer)
                    else:
                        try:
                            self.assert_same(self.detector.Detect(request_of(LARGE), timeout=PATIENCE), faces)
                            return faces
                        except grpc.RpcError as error:
                            self.assertEqual(error.code(), grpc.StatusCode.RESOURCE_EXHAUSTED, error.details())
                            self.assertIn("which is the limit", error.details())

            with concurrent.futures.ThreadPoolExecutor(64) as pool:
                self.assertEqual(list(pool.map(upload, range(64))), [faces] * 64)
            slow.sendall(LARGE[-1000:])
            answer = http.client.HTTPResponse(slow)
            answer.begin()
            self.assertEqual(json.loads(answer.read())["faces"], faces)
        self.assert_all_is_freed()

    def test_small_calls_pass_large_ones_that_wait(self):
        large = [
            self.detector.Detect.future(request_of(LARGE, accuracy=messages.ACCURACY_HIGH), timeout=PATIENCE)
            for _ in range(12)
        ]
        until(lambda: self.mapped_bytes() > 0, "a mapping of the engine")
        self.assertEqual(len(self.detector.Detect(request_of(PHOTO), timeout=PATIENCE).faces), 1)
        self.assertTrue(any(not call.done() for call in large))
        for call in large:
            self.assertEqual(len(call.result().faces), 1)

    def test_calls_cancelled_at_any_moment_leave_nothing(self):
        for number in range(60):
            call = self.detector.Detect.future(request_of(LARGE), timeout=PATIENCE)
            with contextlib.suppress(grpc.FutureTimeoutError):
                call.exception(timeout=0.004 * number)
            call.cancel()
        for _ in range(10):
            with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
                client.sendall(request("POST /v1/detect", LARGE))
        # Those that wait for others.
        for call in [self.detector.Detect.future(request_of(LARGER), timeout=PATIENCE) for _ in range(10)]:
            call.cancel()
        self.assert_all_is_freed()
        self.assertEqual(len(self.detector.Detect(request_of(LARGE), timeout=PATIENCE).faces), 1)

    def test_a_deadline_ends_calls_that_wait(self):
        calls = [
            self.detector.Detect.future(request_of(LARGER, accuracy=messages.ACCURACY_HIGH), timeout=0.5)
            for _ in range(20)
        ]
        for call in calls:
            if error := call.exception():
                self.assertEqual(error.code(), grpc.StatusCode.DEADLINE_EXCEEDED, error.details())
        self.assertTrue(any(call.exception() for call in calls))
        self.assert_all_is_freed()


class IsolationTests(LargeCase):
    def test_no_client_can_name_the_memory_of_another(self):
        """Buffers have the numbers from 1 on, which is no secret."""
        current, codes = 0, collections.Counter()

        def guess():
            with grpc.insecure_channel(self.gateway.grpc) as channel:
                detector = services.DetectorStub(channel)
                while current < 40:
                    image = messages.Image(shared_encoded=messages.SharedBytes(buffer=current, size=len(LARGE)))
                    try:
                        detector.Detect(messages.DetectRequest(image=image), timeout=PATIENCE)
                        codes["found"] += 1
                    except grpc.RpcError as error:
                        codes[error.code()] += 1

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            guesses = [pool.submit(guess) for _ in range(2)]
            for current in range(1, 41):
                self.assertEqual(len(self.detector.Detect(request_of(LARGE), timeout=PATIENCE).faces), 1)
            for each in guesses:
                each.result()
        self.assertEqual(set(codes), {grpc.StatusCode.NOT_FOUND}, codes)
        self.assert_all_is_freed()


class MemoryLimitTests(LargeCase):
    """An engine that lets its users share little memory."""

    LIMIT = 12_000_000
    owns_engine = True
    engine_flags = ("--limit", f"mapped-bytes-per-user={LIMIT}")

    @contextlib.contextmanager
    def another_program(self):
        """One of this user, with most of the memory; gives a function that frees it."""
        with face_client.Connection(self.engine.path) as connection:
            connection.hello("buffers")
            yield face_client.Buffer(connection, 1, self.LIMIT - 1000).take_back

    def test_what_can_never_be_shared_is_refused_by_name(self):
        error = failure(grpc.StatusCode.RESOURCE_EXHAUSTED, self.detector.Detect, request_of(LARGE + bytes(self.LIMIT)))
        self.assertIn("--limit mapped-bytes-per-user", error.details())
        self.assertIn(b"mapped_bytes_per_user", dict(error.trailing_metadata())["grpc-status-details-bin"])

    def test_calls_wait_for_one_another(self):
        calls = [self.detector.Detect.future(request_of(LARGE), timeout=PATIENCE) for _ in range(20)]
        self.assertEqual([len(call.result().faces) for call in calls], [1] * 20)

    def test_calls_wait_a_moment_for_another_program(self):
        with self.another_program() as free:
            call = self.detector.Detect.future(request_of(LARGE), timeout=PATIENCE)
            refused = lambda: [line for line in self.engine.errors if "there is no buffer" in line]
            until(refused, "a refusal")
            self.assertFalse(call.done())
            free()
            self.assertEqual(len(call.result().faces), 1)

    def test_memory_that_another_program_keeps_is_reported(self):
        with self.another_program():
            error = failure(grpc.StatusCode.RESOURCE_EXHAUSTED, self.detector.Detect, request_of(LARGE))
            self.assertIn("mapped-bytes-per-user", error.details())
            # A frame fails alone.
            requests = [start(), frame(1, PHOTO), frame(2, LARGE), frame(3, PHOTO)]
            answers = list(self.detector.Watch(iter(requests), timeout=PATIENCE))
        self.assertEqual([answer.id for answer in answers], [1, 2, 3])
        self.assertEqual(answers[1].failure.code, grpc.StatusCode.RESOURCE_EXHAUSTED.value[0])
        self.assertIn("mapped-bytes-per-user", answers[1].failure.message)
        self.assertEqual([len(answers[index].result.faces) for index in (0, 2)], [1, 1])


class MessageLimitTests(GatewayCase):
    """An engine that takes short messages."""

    owns_engine = True
    engine_flags = ("--limit", "max-message-bytes=40000")

    def test_the_first_call_knows_the_limit(self):
        self.assertEqual(len(self.json(200, "POST", "/v1/detect", PHOTO)["faces"]), 1)


class ScriptedEngine(StubEngine):
    """Keeps what it is sent: the payloads of calls, and the bytes of the memory they name. After a call with the picture LAST it
    reads nothing until `resume` is set."""

    LAST = b"the last one"

    def __init__(self, path, features):
        self.features, self.received = features, []
        self.resume = threading.Event()
        super().__init__(path, ScriptedConnection)


class ScriptedConnection(Connection):
    answers = {name: messages.HealthCheckResponse() for name in ("Health/Check", "Detector/Detect")} | {
        "Admin/Describe": messages.DescribeResponse(file_descriptor_set=descriptors())
    }

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.features, self.buffers = self.engine.features, {}

    def offered(self, number, size):
        if size:
            with open(self.descriptors.pop(0), "rb") as memory:
                self.buffers[number] = memory.read()
                assert len(self.buffers[number]) == size
        else:
            del self.buffers[number]
        return super().offered(number, size)

    def call(self, stream, name, payload, flags):
        if flags & REMOTE_OPEN:
            return True
        if name.startswith("Detector/"):
            self.engine.received.append((payload, dict(self.buffers)))
        super().call(stream, name, payload, flags)
        if self.engine.LAST in payload[:64]:
            self.engine.resume.wait(PATIENCE)
            self.engine.resume.clear()
        return True


class ScriptedEngineTests(unittest.TestCase):
    def serve(self, features=FEATURES):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        engine = self.enterContext(ScriptedEngine(os.path.join(folder, "engine.sock"), features))
        gateway = self.enterContext(Gateway(engine.path))
        return engine, self.enterContext(grpc.insecure_channel(gateway.grpc, options=UNLIMITED))

    def test_all_but_the_picture_reaches_the_engine_as_it_was(self):
        engine, channel = self.serve()
        unknown = bytes.fromhex("a206046d6f7265") + bytes.fromhex("a80600")  # fields 100 and 101
        picture = os.urandom(5 << 20)

        box = messages.Box(x=1, y=2, width=3, height=4).SerializeToString()
        options = messages.DetectOptions(min_confidence=0, max_faces=0, pose=True).SerializeToString() + unknown
        cases = {
            # The orientation is written with more bytes than it needs.
            "file": (
                bytes_field(1, picture) + b"\x28\x86\x00" + bytes_field(7, box) + unknown,
                lambda number, start: (
                    bytes_field(3, bytes([8, number]) + b"\x10" + varint(start) + b"\x18" + varint(len(picture)))
                    + b"\x28\x86\x00"
                    + bytes_field(7, box)
                    + unknown
                ),
            ),
            "pixels": (
                bytes_field(
                    2,
                    b"\x08\x03\x10\xd0\x0f\x18\xe8\x07\x20\x00"
                    + bytes_field(5, picture)
                    + bytes_field(6, b"\x08\x05")
                    + b"\x38\x02",
                )
                + b"\x30\x01",
                lambda number, start: (
                    bytes_field(
                        4,
                        bytes([8, number])
                        + b"\x18\x03\x20\xd0\x0f\x28\xe8\x07\x30\x00\x10"
                        + varint(start)
                        + bytes_field(7, b"\x08\x05")
                        + b"\x40\x02",
                    )
                    + b"\x30\x01"
                ),
            ),
        }
        for name, (image, moved) in cases.items():
            with self.subTest(name):
                call = channel.unary_unary("/faceengine.v1.Detector/Detect")
                message = bytes_field(2, options) + unknown + bytes_field(1, image)
                call(message, timeout=PATIENCE)
                payload, buffers = engine.received.pop()
                [(number, contents)] = buffers.items()
                # A file stays where it came; pixels have to end with the memory.
                start = message.index(picture) if name == "file" else len(message) - len(picture)
                self.assertTrue(contents[start : start + len(picture)] == picture)
                self.assertEqual(payload, bytes_field(2, options) + unknown + bytes_field(1, moved(number, start)))
        # A message that fits is not opened.
        small = bytes_field(2, options) + bytes_field(1, bytes_field(1, picture[:1000]) + unknown)
        channel.unary_unary("/faceengine.v1.Detector/Detect")(small, timeout=PATIENCE)
        self.assertEqual(engine.received, [(small, {})])

    def test_frames_keep_their_order_while_the_engine_does_not_read(self):
        engine, channel = self.serve()
        call = channel.unary_unary("/faceengine.v1.Detector/Detect")
        # The first one leaves room in the socket, fills it to the last byte, or waits outside; then descriptors cannot
        # be sent at once.
        for first in (1000, 150_000, 214_000, 3 << 20):
            with self.subTest(first):
                call(request_of(engine.LAST).SerializeToString(), timeout=PATIENCE)
                engine.received.clear()
                files = [os.urandom(size) for size in [first, 5 << 20, 3 << 20, 6 << 20, 10, 5 << 20, 3 << 20, 5 << 20]]
                calls = []
                for file in files:
                    calls.append(call.future(request_of(file).SerializeToString(), timeout=PATIENCE))
                    with self.assertRaises(grpc.FutureTimeoutError):
                        calls[-1].result(timeout=0.1)
                engine.resume.set()
                for each in calls:
                    each.result()
                self.assertEqual(sorted(self.files(engine)), sorted(hashlib.sha256(file).hexdigest() for file in files))

    def files(self, engine):
        """The hashes of those that the engine has received, each alone in the memory that its call names."""
        found = []
        for payload, buffers in engine.received:
            image = messages.DetectRequest.FromString(payload).image
            if image.WhichOneof("source") == "shared_encoded":
                self.assertEqual(list(buffers), [image.shared_encoded.buffer])
                part = image.shared_encoded
                file = buffers[part.buffer][part.offset : part.offset + part.size]
            else:
                self.assertEqual(buffers, {})
                file = image.encoded
            found.append(hashlib.sha256(file).hexdigest())
        engine.received.clear()
        return found

    def test_an_engine_without_shared_memory_refuses_by_name(self):
        _, channel = self.serve(["cancel", "ping", "credit", "goaway"])
        detector = services.DetectorStub(channel)
        for call in (
            lambda **others: detector.Detect(request_of(LARGE), **others),
            lambda **others: list(detector.Watch(iter([start(), frame(1, LARGE)]), **others)),
        ):
            self.assertIn("max_message_bytes", failure(grpc.StatusCode.RESOURCE_EXHAUSTED, call).details())
