"""grpc.health.v1 and grpc.reflection.v1, with grpcio-health-checking and grpcio-reflection."""

import http.client
import signal
import unittest

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from support import PATIENCE, PHOTO, Engine, Gateway, GatewayCase

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


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
        with self.assertRaises(grpc.RpcError) as caught:
            self.check("nobody")
        self.assertEqual(caught.exception.code(), grpc.StatusCode.NOT_FOUND)

    def test_a_watch_of_an_unknown_service_says_so(self):
        states = self.health.Watch(health_pb2.HealthCheckRequest(service="nobody"), timeout=PATIENCE)
        self.assertEqual(next(states).status, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
        states.cancel()

    def test_a_watch_outlives_the_engine(self):
        states = self.health.Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        self.assertEqual(next(states).status, SERVING)
        self.engine.stop(signal.SIGKILL)
        self.assertEqual(next(states).status, NOT_SERVING)
        self.assertEqual(self.check(), NOT_SERVING)
        type(self).engine = Engine(self.folder.name)
        self.assertEqual(next(states).status, SERVING)
        states.cancel()


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
                answer = services.DetectorStub(other).Detect(
                    messages.DetectRequest(image=messages.Image(encoded=PHOTO)), timeout=PATIENCE)
                self.assertEqual(len(answer.faces), 1)
        for path, status in (("/readyz", 503), ("/v2/health/ready", 503), ("/healthz", 200)):
            connection = http.client.HTTPConnection(*gateway.http_address, timeout=PATIENCE)
            self.addCleanup(connection.close)
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().status, status, path)
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


if __name__ == "__main__":
    unittest.main()
