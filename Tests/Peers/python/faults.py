#!/usr/bin/python3
"""faults.py FAULT SOCKET [PHOTO]: a client that misbehaves, or suffers, in one way; prints what it did.

    killed       is killed after each byte that it sends of each kind of exchange
    answered     is killed after each byte that it reads of the answers of each kind of exchange; without
                 FACE_ENGINE_LONG_TESTS=1, both after each third byte
    descriptors  opens more connections than the engine has descriptors for
    load         calls without end and connects anew when the engine is gone; ends when its input does
    outlasting   has a call of minutes when the engine stops; prints "begun" before that
    users        as two users: one floods, the other is served during the flood. Needs root.

Stops with a message at the first thing that did not hold.
"""

import os
import pathlib
import signal
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Examples/python"))
from face_client import (BUFFER_OFFER, CANCEL, DATA, HEADER, NO_DATA, REMOTE_CLOSED, REMOTE_OPEN, REQUEST, Buffer, Connection,
                         EngineError, fe, ttrpc)
from users import as_user

SEALS = 0x0001 | 0x0002 | 0x0004  # F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW
F_ADD_SEALS = 1033
STEP = 1 if os.environ.get("FACE_ENGINE_LONG_TESTS") == "1" else 3


def expect(holds, what):
    if not holds:
        sys.exit(f"failed: {what}")


def health(engine):
    return engine.call("Health", "Check", fe.HealthCheckRequest(), fe.HealthCheckResponse()).status


# ---- killed

def frame(stream, kind, data=b"", flags=0):
    return HEADER.pack(len(data), stream, kind, flags) + data


def request(stream, service, method, message, flags=0):
    payload = message.SerializeToString() if message else b""
    envelope = ttrpc.Request(service="faceengine.v1." + service, method=method, payload=payload)
    return frame(stream, REQUEST, envelope.SerializeToString(), flags)


def exchanges():
    """For each kind of exchange: its name, the bytes, the positions of descriptors, and the number of answering frames."""
    image = fe.Image(pixels=fe.Pixels(format=fe.PIXEL_FORMAT_GRAY, width=16, height=16, data=bytes(256)))
    shared = fe.Image(shared_pixels=fe.SharedPixels(buffer=1, format=fe.PIXEL_FORMAT_GRAY, width=16, height=16))
    hello = request(1, "Session", "Hello", fe.HelloRequest(
        min_protocol_version=1, max_protocol_version=1, features=["cancel", "ping", "credit", "buffers", "goaway"]))
    detect = request(3, "Detector", "Detect", fe.DetectRequest(image=image))
    yield "Hello and Detect", hello + detect, [], 2
    yield "DetectBatch", request(1, "Detector", "DetectBatch", fe.DetectBatchRequest(images=[image] * 3)), [], 1
    yield "CANCEL", hello + detect + frame(3, CANCEL), [], 2
    yield "Health/Watch", request(1, "Health", "Watch", fe.HealthCheckRequest(), REMOTE_CLOSED), [], 1
    watch = hello + request(3, "Detector", "Watch", None, REMOTE_OPEN)
    watch += frame(3, DATA, fe.WatchRequest(start=fe.WatchStart(mode=fe.WatchStart.EVERY)).SerializeToString())
    for number in range(2):
        watch += frame(3, DATA, fe.WatchRequest(frame=fe.WatchFrame(id=number, image=image)).SerializeToString())
    # The answers: Hello, credit, two results, the end.
    yield "Watch", watch + frame(3, DATA, b"", REMOTE_CLOSED | NO_DATA), [], 5
    use = request(3, "Detector", "Detect", fe.DetectRequest(image=shared))
    offer = frame(0, BUFFER_OFFER, struct.pack(">IQ", 1, 4096))
    take_back = frame(0, BUFFER_OFFER, struct.pack(">IQ", 1, 0))
    # The offer is not withdrawn, so its memory is still mapped when the client is killed.
    yield "BUFFER_OFFER", hello + offer + use + take_back, [len(hello)], 4
    yield "BUFFER_OFFER kept", hello + offer + use, [len(hello)], 3


def send(path, data, descriptors, memory):
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(10)
    peer.connect(path)
    begin = 0
    for end in [position for position in descriptors if position < len(data)] + [len(data)]:
        part = data[begin:end]
        if begin in descriptors:
            sent = socket.send_fds(peer, [part], [memory])
            peer.sendall(part[sent:])
        else:
            peer.sendall(part)
        begin = end
    return peer


def read(peer, count):
    """Reads that many bytes, fewer if the peer closes."""
    data = b""
    while len(data) < count:
        part = peer.recv(count - len(data))
        if not part:
            break
        data += part
    return data


def answers(peer, frames):
    """Reads the bytes of that many frames."""
    count = 0
    for _ in range(frames):
        head = read(peer, HEADER.size)
        expect(len(head) == HEADER.size, "the engine answers")
        size = HEADER.unpack(head)[0]
        expect(len(read(peer, size)) == size, "the engine answers in full")
        count += HEADER.size + size
    return count


def sealed_memory():
    import fcntl
    memory = os.memfd_create("killed", os.MFD_ALLOW_SEALING)
    os.truncate(memory, 4096)
    fcntl.fcntl(memory, F_ADD_SEALS, SEALS)
    return memory


def in_child_that_is_killed(name, body):
    child = os.fork()
    if child == 0:
        try:
            body()
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    expect(os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"{name}: the child was killed")


def places(size):
    """Counts of bytes; none and all are always among them."""
    return [*range(0, size, STEP), size]


