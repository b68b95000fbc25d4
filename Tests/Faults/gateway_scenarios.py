"""Faults of the engine that a gateway has to survive, with scripted engines, and calls of every kind to one that is frozen."""

import concurrent.futures
import contextlib
import json
import os
import signal
import struct
import subprocess
import time

import grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as health_services

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
import ttrpc_pb2 as ttrpc
from engine_calls import frame, request_of
from fake_engine import (
    GOAWAY,
    HEALTH_CHECK,
    POINTS,
    RESPONSE,
    Connection,
    CutAnswers,
    FakeEngine,
    FewConnections,
    Garbled,
    StubEngine,
    Zeros,
)
from support import LONG, PATIENCE, PHOTO, Engine, Gateway, Sent, call, until
from world import expect

SCENARIOS = {}
LARGE = PHOTO + bytes(5 << 20)  # goes through shared memory


def scenario(body):
    SCENARIOS[body.__name__.replace("_", "-")] = body
    return body


class Caller:
    """Makes calls of all kinds by a gateway."""

    def __init__(self, stack, path, *flags):
        self.stack, self.path = stack, path
        self.gateway = stack.enter_context(Gateway(path, *flags))
        self.channel = stack.enter_context(grpc.insecure_channel(self.gateway.grpc))
        self.detector = services.DetectorStub(self.channel)
        self.pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(16))

    def http(self, method, path, body=None):
        return call(self.gateway.http_address, method, path, body)

    def session(self, kind="track"):
        return f"/v1/sessions/{json.loads(self.http('POST', '/v1/sessions', json.dumps({'kind': kind}).encode())[1])['id']}"

    def frame(self, photo):
        path = self.session()
        status = self.http("POST", f"{path}/frames", photo)[0]
        self.http("DELETE", path)
        return status

    def by_grpc(self, service_call):
        try:
            service_call()
            return 200
        except grpc.RpcError as error:
            return {grpc.StatusCode.UNAVAILABLE: 503}.get(error.code(), error.code().name)

    def watch(self, photo):
        answers = list(
            self.detector.Watch(
                iter([messages.WatchRequest(start=messages.WatchStart()), frame(1, photo)]), timeout=PATIENCE
            )
        )
        expect(len(answers) == 1, f"{len(answers)} answers of one frame")

    def statuses(self):
        """Of calls of every kind, which begin together."""
        begun = [
            self.pool.submit(make, photo)
            for photo in (PHOTO, LARGE)
            for make in (
                lambda photo: self.http("POST", "/v1/detect", photo)[0],
                self.frame,
                lambda photo: self.by_grpc(lambda: self.detector.Detect(request_of(photo), timeout=PATIENCE)),
                lambda photo: self.by_grpc(lambda: self.watch(photo)),
            )
        ]
        return {each.result() for each in begun}

    def await_engine(self):
        """Waits until calls of every kind are answered: a connection may be found lost by the call that takes it."""
        until(lambda: self.statuses() == {200}, "answers to all calls")


@scenario
def connections_end_at_any_point(folder):
    """Every call is answered, and the next engine serves; silent ones end, too, though health checks are answered on their own."""
    path = os.path.join(folder, "engine.sock")
    with contextlib.ExitStack() as stack:
        caller = Caller(stack, path)
        points = [(point, False) for point in POINTS] + [("accept", True)] + [("part of Hello", True)] * LONG
        for point, is_silent in points:
            with FakeEngine(path, point, is_silent) as engine:
                until(lambda: engine.counts or engine.opened, "the first health check")
                found = set().union(*(caller.statuses() for _ in range(1 if is_silent else 20 if LONG else 1)))
                expect(503 in found and found <= {200, 503}, f"{point}: calls end with {found}")
                expect(caller.http("GET", "/healthz")[0] == 200, "the gateway is alive")
            with FakeEngine(path):
                caller.await_engine()
        with FakeEngine(path, "accept") as engine:  # its end comes before, while or after the gateway writes its Hello
            while len(engine.opened) < (2000 if LONG else 200):
                expect(caller.http("GET", "/readyz")[0] == 503, "the gateway is not ready")
        with FakeEngine(path, HEALTH_CHECK, True) as engine:  # health checks go on on another connection
            caller.gateway.said("the engine does not answer")
            caller.gateway.said("the engine answers again")
            caller.await_engine()
            expect(engine.counts[HEALTH_CHECK] == 1, "one health check had no answer")
        with FakeEngine(path, "part of a call", True) as engine:  # calls without a deadline wait behind it
            until(lambda: engine.opened, "the first health check")
            calls = [caller.detector.Detect.future(request_of(photo)) for photo in [PHOTO] * 8 + [LARGE]]
            codes = {caller.pool.submit(each.code).result(PATIENCE) for each in calls}
            expect(
                codes == {grpc.StatusCode.UNAVAILABLE},
                f"calls behind a connection that takes no descriptor end with {codes}",
            )


