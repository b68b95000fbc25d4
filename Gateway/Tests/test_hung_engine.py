"""An engine that accepts calls but never answers, because it was stopped or ends at once: a gateway notices and survives both."""

import concurrent.futures
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as health_services

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from engine_calls import frame, request_of
from fake_engine import HEALTH_CHECK, POINTS, FakeEngine
from support import LONG, PATIENCE, PHOTO, Engine, Gateway, GatewayCase, Sent, call, failure, until

# The gateway promises 4 s; calls that nobody ends take 30 s.
SOON = 15
# Of a picture that goes through shared memory.
LARGE = PHOTO + bytes(5 << 20)
SERVING, NOT_SERVING = health.HealthCheckResponse.SERVING, health.HealthCheckResponse.NOT_SERVING


class HungEngineTests(GatewayCase):
    owns_engine = True

    def call(self, method, path, body=None):
        return call(self.gateway.http_address, method, path, body)

    def setUp(self):
        # Runs before an assertion that fails can leave the engine stopped.
        self.addCleanup(self.engine.process.send_signal, signal.SIGCONT)

    def stop_engine(self):
        self.engine.process.send_signal(signal.SIGSTOP)
        self.gateway.said("the engine does not answer")

    def go_on(self):
        self.engine.process.send_signal(signal.SIGCONT)
        until(lambda: self.call("GET", "/readyz")[0] == 200, "the engine's return")

    def test_everything_is_answered_while_the_engine_is_stopped(self):
        session = json.loads(self.call("POST", "/v1/sessions", b'{"kind": "track"}')[1])["id"]
        self.assertEqual(self.call("POST", f"/v1/sessions/{session}/frames", PHOTO)[0], 200)
        self.stop_engine()
        self.assertEqual(self.call("GET", "/healthz")[0], 200)
        for method, path, body in [("GET", "/readyz", None), ("GET", "/v2/health/ready", None), ("POST", "/v1/detect", PHOTO),
                                   ("POST", f"/v1/sessions/{session}/frames", PHOTO)]:
            with self.subTest(path):
                status, body = self.call(method, path, body)
                self.assertEqual(status, 503)
                self.assertIn(b"does not answer", body)
                self.assertNotIn(self.folder.name.encode(), body)
        self.assertIn(b"face_engine_up 0", self.call("GET", "/metrics")[1])
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            failure(grpc.StatusCode.UNAVAILABLE, self.detect, channel)
        self.go_on()
        self.assertEqual(self.call("POST", "/v1/detect", PHOTO)[0], 200)
        self.assertEqual(self.call("POST", f"/v1/sessions/{session}/frames", PHOTO)[0], 200)

    def test_a_watch_tells_of_a_stopped_engine_and_of_its_return(self):
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            watch = health_services.HealthStub(channel).Watch(health.HealthCheckRequest(), timeout=PATIENCE)
            self.assertEqual(next(watch).status, SERVING)
            self.engine.process.send_signal(signal.SIGSTOP)
            self.assertEqual(next(watch).status, NOT_SERVING)
            check = health_services.HealthStub(channel).Check(health.HealthCheckRequest(), timeout=PATIENCE)
            self.assertEqual(check.status, NOT_SERVING)
            self.engine.process.send_signal(signal.SIGCONT)
            self.assertEqual(next(watch).status, SERVING)
            watch.cancel()
        self.go_on()

    def test_calls_that_had_begun_end_by_their_deadline(self):
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            self.detect(channel)
            self.engine.process.send_signal(signal.SIGSTOP)
            failure(grpc.StatusCode.DEADLINE_EXCEEDED, self.detect, channel, timeout=1)
        # A probe that waits for its answer is answered, too.
        self.assertEqual(self.call("GET", "/readyz")[0], 503)
        self.go_on()

    def test_the_sockets_path_is_for_the_operator_and_not_for_callers(self):
        session = json.loads(self.call("POST", "/v1/sessions", b'{"kind": "track"}')[1])["id"]
        self.engine.stop(signal.SIGKILL)
        self.gateway.said(f"no engine answers at {self.folder.name}/.*; start it with face-engine serve")
        for method, path, body in [("GET", "/readyz", None), ("POST", "/v1/detect", PHOTO),
                                   ("POST", f"/v1/sessions/{session}/frames", PHOTO)]:
            with self.subTest(path):
                status, body = self.call(method, path, body)
                self.assertEqual(status, 503)
                self.assertIn(b"try again", body)
                self.assertNotIn(self.folder.name.encode(), body)
        type(self).engine = type(self.engine)(self.folder.name)
        self.gateway.said(f"an engine answers at {self.folder.name}/")

    def test_an_engine_that_is_killed_while_it_is_stopped_is_replaced(self):
        self.stop_engine()
        self.engine.stop(signal.SIGKILL)
        type(self).engine = type(self.engine)(self.folder.name)
        self.go_on()
        self.assertEqual(self.call("POST", "/v1/detect", PHOTO)[0], 200)


