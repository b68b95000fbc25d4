"""grpc.health.v1 and grpc.reflection.v1, with grpcio-health-checking and grpcio-reflection."""

import json
import signal
import struct

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import face_engine_pb2_grpc as services
from engine_calls import frame, start
from http2 import DATA, HEADERS, Client
from support import PATIENCE, Engine, Gateway, GatewayCase, Sent, call, failure, metrics, until

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


class HealthTests(GatewayCase):
    owns_engine = True

    def setUp(self):
        self.channel = grpc.insecure_channel(self.gateway.grpc)
        self.health = health_pb2_grpc.HealthStub(self.channel)

    def tearDown(self):
        self.channel.close()

    def check(self, service=""):
        return self.health.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE).status

    def test_every_service_serves(self):
        for service in ("", "faceengine.v1.Detector", "grpc.health.v1.Health", "inference.GRPCInferenceService"):
            with self.subTest(service):
                self.assertEqual(self.check(service), SERVING)

    def test_an_unknown_service_is_not_found(self):
        failure(grpc.StatusCode.NOT_FOUND, lambda **_: self.check("nobody"))

    def test_a_watch_of_an_unknown_service_says_so(self):
        states = self.health.Watch(health_pb2.HealthCheckRequest(service="nobody"), timeout=PATIENCE)
        self.assertEqual(next(states).status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
        states.cancel()

    def test_each_watch_outlives_the_engine(self):
        names = {"": SERVING, "faceengine.v1.Detector": SERVING, "inference.GRPCInferenceService": SERVING, "nobody": UNKNOWN, "else": UNKNOWN}
        watches = {name: self.health.Watch(health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE) for name in names}
        def states():
            return {name: next(watch).status for name, watch in watches.items()}
        self.assertEqual(states(), names)
        self.engine.stop(signal.SIGKILL)
        self.assertEqual(states(), dict.fromkeys(names, NOT_SERVING))
        # One that comes meanwhile.
        watches["late"] = self.health.Watch(health_pb2.HealthCheckRequest(service="late"), timeout=PATIENCE)
        self.assertEqual(next(watches["late"]).status, NOT_SERVING)
        type(self).engine = Engine(self.folder.name)
        self.assertEqual(states(), {**names, "late": UNKNOWN})


class CrowdTests(GatewayCase):
    """Health checks need no token, so whatever comes of them leaves room for the others."""

    WATCH, CHECK = b"/grpc.health.v1.Health/Watch", b"/grpc.health.v1.Health/Check"

    def connect(self):
        client = Client(self.gateway.grpc_address)
        self.addCleanup(client.close)
        return client

    def sample(self, name):
        return next(int(line.split()[-1]) for line in metrics(self.gateway).splitlines() if line.startswith(name + " "))

    def test_watches_take_a_stream_of_the_engine_for_each_service(self):
        names = [b"", b"faceengine.v1.Detector"] * 25 + [b"nobody%d" % number for number in range(50)]
        for _ in range(8):
            client = self.connect()
            for name in names:
                client.rpc(self.WATCH, b"\x0a" + bytes([len(name)]) + name)
            answers = client.frames(HEADERS)
            # None of them has failed: that would be the stream's end.
            self.assertEqual([next(answers)[1] & 1 for _ in names], [0] * len(names))
        self.assertEqual(self.sample('face_gateway_waiting{kind="streams"}'), 0)
        self.assertEqual(self.sample("face_gateway_request_bytes"), 0)
        frames = Sent()
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            answers = services.DetectorStub(channel).Watch(frames, timeout=PATIENCE)
            frames.send(start())
            frames.send(frame(1))
            self.assertEqual(len(next(answers).result.faces), 1)
            frames.close()

    def test_a_watch_that_ends_leaves_the_others(self):
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            request = health_pb2.HealthCheckRequest(service="faceengine.v1.Health")
            for _ in range(3):
                first, second = (health.Watch(request, timeout=PATIENCE) for _ in range(2))
                self.assertEqual([next(first).status, next(second).status], [SERVING, SERVING])
                first.cancel()
                third = health.Watch(request, timeout=PATIENCE)
                self.assertEqual(next(third).status, SERVING)
                for watch in (second, third):
                    watch.cancel()

    def test_a_message_has_a_kibibyte_at_most(self):
        for path in (self.WATCH, self.CHECK):
            # What it announces, and what comes.
            for body in (b"\0" + struct.pack(">I", 60 << 20), b"\0\0\0\0\0" + bytes(4096)):
                with self.subTest(path, body=body[:8]):
                    seen = len(self.gateway.lines)
                    client = self.connect()
                    stream = client.begin(path)
                    client.send((DATA, 0, stream, body))
                    def codes():
                        return [json.loads(line)["code"] for line in list(self.gateway.lines[seen:]) if "grpc.health" in line]
                    self.assertEqual(until(codes, "the call's line"), ["RESOURCE_EXHAUSTED"])
                    self.assertEqual(self.sample("face_gateway_request_bytes"), 0)


class DrainTests(GatewayCase):
    def test_a_watch_reports_the_gateways_stop(self):
        gateway = Gateway(self.engine.path)
        with grpc.insecure_channel(gateway.grpc) as channel:
            states = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            self.assertEqual(next(states).status, SERVING)
            gateway.process.send_signal(signal.SIGTERM)
            self.assertEqual(next(states).status, NOT_SERVING)
        self.assertEqual(gateway.stop(), 0)

    def test_calls_are_taken_for_the_drain_delay(self):
        gateway = Gateway(self.engine.path, "--drain-delay", "600")
        with grpc.insecure_channel(gateway.grpc) as channel:
            states = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            self.assertEqual(next(states).status, SERVING)
            gateway.process.send_signal(signal.SIGTERM)
            self.assertEqual(next(states).status, NOT_SERVING)
            # A caller that does not know of the stop yet, over its own connection.
            with grpc.insecure_channel(gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as other:
                health = health_pb2_grpc.HealthStub(other)
                self.assertEqual(health.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).status, NOT_SERVING)
                self.assertEqual(len(self.detect(other).faces), 1)
        for path, status in (("/readyz", 503), ("/v2/health/ready", 503), ("/healthz", 200)):
            self.assertEqual(call(gateway.http_address, "GET", path)[0], status, path)
        gateway.stop(signal.SIGKILL)

    def test_the_drain_delay_ends(self):
        self.assertEqual(Gateway(self.engine.path, "--drain-delay", "0.5").stop(), 0)


class ReflectionTests(GatewayCase):
    def test_tools_learn_services_and_messages(self):
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            self.assertEqual(sorted(database.get_services()), [
                "faceengine.v1.Detector", "faceengine.v1.Health", "grpc.health.v1.Health",
                "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
                "inference.GRPCInferenceService"])
            pool = DescriptorPool(database)
            detector = pool.FindServiceByName("faceengine.v1.Detector")
            self.assertEqual([method.name for method in detector.methods], ["Detect", "DetectBatch", "Watch", "Check"])
            self.assertEqual(pool.FindMessageTypeByName("faceengine.v1.Face").fields_by_name["box"].number, 1)
            self.assertEqual(pool.FindMessageTypeByName("inference.ModelInferRequest").fields_by_name["inputs"].number, 5)
            with self.assertRaises(KeyError):
                pool.FindMessageTypeByName("faceengine.v1.Nothing")

    def test_version_one_answers_as_its_older_name(self):
        with grpc.insecure_channel(self.gateway.grpc) as channel:
            call = channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
            # list_services of "": field 7.
            answer, = list(call(iter([bytes([7 << 3 | 2, 1, 0x2a])]), timeout=PATIENCE))
            self.assertIn(b"faceengine.v1.Detector", answer)
