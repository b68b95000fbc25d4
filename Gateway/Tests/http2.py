"""HTTP/2 by hand: frames and heads that no library sends, and a client that reads no answer before it opens its windows."""

import contextlib
import socket
import struct

from support import PATIENCE

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 7, 8, 9
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEALTH_CHECK = b"/grpc.health.v1.Health/Check"


def frame(kind, flags, stream, body=b""):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


BEGIN = PREFACE + frame(SETTINGS, 0, 0)


def integer(value, bits):
    """A number of HPACK in the last bits of a byte, and in more bytes if it needs them."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([value])
    rest, value = bytearray([most]), value - most
    while value > 127:
        rest.append(value & 127 | 128)
        value >>= 7
    return bytes(rest) + bytes([value])


def text(value):
    return integer(len(value), 7) + value


def literal(name, value):
    """A header field that is not indexed."""
    return b"\0" + text(name) + text(value)


def rpc_head(path, *fields, kind=b"application/grpc"):
    """The head of an RPC with `fields` beside those that all have."""
    own = [
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path),
        (b":authority", b"localhost"),
        (b"content-type", kind),
        (b"te", b"trailers"),
    ]
    return b"".join(literal(*each) for each in [*own, *fields])


def rpc(path, *fields, message=b"", flag=0, **others):
    """A connection's bytes with one RPC that has one message."""
    body = bytes([flag]) + struct.pack(">I", len(message)) + message
    return BEGIN + frame(HEADERS, 4, 1, rpc_head(path, *fields, **others)) + frame(DATA, 1, 1, body)


def field(number, value):
    """A header field that is not indexed, whose name is that of the static table."""
    return integer(number, 4) + text(value)


def read_frame(file):
    """The next frame as (kind, flags, stream, body); `None` at the end."""
    head = file.read(9)
    if len(head) == 9:
        return head[3], head[4], int.from_bytes(head[5:]), file.read(int.from_bytes(head[:3]))


class Client:
    """An HTTP/2 connection whose windows are 0 until they are opened."""

    def __init__(self, address, context=None):
        self.socket = socket.create_connection(address, timeout=PATIENCE)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.file = self.socket.makefile("rb")
        self.next = 1
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)))

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, *frames):
        self.socket.sendall(b"".join(frame(*each) for each in frames))

    def stream(self):
        self.next += 2
        return self.next - 2

    def get(self, path):
        stream = self.stream()
        self.send((HEADERS, 5, stream, b"\x82\x87" + field(4, path) + field(1, b"localhost")))
        return stream

    def begin(self, path):
        """Begins an RPC, without a message."""
        stream = self.stream()
        self.send((HEADERS, 4, stream, rpc_head(path)))
        return stream

    def rpc(self, path, message):
        """Begins an RPC with a message, which stays open on the client's side."""
        stream = self.begin(path)
        body = b"\0" + struct.pack(">I", len(message)) + message
        self.send(*((DATA, 0, stream, body[at : at + 16384]) for at in range(0, len(body), 16384)))
        return stream

    def open_window(self, byte_count, *streams):
        self.send(*((WINDOW_UPDATE, 0, stream, struct.pack(">I", byte_count)) for stream in streams))

    def read(self):
        """The next frame; `None` when the gateway has closed the connection."""
        with contextlib.suppress(ConnectionError):
            return read_frame(self.file)

    def is_closed(self):
        """Whether the gateway has closed the connection, which a client that does not read learns when it sends."""
        try:
            self.send((PING, 0, 0, bytes(8)))
            return False
        except OSError:
            return True

    def frames(self, kind):
        """The frames of this kind, until the connection ends."""
        return (each for each in iter(self.read, None) if each[0] == kind)
