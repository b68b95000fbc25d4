"""Clients of an engine and of its gateway: each a process that makes calls until the step's end, checks every answer, and counts
what it began and what it was told in memory that outlives it.
"""

import contextlib
import itertools
import json
import mmap
import os
import random
import subprocess
import sys
import time
import traceback
from http.client import HTTPException

import grpc
import numpy

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
import faceengine
from face_client import CODES, DATA, RESPONSE, Buffer, Connection, EngineError
from support import ENGINE, PATIENCE, PHOTO, ROOT, ask

FEATURES = ("cancel", "ping", "credit", "buffers", "goaway")
METHODS = DETECT, BATCH, WATCH = [f"faceengine.v1.Detector/{name}" for name in ("Detect", "DetectBatch", "Watch")]
PHOTO_FILE = ROOT / "Examples/photos/grace_hopper.jpg"
LARGE = PHOTO + bytes(5 << 20)  # goes through shared memory
FIRST_USER = 61001


def as_user(user, body, *arguments):
    """Runs `body` in a process of that user, or of this one's for None; it ends with 1 for an exception. Gives its number."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            body(*arguments)
            status = 0
        except BaseException:  # otherwise the error would be lost
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    return child


class Ledger:
    """What a client began and what it was told, by method and code, in shared memory."""

    WIDTH = len(CODES) + 1

    def __init__(self):
        self._counts = numpy.frombuffer(mmap.mmap(-1, 4096), numpy.int64)

    def _add(self, method, place, count):
        self._counts[METHODS.index(method) * self.WIDTH + place] += count

    def begin(self, method, count=1):
        self._add(method, 0, count)

    def told(self, method, code="OK"):
        self._add(method, 1 + CODES.index(code), 1)

    def begun(self, method):
        return int(self._counts[METHODS.index(method) * self.WIDTH])

    def count(self, method, code):
        return int(self._counts[METHODS.index(method) * self.WIDTH + 1 + CODES.index(code)])

    def answers(self, *codes):
        return sum(self.count(method, code) for method in METHODS for code in codes)


class Wrong(Exception):
    """An answer that breaks a promise."""


class StrictConnection(Connection):
    """Fails at an answer to a call that has one, or that nobody made."""

    def _receive(self):
        stream, kind, body = super()._receive()
        if kind in (RESPONSE, DATA):
            frames = self._frames.get(stream)
            if frames is None or sum(other == RESPONSE for other, _ in frames) > 1:
                raise Wrong(f"stream {stream} was answered twice, or never begun")
        return stream, kind, body

    def is_stopping(self, error):
        """Whether the engine said that it stops; also before it closed what could not be written to."""
        if isinstance(error, OSError):
            with contextlib.suppress(EngineError, OSError, ValueError):  # it may be closed here, too
                while True:
                    self._receive()
        return self.last_stream is not None

    def __exit__(self, _, error=None, trace=None):
        self.is_stopping(error)
        super().__exit__()


class Client:
    """One client, while a step lasts. `world` has the socket, the gateway's addresses and the expected faces; `allowed` are the codes
    with which a call of it may fail in this step."""

    def __init__(self, kind, world, allowed, seed, user=None):
        self.kind, self.world, self.allowed, self.user = kind, world, {*allowed, *KINDS[kind][2]}, user
        self.ledger, self.dice, self._over = Ledger(), random.Random(seed), mmap.mmap(-1, 1)
        self.process = as_user(user, self._run)
        self.is_killed = False

    # In the process of its own:

    @property
    def is_over(self):
        return self._over[0] != 0

    def _run(self):
        KINDS[self.kind][0](self)

    def expect(self, faces, which):
        found = [(face.box.x, face.box.y, face.box.width, face.box.height) for face in faces]
        if not numpy.allclose(found, self.world.faces[which], atol=0.01):
            raise Wrong(f"{self.kind}: the faces {found} of the {which} are not {self.world.faces[which]}")

    def failed(self, method, code, what):
        """A call that was not answered with faces."""
        self.ledger.told(method, code)
        if code not in self.allowed:
            raise Wrong(f"{self.kind}: {code}, which nothing in this step excuses: {what}")

    def connections(self, make_call):
        """Makes calls on a connection, and on another one when the engine stops or is gone."""
        while not self.is_over:
            engine = None
            try:
                with StrictConnection(self.world.path) as engine:
                    engine.hello(*FEATURES)
                    state = make_call(engine, None)
                    while not self.is_over and engine.last_stream is None:
                        make_call(engine, state)
                    if engine.last_stream is None:
                        engine.ping()  # what follows the last answer is read, too
            except LeftByItself:
                pass
            except (EngineError, OSError) as error:
                is_gone = isinstance(error, OSError) or error.code == "UNAVAILABLE"
                if not is_gone or not (engine and engine.is_stopping(error)) and "UNAVAILABLE" not in self.allowed:
                    raise
                time.sleep(0.02)

    def call(self, engine, method, service_call):
        """One call on a connection: its answer. A call that the engine says it did not begin is as if it had not been made."""
        self.ledger.begin(method)
        try:
            answer = service_call()
        except (EngineError, OSError) as error:
            if engine.is_stopping(error) and engine._stream > engine.last_stream:
                self.ledger.begin(method, -1)
                raise
            code = error.code if isinstance(error, EngineError) else "UNAVAILABLE"
            self.failed(method, code, error)
            if code == "UNAVAILABLE":
                raise
            return None
        self.ledger.told(method)
        return answer


class LeftByItself(Exception):
    """A client whose call ends with its connection."""


# ---- By the socket


def images():
    """The photo as pixels, a quarter as wide and high."""
    photo = faceengine.draw.Picture(PHOTO_FILE).array("rgb")
    return numpy.ascontiguousarray(photo[::4, ::4])


def described(pixels):
    return messages.Image(
        pixels=messages.Pixels(
            format=messages.PIXEL_FORMAT_RGB, width=pixels.shape[1], height=pixels.shape[0], data=pixels.tobytes()
        )
    )


def inline(client):
    def make(engine, _):
        answer = client.call(engine, DETECT, lambda: engine.detect(messages.Image(encoded=PHOTO)))
        client.expect(answer.faces, "photo")

    client.connections(make)


def shared(client):
    pixels = client.world.pixels

    def make(engine, buffer):
        if buffer is None:
            buffer = Buffer(engine, 1, pixels.nbytes)
            buffer.memory[:] = pixels.tobytes()
            return buffer
        image = buffer.pixels(pixels.shape[1], pixels.shape[0])
        client.expect(client.call(engine, DETECT, lambda: engine.detect(image)).faces, "pixels")
        return buffer

    client.connections(make)


def batch(client):
    image = described(client.world.pixels)

    def make(engine, _):
        request = messages.DetectBatchRequest(images=[image] * client.dice.randint(1, 6))
        answer = client.call(
            engine, BATCH, lambda: engine.call("Detector", "DetectBatch", request, messages.DetectBatchResponse())
        )
        if len(answer.results) != len(request.images):
            raise Wrong(f"{len(answer.results)} results of {len(request.images)} images")
        for result in answer.results:
            client.expect(result.result.faces, "pixels")

    client.connections(make)


def watch(client):
    image = described(client.world.pixels)

    def make(engine, _):
        stream, sent, answered = engine.watch(messages.WatchStart.EVERY), 0, 0
        try:
            for sent in range(1, client.dice.randint(1, 10) + 1):
                client.ledger.begin(WATCH)
                stream.send(image, sent)
            stream.close()
            for answer in stream:
                answered += 1
                if answer.id != answered:
                    raise Wrong(f"frame {answer.id} was answered where {answered} was to be")
                client.expect(answer.result.faces, "pixels")
                client.ledger.told(WATCH)
            if answered != sent:
                raise Wrong(f"{answered} of {sent} frames were answered")
        except (EngineError, OSError) as error:
            if engine.is_stopping(error):  # what it has not answered, it has not searched
                client.ledger.begin(WATCH, answered - sent)
            else:
                for _ in range(sent - answered):
                    client.failed(WATCH, "UNAVAILABLE", error)
            raise

    client.connections(make)


def wrong(client):
    def make(engine, _):
        damaged = client.dice.choice(
            [messages.Image(), messages.Image(encoded=client.dice.randbytes(client.dice.randint(0, 300)))]
        )
        if client.call(engine, DETECT, lambda: engine.detect(damaged)) is not None:
            raise Wrong("a damaged picture was answered with faces")

    client.connections(make)


def hostile(client):
    """Pictures that cost much time, and calls that end before it: by CANCEL, by a deadline, and by the caller's end."""
    ends = itertools.cycle(["cancel", "deadline", "death"])

    def make(engine, state):
        if state is None:
            return True
        image, end = messages.Image(encoded=client.dice.choice(client.world.hostile)), next(ends)
        request = messages.DetectRequest(image=image)

        def begin_and_end():
            stream = engine.begin("Detector", "Detect", request, 0.3 if end == "deadline" else None)
            if end != "deadline":
                time.sleep(client.dice.uniform(0, 0.1))
            if end == "death":
                raise LeftByItself
            if end == "cancel":
                engine.cancel(stream)
            return engine.finish(stream, messages.DetectResponse())

        client.call(engine, DETECT, begin_and_end)
        return True

    client.connections(make)


