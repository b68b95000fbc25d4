"""Pictures that are stored turned or mirrored, and regions: HTTP and the Open Inference Protocol find what the engine's socket finds."""

import base64
import io
import json

import numpy
import tritonclient.grpc
import tritonclient.http
from PIL import Image

from support import PHOTO
from test_http import HTTPCase

# As a camera stores the photo that was held on its side.
with Image.open(io.BytesIO(PHOTO)) as photo:
    SIDEWAYS = io.BytesIO()
    photo.convert("RGB").transpose(Image.Transpose.ROTATE_90).save(SIDEWAYS, "PNG")
SIDEWAYS = SIDEWAYS.getvalue()
CASES = [
    {"orientation": 6},
    {"orientation": 6, "mirrored": True},
    {"orientation": 6, "region": "100,50,400,400"},
    {"orientation": 6, "mirrored": True, "region": "0,0,512,500"},
    {"orientation": 6, "pixel-aspect": 1.1},
]
WRONG = [
    ("orientation", 0),
    ("orientation", 9),
    ("orientation", "left"),
    ("mirrored", "yes"),
    ("region", "1,2,3"),
    ("region", "1,2,0,4"),
    ("region", ""),
    ("pixel-aspect", 20),
]
BOUNDARY = {"Content-Type": "multipart/form-data; boundary=limit"}
FORM = b'--limit\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + SIDEWAYS + b"\r\n--limit--\r\n"


def query(options):
    return "&".join(f"{name}={str(value).lower()}" for name, value in options.items())


def boxes(faces):
    return [tuple(numpy.float32(face["box"][name]) for name in ("x", "y", "width", "height")) for face in faces]


class OrientationTests(HTTPCase):
    def expected(self, options):
        """The box that the command finds with the engine itself."""
        flags = [f"--{name}" if value is True else f"--{name}={value}" for name, value in options.items()]
        found = boxes(self.by_the_socket(SIDEWAYS, *flags))
        self.assertEqual(len(found), 1)
        return found

    def frames(self, options, *queries):
        """The boxes of frames of a session with these options."""
        session = self.session(**{"detection-interval": 1, **options})
        return [boxes(self.json(200, "POST", f"{session}/frames?{each}", SIDEWAYS)["faces"]) for each in queries]

    def test_pictures_are_seen_as_by_the_socket(self):
        self.assertEqual(self.json(200, "POST", "/v1/detect", SIDEWAYS)["faces"], [])
        for options in CASES:
            with self.subTest(options):
                expected = self.expected(options)
                for body, headers in ((SIDEWAYS, {}), (FORM, BOUNDARY)):
                    self.assertEqual(
                        boxes(self.json(200, "POST", f"/v1/detect?{query(options)}", body, headers)["faces"]), expected
                    )

    def test_sessions_see_their_frames_so(self):
        for options in CASES:
            with self.subTest(options):
                expected = self.expected(options)
                self.assertEqual(self.frames(options, ""), [expected])
                # A frame's own query is in place of the session's options.
                upright = self.expected({"orientation": 6})
                self.assertEqual(self.frames({}, query(options), "", "orientation=6"), [expected, [], upright])

    def test_a_guided_check_measures_the_upright_picture(self):
        session = self.session("check", orientation=6, circle={"x": 0.5, "y": 0.4, "radius": 0.3})
        answer = self.json(200, "POST", f"{session}/frames", SIDEWAYS)
        self.assertEqual((answer["width"], answer["height"], len(answer["faces"])), (512, 600, 1))
        self.assertAlmostEqual(answer["circle"]["y"], 0.4 * 600, places=2)

    def test_inferences_have_them_as_parameters(self):
        for module, address in ((tritonclient.grpc, self.gateway.grpc), (tritonclient.http, self.gateway.http)):
            client = module.InferenceServerClient(address)
            self.addCleanup(client.close)
            image = module.InferInput("image", [2], "BYTES")
            image.set_data_from_numpy(numpy.array([SIDEWAYS] * 2, dtype=object))
            for options in CASES[:4]:
                with self.subTest(options, module=module.__name__):
                    found = client.infer("faces", [image], parameters=options).as_numpy("boxes")
                    self.assertEqual([tuple(box) for box in found], self.expected(options) * 2)

    def test_wrong_values_are_named(self):
        session = self.session()
        inputs = [{"name": "image", "datatype": "BYTES", "shape": [1], "data": [base64.b64encode(PHOTO).decode()]}]
        for name, value in WRONG:
            with self.subTest(name, value=value):
                for path in (f"/v1/detect?{name}={value}", f"{session}/frames?{name}={value}"):
                    self.assertIn(name, self.fails(400, "INVALID_ARGUMENT", "POST", path, PHOTO))
                body = json.dumps({"kind": "track", "options": {name: value}})
                self.assertIn(name, self.fails(400, "INVALID_ARGUMENT", "POST", "/v1/sessions", body))
                body = json.dumps({"inputs": inputs, "parameters": {name.replace("-", "_"): value}})
                self.assertIn(name, self.json(400, "POST", "/v2/models/faces/infer", body)["error"])
        # A frame has no other options.
        self.assertIn("pose", self.fails(400, "INVALID_ARGUMENT", "POST", f"{session}/frames?pose=1", PHOTO))
