#!/usr/bin/python3
"""A client of a running engine, on Debian's python3-protobuf alone. Proto/PROTOCOL.md says why each byte is as it is.

From the top of a checkout:

    mkdir -p /tmp/messages && protoc --python_out=/tmp/messages -I Proto face_engine.proto ttrpc.proto
    export PYTHONPATH=/tmp/messages
    Examples/python/face_client.py $XDG_RUNTIME_DIR/face-engine.sock Examples/photos/grace_hopper.jpg

Connection, Buffer and Watch are for other programs too. One thread at a time may use a connection and what came from it.
"""

import collections
import fcntl
import mmap
import os
import socket
import struct
import sys

import face_engine_pb2 as fe
import ttrpc_pb2 as ttrpc

REQUEST, RESPONSE, DATA, CANCEL, GOAWAY, PING, PONG, CREDIT, BUFFER_OFFER = 1, 2, 3, *range(0x10, 0x16)
REMOTE_CLOSED, REMOTE_OPEN, NO_DATA = 1, 2, 4
HEADER = struct.Struct(">IIBB")  # length, stream, type, flags

CODES = """OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED
RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED
""".split()


class EngineError(Exception):
    """What the engine says of a call that failed: `code`, as in "NOT_FOUND", and a sentence that says what to do."""

    def __init__(self, code, message, details=()):
        self.details = details  # which field or limit: `type_url` and `value`, see Errors in PROTOCOL.md
        self.code = CODES[code] if 0 <= code < len(CODES) else "UNKNOWN"
        self.message = message
        super().__init__(f"{self.code}: {message}")


class Connection:
    def __init__(self, path):
        self.features = set()  # what Hello agreed on
        self.last_stream = None  # once the engine is stopping: no call above this number is served
        self._stream = -1
        self._frames = {}  # stream: its frames that nobody took yet
        self._credit = collections.Counter()  # stream: how many frames may be sent now
        self._offers = {}  # buffer: what the engine said of it
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError as error:
            self._socket.close()
            raise EngineError(14, f"no engine listens at {path} ({error.strerror}); start it with face-engine serve")
        self._reader = self._socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._reader.close()
        self._socket.close()

    def call(self, service, method, request, response, timeout=None):
        """One call from begin to end; `response` is filled and returned. `timeout` is in seconds."""
        return self.finish(self.begin(service, method, request, timeout), response)

    def begin(self, service, method, request=None, timeout=None, flags=0):
        """Sends a request and gives its stream, for `finish` or `cancel`. Several may be open."""
        envelope = ttrpc.Request(service="faceengine.v1." + service, method=method)
        envelope.timeout_nano = int((timeout or 0) * 1e9)
        if request is not None:
            envelope.payload = request.SerializeToString()
        self._stream += 2
        self._frames[self._stream] = collections.deque()
        self._send(self._stream, REQUEST, envelope.SerializeToString(), flags)
        return self._stream

    def finish(self, stream, response):
        kind, body = self._next(stream)
        if kind != RESPONSE:
            raise EngineError(13, "the engine answered a call with a stream")
        response.ParseFromString(self._payload(stream, body))
        return response

    def cancel(self, stream):
        """Its answer comes nevertheless: CANCELLED, or what was on its way. Needs the feature `cancel`."""
        self._send(stream, CANCEL)

    def detect(self, image, timeout=None, **options):
        request = fe.DetectRequest(image=image, options=fe.DetectOptions(**options))
        return self.call("Detector", "Detect", request, fe.DetectResponse(), timeout)

    def hello(self, *features):
        """Says which features this client would use; `self.features` are those it has from then on."""
        versions = {"min_protocol_version": 1, "max_protocol_version": 1}
        request = fe.HelloRequest(client="face_client.py", features=features, **versions)
        answer = self.call("Session", "Hello", request, fe.HelloResponse())
        self.features = set(answer.features)
        return answer

    def ping(self, data=b"liveness"):
        self._send(0, PING, data)
        while self._receive() != (0, PONG, data):
            pass

    def watch(self, mode=fe.WatchStart.NEWEST, tracking=None, check=None, **options):
        """With `check`, a CheckOptions, a guided check."""
        options = fe.DetectOptions(**options)
        return Watch(self, fe.WatchStart(mode=mode, tracking=tracking, check=check, options=options))

    def _send(self, stream, kind, body=b"", flags=0, descriptors=()):
        data = HEADER.pack(len(body), stream, kind, flags) + body
        if descriptors:
            # The descriptor goes with the first byte, and a frame this short with a single sendmsg.
            socket.send_fds(self._socket, [data], descriptors)
        else:
            self._socket.sendall(data)

    def _read(self, count):
        data = self._reader.read(count)
        if len(data) < count:
            raise EngineError(14, "the engine closed the connection; connect again")
        return data

    def _receive(self):
        """Takes one frame and puts it where it will be looked for."""
        length, stream, kind, flags = HEADER.unpack(self._read(HEADER.size))
        body = self._read(length)
        if kind in (RESPONSE, DATA):
            if stream in self._frames and not flags & NO_DATA:
                self._frames[stream].append((kind, body))
                self._credit[stream] += kind == DATA  # an answer makes room for a frame
        elif kind == PING:
            self._send(0, PONG, body)
        elif kind == GOAWAY:
            (self.last_stream,) = struct.unpack(">I", body)
        elif kind == CREDIT:
            self._credit[stream] += struct.unpack(">I", body)[0]
        elif kind == BUFFER_OFFER:
            number, code = struct.unpack(">II", body[:8])
            self._offers[number] = (code, body[8:].decode())
        return stream, kind, body

    def _next(self, stream):
        """The next RESPONSE or DATA of a stream."""
        while not self._frames[stream]:
            self._receive()
        return self._frames[stream].popleft()

    def _payload(self, stream, body):
        """What a RESPONSE, which ends the stream, carries."""
        del self._frames[stream]
        self._credit.pop(stream, None)
        response = ttrpc.Response.FromString(body)
        if response.status.code:
            raise EngineError(response.status.code, response.status.message, response.status.details)
        return response.payload

    def _offer(self, number, size, descriptors=()):
        self._send(0, BUFFER_OFFER, struct.pack(">IQ", number, size), descriptors=descriptors)
        while number not in self._offers:
            self._receive()
        code, message = self._offers.pop(number)
        if code:
            raise EngineError(code, message)