# ---- By the C library and the command


def library(client):
    engine, pixels = faceengine.connect(client.world.path), client.world.pixels
    while not client.is_over:
        image, which = client.dice.choice([(pixels, "pixels"), (PHOTO_FILE, "photo")])
        client.ledger.begin(DETECT)
        try:
            client.expect(engine.detect(image), which)
            client.ledger.told(DETECT)
        except faceengine.UnavailableError as error:
            client.failed(DETECT, "UNAVAILABLE", error)
            time.sleep(0.02)


def session(client):
    """A stream of the library: each frame has one event, in order; ids never come again."""
    engine, pixels = faceengine.connect(client.world.path), client.world.pixels
    mode = client.dice.choice(["newest", "every"])
    numbers, ids, gone, submitted, is_failing = [], [], set(), 0, False

    def take(event):
        if isinstance(event, faceengine.FaceLeft):
            gone.add(event.face_id)
            return
        numbers.append(event.number)
        if isinstance(event, faceengine.FrameFailed):
            client.failed(WATCH, "UNAVAILABLE", event.error)
        if isinstance(event, faceengine.FrameFaces):
            client.ledger.told(WATCH)
            found = [face.id for face in event.faces if face.id is not None]
            ids.extend(found)
            if gone.intersection(found):
                raise Wrong(f"{mode}: frame {event.number} has a face that had left: {ids}, {gone}")

    with engine.session(mode=mode) as frames:
        while not client.is_over:
            client.ledger.begin(WATCH)
            try:
                submitted = frames.submit(pixels)
            except faceengine.UnavailableError as error:
                client.ledger.begin(WATCH, -1)
                if "UNAVAILABLE" not in client.allowed:
                    raise Wrong(f"{mode}: submit: {error}") from error
            time.sleep(0.02)
            while (event := frames.next_event(timeout=0)) is not None:
                take(event)
        frames.flush()
        while (event := frames.next_event(timeout=0)) is not None:
            take(event)
    if numbers != list(range(1, submitted + 1)):
        raise Wrong(f"{mode}: {submitted} frames, and events of {numbers}")
    if ids != sorted(ids):
        raise Wrong(f"{mode}: ids are not in their order: {ids}")