class CallsUnderWayTests(GatewayCase):
    """Calls and streams that the engine has when it is stopped."""

    owns_engine = True

    def setUp(self):
        self.addCleanup(self.engine.process.send_signal, signal.SIGCONT)
        self.detector = services.DetectorStub(self.channel())
        self.request = request_of()
        self.detector.Detect(self.request, timeout=PATIENCE)
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.addCleanup(self.pool.shutdown)

    def http(self, method, path, body=None):
        return call(self.gateway.http_address, method, path, body)

    def session(self, kind):
        path = "/v1/sessions/" + json.loads(self.http("POST", "/v1/sessions", json.dumps({"kind": kind}).encode())[1])["id"]
        self.assertEqual(self.http("POST", f"{path}/frames", PHOTO)[0], 200)
        return f"{path}/frames"

    def stream(self, method, **start):
        """A stream with an answered frame: what is sent on it, and its answers."""
        sent = Sent()
        answers = method(sent)
        self.addCleanup(answers.cancel)
        sent.send(messages.WatchRequest(start=messages.WatchStart(**start)))
        sent.send(frame(1))
        self.assertEqual(next(answers).id, 1)
        return sent, answers

    def stop_engine(self):
        self.engine.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.engine.process.send_signal(signal.SIGCONT)
        until(lambda: self.http("GET", "/readyz")[0] == 200, "the engine's return")

    def test_all_are_told_soon_and_begin_again_with_the_engine(self):
        track, check = self.session("track"), self.session("check")
        idle, busy, large = (self.stream(self.detector.Watch) for _ in range(3))
        checked = self.stream(self.detector.Check, check=messages.CheckOptions())
        said = len(self.gateway.errors)
        self.stop_engine()
        start = time.monotonic()
        busy[0].send(frame(2))
        checked[0].send(frame(2))
        large[0].send(frame(2, LARGE))
        calls = {
            "Detect": self.detector.Detect.future(self.request, timeout=PATIENCE),
            "Detect without a deadline": self.detector.Detect.future(self.request),
            "large Detect": self.detector.Detect.future(request_of(LARGE)),
            "DetectBatch": self.detector.DetectBatch.future(messages.DetectBatchRequest(images=[self.request.image])),
            "idle Watch": idle[1], "Watch": busy[1], "large Watch": large[1], "Check": checked[1]}
        codes = {name: self.pool.submit(answers.code) for name, answers in calls.items()}
        pages = {path: self.pool.submit(self.http, "POST", path, body)
                 for path, body in [("/v1/detect", PHOTO), (track, PHOTO), (check, PHOTO)]}
        pages["large"] = self.pool.submit(self.http, "POST", "/v1/detect", LARGE)
        for name, code in codes.items():
            with self.subTest(name):
                self.assertEqual(code.result(), grpc.StatusCode.UNAVAILABLE)
        for path, answer in pages.items():
            with self.subTest(path):
                self.assertEqual(answer.result()[0], 503, answer.result())
        self.assertLess(time.monotonic() - start, SOON)
        self.assertEqual(self.http("GET", "/healthz")[0], 200)
        self.assertIn("the engine does not answer", "".join(self.gateway.errors[said:]))
        self.go_on()
        for path in (track, check):
            self.assertEqual(self.http("POST", path, PHOTO)[0], 200)
        for method, start in ((self.detector.Watch, {}), (self.detector.Check, {"check": messages.CheckOptions()})):
            self.stream(method, **start)

    def test_a_busy_engine_keeps_its_calls(self):
        """Eight long batches, on a machine that has other work as well."""
        images = 64 if LONG else 8
        batch = messages.DetectBatchRequest(
            images=[messages.Image(encoded=PHOTO)] * images,
            options=messages.DetectOptions(accuracy=messages.ACCURACY_HIGH, landmarks=True))
        others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
        try:
            said = len(self.gateway.errors)
            answers = [self.detector.DetectBatch.future(batch) for _ in range(8)]
            for answer in answers:
                self.assertEqual(len(answer.result().results), images)
            self.assertEqual(self.gateway.errors[said:], [])
        finally:
            for other in others:
                other.kill()
                other.wait()

    def test_time_while_the_gateway_is_stopped_does_not_count(self):
        self.addCleanup(self.gateway.process.send_signal, signal.SIGCONT)
        answered = self.stream(self.detector.Watch)
        said = len(self.gateway.errors)
        self.stop_engine()
        answered[0].send(frame(2))
        call = self.detector.Detect.future(self.request)
        time.sleep(0.1)
        self.gateway.process.send_signal(signal.SIGSTOP)
        time.sleep(4)
        self.engine.process.send_signal(signal.SIGCONT)
        self.gateway.process.send_signal(signal.SIGCONT)
        self.assertEqual(len(call.result().faces), 1)
        self.assertEqual(next(answered[1]).id, 2)
        self.assertEqual(self.gateway.errors[said:], [])


