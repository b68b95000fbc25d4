"""An engine of a few lines, which ends its connections, or falls silent, at a chosen point of the protocol (Proto/PROTOCOL.md)."""

import array
import contextlib
import os
import socket
import struct
import threading

import face_engine_pb2 as messages

REQUEST, RESPONSE, DATA, PING, PONG, CREDIT, OFFER = 1, 2, 3, 0x12, 0x13, 0x14, 0x15
# What a connection may get to, in order; "whole" is an engine that answers everything.
POINTS = ("accept", "part of Hello", "Hello", "part of a call", "a call", "part of an answer", "an offer", "a stream",
          "part of a frame", "a frame", "part of a frame's answer")
# Where only the connection of the health checks is silent.
HEALTH_CHECK = "a health check"


def varint(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def response(stream, message):
    payload = message.SerializeToString()
    data = b"\x12" + varint(len(payload)) + payload if payload else b""
    return struct.pack(">IIBB", len(data), stream, RESPONSE, 0) + data


class FakeEngine:
    """Serves at `path` until `close`.

    - point: where each connection ends; that of the gateway's own health checks only if it gets no further.
    - is_silent: whether a connection stays open there and sends and reads nothing more.
    - is_slow: whether pictures are answered by `answer_all` alone, even if their calls are cancelled.
    """

    def __init__(self, path, point="whole", is_silent=False, is_slow=False):
        self.path, self.point, self.is_silent, self.is_slow = path, point, is_silent, is_slow
        self.unanswered = []
        self.counts = {}
        self.opened = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def close(self):
        os.unlink(self.path)
        # Unlike close, ends an accept that waits.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        for connection, thread in self.opened:
            with contextlib.suppress(OSError):  # the gateway was first, or the thread
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()
            connection.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection, len(self.opened) + 1), daemon=True)
            self.opened.append((connection, thread))
            thread.start()

    def _serve(self, connection, number):
        with contextlib.suppress(OSError):  # the gateway has closed it
            Served(self, connection, number).run()
        if not self.is_silent:
            connection.close()

    def answer_all(self):
        for served, stream in self.unanswered:
            served.send(response(stream, messages.DetectResponse(width=640, height=480)))
        self.unanswered = []

    def reached(self, point):
        self.counts[point] = self.counts.get(point, 0) + 1
        return point == self.point


class Served:
    """A connection and what it has received."""

    def __init__(self, engine, connection, number):
        self.engine, self.connection = engine, connection
        # The first one is that of the health checks. A silent engine answers them, so that only the others notice, unless it is
        # silent to this one alone.
        self.is_probe = number == 1
        self.watches = {}
        self.descriptors = []

    def reached(self, point):
        if self.engine.is_silent and self.is_probe != (point == HEALTH_CHECK):
            return False
        return self.engine.reached(point)

    def read(self, count):
        """`count` bytes; `None` at the end."""
        received = b""
        while len(received) < count:
            data, ancillary, _, _ = self.connection.recvmsg(min(count - len(received), 1 << 16), socket.CMSG_SPACE(16))
            for _, kind, descriptors in ancillary:
                if kind == socket.SCM_RIGHTS:
                    for descriptor in array.array("i", descriptors):
                        os.close(descriptor)
            if not data:
                return None
            received += data
        return received

    def run(self):
        if self.reached("accept"):
            return
        while head := self.read(10):
            length, stream, kind, _ = struct.unpack(">IIBB", head)
            if kind == REQUEST and length > 4096 and self.reached("part of a call"):
                return
            if kind == DATA and length > 4096 and self.reached("part of a frame"):
                return
            data = self.read(length) if length else b""
            if data is None or not self.answer(stream, kind, data):
                return

    def answer(self, stream, kind, data):
        """Whether the connection goes on."""
        if kind == REQUEST:
            return self.call(stream, data)
        if kind == DATA and stream in self.watches:
            return self.frame(stream, data)
        if kind == PING:
            self.connection.sendall(struct.pack(">IIBB", len(data), 0, PONG, 0) + data)
        if kind == OFFER:
            if self.reached("an offer"):
                return False
            self.connection.sendall(struct.pack(">IIBBII", 8, 0, OFFER, 0, *struct.unpack(">I", data[:4]), 0))
        return True

    def call(self, stream, data):
        service = data[2:2 + data[1]].decode()
        rest = data[2 + data[1]:]
        method = rest[2:2 + rest[1]].decode()
        name = f"{service.removeprefix('faceengine.v1.')}/{method}"
        if name == "Session/Hello":
            return self.hello(stream)
        if name == "Health/Check" and self.reached(HEALTH_CHECK):
            return False
        if name == "Health/Check":
            return self.send(response(stream, messages.HealthCheckResponse(status=1)))
        if name == "Admin/Describe":
            encoded = messages.DESCRIPTOR.serialized_pb
            return self.send(response(stream, messages.DescribeResponse(
                file_descriptor_set=b"\n" + varint(len(encoded)) + encoded)))
        if name == "Admin/ListModels":
            model = messages.ListedModel(model=messages.Model(name="yunet", role="detector"), loaded=True)
            return self.send(response(stream, messages.ListModelsResponse(models=[model])))
        if name == "Detector/Detect" and self.engine.is_slow:
            self.engine.unanswered.append((self, stream))
            return True
        if name == "Detector/Watch":
            self.watches[stream] = 0
            return not self.reached("a stream")
        if self.reached("a call"):
            return False
        return self.send(response(stream, messages.DetectResponse(width=640, height=480)), "part of an answer")

    def hello(self, stream):
        limits = messages.Limits(
            max_message_bytes=4 << 20, calls_per_connection=16, streams_per_connection=16, buffers_per_connection=8,
            mapped_bytes_per_user=128 << 20, frame_credit=4, batch_images=64)
        answer = messages.HelloResponse(
            protocol_version=1, features=["cancel", "ping", "credit", "goaway", "buffers"], limits=limits)
        return self.send(response(stream, answer), "part of Hello") and not self.reached("Hello")

    def frame(self, stream, data):
        self.watches[stream] += 1
        if self.watches[stream] == 1:
            return self.send(struct.pack(">IIBBI", 4, stream, CREDIT, 0, 4))
        if not data:
            return self.send(struct.pack(">IIBB", 0, stream, RESPONSE, 0))
        if self.reached("a frame"):
            return False
        answer = messages.WatchResponse(id=self.watches[stream] - 1, result=messages.DetectResponse(width=640, height=480))
        payload = answer.SerializeToString()
        return self.send(struct.pack(">IIBB", len(payload), stream, DATA, 0) + payload, "part of a frame's answer")

    def send(self, data, part=None):
        """Sends all of it, and half of it where the connection ends in this `part`."""
        if part and self.reached(part):
            self.connection.sendall(data[:len(data) // 2])
            return False
        self.connection.sendall(data)
        return True