def command(client):
    while not client.is_over:
        client.ledger.begin(DETECT)
        done = subprocess.run(
            [ENGINE, "detect", "--json", "--socket", client.world.path, PHOTO_FILE], capture_output=True, text=True
        )
        if done.returncode == 0:
            (face,) = json.loads(done.stdout)["faces"]
            if not numpy.allclose(
                [[face["box"][name] for name in ("x", "y", "width", "height")]], client.world.faces["photo"], atol=0.01
            ):
                raise Wrong(f"command: {face}")
            client.ledger.told(DETECT)
        elif done.returncode == 1:
            client.failed(DETECT, "UNAVAILABLE", done.stderr)
        else:
            raise Wrong(f"command: exit code {done.returncode}: {done.stderr}")


# ---- By the gateway


def ask_gateway(client, method, path, body):
    """A POST by HTTP: its JSON, or None for 503 and where there is no gateway; 404 where another gateway does not know a session."""
    try:
        status, headers, text = ask(client.world.http, "POST", path, body)
    except (OSError, HTTPException) as error:
        return client.failed(method, "UNAVAILABLE", error)
    if status in (200, 201):
        return json.loads(text)
    if status == 404 and "UNAVAILABLE" in client.allowed:
        return client.failed(method, "UNAVAILABLE", text) or status
    if status != 503 or "Retry-After" not in headers or client.world.folder.encode() in text:
        raise Wrong(f"{path}: {status} {headers} {text}")
    return client.failed(method, "UNAVAILABLE", text)