class LostConnectionTests(unittest.TestCase):
    """Connections that end at any point, also while the gateway writes to them."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.path = folder.name, os.path.join(folder.name, "engine.sock")
        self.gateway = self.enterContext(Gateway(self.path))
        channel = self.enterContext(grpc.insecure_channel(self.gateway.grpc))
        self.detector = services.DetectorStub(channel)
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.addCleanup(self.pool.shutdown)

    def http(self, method, path, body=None):
        return call(self.gateway.http_address, method, path, body)

    def engine(self, *arguments):
        engine = FakeEngine(self.path, *arguments)
        self.addCleanup(lambda: engine.close() if os.path.exists(self.path) else None)
        return engine

    def session(self, photo):
        path = "/v1/sessions/" + json.loads(self.http("POST", "/v1/sessions", b'{"kind": "track"}')[1])["id"]
        status = self.http("POST", f"{path}/frames", photo)[0]
        self.http("DELETE", path)
        return status

    def detect(self, photo):
        try:
            self.detector.Detect(request_of(photo), timeout=PATIENCE)
            return 200
        except grpc.RpcError as error:
            return 503 if error.code() == grpc.StatusCode.UNAVAILABLE else error.code()

    def watch(self, photo):
        requests = [messages.WatchRequest(start=messages.WatchStart()), frame(1, photo)]
        try:
            return 200 if len(list(self.detector.Watch(iter(requests), timeout=PATIENCE))) == 1 else "no answer"
        except grpc.RpcError as error:
            return 503 if error.code() == grpc.StatusCode.UNAVAILABLE else error.code()

    def calls(self):
        """The statuses of calls of every kind, which begin together."""
        begun = {}
        for size, photo in (("", PHOTO), ("large ", LARGE)):
            begun |= {
                f"{size}http": self.pool.submit(lambda photo: self.http("POST", "/v1/detect", photo)[0], photo),
                f"{size}session": self.pool.submit(self.session, photo),
                f"{size}Detect": self.pool.submit(self.detect, photo),
                f"{size}Watch": self.pool.submit(self.watch, photo)}
        return {name: call.result() for name, call in begun.items()}

    def test_every_call_is_answered_and_the_next_engine_serves(self):
        for point in POINTS:
            with self.subTest(point):
                engine = self.engine(point)
                until(lambda: engine.counts or engine.opened, "the first health check")
                start = time.monotonic()
                for _ in range(20 if LONG else 3):
                    statuses = self.calls()
                    self.assertLessEqual(set(statuses.values()), {200, 503}, statuses)
                self.assertIn(503, statuses.values())
                self.assertLess(time.monotonic() - start, SOON * (4 if LONG else 1))
                self.assertGreater(engine.counts[point], 1)
                self.assertEqual(self.http("GET", "/healthz")[0], 200)
                engine.close()
                engine = self.engine()
                statuses = self.calls()
                self.assertEqual(set(statuses.values()), {200}, statuses)
                engine.close()

    def test_connections_that_end_before_hello_are_replaced(self):
        """The engine's end may come before, while or after the gateway writes its Hello."""
        engine = self.engine("accept")
        while len(engine.opened) < (2000 if LONG else 300):
            self.assertEqual(self.http("GET", "/readyz")[0], 503)
        engine.close()
        engine = self.enterContext(Engine(self.folder))
        until(lambda: self.http("GET", "/readyz")[0] == 200, "the new engine's answer")
        self.assertEqual(self.http("POST", "/v1/detect", PHOTO)[0], 200)

    def test_health_checks_go_on_on_another_connection(self):
        """Otherwise one that the engine forgets would make the gateway refuse all calls for ever."""
        engine = self.engine(HEALTH_CHECK, True)
        self.gateway.said("the engine does not answer")
        self.assertEqual(self.http("POST", "/v1/detect", PHOTO)[0], 503)
        self.gateway.said("the engine answers again")
        self.assertEqual(set(self.calls().values()), {200})
        self.assertEqual(engine.counts[HEALTH_CHECK], 1)

    def test_a_connection_that_takes_no_descriptor_ends(self):
        """Calls without a deadline wait behind it. The health checks' connection is answered."""
        engine = self.engine("part of a call", True)
        until(lambda: engine.opened, "the first health check")
        requests = [request_of(photo) for photo in [PHOTO] * 8 + [LARGE]]
        calls = [self.detector.Detect.future(request) for request in requests]
        codes = {self.pool.submit(call.code) for call in calls}
        self.addCleanup(lambda: [call.cancel() for call in calls])
        self.assertEqual({code.result(PATIENCE) for code in codes}, {grpc.StatusCode.UNAVAILABLE})

    def test_a_silent_connection_ends(self):
        """Health checks on their own connection are answered."""
        for point in ("accept", "part of Hello") if LONG else ("accept",):
            with self.subTest(point):
                engine = self.engine(point, True)
                until(lambda: engine.opened, "the first health check")
                time.sleep(0.5)
                statuses = self.calls()
                self.assertEqual(set(statuses.values()), {503}, statuses)
                self.assertEqual(self.http("GET", "/healthz")[0], 200)
                engine.close()
                engine = self.engine()
                statuses = self.calls()
                self.assertEqual(set(statuses.values()), {200}, statuses)
                engine.close()


if __name__ == "__main__":
    unittest.main()
