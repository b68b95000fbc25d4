"""Bytes on the socket that no library sends: parts of exchanges, garbage, and the steps of a take-over."""

import contextlib
import fcntl
import os
import socket
import struct

import face_engine_pb2 as messages
import ttrpc_pb2 as ttrpc
from face_client import BUFFER_OFFER, CANCEL, DATA, HEADER, NO_DATA, REMOTE_CLOSED, REMOTE_OPEN, REQUEST, RESPONSE
from support import PATIENCE

SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
BEGIN, END, PREPARE = messages.TAKE_OVER_STEP_BEGIN, messages.TAKE_OVER_STEP_END, messages.TAKE_OVER_STEP_PREPARE
CODES = {0: "OK", 7: "PERMISSION_DENIED", 9: "FAILED_PRECONDITION", 14: "UNAVAILABLE"}


def frame(stream, kind, data=b"", flags=0):
    return HEADER.pack(len(data), stream, kind, flags) + data


def request(stream, service, method, message, flags=0):
    payload = message.SerializeToString() if message else b""
    return frame(
        stream,
        REQUEST,
        ttrpc.Request(service="faceengine.v1." + service, method=method, payload=payload).SerializeToString(),
        flags,
    )


class Exchange:
    """What a client sends and how many frames answer it. `offer` is where a descriptor goes with the bytes."""

    def __init__(self, name, data, frames, offer=None):
        self.name, self.data, self.frames, self.offer = name, data, frames, offer

    def answered(self, path):
        """How many bytes answer all of it."""
        with send_part(path, self) as peer, peer.makefile("rb") as reader:
            total = 0
            for _ in range(self.frames):
                size = HEADER.unpack(reader.read(HEADER.size))[0]
                total += HEADER.size + len(reader.read(size))
            return total


def exchanges():
    image = messages.Image(
        pixels=messages.Pixels(format=messages.PIXEL_FORMAT_GRAY, width=16, height=16, data=bytes(256))
    )
    shared = messages.Image(
        shared_pixels=messages.SharedPixels(buffer=1, format=messages.PIXEL_FORMAT_GRAY, width=16, height=16)
    )
    hello = request(
        1,
        "Session",
        "Hello",
        messages.HelloRequest(
            min_protocol_version=1, max_protocol_version=1, features=["cancel", "ping", "credit", "buffers", "goaway"]
        ),
    )
    detect = request(3, "Detector", "Detect", messages.DetectRequest(image=image))
    yield Exchange("Hello and Detect", hello + detect, 2)
    yield Exchange(
        "DetectBatch", request(1, "Detector", "DetectBatch", messages.DetectBatchRequest(images=[image] * 3)), 1
    )
    yield Exchange("CANCEL", hello + detect + frame(3, CANCEL), 2)
    yield Exchange("Health/Watch", request(1, "Health", "Watch", messages.HealthCheckRequest(), REMOTE_CLOSED), 1)
    watch = hello + request(3, "Detector", "Watch", None, REMOTE_OPEN)
    watch += frame(
        3, DATA, messages.WatchRequest(start=messages.WatchStart(mode=messages.WatchStart.EVERY)).SerializeToString()
    )
    for number in range(2):
        watch += frame(
            3, DATA, messages.WatchRequest(frame=messages.WatchFrame(id=number, image=image)).SerializeToString()
        )
    # The answers: Hello, credit, two results, the end.
    yield Exchange("Watch", watch + frame(3, DATA, b"", REMOTE_CLOSED | NO_DATA), 5)
    use = request(3, "Detector", "Detect", messages.DetectRequest(image=shared))
    offer, take_back = (frame(0, BUFFER_OFFER, struct.pack(">IQ", 1, size)) for size in (4096, 0))
    yield Exchange("BUFFER_OFFER", hello + offer + use + take_back, 4, len(hello))
    # The offer is not withdrawn, so its memory is still mapped at the end.
    yield Exchange("BUFFER_OFFER kept", hello + offer + use, 3, len(hello))


def connect(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(PATIENCE)
    peer.connect(path)
    return peer


def send_part(path, exchange, count=None):
    """A connection on which the first bytes of an exchange were sent."""
    peer, data = connect(path), exchange.data[:count]
    if exchange.offer is None or len(data) <= exchange.offer:
        peer.sendall(data)
        return peer
    memory = os.memfd_create("part", os.MFD_ALLOW_SEALING)
    os.truncate(memory, 4096)
    fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
    peer.sendall(data[: exchange.offer])
    sent = socket.send_fds(peer, [data[exchange.offer :]], [memory])
    os.close(memory)
    peer.sendall(data[exchange.offer + sent :])
    return peer


def garbage(path, dice=None):
    """A connection that has sent 100 calls that are refused, or bytes that `dice` gives."""
    peer = connect(path)
    with contextlib.suppress(OSError):  # closed at the first byte that is wrong
        peer.sendall(dice.randbytes(4096) if dice else frame(1, REQUEST, b"\x0a") * 100)
        peer.shutdown(socket.SHUT_WR)
    return peer


class Successor:
    """A process that takes over, step by step."""

    def __init__(self, path):
        self.path, self.peer, self.stream, self.descriptors = path, connect(path), -1, []
        self.reader = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.peer.close()
        for descriptor in self.descriptors:
            os.close(descriptor)

    def step(self, step, descriptor=None):
        """The code that answers a step, sent with a descriptor; those that come with it are kept."""
        self.stream += 2
        data = request(self.stream, "Admin", "TakeOver", messages.TakeOverRequest(step=step))
        if descriptor is None:
            self.peer.sendall(data)
        else:
            socket.send_fds(self.peer, [data], [descriptor])
        body = self.receive()
        return CODES[ttrpc.Response.FromString(body).status.code]

    def receive(self):
        """The body of the next response."""
        received = b""
        while len(received) < HEADER.size or len(received) < HEADER.size + HEADER.unpack(received[: HEADER.size])[0]:
            part, passed, _, _ = socket.recv_fds(self.peer, 1 << 16, 4)
            self.descriptors += passed
            if not part:
                raise EOFError("the engine closed the connection")
            received += part
        assert HEADER.unpack(received[: HEADER.size])[2] == RESPONSE, received
        return received[HEADER.size :]

    def prepare(self, folder=None):
        """The code that answers PREPARE with a descriptor of that folder, or of the socket's own."""
        descriptor = os.open(folder or os.path.dirname(self.path), os.O_PATH)
        try:
            return self.step(PREPARE, descriptor)
        finally:
            os.close(descriptor)

    def begin(self):
        code = self.step(BEGIN)
        assert code == "OK", code


def prepare(path):
    """A process that has the socket and its lock."""
    successor = Successor(path)
    code = successor.prepare()
    assert code == "OK" and len(successor.descriptors) == 2, (code, successor.descriptors)
    return successor