class Stopping(Connection):
    """On its first two connections it says that it did not begin the first call, with an answer or without."""

    def call(self, stream, name, payload, flags):
        if name == "Session/Hello":
            return super().call(stream, name, payload, flags)
        if self.number >= 3:
            return self.respond(stream, messages.HealthCheckResponse(status=1))
        self.send(GOAWAY, 0, struct.pack(">I", 1))
        if self.engine.answers:
            self.send(RESPONSE, stream, ttrpc.Response(status={"code": 14}).SerializeToString())
        return self.engine.answers


@scenario
def calls_that_the_engine_did_not_begin_are_repeated(folder):
    for answers in (False, True):
        path = os.path.join(folder, f"{answers}.sock")
        with StubEngine(path, Stopping) as engine, contextlib.ExitStack() as stack:
            engine.answers = answers
            stub = health_services.HealthStub(Caller(stack, path).channel)
            expect(
                stub.Check(health.HealthCheckRequest(), timeout=PATIENCE).status == 1,
                "the call was repeated until it was served",
            )


@contextlib.contextmanager
def stub(path, kind, **settings):
    """A caller of a stub that has been asked for its health."""
    with StubEngine(path, type("Kind", (kind,), settings)) as engine, contextlib.ExitStack() as stack:
        caller = Caller(stack, path)
        until(lambda: engine.opened, "the first health check")
        yield caller


@scenario
def an_engine_that_hangs_inside_an_answer_is_noticed(folder):
    """On all connections, or on all but that of the health checks. Calls that nobody ends would be told 504."""
    for kind in (CutAnswers, Zeros):
        for hangs_on_probes in (False, True):
            with stub(os.path.join(folder, "engine.sock"), kind, hangs_on_probes=hangs_on_probes) as caller:
                found = caller.statuses()
                expect(found == {503}, f"{kind.__name__}: calls end with {found}")


@scenario
def answers_that_cannot_be_read_are_not_the_callers_fault(folder):
    for garbled, status, ready in (("Session/Hello", 503, 503), ("Detector/Detect", 500, 200)):
        with stub(os.path.join(folder, "engine.sock"), Garbled, garbled=garbled) as caller:
            until(lambda: caller.http("GET", "/readyz")[0] == ready, "its Hello")
            for path in ("/v1/detect", "/v1/detect?pose"):
                found, body = caller.http("POST", path, PHOTO)
                expect(found == status and b"the engine" in body, f"{garbled}: {found} {body}")


@scenario
def readiness_is_what_new_callers_meet(folder):
    """An engine that serves the connections that it has, and says nothing on others, is not ready; with others closed, streams share."""
    path = os.path.join(folder, "engine.sock")
    with stub(path, FewConnections, most=2, closes=False) as caller:
        expect(
            caller.http("POST", "/v1/detect", PHOTO)[0] == 200 and caller.frame(PHOTO) == 503,
            "calls but no sessions are served",
        )
        for probe in ("/readyz", "/v2/health/ready"):
            expect(caller.http("GET", probe)[0] == 503, f"{probe} with no room for sessions")
        check = health_services.HealthStub(caller.channel).Check(health.HealthCheckRequest(), timeout=PATIENCE)
        expect(check.status == health.HealthCheckResponse.NOT_SERVING, "Health/Check with no room for sessions")
    with stub(path, FewConnections, most=3, closes=True) as caller:
        expect(caller.http("POST", "/v1/detect", PHOTO)[0] == 200, "a photo")
        for _ in range(3):
            expect(caller.http("POST", f"{caller.session()}/frames", PHOTO)[0] == 200, "sessions share a connection")
        expect(caller.http("GET", "/readyz")[0] == 200, "/readyz while sessions share")


@scenario
def no_caller_behind_the_gateway_takes_over(folder):
    with Engine(folder) as engine, contextlib.ExitStack() as stack:
        admin = services.AdminStub(Caller(stack, engine.path, "--allow-admin").channel)
        for step, code in (
            ("PREPARE", "PERMISSION_DENIED"),
            ("BEGIN", "FAILED_PRECONDITION"),
            ("END", "FAILED_PRECONDITION"),
        ):
            try:
                admin.TakeOver(messages.TakeOverRequest(step=f"TAKE_OVER_STEP_{step}"), timeout=PATIENCE)
                expect(False, f"{step} was answered")
            except grpc.RpcError as error:
                expect(error.code().name == code, f"{step}: {error.code()}")
        admin.Stats(messages.StatsRequest(), timeout=PATIENCE)


