"""The Open Inference Protocol, with tritonclient as it is installed."""

import base64
import io
import json
import queue
import zlib

import grpc
import numpy
import tritonclient.grpc
import tritonclient.http
from google.protobuf.json_format import MessageToDict
from PIL import Image
from tritonclient.grpc import service_pb2 as inference
from tritonclient.grpc import service_pb2_grpc
from tritonclient.utils import InferenceServerException

from engine_calls import UNLIMITED
from support import PATIENCE, PHOTO, GatewayCase, bytes_field, failure

PIXELS = numpy.asarray(Image.open(io.BytesIO(PHOTO)).convert("RGB"))


class TritonTests:
    """Tests of both transports."""

    def setUp(self):
        self.client = self.module.InferenceServerClient(getattr(self.gateway, self.transport))
        self.addCleanup(self.client.close)

    def files(self, *files):
        tensor = self.module.InferInput("image", [len(files)], "BYTES")
        tensor.set_data_from_numpy(numpy.array(files, dtype=object))
        return [tensor]

    def pixels(self, pixels):
        tensor = self.module.InferInput("pixels", list(pixels.shape), "UINT8")
        tensor.set_data_from_numpy(pixels)
        return [tensor]

    def refused(self, word, call, *arguments, **others):
        """The status of a call that fails with this word."""
        with self.assertRaises(InferenceServerException) as caught:
            call(*arguments, **others)
        self.assertIn(word, str(caught.exception))
        return caught.exception.status()

    def test_the_gateway_and_its_model_are_ready(self):
        self.assertTrue(self.client.is_server_live() and self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("faces") and self.client.is_model_ready("yunet"))

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

    def test_every_output_of_the_engine_is_a_tensor(self):
        measured = [each for each in self.metadata_outputs() if each[0] not in ("boxes", "points", "scores", "counts")]
        self.assertGreaterEqual(len(measured), 10)
        for name, shape in measured:
            with self.subTest(name):
                wanted = [self.module.InferRequestedOutput(name)]
                values = self.client.infer("faces", self.files(PHOTO), outputs=wanted).as_numpy(name)
                self.assertEqual(list(values.shape), [1, *shape[1:]])
                self.assertTrue(numpy.isfinite(values).all())

    def test_outputs_that_parameters_request_come_without_names(self):
        result = self.client.infer("faces", self.files(PHOTO), parameters={"pose": True})
        self.assertEqual(result.as_numpy("pose").shape, (1, 3))
        self.assertEqual(result.as_numpy("boxes").shape, (1, 4))
        self.assertIsNone(result.as_numpy("gaze"))

    def test_parameters_are_options(self):
        result = self.client.infer("faces", self.files(PHOTO), parameters={"min_confidence": "1"})
        self.assertEqual(result.as_numpy("scores").shape, (0,))

    def plain(self, answer):
        """An answer of either transport as JSON, in which gRPC's 64-bit numbers are texts."""
        return answer if isinstance(answer, (dict, list)) else MessageToDict(answer, preserving_proto_field_name=True)

    def stats(self, model, version=""):
        [stats] = self.plain(self.client.get_inference_statistics(model, version))["model_stats"]
        return stats

    def test_a_configuration_has_types_and_shapes(self):
        config = self.plain(self.client.get_model_config("yunet"))
        config = config.get("config", config)
        self.assertEqual(
            (config["name"], config["platform"], config["backend"]), ("yunet", "face-engine", "face-engine")
        )
        self.assertEqual(config.get("max_batch_size", 0), 0)
        self.assertEqual(
            [
                (each["name"], each["data_type"], [int(side) for side in each["dims"]], each["optional"])
                for each in config["input"]
            ],
            [("image", "TYPE_STRING", [-1], True), ("pixels", "TYPE_UINT8", [-1, -1, 3], True)],
        )
        self.assertEqual(
            [(each["name"], each["data_type"]) for each in config["output"]][:4],
            [("boxes", "TYPE_FP32"), ("points", "TYPE_FP32"), ("scores", "TYPE_FP32"), ("counts", "TYPE_INT32")],
        )
        version = self.stats("yunet")["version"]
        again = self.plain(self.client.get_model_config("yunet", version))
        self.assertEqual(again.get("config", again), config)

    def test_statistics_count_pictures_successes_and_failures(self):
        def numbers():
            stats = self.stats("yunet")
            totals = {
                name: (int(total.get("count", 0)), int(total.get("ns", 0)))
                for name, total in stats["inference_stats"].items()
            }
            return int(stats.get("inference_count", 0)), int(stats.get("execution_count", 0)), totals

        pictures, executions, before = numbers()
        self.client.infer("yunet", self.files(PHOTO, PHOTO))
        self.refused("image", self.client.infer, "yunet", self.files(b"no picture"))
        after = numbers()
        self.assertEqual(after[:2], (pictures + 2, executions + 1))
        for name in ("success", "fail", "compute_input", "compute_infer", "compute_output"):
            self.assertEqual(after[2][name][0], before[name][0] + 1, name)
            self.assertGreater(after[2][name][1], before[name][1], name)
        self.assertGreaterEqual(
            after[2]["success"][1] - before["success"][1], after[2]["compute_infer"][1] - before["compute_infer"][1]
        )
        self.assertEqual(after[2]["queue"], (0, 0))
        self.assertGreater(int(self.stats("yunet")["last_inference"]), 1_700_000_000_000)
        every = self.plain(self.client.get_inference_statistics())["model_stats"]
        self.assertLessEqual({"faces", "yunet"}, {each["name"] for each in every})

    def test_the_index_has_the_models_and_their_states(self):
        index = self.plain(self.client.get_model_repository_index())
        index = index if isinstance(index, list) else index["models"]
        self.assertEqual(index[0]["name"], "faces")
        for entry in index:
            self.assertIn(entry["state"], ("READY", "UNAVAILABLE"))
            self.assertEqual(entry["state"] == "READY", not entry.get("reason"))
        [yunet] = [entry for entry in index if entry["name"] == "yunet"]
        self.assertEqual((yunet["state"], yunet["version"]), ("READY", self.stats("yunet")["version"]))

    def test_models_that_are_not_there_are_named(self):
        for ask in (self.client.get_model_config, self.client.get_inference_statistics):
            for arguments in (("nobody",), ("faces", "999999")):
                with self.subTest(ask=ask.__name__, arguments=arguments):
                    self.refused(arguments[-1], ask, *arguments)

    def test_models_are_not_loaded_by_callers(self):
        for change in (self.client.load_model, self.client.unload_model):
            self.assertIn(self.refused("--allow-admin", change, "faces"), ("StatusCode.UNIMPLEMENTED", "501"))

    def test_what_the_gateway_cannot_do_with_a_tensor_is_refused(self):
        image = self.module.InferInput("image", [1], "BYTES")
        image.set_shared_memory("region", 64)
        shared = self.module.InferRequestedOutput("scores")
        shared.set_shared_memory("region", 64)
        classes = self.module.InferRequestedOutput("scores", class_count=2)
        for arguments, word in [
            ({"inputs": [image]}, "shared memory"),
            ({"inputs": self.files(PHOTO), "outputs": [shared]}, "shared memory"),
            ({"inputs": self.files(PHOTO), "outputs": [classes]}, "classification"),
        ]:
            status = self.refused(word, self.client.infer, "faces", **arguments)
            self.assertIn(status, ("StatusCode.UNIMPLEMENTED", "501"))

    def test_errors_name_the_problem(self):
        for model, tensors, word in [
            ("nobody", self.files(PHOTO), "faces"),
            ("faces", self.files(b"no picture"), "image"),
            ("faces", self.pixels(PIXELS[:, :, :2]), "height, width, 3"),
        ]:
            self.refused(word, self.client.infer, model, tensors)


