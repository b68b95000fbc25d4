"""A gateway before engines of other versions: one that says more than it knows, and one that lacks an option."""

import json
import tempfile
import unittest

import grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
import ttrpc_pb2 as ttrpc
from fake_engine import DATA, RESPONSE, StubEngine, WholeConnection
from support import PATIENCE, PHOTO, Gateway, ask, bytes_field, failure

LATER = bytes_field(1000, b"a field of a later version")
REFUSAL = ttrpc.Status(code=12, message="field options.33 is not known")
REFUSAL.details.add(
    type_url="type.googleapis.com/google.rpc.BadRequest", value=bytes_field(1, bytes_field(1, b"options.33"))
)


class LaterEngine(WholeConnection):
    """Adds a field to every message."""

    def send(self, kind, stream, body, part=None):
        if kind == DATA:
            body += LATER
        elif kind == RESPONSE:
            body = ttrpc.Response(payload=ttrpc.Response.FromString(body).payload + LATER).SerializeToString() + LATER
        return super().send(kind, stream, body, part)


class OlderEngine(WholeConnection):
    """Does not know DetectOptions.model_revision."""

    def call(self, stream, name, payload, flags):
        if name == "Detector/Detect" and messages.DetectRequest.FromString(payload).options.HasField("model_revision"):
            return self.send(RESPONSE, stream, ttrpc.Response(status=REFUSAL).SerializeToString())
        return super().call(stream, name, payload, flags)


class VersionTests(unittest.TestCase):
    def gateway(self, connection):
        path = self.enterContext(tempfile.TemporaryDirectory()) + "/engine.sock"
        self.enterContext(StubEngine(path, connection))
        return self.enterContext(Gateway(path))

    def detected(self, gateway, query=""):
        """The status and the JSON of a call."""
        status, _, body = ask(gateway.http_address, "POST", f"/v1/detect{query}", PHOTO)
        return status, json.loads(body)

    def detector(self, gateway):
        return services.DetectorStub(self.enterContext(grpc.insecure_channel(gateway.grpc)))

    def test_what_a_later_engine_says_besides_is_left_out(self):
        gateway = self.gateway(LaterEngine)
        status, found = self.detected(gateway)
        self.assertEqual((status, found["width"], found["faces"]), (200, 640, []))
        request = messages.DetectRequest(image=messages.Image(encoded=PHOTO))
        self.assertEqual(self.detector(gateway).Detect(request, timeout=PATIENCE).width, 640)

    def test_an_option_that_an_older_engine_lacks_is_refused_by_name(self):
        gateway = self.gateway(OlderEngine)
        self.assertEqual(self.detected(gateway)[0], 200)
        status, answer = self.detected(gateway, "?model-revision=2")
        self.assertEqual((status, answer["error"]["code"]), (501, "UNIMPLEMENTED"))
        self.assertIn("options.model_revision", answer["error"]["message"])
        request = messages.DetectRequest(
            image=messages.Image(encoded=PHOTO), options=messages.DetectOptions(model_revision=2)
        )
        self.assertIn(
            "options.model_revision",
            failure(grpc.StatusCode.UNIMPLEMENTED, self.detector(gateway).Detect, request).details(),
        )


if __name__ == "__main__":
    unittest.main()