def boxes(faces):
    return [[face["box"][name] for name in ("x", "y", "width", "height")] for face in faces]


def http(client):
    while not client.is_over:
        client.ledger.begin(DETECT)
        found = ask_gateway(client, DETECT, "/v1/detect", client.dice.choice([PHOTO, PHOTO, LARGE]))
        if found is None:
            time.sleep(0.05)
        elif numpy.allclose(boxes(found["faces"]), client.world.faces["photo"], atol=0.01):
            client.ledger.told(DETECT)
        else:
            raise Wrong(f"http: {found}")


def track(client):
    """A session of HTTP, which continues with the next engine."""
    path = None
    while not client.is_over:
        client.ledger.begin(WATCH)
        if path is None:
            made = ask_gateway(client, WATCH, "/v1/sessions", b'{"kind": "track"}')
            path = made and f"/v1/sessions/{made['id']}/frames"
            found = path and ask_gateway(client, WATCH, path, PHOTO)
        else:
            found = ask_gateway(client, WATCH, path, PHOTO)
        if isinstance(found, dict):
            client.ledger.told(WATCH)
            continue
        path = None if found == 404 else path
        time.sleep(0.05)


def over_grpc(client):
    """Calls and streams of gRPC, of all kinds."""
    image = described(client.world.pixels)
    with grpc.insecure_channel(client.world.grpc, options=[("grpc.max_send_message_length", -1)]) as channel:
        detector = services.DetectorStub(channel)

        def detect(file):
            client.expect(
                detector.Detect(messages.DetectRequest(image=messages.Image(encoded=file)), timeout=PATIENCE).faces,
                "photo",
            )

        def detect_batch():
            answer = detector.DetectBatch(messages.DetectBatchRequest(images=[image] * 3), timeout=PATIENCE)
            for result in answer.results:
                client.expect(result.result.faces, "pixels")

        def stream(count):
            requests = [messages.WatchRequest(start=messages.WatchStart(mode=messages.WatchStart.EVERY))]
            requests += [
                messages.WatchRequest(frame=messages.WatchFrame(id=number, image=image))
                for number in range(1, count + 1)
            ]
            told = 0
            for told, answer in enumerate(detector.Watch(iter(requests), timeout=PATIENCE), 1):
                client.expect(answer.result.faces, "pixels")
                client.ledger.told(WATCH)
                if answer.id != told:
                    raise Wrong(f"grpc: frame {answer.id} was answered where {told} was to be")
            if told != count:
                raise Wrong(f"grpc: {told} of {count} frames were answered")

        while not client.is_over:
            method = client.dice.choice(METHODS)
            count = client.dice.randint(1, 6) if method == WATCH else 1
            before = client.ledger.count(WATCH, "OK")
            client.ledger.begin(method, count)
            try:
                if method == WATCH:
                    stream(count)
                else:
                    detect(client.dice.choice([PHOTO, LARGE])) if method == DETECT else detect_batch()
                    client.ledger.told(method)
            except grpc.RpcError as error:
                code = error.code().name
                if method == WATCH and code == "UNAVAILABLE" and "GOAWAY" in client.allowed:
                    continue  # a stream of the gateway's ends with its engine, after the frames that it had
                for _ in range(count - (client.ledger.count(WATCH, "OK") - before)):
                    client.failed(method, code, error.details())
                time.sleep(0.05)


# name: what it does, where it connects, and how its calls may fail in any step
KINDS = {
    "inline": (inline, "socket", ()),
    "shared": (shared, "socket", ()),
    "batch": (batch, "socket", ()),
    "watch": (watch, "socket", ()),
    "wrong": (wrong, "socket", ("INVALID_ARGUMENT",)),
    "hostile": (
        hostile,
        "socket",
        ("CANCELLED", "DEADLINE_EXCEEDED", "INVALID_ARGUMENT", "OUT_OF_RANGE", "RESOURCE_EXHAUSTED"),
    ),
    "library": (library, "library", ()),
    "session": (session, "library", ()),
    "command": (command, "library", ()),
    "http": (http, "gateway", ()),
    "track": (track, "gateway", ()),
    "grpc": (over_grpc, "gateway", ()),
}