class GRPCTests(TritonTests, GatewayCase):
    module, transport = tritonclient.grpc, "grpc"

    def metadata_outputs(self):
        return [(each.name, list(each.shape)) for each in self.client.get_model_metadata("faces").outputs]

    def test_metadata_has_names_types_and_shapes(self):
        metadata = self.client.get_model_metadata("faces")
        self.assertEqual(
            [(each.name, each.datatype, list(each.shape)) for each in metadata.outputs][:3],
            [("boxes", "FP32", [-1, 4]), ("points", "FP32", [-1, 5, 2]), ("scores", "FP32", [-1])],
        )
        self.assertEqual(metadata.inputs[0].datatype, "BYTES")
        server = self.client.get_server_metadata()
        self.assertEqual(server.name, "face-engine-gateway")
        self.assertLessEqual({"statistics", "model_configuration", "model_repository"}, set(server.extensions))

    def test_the_index_can_be_of_models_that_are_ready(self):
        stub = service_pb2_grpc.GRPCInferenceServiceStub(self.client._channel)
        every = stub.RepositoryIndex(inference.RepositoryIndexRequest()).models
        ready = stub.RepositoryIndex(inference.RepositoryIndexRequest(ready=True)).models
        self.assertEqual([each for each in every if each.state == "READY"], list(ready))
        failure(
            grpc.StatusCode.UNIMPLEMENTED,
            stub.RepositoryIndex,
            inference.RepositoryIndexRequest(repository_name="another"),
        )