def stream(method, **start):
    """A stream with an answered frame: what is sent on it, and its answers."""
    sent = Sent()
    answers = method(sent)
    sent.send(messages.WatchRequest(start=messages.WatchStart(**start)))
    sent.send(frame(1))
    expect(next(answers).id == 1, "the first frame is answered")
    return sent, answers


@scenario
def a_frozen_engine_ends_every_kind_of_call(folder):
    """Those under way, whatever their deadline, and those that come; all begin again with it. Its socket's path is the operator's alone."""
    with Engine(folder) as engine, contextlib.ExitStack() as stack:
        stack.callback(engine.process.send_signal, signal.SIGCONT)
        caller = Caller(stack, engine.path)
        detector, sessions = caller.detector, [f"{caller.session(kind)}/frames" for kind in ("track", "check")]
        for path in sessions:
            expect(caller.http("POST", path, PHOTO)[0] == 200, f"a frame of {path}")
        idle, busy, large = (stream(detector.Watch) for _ in range(3))
        checked = stream(detector.Check, check=messages.CheckOptions())
        engine.process.send_signal(signal.SIGSTOP)
        for (sent, _), photo in ((busy, PHOTO), (checked, PHOTO), (large, LARGE)):
            sent.send(frame(2, photo))
        short = detector.Detect.future(request_of(), timeout=0.5)
        calls = [
            detector.Detect.future(request_of(), timeout=PATIENCE),
            detector.Detect.future(request_of()),
            detector.Detect.future(request_of(LARGE)),
            detector.DetectBatch.future(messages.DetectBatchRequest(images=[request_of().image])),
            idle[1],
            busy[1],
            large[1],
            checked[1],
        ]
        pages = [
            caller.pool.submit(caller.http, "POST", path, body)
            for path, body in [("/v1/detect", PHOTO), ("/v1/detect", LARGE), *((path, PHOTO) for path in sessions)]
        ]
        # Calls that nobody ends would be told DEADLINE_EXCEEDED, after 30 s.
        expect(short.code() == grpc.StatusCode.DEADLINE_EXCEEDED, f"a short call ends with {short.code()}")
        codes = [caller.pool.submit(each.code).result(PATIENCE).name for each in calls]
        expect(codes == ["UNAVAILABLE"] * len(calls), f"calls end with {codes}")
        answers = [page.result(PATIENCE) for page in pages]
        answers += [caller.http("GET", "/readyz"), caller.http("GET", "/v2/health/ready")]
        for status, body in answers:
            expect(status == 503 and b"does not answer" in body and folder.encode() not in body, f"{status} {body}")
        engine.process.send_signal(signal.SIGCONT)
        until(lambda: caller.http("GET", "/readyz")[0] == 200, "the engine's return")
        for path in sessions:
            expect(caller.http("POST", path, PHOTO)[0] == 200, f"a frame of {path}")
        stream(detector.Watch)[1].cancel()
        engine.stop(signal.SIGKILL)
        caller.gateway.said(f"no engine answers at {folder}/.*; start it with face-engine serve")
        for status, body in (caller.http("GET", "/readyz"), caller.http("POST", "/v1/detect", PHOTO)):
            expect(status == 503 and b"try again" in body and folder.encode() not in body, f"{status} {body}")


@scenario
def a_busy_engine_keeps_its_calls(folder):
    """Beside other work, and while the gateway itself is stopped, whose time does not count."""
    with Engine(folder) as engine, contextlib.ExitStack() as stack:
        caller = Caller(stack, engine.path)
        answered, said = stream(caller.detector.Watch), len(caller.gateway.errors)
        for program in (engine, caller.gateway):
            stack.callback(program.process.send_signal, signal.SIGCONT)
        engine.process.send_signal(signal.SIGSTOP)
        answered[0].send(frame(2))
        waiting = caller.detector.Detect.future(request_of())
        caller.gateway.process.send_signal(signal.SIGSTOP)
        time.sleep(4)  # longer than an engine may keep silent
        for program in (engine, caller.gateway):
            program.process.send_signal(signal.SIGCONT)
        expect(len(waiting.result().faces) == 1 and next(answered[1]).id == 2, "calls and streams go on")
        images = 64 if LONG else 6
        batch = messages.DetectBatchRequest(
            images=[messages.Image(encoded=PHOTO)] * images,
            options=messages.DetectOptions(accuracy=messages.ACCURACY_HIGH, landmarks=True),
        )
        for _ in range(2 * os.cpu_count()):
            stack.callback(
                subprocess.Popen.kill, stack.enter_context(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
            )
        for each in [caller.detector.DetectBatch.future(batch) for _ in range(8)]:
            expect(len(each.result().results) == images, "a long batch is answered")
        expect(caller.gateway.errors[said:] == [], caller.gateway.errors[said:])
