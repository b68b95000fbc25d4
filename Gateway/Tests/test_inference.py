"""The Open Inference Protocol, with tritonclient as it is installed."""

import base64
import io
import json
import unittest
import urllib.error
import urllib.request

import numpy
import tritonclient.grpc
import tritonclient.http
from PIL import Image
from tritonclient.utils import InferenceServerException

from support import PATIENCE, PHOTO, GatewayCase

PIXELS = numpy.asarray(Image.open(io.BytesIO(PHOTO)).convert("RGB"))


class TritonTests:
    """Tests of both transports."""

    def files(self, *files):
        tensor = self.module.InferInput("image", [len(files)], "BYTES")
        tensor.set_data_from_numpy(numpy.array(files, dtype=object))
        return [tensor]

    def pixels(self, pixels):
        tensor = self.module.InferInput("pixels", list(pixels.shape), "UINT8")
        tensor.set_data_from_numpy(pixels)
        return [tensor]

    def test_the_gateway_and_its_model_are_ready(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("faces"))
        self.assertTrue(self.client.is_model_ready("yunet"))

    def test_a_file_has_its_face(self):
        result = self.client.infer("faces", self.files(PHOTO))
        self.assertEqual(result.as_numpy("boxes").shape, (1, 4))
        self.assertEqual(result.as_numpy("points").shape, (1, 5, 2))
        self.assertGreater(result.as_numpy("scores")[0], 0.8)
        x, y, width, height = result.as_numpy("boxes")[0]
        self.assertTrue(0 < x < x + width < 512 and 0 < y < y + height < 600)

    def test_pixels_have_the_same_face(self):
        from_file = self.client.infer("faces", self.files(PHOTO)).as_numpy("boxes")
        from_pixels = self.client.infer("faces", self.pixels(PIXELS)).as_numpy("boxes")
        self.assertLess(numpy.abs(from_file - from_pixels).max(), 4)

    def test_a_batch_counts_the_faces_of_each(self):
        blank = io.BytesIO()
        Image.new("RGB", (320, 240)).save(blank, "PNG")
        result = self.client.infer("faces", self.files(PHOTO, blank.getvalue(), PHOTO))
        self.assertEqual(result.as_numpy("counts").tolist(), [1, 0, 1])
        self.assertEqual(result.as_numpy("boxes").shape, (2, 4))
        stacked = numpy.stack([PIXELS[:300], PIXELS[300:]])
        self.assertEqual(self.client.infer("faces", self.pixels(stacked)).as_numpy("counts").shape, (2,))

    def test_only_the_outputs_that_are_named_come(self):
        wanted = [self.module.InferRequestedOutput("scores")]
        result = self.client.infer("faces", self.files(PHOTO), outputs=wanted)
        self.assertEqual(result.as_numpy("scores").shape, (1,))
        self.assertIsNone(result.as_numpy("boxes"))

    def test_parameters_are_options(self):
        result = self.client.infer("faces", self.files(PHOTO), parameters={"min_confidence": "1"})
        self.assertEqual(result.as_numpy("scores").shape, (0,))

    def test_errors_name_the_problem(self):
        for arguments, word in [
            (("nobody", self.files(PHOTO)), "faces"),
            (("faces", self.files(b"no picture")), "image"),
            (("faces", self.pixels(PIXELS[:, :, :2])), "height, width, 3"),
        ]:
            with self.subTest(word), self.assertRaises(InferenceServerException) as caught:
                self.client.infer(*arguments)
            self.assertIn(word, str(caught.exception))


class GRPCTests(TritonTests, GatewayCase):
    module = tritonclient.grpc

    def setUp(self):
        self.client = tritonclient.grpc.InferenceServerClient(self.gateway.grpc)

    def tearDown(self):
        self.client.close()

    def test_metadata_has_names_types_and_shapes(self):
        metadata = self.client.get_model_metadata("faces")
        self.assertEqual([(each.name, each.datatype, list(each.shape)) for each in metadata.outputs][:3],
                         [("boxes", "FP32", [-1, 4]), ("points", "FP32", [-1, 5, 2]), ("scores", "FP32", [-1])])
        self.assertEqual(metadata.inputs[0].datatype, "BYTES")
        self.assertEqual(self.client.get_server_metadata().name, "face-engine-gateway")


class HTTPTests(TritonTests, GatewayCase):
    module = tritonclient.http

    def setUp(self):
        self.client = tritonclient.http.InferenceServerClient(self.gateway.http, network_timeout=PATIENCE)

    def tearDown(self):
        self.client.close()

    def test_metadata_has_names_types_and_shapes(self):
        metadata = self.client.get_model_metadata("faces")
        self.assertEqual([each["shape"] for each in metadata["outputs"]], [[-1, 4], [-1, 5, 2], [-1], [-1]])

    def infer(self, body):
        request = urllib.request.Request(f"http://{self.gateway.http}/v2/models/faces/infer", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def test_json_alone_is_enough(self):
        file = {"name": "image", "datatype": "BYTES", "shape": [1], "data": [base64.b64encode(PHOTO).decode()]}
        answer = self.infer({"id": "7", "inputs": [file], "outputs": [{"name": "scores"}]})
        self.assertEqual((answer["id"], len(answer["outputs"]), len(answer["outputs"][0]["data"])), ("7", 1, 1))
        small = numpy.asarray(Image.fromarray(PIXELS).resize((128, 150)))
        pixels = {"name": "pixels", "datatype": "UINT8", "shape": list(small.shape), "data": small.tolist()}
        answer = self.infer({"inputs": [pixels], "outputs": [{"name": "boxes"}]})
        self.assertEqual(answer["outputs"][0]["shape"], [1, 4])

    def test_wrong_bodies_are_refused(self):
        for body in [[], {}, {"inputs": [{}]}, {"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "data": ["?"]}]},
                     {"inputs": [{"name": "pixels", "datatype": "UINT8", "shape": [2**40, 2**40, 3], "data": []}]}]:
            with self.subTest(body), self.assertRaises(urllib.error.HTTPError) as caught:
                self.infer(body)
            self.assertEqual(caught.exception.code, 400)
            self.assertIsInstance(json.load(caught.exception)["error"], str)


if __name__ == "__main__":
    unittest.main()
