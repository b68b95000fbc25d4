"""Faults that chance would not bring about within a minute, each with an engine of its own. gateway_scenarios.py has the gateway's."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import tempfile

import numpy

import face_engine_pb2 as messages
import ttrpc_pb2 as ttrpc
from clients import FIRST_USER, PHOTO_FILE
from exchanges import BEGIN, END, PREPARE, Successor, connect, frame, prepare
from face_client import REQUEST, Buffer, Connection, EngineError
from fake_engine import Connection as StubConnection, StubEngine
from gateway_scenarios import SCENARIOS
from support import ENGINE, PATIENCE, Program, until
from world import children, expect

HEALTH = messages.HealthCheckRequest()


def scenario(body):
    SCENARIOS[body.__name__.replace("_", "-")] = body
    return body


@contextlib.contextmanager
def engine(folder, *flags, launcher=(), code=0, signal=signal.SIGTERM):
    """An engine that serves, and its exit code at its end."""
    path = os.path.join(folder, "engine.sock")
    program = Program(*launcher, ENGINE, "serve", "--socket", path, "--socket-mode", "0666", *flags)
    program.path = path
    try:
        program.said(r"\] serving$")
        yield program
        found = program.stop(signal)
        expect(code is None or found == code, f"the engine ended with {found}, not {code}: {program.errors[-3:]}")
    finally:
        with contextlib.suppress(ValueError):  # its output is closed
            program.stop(9)


def ended(program):
    """Waits for its end: a second signal would have it leave calls unanswered."""
    until(lambda: program.process.poll() is not None, "the engine's end")


def run(*arguments, code=0):
    """What the command prints, when it ends with that code."""
    done = subprocess.run([ENGINE, *arguments], capture_output=True, text=True, timeout=PATIENCE)
    expect(
        code is None or done.returncode == code,
        f"face-engine {arguments[0]} ended with {done.returncode}: {done.stderr}",
    )
    return done.stdout + done.stderr


def detect(path, picture=PHOTO_FILE, code=0):
    return run("detect", "--socket", path, picture, code=code)


def is_serving(connection):
    return connection.call("Health", "Check", HEALTH, messages.HealthCheckResponse()).status == 1


def two_forkers(program, without=()):
    return until(
        lambda: found if len(found := children(program.process.pid)) == 2 and not set(found) & set(without) else None,
        "two processes that start decoders",
    )


@scenario
def descriptors_run_out(folder):
    """Who is connected is served, and who comes later, too."""
    with engine(folder, "--limit", "connections-per-user=100", launcher=("prlimit", "--nofile=32:32")) as running:
        with Connection(running.path) as first:
            for turn in range(3):
                with contextlib.ExitStack() as stack:
                    for _ in range(40):
                        stack.enter_context(connect(running.path))
                    if turn == 0:
                        running.said("no descriptor is left")
                    expect(
                        all(is_serving(first) for _ in range(20)),
                        "who is connected is served when no descriptor is left",
                    )
                with Connection(running.path) as later:
                    expect(is_serving(later), "who comes later is served")


@scenario
def calls_outlast_the_drain(folder):
    """They are UNAVAILABLE, and the exit status is 1. A peer that reads nothing is not waited for: 0."""
    with engine(folder, "--drain-timeout", "0.1", code=1) as running:
        side, peer = 4000, Connection(running.path)
        peer.hello("buffers")
        pixels = Buffer(peer, 1, side * side).pixels(side, side, format=messages.PIXEL_FORMAT_GRAY)
        options = messages.DetectOptions(accuracy=messages.ACCURACY_HIGH, max_side=0)
        stream = peer.begin(
            "Detector", "DetectBatch", messages.DetectBatchRequest(images=[pixels] * 64, options=options)
        )
        expect(is_serving(peer), "health is answered when the batch has arrived")
        running.process.send_signal(signal.SIGTERM)
        try:
            peer.finish(stream, messages.DetectBatchResponse())
            expect(False, "the engine waits no minutes for a batch")
        except EngineError as error:
            expect(error.code == "UNAVAILABLE" and "stopped" in error.message, error)
        ended(running)
    with engine(folder, "--drain-timeout", "0.1") as running, connect(running.path) as silent:
        silent.sendall(frame(1, REQUEST, b"\x0a") * 20_000)
        expect(
            running.stop() == 0 and not os.path.exists(running.path), "an engine whose peer reads nothing ends with 0"
        )


# ---- Take-overs


@scenario
def steps_of_a_take_over(folder):
    """They come in order, with the socket's folder, from root or the engine's user, and for one process at a time."""
    with engine(folder) as running, tempfile.TemporaryDirectory() as other:
        with Successor(running.path) as peer:
            expect(
                [peer.step(step) for step in (END, BEGIN, PREPARE)]
                == ["FAILED_PRECONDITION", "FAILED_PRECONDITION", "PERMISSION_DENIED"],
                "steps come in order, and PREPARE with a folder",
            )
            for wrong in (other, "/", running.path):
                expect(peer.prepare(wrong) == "PERMISSION_DENIED", f"{wrong} is not the folder of the engine's socket")
            with prepare(running.path) as first:
                expect(peer.prepare() == "FAILED_PRECONDITION", "one process at a time has the socket")
                first.begin()
                expect(peer.prepare() == "UNAVAILABLE", "the engine stops")
        running.said("this engine keeps serving")
        if os.getuid() == 0:
            os.seteuid(FIRST_USER)
            try:
                stranger = Successor(running.path)
            finally:
                os.seteuid(0)
            with stranger:
                expect(stranger.prepare() == "PERMISSION_DENIED", "another user takes nothing over")
        with prepare(running.path) as slow:
            slow.begin()
            until(
                lambda: (
                    "keeps serving" in running.errors[-1]
                    and sum("keeps serving" in line for line in running.errors) == 2
                ),
                "the end of the 10 s in which a process has to serve",
            )
            expect(slow.step(END) == "FAILED_PRECONDITION", "it was too slow")
        link = os.path.join(other, "link.sock")
        os.symlink(running.path, link)
        calls = run("status", "--openmetrics", "--socket", running.path)
        next = Program(ENGINE, "serve", "--socket", link, "--take-over")
        next.said(r"\] serving$")
        expect(running.stop() == 0, "a link to the socket leads to its folder")
        expect("face_engine_calls_total" in calls and detect(running.path), "the next engine serves")
        expect(next.stop() == 0, "the next engine ends with 0")
    with engine(folder, "--take-over") as running:  # as usual, where none runs
        detect(running.path)


@scenario
def an_engine_ends_before_its_successor_serves(folder):
    """The other process has the socket, with the connections that wait at it, and its file."""
    for has_begun in (False, True):
        with engine(folder) as running, prepare(running.path) as successor:
            if has_begun:
                successor.begin()
            expect(running.stop() == 0, "the engine ends with 0")
            listener = socket.socket(fileno=successor.descriptors[0])
            successor.descriptors = successor.descriptors[1:]
            with listener, connect(running.path), listener.accept()[0]:
                expect("face-engine" in run("serve", "--socket", running.path, code=1), "the lock is the successor's")
        for name in (running.path, f"{running.path}.lock"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)


@scenario
def clients_without_goaway_are_served_to_the_end(folder):
    """Meanwhile the next engine is not replaced; the last to end removes the socket's file."""
    with engine(folder) as old, Connection(old.path) as stock:
        expect(is_serving(stock), "the first call is answered")
        with engine(folder, "--take-over") as new:
            expect(is_serving(stock), "a client that does not know GOAWAY is served by the old engine")
            refusal = run("serve", "--take-over", "--socket", old.path, code=1)
            expect(
                "the engine before this one still finishes its calls" in refusal,
                f"a third engine is refused: {refusal}",
            )
            new.process.send_signal(signal.SIGTERM)
            stock.__exit__()
            ended(old), ended(new)  # by itself, and without a second signal
        expect(not os.path.exists(old.path), "the last engine removes the socket's file")


