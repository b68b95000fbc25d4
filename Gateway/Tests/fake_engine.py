"""Engines of a few lines (Proto/PROTOCOL.md): one that ends its connections, or falls silent, at a chosen point of the protocol, and
what it shares with those of single tests."""

import contextlib
import os
import socket
import struct
import threading

from google.protobuf import descriptor_pb2

import face_engine_pb2 as messages
import ttrpc_pb2 as ttrpc

REQUEST, RESPONSE, DATA, GOAWAY, PING, PONG, CREDIT, OFFER = 1, 2, 3, 0x11, 0x12, 0x13, 0x14, 0x15
REMOTE_OPEN = 2
# What a connection may get to, in order; "whole" is an engine that answers everything.
POINTS = (
    "accept",
    "part of Hello",
    "Hello",
    "part of a call",
    "a call",
    "part of an answer",
    "an offer",
    "a stream",
    "part of a frame",
    "a frame",
    "part of a frame's answer",
)
# Where only the connection of the health checks is silent.
HEALTH_CHECK = "a health check"
FEATURES = ("cancel", "ping", "credit", "goaway", "buffers")


def descriptors():
    """The description of the engine's services."""
    file = descriptor_pb2.FileDescriptorProto()
    messages.DESCRIPTOR.CopyToProto(file)
    return descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()