class DecodingTests(GatewayCase):
    """Small messages that become large when they are decoded."""

    def test_parts_of_a_request_are_bounded(self):
        count = 1 << 20
        shape = b"\x18\x01" * count
        contents = b"\x42\x00" * count
        element = bytes_field(5, bytes_field(2, b"BYTES") + bytes_field(5, contents))
        raw = bytes(4 * count)
        bodies = {
            "inputs": bytes_field(5, b"") * count,
            "outputs": bytes_field(6, b"") * count,
            "raw contents": bytes_field(7, b"") * count,
            "parameters": bytes_field(4, bytes_field(1, b"a") + bytes_field(2, bytes_field(3, b"b"))) * count,
            "a shape": bytes_field(5, shape),
            "a packed shape": bytes_field(5, bytes_field(3, b"\x01" * count)),
            "elements": element,
            "raw elements": bytes_field(5, bytes_field(2, b"BYTES")) + bytes_field(7, raw),
        }
        infer = self.channel(UNLIMITED).unary_unary("/inference.GRPCInferenceService/ModelInfer")
        for name, body in bodies.items():
            with self.subTest(name):
                self.assertIn("more than 64", failure(grpc.StatusCode.INVALID_ARGUMENT, infer, body).details())


class StreamTests(GatewayCase):
    def setUp(self):
        self.client = tritonclient.grpc.InferenceServerClient(self.gateway.grpc)
        self.addCleanup(self.client.close)
        self.stub = service_pb2_grpc.GRPCInferenceServiceStub(self.client._channel)

    def request(self, number, file=PHOTO):
        return inference.ModelInferRequest(
            model_name="faces",
            id=str(number),
            raw_input_contents=[len(file).to_bytes(4, "little") + file],
            inputs=[inference.ModelInferRequest.InferInputTensor(name="image", datatype="BYTES", shape=[1])],
        )

    def test_requests_of_a_stream_are_answered_in_order_and_one_that_fails_is_told(self):
        answers = queue.Queue()
        self.client.start_stream(callback=lambda result, error: answers.put((result, error)))
        try:
            for number in range(12):
                image = tritonclient.grpc.InferInput("image", [1], "BYTES")
                image.set_data_from_numpy(numpy.array([b"no picture" if number == 5 else PHOTO], dtype=object))
                self.client.async_stream_infer("faces", [image], request_id=str(number))
            for number in range(12):
                result, error = answers.get(timeout=PATIENCE)
                if number == 5:
                    self.assertIn("image", str(error))
                    continue
                self.assertIsNone(error)
                self.assertEqual(result.get_response().id, str(number))
                self.assertEqual(result.as_numpy("boxes").shape, (1, 4))
        finally:
            self.client.stop_stream()

    def test_an_error_has_the_id_of_its_request(self):
        [first, second] = self.stub.ModelStreamInfer(iter([self.request(1, b"?"), self.request(2)]), timeout=PATIENCE)
        self.assertTrue(first.error_message)
        self.assertEqual((first.infer_response.id, first.infer_response.model_name), ("1", "faces"))
        self.assertEqual((second.error_message, second.infer_response.id), ("", "2"))

    def test_a_stream_without_requests_ends(self):
        self.assertEqual(list(self.stub.ModelStreamInfer(iter([]), timeout=PATIENCE)), [])

    def test_a_client_that_does_not_read_stops_its_own_requests(self):
        # Answers of some 17 KiB to requests of as much fill the client's window of 64 KiB; another 200 would follow.
        channel, requests, sent = self.channel([("grpc.http2.bdp_probe", 0), *UNLIMITED]), 200, []

        def every():
            for number in range(requests):
                request = self.request(number)
                request.id = f"{number}:" + "x" * 17_000
                sent.append(number)
                yield request

        answers = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelStreamInfer(every(), timeout=PATIENCE)
        self.assertTrue(next(answers).infer_response.id.startswith("0:"))
        # Others are served meanwhile, and by then the stream stands still.
        for _ in range(20):
            self.stub.ModelInfer(self.request("other"), timeout=PATIENCE)
        self.assertLess(len(sent), requests)
        self.assertEqual([int(answer.infer_response.id.split(":")[0]) for answer in answers], list(range(1, requests)))

    def test_a_stream_that_is_cancelled_leaves_others_alone(self):
        stream = self.stub.ModelStreamInfer(iter([self.request(number) for number in range(50)]), timeout=PATIENCE)
        self.assertEqual(next(stream).infer_response.id, "0")
        stream.cancel()
        [answer] = self.stub.ModelStreamInfer(iter([self.request("next")]), timeout=PATIENCE)
        self.assertEqual(answer.infer_response.id, "next")