def killed(path, _):
    memory = sealed_memory()
    for name, data, descriptors, _ in exchanges():
        for count in places(len(data)):
            def part():
                send(path, data[:count], descriptors, memory)
                time.sleep(count % 3 / 1000)
            in_child_that_is_killed(name, part)
        with Connection(path) as engine:
            expect(health(engine) == 1, f"the engine serves after {name}")
        print(f"ok: {name}: killed at {len(places(len(data)))} places of {len(data)} bytes")


def answered(path, _):
    memory = sealed_memory()
    for name, data, descriptors, frames in exchanges():
        with send(path, data, descriptors, memory) as peer:
            total = answers(peer, frames)
        for count in places(total):
            def part():
                peer = send(path, data, descriptors, memory)
                expect(len(read(peer, count)) == count, f"{name}: the engine answers")
            in_child_that_is_killed(name, part)
        with Connection(path) as engine:
            expect(health(engine) == 1, f"the engine serves after {name}")
        print(f"ok: {name}: killed at {len(places(total))} places of {total} bytes of answers")


# ---- descriptors

def descriptors(path, _):
    with Connection(path) as engine:
        expect(health(engine) == 1, "the engine serves")
        for _ in range(3):
            others = []
            for _ in range(40):
                other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                other.connect(path)
                others.append(other)
            time.sleep(0.3)
            for _ in range(20):
                expect(health(engine) == 1, "who is connected is served when no descriptor is left")
            for other in others:
                other.close()
            with Connection(path) as later:
                expect(health(later) == 1, "who comes later is served when there are descriptors again")
    print("ok: descriptors ran out three times")


# ---- load

def load(path, photo):
    outcomes = {"OK": 0, "UNAVAILABLE": 0}
    failures = []
    ending = threading.Event()

    def call_for_ever():
        while not ending.is_set():
            try:
                with Connection(path) as engine:
                    while not ending.is_set():
                        engine.detect(fe.Image(encoded=photo))
                        outcomes["OK"] += 1
                        if outcomes["OK"] == 1:
                            print("begun", flush=True)
            except EngineError as error:
                if error.code != "UNAVAILABLE":
                    failures.append(str(error))
                    return
                outcomes["UNAVAILABLE"] += 1
            except OSError:  # the engine went away during the transfer
                outcomes["UNAVAILABLE"] += 1
            time.sleep(0.01)

    callers = [threading.Thread(target=call_for_ever) for _ in range(4)]
    for caller in callers:
        caller.start()
    for line in sys.stdin:
        before = outcomes["OK"]
        deadline = time.monotonic() + 300
        while outcomes["OK"] < before + 8 and time.monotonic() < deadline and not failures:
            time.sleep(0.01)
        print("served" if outcomes["OK"] >= before + 8 else "stuck", flush=True)
    ending.set()
    for caller in callers:
        caller.join()
    expect(not failures, failures[:1])
    print(f"ok: {outcomes['OK']} calls served, {outcomes['UNAVAILABLE']} ended with the engine")


# ---- outlasting

def begin_minutes(path):
    """A connection with a batch of large pictures, whose turns take minutes."""
    side = 4000
    engine = Connection(path)
    engine.hello("buffers")
    pixels = Buffer(engine, 1, side * side).pixels(side, side, format=fe.PIXEL_FORMAT_GRAY)
    options = fe.DetectOptions(accuracy=3, max_side=0)
    stream = engine.begin("Detector", "DetectBatch", fe.DetectBatchRequest(images=[pixels] * 64, options=options))
    health(engine)  # answered when the batch has arrived
    return engine, stream


def outlasting(path, _):
    engine, stream = begin_minutes(path)
    print("begun", flush=True)
    try:
        engine.finish(stream, fe.DetectBatchResponse())
        expect(False, "the engine waits no minutes for it")
    except EngineError as error:
        expect(error.code == "UNAVAILABLE" and "stopped" in error.message, error)
    print("ok: the call ended with the engine")


# ---- users

def served(engine):
    stats = engine.call("Admin", "Stats", fe.StatsRequest(), fe.StatsResponse())
    return sum(method.calls for method in stats.methods if method.method.endswith("/Detect"))


def flood(path, photo):
    detect = fe.DetectRequest(image=fe.Image(encoded=photo))
    engines = [Connection(path) for _ in range(4)]
    streams = [[engine.begin("Detector", "Detect", detect) for _ in range(8)] for engine in engines]
    while True:
        for engine, waiting in zip(engines, streams):
            engine.finish(waiting.pop(0), fe.DetectResponse())
            waiting.append(engine.begin("Detector", "Detect", detect))


def call_beside(path, photo):
    with Connection(path) as engine:
        while served(engine) < 8:
            time.sleep(0.01)
        for _ in range(20):
            expect(len(engine.detect(fe.Image(encoded=photo)).faces) == 1, "a call beside the flood finds the face")
    # Whose turn it is, the simulation checks: real processes see the order of their own turns.
    print("ok: 20 calls were served beside 32 of another user")


def users(path, photo):
    if os.getuid() != 0:
        print("skipped: needs root")
        return
    flooding = as_user(61001, flood, path, photo)
    calling = as_user(61002, call_beside, path, photo)
    _, status = os.waitpid(calling, 0)
    expect(os.waitpid(flooding, os.WNOHANG) == (0, 0), "the flood lasts to the end")
    os.kill(flooding, signal.SIGKILL)
    os.waitpid(flooding, 0)
    expect(status == 0, "the calls beside the flood")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    picture = pathlib.Path(sys.argv[3]).read_bytes() if len(sys.argv) == 4 else None
    faults = {"killed": killed, "answered": answered, "descriptors": descriptors, "load": load,
              "outlasting": outlasting, "users": users}
    faults[sys.argv[1]](sys.argv[2], picture)
