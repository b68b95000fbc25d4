"""An engine that accepts calls and answers none, because it was stopped or ends at once: a gateway notices and survives both."""

import json
import os
import signal
import socket
import tempfile
import threading
import unittest

import grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as health_services

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from support import LONG, PATIENCE, PHOTO, Engine, Gateway, GatewayCase, call, until

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
            with self.assertRaises(grpc.RpcError) as caught:
                services.DetectorStub(channel).Detect(
                    messages.DetectRequest(image=messages.Image(encoded=PHOTO)), timeout=PATIENCE)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
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
            detect = services.DetectorStub(channel).Detect
            request = messages.DetectRequest(image=messages.Image(encoded=PHOTO))
            detect(request, timeout=PATIENCE)
            self.engine.process.send_signal(signal.SIGSTOP)
            with self.assertRaises(grpc.RpcError) as caught:
                detect(request, timeout=1)
            self.assertEqual(caught.exception.code(), grpc.StatusCode.DEADLINE_EXCEEDED)
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


class ShortConnectionTests(unittest.TestCase):
    def test_connections_that_end_before_hello_are_replaced(self):
        """The engine's end may come before, while or after the gateway writes its Hello."""
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            path = os.path.join(folder, "engine.sock")
            listener.bind(path)
            listener.listen(64)
            gateway = Gateway(path, "--no-grpc")
            self.addCleanup(gateway.stop)

            def close_all():
                for _ in range(2000 if LONG else 300):
                    listener.accept()[0].close()
            closing = threading.Thread(target=close_all, daemon=True)
            closing.start()
            while closing.is_alive():
                self.assertEqual(call(gateway.http_address, "GET", "/readyz")[0], 503)
            listener.close()
            os.unlink(path)
            engine = Engine(folder)
            self.addCleanup(engine.stop)
            until(lambda: call(gateway.http_address, "GET", "/readyz")[0] == 200, "the new engine's answer")
            self.assertEqual(call(gateway.http_address, "POST", "/v1/detect", PHOTO)[0], 200)


if __name__ == "__main__":
    unittest.main()