class HTTPTests(TritonTests, GatewayCase):
    module, transport = tritonclient.http, "http"

    def metadata_outputs(self):
        return [(each["name"], each["shape"]) for each in self.client.get_model_metadata("faces")["outputs"]]

    def test_metadata_has_names_types_and_shapes(self):
        metadata = self.client.get_model_metadata("faces")
        self.assertEqual([each["shape"] for each in metadata["outputs"]][:4], [[-1, 4], [-1, 5, 2], [-1], [-1]])

    def infer(self, body, status=200):
        return self.json(status, "POST", "/v2/models/faces/infer", json.dumps(body))

    def test_the_index_can_be_of_models_that_are_ready(self):
        every = self.json(200, "POST", "/v2/repository/index", b"")
        ready = [each for each in every if each["state"] == "READY"]
        self.assertEqual(self.json(200, "POST", "/v2/repository/index", b'{"ready": true}'), ready)
        for body in (b"[]", b"?", b'{"ready": 1}'):
            self.json(400, "POST", "/v2/repository/index", body)

    def test_json_alone_is_enough(self):
        file = {"name": "image", "datatype": "BYTES", "shape": [1], "data": [base64.b64encode(PHOTO).decode()]}
        answer = self.infer({"id": "7", "inputs": [file], "outputs": [{"name": "scores"}]})
        self.assertEqual((answer["id"], len(answer["outputs"]), len(answer["outputs"][0]["data"])), ("7", 1, 1))
        small = numpy.asarray(Image.fromarray(PIXELS).resize((128, 150)))
        pixels = {"name": "pixels", "datatype": "UINT8", "shape": list(small.shape), "data": small.tolist()}
        answer = self.infer({"inputs": [pixels], "outputs": [{"name": "boxes"}]})
        self.assertEqual(answer["outputs"][0]["shape"], [1, 4])

    def test_bytes_come_in_every_form(self):
        plain = base64.b64encode(PHOTO).decode()
        lines = base64.encodebytes(PHOTO).decode()
        for_urls = base64.urlsafe_b64encode(PHOTO).decode()
        self.assertNotEqual(for_urls, plain)
        for count, shape, data in [
            (1, [1], [plain]),
            (1, [1, 1], [[plain]]),
            (1, [1, 1, 1], [[[plain]]]),
            (1, [1, 1], [plain]),
            (2, [2, 1], [[plain], [plain]]),
            (2, [1, 2], [[plain, plain]]),
            (4, [2, 2], [[plain, plain], [plain, plain]]),
            (1, [1], [lines]),
            (1, [1], [lines.replace("\n", "\r\n")]),
            (1, [1], [" " + plain + "\t"]),
            (1, [1], [for_urls]),
            (1, [1], [for_urls.rstrip("=")]),
            (1, [1], [plain.rstrip("=")]),
            (0, [1], [plain + "?"]),
            (0, [1], [lines[:100] + "=" + lines[100:]]),
            (0, [1], ["A"]),
            (0, [1], ["===="]),
            (0, [1], [7]),
            (0, [1], [None]),
            (0, [1], [[[]]]),
            (0, [2], [plain]),
            (0, [1, 2], [[plain]]),
            (0, [-1, -1], [plain]),
            (0, [2**32, 2**32], [plain]),
            (0, [], [plain]),
            (0, [65], [[plain]] * 65),
        ]:
            with self.subTest(shape=shape, data=str(data)[:60]):
                image = {"name": "image", "datatype": "BYTES", "shape": shape, "data": data}
                answer = self.infer({"inputs": [image], "outputs": [{"name": "counts"}]}, 200 if count else 400)
                if count:
                    self.assertEqual(answer["outputs"][0]["data"], [1] * count)

    def test_a_file_alone_is_a_request(self):
        def infer(file, length, more={}):
            headers = {"Inference-Header-Content-Length": length, "Content-Type": "application/octet-stream", **more}
            return self.http("POST", "/v2/models/faces/infer", file, headers)

        for file, more in (
            (PHOTO, {}),
            (PHOTO + bytes(7 << 20), {}),
            (zlib.compress(PHOTO), {"Content-Encoding": "deflate"}),
        ):
            status, headers, body = infer(file, "0", more)
            self.assertEqual(status, 200, body[:200])
            length = int(headers["Inference-Header-Content-Length"])
            result = self.client.parse_response_body(body, header_length=length)
            self.assertEqual((result.as_numpy("counts").tolist(), result.as_numpy("boxes").shape), ([1], (1, 4)))
        for file, length, word in (
            (b"no picture", "0", "image"),
            (b"", "0", "image"),
            (PHOTO, "-1", "length"),
            (PHOTO, "", "length"),
            (PHOTO, f"{len(PHOTO) + 1}", "length"),
            (PHOTO, f"{len(PHOTO)}", "JSON"),
        ):
            with self.subTest(length=length, word=word):
                status, _, body = infer(file, length)
                self.assertEqual(status, 400)
                self.assertIn(word, json.loads(body)["error"])

    def test_requests_may_be_compressed(self):
        for coding in ("gzip", "deflate"):
            result = self.client.infer("faces", self.files(PHOTO), request_compression_algorithm=coding)
            self.assertEqual(result.as_numpy("counts").tolist(), [1])

    def test_an_output_may_be_json_among_binary_ones(self):
        file = {"name": "image", "datatype": "BYTES", "shape": [1], "data": [base64.b64encode(PHOTO).decode()]}
        outputs = [{"name": "scores", "parameters": {"binary_data": False}}, {"name": "counts"}]
        request = {"inputs": [file], "outputs": outputs, "parameters": {"binary_data_output": True}}
        _, headers, body = self.http("POST", "/v2/models/faces/infer", json.dumps(request))
        scores, counts = json.loads(body[: int(headers["Inference-Header-Content-Length"])])["outputs"]
        self.assertEqual((len(scores["data"]), counts["parameters"]), (1, {"binary_data_size": 4}))

    def test_more_values_than_are_read_are_refused(self):
        pixels = {"name": "pixels", "datatype": "UINT8", "shape": [300, 300, 3], "data": [7] * 270_000}
        for body in (
            {"inputs": [pixels]},
            {str(number): 0 for number in range(270_000)},
            {"inputs": [[[0]]] * 100_000},
        ):
            self.assertIn("binary_data_size", self.infer(body, 413)["error"])

    def test_wrong_bodies_are_refused(self):
        for body in [
            [],
            {},
            {"inputs": [{}]},
            {"inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "data": ["?"]}]},
            {"inputs": [{"name": "pixels", "datatype": "UINT8", "shape": [2**40, 2**40, 3], "data": []}]},
        ]:
            with self.subTest(body):
                self.assertIsInstance(self.infer(body, 400)["error"], str)