class Connection:
    """A connection of the gateway. Answers Hello, pings and offers, and calls by `answers`, {name: message}."""

    features = FEATURES
    answers = {}

    def __init__(self, engine, connection, number):
        self.engine, self.connection, self.number = engine, connection, number
        self.descriptors = []

    def read(self, count):
        """`count` bytes; `None` at the end."""
        received = b""
        while len(received) < count:
            data, passed, _, _ = socket.recv_fds(self.connection, min(count - len(received), 1 << 16), 4)
            self.descriptors += passed
            if not data:
                return None
            received += data
        return received

    def run(self):
        while head := self.read(10):
            length, stream, kind, flags = struct.unpack(">IIBB", head)
            if not self.begins(kind, length):
                return
            data = self.read(length) if length else b""
            if data is None or not self.received(stream, kind, flags, data):
                return

    def begins(self, kind, length):
        """Whether the data of a frame is read."""
        return True

    def received(self, stream, kind, flags, data):
        """Answers a frame. Whether the connection continues."""
        if kind == REQUEST:
            call = ttrpc.Request.FromString(data)
            return self.call(
                stream, f"{call.service.removeprefix('faceengine.v1.')}/{call.method}", call.payload, flags
            )
        if kind == PING:
            return self.send(PONG, stream, data)
        if kind == OFFER:
            return self.offered(*struct.unpack(">IQ", data))
        return True

    def offered(self, number, size):
        """An offer of memory, or with no size its withdrawal."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors = []
        return self.send(OFFER, 0, struct.pack(">II", number, 0))

    def call(self, stream, name, payload, flags):
        if name == "Session/Hello":
            return self.respond(stream, self.hello())
        return self.respond(stream, self.answers[name])

    def hello(self):
        limits = messages.Limits(
            max_message_bytes=4 << 20,
            calls_per_connection=16,
            streams_per_connection=16,
            buffers_per_connection=8,
            mapped_bytes_per_user=128 << 20,
            frame_credit=4,
            batch_images=64,
        )
        return messages.HelloResponse(protocol_version=1, engine_version="0.1.0", features=self.features, limits=limits)

    def respond(self, stream, message, **others):
        return self.send(
            RESPONSE, stream, ttrpc.Response(payload=message.SerializeToString()).SerializeToString(), **others
        )

    def send(self, kind, stream, body):
        self.connection.sendall(struct.pack(">IIBB", len(body), stream, kind, 0) + body)
        return True


class StubEngine:
    """Serves at `path` until `close`."""

    is_silent = is_slow = False

    def __init__(self, path, connection=Connection):
        self.path, self.kind, self.opened = path, connection, []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        # Unlike close, ends an accept that waits.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        for connection, thread in self.opened:
            with contextlib.suppress(OSError):  # the gateway was first, or the thread
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()
            connection.close()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                connection, _ = self.listener.accept()
                thread = threading.Thread(target=self._serve, args=(connection, len(self.opened) + 1), daemon=True)
                self.opened.append((connection, thread))
                thread.start()

    def _serve(self, connection, number):
        with contextlib.suppress(OSError):  # the gateway has closed it
            self.kind(self, connection, number).run()
        self.served(connection)

    def served(self, connection):
        connection.close()


class FakeEngine(StubEngine):
    """- point: where each connection ends. The connection of the gateway's own health checks ends only if it gets no further.
    - is_silent: whether a connection stays open there and sends and reads nothing more.
    - is_slow: whether pictures are answered by `answer_all` alone, even if their calls are cancelled.
    """

    def __init__(self, path, point="whole", is_silent=False, is_slow=False):
        self.point, self.is_silent, self.is_slow = point, is_silent, is_slow
        self.unanswered = []
        self.counts = {}
        super().__init__(path, EndingConnection)

    def served(self, connection):
        if not self.is_silent:
            connection.close()

    def answer_all(self):
        for served, stream in self.unanswered:
            served.respond(stream, FOUND)
        self.unanswered = []

    def reached(self, point):
        self.counts[point] = self.counts.get(point, 0) + 1
        return point == self.point


FOUND = messages.DetectResponse(width=640, height=480)


class EndingConnection(Connection):
    answers = {
        "Health/Check": messages.HealthCheckResponse(status=1),
        "Admin/Describe": messages.DescribeResponse(file_descriptor_set=descriptors()),
        "Admin/ListModels": messages.ListModelsResponse(
            models=[messages.ListedModel(model=messages.Model(name="yunet", role="detector"), loaded=True)]
        ),
    }

    def __init__(self, *arguments):
        super().__init__(*arguments)
        # The first one is that of the health checks. A silent engine answers them, so that only the other connections
        # notice that it is silent, unless the test silences just the first one.
        self.is_probe = self.number == 1
        self.watches = {}

    def reached(self, point):
        if self.engine.is_silent and self.is_probe != (point == HEALTH_CHECK):
            return False
        return self.engine.reached(point)

    def run(self):
        if not self.reached("accept"):
            super().run()

    def begins(self, kind, length):
        part = {REQUEST: "part of a call", DATA: "part of a frame"}.get(kind)
        return not (part and length > 4096 and self.reached(part))

    def received(self, stream, kind, flags, data):
        return (
            self.frame(stream, data)
            if kind == DATA and stream in self.watches
            else super().received(stream, kind, flags, data)
        )

    def offered(self, number, size):
        return not self.reached("an offer") and super().offered(number, size)

    def call(self, stream, name, payload, flags):
        if name == "Session/Hello":
            return self.respond(stream, self.hello(), part="part of Hello") and not self.reached("Hello")
        if name == "Health/Check" and self.reached(HEALTH_CHECK):
            return False
        if name in self.answers:
            return self.respond(stream, self.answers[name])
        if name == "Detector/Detect" and self.engine.is_slow:
            self.engine.unanswered.append((self, stream))
            return True
        if name == "Detector/Watch":
            self.watches[stream] = 0
            return not self.reached("a stream")
        return not self.reached("a call") and self.respond(stream, FOUND, part="part of an answer")

    def frame(self, stream, data):
        self.watches[stream] += 1
        if self.watches[stream] == 1:
            return self.send(CREDIT, stream, struct.pack(">I", 4))
        if not data:
            return self.send(RESPONSE, stream, b"")
        if self.reached("a frame"):
            return False
        answer = messages.WatchResponse(id=self.watches[stream] - 1, result=FOUND)
        return self.send(DATA, stream, answer.SerializeToString(), part="part of a frame's answer")

    def send(self, kind, stream, body, part=None):
        """Sends all of it, and half of it where the connection ends in this `part`."""
        if not part or not self.reached(part):
            return super().send(kind, stream, body)
        data = struct.pack(">IIBB", len(body), stream, kind, 0) + body
        self.connection.sendall(data[: len(data) // 2])
        return False


class WholeConnection(EndingConnection):
    """One that answers everything, of an engine of its own kind."""

    def reached(self, point):
        return False


class CutAnswers(WholeConnection):
    """Ends no answer, and says nothing more."""

    hangs_on_probes = is_greeted = False

    def send(self, kind, stream, body, part=None):
        is_spared = not self.is_greeted or self.is_probe and not self.hangs_on_probes
        self.is_greeted = True
        if is_spared or kind not in (RESPONSE, DATA):
            return super().send(kind, stream, body)
        return self.hang(kind, stream, body)

    def hang(self, kind, stream, body):
        self.connection.sendall(struct.pack(">IIBB", len(body) + 100, stream, kind, 0) + body)
        while self.connection.recv(1 << 16):
            pass
        return False


class Zeros(CutAnswers):
    """Sends zeros in place of an answer, without end."""

    def hang(self, kind, stream, body):
        while True:
            self.connection.sendall(bytes(1 << 16))


class Garbled(WholeConnection):
    """Answers a call with bytes that are no message of its kind."""

    garbled = ""

    def call(self, stream, name, payload, flags):
        if name == self.garbled:
            return self.send(RESPONSE, stream, ttrpc.Response(payload=b"\xff\xff").SerializeToString())
        return super().call(stream, name, payload, flags)


class FewConnections(WholeConnection):
    """Serves the first connections, and closes the others or says nothing on them."""

    most, closes = 0, True

    def run(self):
        if self.number <= self.most:
            return super().run()
        while not self.closes and self.connection.recv(1 << 16):
            pass