class Buffer:
    """`size` bytes that this program writes, in `memory`, and the engine reads, by `number`. Needs `buffers`."""

    def __init__(self, connection, number, size):
        self.number, self._connection = number, connection
        descriptor = os.memfd_create("faces", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(descriptor, size)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
            self.memory = mmap.mmap(descriptor, size)
            connection._offer(number, size, [descriptor])
        finally:
            os.close(descriptor)

    def pixels(self, width, height, format=fe.PIXEL_FORMAT_RGB, **layout):
        """An image whose pixels lie here. They are left alone until it is answered."""
        pixels = fe.SharedPixels(buffer=self.number, format=format, width=width, height=height, **layout)
        return fe.Image(shared_pixels=pixels)

    def encoded(self, size, offset=0):
        """An image whose JPEG, PNG or WebP file lies here."""
        return fe.Image(shared_encoded=fe.SharedBytes(buffer=self.number, offset=offset, size=size))

    def take_back(self):
        self._connection._offer(self.number, 0)
        self.memory.close()


class Watch:
    """A stream of frames: `send` them, `close`, and iterate over the answers; those may be taken in between, too."""

    def __init__(self, connection, start):
        self._connection = connection
        self._has_credit = start.mode == fe.WatchStart.EVERY
        self.stream = connection.begin("Detector", "Check" if start.HasField("check") else "Watch", flags=REMOTE_OPEN)
        self._send(fe.WatchRequest(start=start))

    def _send(self, message):
        self._connection._send(self.stream, DATA, message.SerializeToString())

    def send(self, image, id, timeout=None, **frame):
        """Its answer has its `id`. On a stream of mode EVERY this waits until a frame may be sent."""
        connection = self._connection
        while self._has_credit and connection._credit[self.stream] <= 0:
            if connection._receive()[:2] == (self.stream, RESPONSE):
                return  # the stream is over; whoever takes the answers is told why
        connection._credit[self.stream] -= 1
        nanoseconds = int((timeout or 0) * 1e9)
        self._send(fe.WatchRequest(frame=fe.WatchFrame(id=id, image=image, timeout_ns=nanoseconds, **frame)))

    def close(self):
        """Says that no frame follows. Those that were sent are answered."""
        self._connection._send(self.stream, DATA, flags=REMOTE_CLOSED | NO_DATA)

    def __iter__(self):
        while True:
            kind, body = self._connection._next(self.stream)
            if kind == RESPONSE:
                self._connection._payload(self.stream, body)
                return
            yield fe.WatchResponse.FromString(body)


def main(path, photos):
    for photo in photos:
        with Connection(path) as engine, open(photo, "rb") as file:
            answer = engine.detect(fe.Image(encoded=file.read()), timeout=10)
        for box in (face.box for face in answer.faces):
            print(f"{photo}: a face at {box.x:.0f} {box.y:.0f}, {box.width:.0f} x {box.height:.0f} pixels")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        print("usage: face_client.py SOCKET PHOTO…", file=sys.stderr)
        sys.exit(2)
    try:
        main(sys.argv[1], sys.argv[2:])
    except (EngineError, OSError) as error:
        sys.exit(f"face_client.py: {error}")
