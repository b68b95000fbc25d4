"""grpc.health.v1 and grpc.reflection.v1, with grpcio-health-checking and grpcio-reflection."""

import signal
import struct

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import face_engine_pb2_grpc as services
from engine_calls import OWN_CONNECTION, frame, start
from http2 import DATA, HEADERS, Client
from support import PATIENCE, Engine, Gateway, GatewayCase, call, failure, sample

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN


class HealthTests(GatewayCase):
    owns_engine = True

    def setUp(self):
        self.health = health_pb2_grpc.HealthStub(self.channel())

    def test_services_are_checked_by_name(self):
        for service in ("", "faceengine.v1.Detector", "grpc.health.v1.Health", "inference.GRPCInferenceService"):
            with self.subTest(service):
                self.assertEqual(
                    self.health.Check(health_pb2.HealthCheckRequest(service=service), timeout=PATIENCE).status, SERVING
                )
        failure(grpc.StatusCode.NOT_FOUND, self.health.Check, health_pb2.HealthCheckRequest(service="nobody"))

    def test_each_watch_outlives_the_engine(self):
        names = {
            "": SERVING,
            "faceengine.v1.Detector": SERVING,
            "inference.GRPCInferenceService": SERVING,
            "nobody": UNKNOWN,
            "else": UNKNOWN,
        }
        watches = {
            name: self.health.Watch(health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE) for name in names
        }

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

    def test_watches_take_a_stream_of_the_engine_for_each_service(self):
        names = [b"", b"faceengine.v1.Detector"] * 25 + [b"nobody%d" % number for number in range(50)]
        for _ in range(8):
            client = self.connect()
            for name in names:
                client.rpc(self.WATCH, b"\x0a" + bytes([len(name)]) + name)
            answers = client.frames(HEADERS)
            # None of them has failed: that would be the stream's end.
            self.assertEqual([next(answers)[1] & 1 for _ in names], [0] * len(names))
        for name in ('face_gateway_waiting{kind="streams"}', "face_gateway_request_bytes"):
            self.assertEqual(sample(self.gateway, name), 0)
        self.begun(services.DetectorStub(self.channel()).Watch, start(), frame(1))

    def test_a_watch_that_ends_leaves_the_others(self):
        health = health_pb2_grpc.HealthStub(self.channel())
        request = health_pb2.HealthCheckRequest(service="faceengine.v1.Health")
        for _ in range(3):
            watches = [health.Watch(request, timeout=PATIENCE) for _ in range(2)]
            self.assertEqual([next(watch).status for watch in watches], [SERVING, SERVING])
            watches.pop(0).cancel()
            watches.append(health.Watch(request, timeout=PATIENCE))
            self.assertEqual(next(watches[-1]).status, SERVING)
            for watch in watches:
                watch.cancel()

    def test_a_message_has_a_kibibyte_at_most(self):
        for path in (self.WATCH, self.CHECK):
            # What it announces, and what comes.
            for body in (b"\0" + struct.pack(">I", 60 << 20), b"\0\0\0\0\0" + bytes(4096)):
                with self.subTest(path, body=body[:8]):
                    call = {"call": path[1:].decode(), "code": "RESOURCE_EXHAUSTED"}
                    seen = len(self.gateway.calls(**call))
                    client = self.connect()
                    client.send((DATA, 0, client.begin(path), body))
                    self.gateway.calls(seen + 1, **call)
                    self.assertEqual(sample(self.gateway, "face_gateway_request_bytes"), 0)


class DrainTests(GatewayCase):
    def stopping(self, *flags):
        """A watch learns that the gateway stops."""
        gateway = Gateway(self.engine.path, *flags)
        states = health_pb2_grpc.HealthStub(self.channel(gateway=gateway)).Watch(
            health_pb2.HealthCheckRequest(), timeout=PATIENCE
        )
        self.assertEqual(next(states).status, SERVING)
        gateway.process.send_signal(signal.SIGTERM)
        self.assertEqual(next(states).status, NOT_SERVING)
        return gateway

    def test_a_watch_reports_the_gateways_stop(self):
        for flags in (), ("--drain-delay", "0.5"):
            self.assertEqual(self.stopping(*flags).stop(), 0)

    def test_calls_are_taken_for_the_drain_delay(self):
        gateway = self.stopping("--drain-delay", "600")
        # A caller that does not know of the stop yet, over its own connection.
        other = self.channel(OWN_CONNECTION, gateway)
        health = health_pb2_grpc.HealthStub(other)
        self.assertEqual(health.Check(health_pb2.HealthCheckRequest(), timeout=PATIENCE).status, NOT_SERVING)
        self.assertEqual(len(self.detect(other).faces), 1)
        for path, status in (("/readyz", 503), ("/v2/health/ready", 503), ("/healthz", 200)):
            self.assertEqual(call(gateway.http_address, "GET", path)[0], status, path)
        gateway.stop(signal.SIGKILL)


class ReflectionTests(GatewayCase):
    def test_tools_learn_services_and_messages(self):
        database = ProtoReflectionDescriptorDatabase(self.channel())
        self.assertEqual(
            sorted(database.get_services()),
            [
                "faceengine.v1.Detector",
                "faceengine.v1.Health",
                "grpc.health.v1.Health",
                "grpc.reflection.v1.ServerReflection",
                "grpc.reflection.v1alpha.ServerReflection",
                "inference.GRPCInferenceService",
            ],
        )
        pool = DescriptorPool(database)
        detector = pool.FindServiceByName("faceengine.v1.Detector")
        self.assertEqual([method.name for method in detector.methods], ["Detect", "DetectBatch", "Watch", "Check"])
        self.assertEqual(pool.FindMessageTypeByName("faceengine.v1.Face").fields_by_name["box"].number, 1)
        self.assertEqual(pool.FindMessageTypeByName("inference.ModelInferRequest").fields_by_name["inputs"].number, 5)
        with self.assertRaises(KeyError):
            pool.FindMessageTypeByName("faceengine.v1.Nothing")

    def test_version_one_answers_as_its_older_name(self):
        call = self.channel().stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
        # list_services of "": field 7.
        (answer,) = list(call(iter([bytes([7 << 3 | 2, 1, 0x2A])]), timeout=PATIENCE))
        self.assertIn(b"faceengine.v1.Detector", answer)
