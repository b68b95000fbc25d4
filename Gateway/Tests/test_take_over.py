"""Another engine takes over from the running one: no call fails."""

import concurrent.futures
import os
import struct
import tempfile
import threading
import unittest

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
import ttrpc_pb2 as ttrpc
from fake_engine import GOAWAY, RESPONSE, Connection, StubEngine
from support import LONG, PATIENCE, PHOTO, Engine, Gateway, failure, until


class StoppingConnection(Connection):
    """On each connection but the last it answers the first call that it no longer serves."""

    def call(self, stream, name, payload, flags):
        if name == "Session/Hello":
            return super().call(stream, name, payload, flags)
        if self.number == 3:
            return self.respond(stream, messages.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING))
        self.engine.refused += 1
        self.send(GOAWAY, 0, struct.pack(">I", 1))
        if self.engine.answers_unavailable:
            self.send(RESPONSE, stream, ttrpc.Response(status={"code": 14}).SerializeToString())
        return self.engine.answers_unavailable


class RefusedCallTests(unittest.TestCase):
    def test_calls_that_the_engine_did_not_begin_are_repeated(self):
        for answers_unavailable in (False, True):
            with self.subTest(answers_unavailable=answers_unavailable), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "engine.sock")
                engine = self.enterContext(StubEngine(path, StoppingConnection))
                engine.refused, engine.answers_unavailable = 0, answers_unavailable
                gateway = self.enterContext(Gateway(path))
                with grpc.insecure_channel(gateway.grpc) as channel:
                    answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
                # If the engine could not be called, this would be NOT_SERVING.
                self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
                self.assertEqual(engine.refused, 2)


class TakeOverTests(unittest.TestCase):
    def test_calls_continue_through_a_take_over(self):
        with tempfile.TemporaryDirectory() as folder:
            first = Engine(folder)
            gateway = self.enterContext(Gateway(first.path))
            done = threading.Event()

            def call(_):
                count = 0
                with grpc.insecure_channel(gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                    detector = services.DetectorStub(channel)
                    while not done.is_set():
                        found = detector.Detect(messages.DetectRequest(image=messages.Image(encoded=PHOTO)), timeout=PATIENCE)
                        self.assertEqual(len(found.faces), 1)
                        count += 1
                return count

            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                counts = pool.map(call, range(4))
                try:
                    until(lambda: len(gateway.lines) > 20, "the first calls")
                    engines = [first]
                    for _ in range(20 if LONG else 3):
                        engines.append(Engine(folder, "--take-over"))
                        engines[-2].process.wait(PATIENCE)
                        seen = len(gateway.lines)
                        until(lambda: len(gateway.lines) > seen + 20, "calls of the next engine")
                finally:
                    done.set()
                self.assertTrue(all(counts))
            for engine in engines:
                self.assertEqual(engine.stop(), 0)

    def test_no_caller_behind_the_gateway_takes_over(self):
        with tempfile.TemporaryDirectory() as folder:
            engine = self.enterContext(Engine(folder))
            gateway = self.enterContext(Gateway(engine.path, "--allow-admin"))
            with grpc.insecure_channel(gateway.grpc) as channel:
                admin = services.AdminStub(channel)
                for step, code in ((messages.TAKE_OVER_STEP_PREPARE, grpc.StatusCode.PERMISSION_DENIED),
                                   (messages.TAKE_OVER_STEP_BEGIN, grpc.StatusCode.FAILED_PRECONDITION),
                                   (messages.TAKE_OVER_STEP_END, grpc.StatusCode.FAILED_PRECONDITION)):
                    failure(code, admin.TakeOver, messages.TakeOverRequest(step=step))
                # The engine serves on, on the same connection.
                self.assertGreaterEqual(admin.Stats(messages.StatsRequest(), timeout=PATIENCE).uptime_ns, 1)


if __name__ == "__main__":
    unittest.main()
