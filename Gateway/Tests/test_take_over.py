"""Another engine takes over from the running one: no call fails."""

import concurrent.futures
import os
import socket
import struct
import tempfile
import threading
import unittest

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from support import LONG, PATIENCE, PHOTO, Engine, Gateway, Program, until

REQUEST, RESPONSE, GOAWAY = 1, 2, 0x11


def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


class StoppingEngine(threading.Thread):
    """A minimal engine: on each connection but the last it answers the first call that it no longer serves."""

    LIMITS = messages.Limits(max_message_bytes=4 << 20, calls_per_connection=8, streams_per_connection=8)

    def __init__(self, path, answers_unavailable):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        self.answers_unavailable = answers_unavailable
        self.refused = 0
        self.start()

    def run(self):
        with self.listener:
            for is_last in (False, False, True):
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection, is_last), daemon=True).start()

    def serve(self, connection, is_last):
        with connection, connection.makefile("rb") as file:
            hello, _, _ = self.read(file)
            self.answer(connection, hello, messages.HelloResponse(
                protocol_version=1, engine_version="test", features=["goaway"], limits=self.LIMITS))
            while (frame := self.read(file)) is not None:
                if is_last:
                    self.answer(connection, frame[0], health_pb2.HealthCheckResponse(
                        status=health_pb2.HealthCheckResponse.SERVING))
                    continue
                self.refused += 1
                self.send(connection, 0, GOAWAY, struct.pack(">I", hello))
                if not self.answers_unavailable:
                    return
                # The answer is a ttrpc.Response with status code 14.
                self.send(connection, frame[0], RESPONSE, b"\x0a\x02\x08\x0e")

    @staticmethod
    def read(file):
        head = file.read(10)
        if len(head) < 10:
            return None
        length, stream, kind, _ = struct.unpack(">IIBB", head)
        return stream, kind, file.read(length)

    def answer(self, connection, stream, message):
        payload = message.SerializeToString()
        self.send(connection, stream, RESPONSE, b"\x12" + varint(len(payload)) + payload)

    @staticmethod
    def send(connection, stream, kind, body):
        connection.sendall(struct.pack(">IIBB", len(body), stream, kind, 0) + body)


class RefusedCallTests(unittest.TestCase):
    def test_calls_that_the_engine_did_not_begin_are_repeated(self):
        for answers_unavailable in (False, True):
            with self.subTest(answers_unavailable=answers_unavailable), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "engine.sock")
                engine = StoppingEngine(path, answers_unavailable)
                gateway = Gateway(path)
                self.addCleanup(gateway.stop)
                with grpc.insecure_channel(gateway.grpc) as channel:
                    answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
                # If the engine could not be called, this would be NOT_SERVING.
                self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
                self.assertEqual(engine.refused, 2)


class TakeOverTests(unittest.TestCase):
    def test_calls_continue_through_a_take_over(self):
        with tempfile.TemporaryDirectory() as folder:
            first = Engine(folder)
            gateway = Gateway(first.path)
            self.addCleanup(gateway.stop)
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
            engine = Engine(folder)
            self.addCleanup(engine.stop)
            gateway = Gateway(engine.path, "--allow-admin")
            self.addCleanup(gateway.stop)
            with grpc.insecure_channel(gateway.grpc) as channel:
                admin = services.AdminStub(channel)
                for step, code in ((messages.TAKE_OVER_STEP_BEGIN, grpc.StatusCode.PERMISSION_DENIED),
                                   (messages.TAKE_OVER_STEP_END, grpc.StatusCode.FAILED_PRECONDITION)):
                    with self.assertRaises(grpc.RpcError) as refused:
                        admin.TakeOver(messages.TakeOverRequest(step=step), timeout=PATIENCE)
                    self.assertEqual(refused.exception.code(), code)
                # The engine serves on, on the same connection.
                self.assertGreaterEqual(admin.Stats(messages.StatsRequest(), timeout=PATIENCE).uptime_ns, 1)


if __name__ == "__main__":
    unittest.main()