class Resuming(StubConnection):
    """An engine that passes its socket on, and does not let its successor serve."""

    def call(self, stream, name, payload, flags):
        if name != "Admin/TakeOver":
            return super().call(stream, name, payload, flags)
        step = messages.TakeOverRequest.FromString(payload).step
        body = ttrpc.Response(payload=messages.TakeOverResponse().SerializeToString())
        if step == END:
            body = ttrpc.Response(status={"code": 9, "message": "it serves"})
        data = frame(stream, 2, body.SerializeToString())
        if step == PREPARE:
            socket.send_fds(self.connection, [data], [self.engine.listener.fileno()])
        else:
            self.connection.sendall(data)
        return True


@scenario
def an_engine_that_is_too_slow_ends(folder):
    """Its END is refused, since the old engine serves again."""
    path = os.path.join(folder, "engine.sock")
    with StubEngine(path, Resuming):
        expect(
            "keeps serving: it serves" in run("serve", "--take-over", "--socket", path, code=1),
            "the new engine says why it ends",
        )


# ---- Decoders


def write_slow_gif(path):
    """Noise that its library needs seconds for: 9-bit codes of single pixels, and a clear code before longer ones. GIF89a, F."""
    side, runs = 3968, 248
    size = side.to_bytes(2, "little") * 2
    codes = numpy.random.default_rng(3).integers(0, 256, (side * side // runs, runs + 1), numpy.uint16)
    codes[:, 0] = 256
    codes = numpy.append(codes, 257)
    data = numpy.concatenate(
        [
            numpy.packbits((part[:, None] >> numpy.arange(9) & 1).astype(numpy.uint8), bitorder="little")
            for part in numpy.split(codes, range(1 << 20, len(codes), 1 << 20))
        ]
    ).tobytes()
    with open(path, "wb") as file:
        file.write(b"GIF89a" + size + b"\xf7\0\0" + bytes(value for value in range(256) for _ in range(3)))
        file.write(b"\x2c\0\0\0\0" + size + b"\0\x08")
        for start in range(0, len(data), 255):
            block = data[start : start + 255]
            file.write(bytes([len(block)]) + block)
        file.write(b"\0\x3b")


@contextlib.contextmanager
def slow_call(running, picture):
    """A call that decodes a picture for seconds, and the process that is at its pixels."""
    call = subprocess.Popen(
        [ENGINE, "detect", "--socket", running.path, picture],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )

    def at_work():
        expect(call.poll() is None, f"the slow call has ended with {call.returncode}")
        for forker in children(running.process.pid):
            for decoder in children(forker):
                with contextlib.suppress(OSError):
                    # Ticks of processor time: after a few it has read the header.
                    if int(pathlib.Path(f"/proc/{decoder}/stat").read_text().split()[13]) > 5:
                        return forker, decoder
        return None

    yield call, *until(at_work, "the decoder at work")
    call.communicate(timeout=PATIENCE)


@scenario
def decoders_end_at_work(folder):
    """A file is to blame for a crash, and not for a decoder that is killed, or that ends with its parent: it is decoded again."""
    picture = os.path.join(folder, "slow.gif")
    write_slow_gif(picture)
    for victim, number, code, text in (
        ("decoder", signal.SIGSEGV, 1, "the decoder crashed while it read the GIF (signal 11)"),
        ("decoder", signal.SIGKILL, 0, ""),
        ("parent", signal.SIGKILL, 0, ""),
    ):
        with tempfile.TemporaryDirectory() as own, engine(own) as running:
            with slow_call(running, picture) as (call, parent, decoder):
                os.kill(decoder if victim == "decoder" else parent, number)
                _, errors = call.communicate(timeout=PATIENCE)
                expect(
                    call.returncode == code and text in errors, f"{victim}, {number.name}: {call.returncode} {errors}"
                )
            lost = '"decoders_lost":1' if victim == "decoder" else '"decoders_lost":0'
            expect(
                lost in run("status", "--json", "--socket", running.path).replace(" ", ""),
                f"{lost} after {victim}, {number.name}",
            )
            detect(running.path)
            # A terminal or a service manager signals all processes of a group.
            for forker in two_forkers(running):
                for process in (*children(forker), forker):
                    for other in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(process, other)
            before = two_forkers(running)
            detect(running.path)
            expect(two_forkers(running) == before, "processes of the engine end with it, and not before")


@scenario
def no_process_starts_decoders(folder):
    """While none answers, the engine refuses pictures; without any it ends for its supervisor, or starts the program again."""
    with engine(folder) as running:
        detect(running.path)
        before = two_forkers(running)
        for forker in before:
            os.kill(forker, signal.SIGSTOP)
            for decoder in children(forker):
                os.kill(decoder, signal.SIGKILL)
        expect("decoders cannot be started" in detect(running.path, code=1), "the refusal says why")
        run("status", "--socket", running.path, code=1)
        for forker in before:
            os.kill(forker, signal.SIGCONT)
        run("status", "--socket", running.path, "--wait-ready", "--timeout=60")
        detect(running.path)
    with engine(folder, code=1) as running:
        forkers = two_forkers(running)
        # So that the second one does not replace the first one before it is killed as well.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for forker in forkers:
                os.kill(forker, number)
        ended(running)
        running.said(r"critical face-engine: \[Service\] all processes that start decoders have ended")
        expect(not os.path.exists(running.path), "it removes its socket")
    with engine(folder, "--sandbox", "off") as running:
        for _ in range(3):
            for forker in children(running.process.pid):
                os.kill(forker, signal.SIGKILL)
            detect(running.path)
