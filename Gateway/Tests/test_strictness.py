"""Requests that are almost right: each is refused with its reason, rather than taken for something else."""

import base64
import contextlib
import json
import re
import socket

from http2 import HEADERS, HEALTH_CHECK, read_frame, rpc
from support import PATIENCE, PHOTO, Gateway, GatewayCase, request
from test_safety import TOKEN

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class StrictCase(GatewayCase):
    def status(self, *lines, body=b""):
        """The status of a request that no library would send."""
        with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
            client.sendall("\r\n".join([*lines, "", ""]).encode() + body)
            return int(re.match(rb"HTTP/1\.1 (\d+) ", client.recv(65536))[1])

    def message(self, status, *arguments, **others):
        error = self.json(status, *arguments, **others)["error"]
        return error if isinstance(error, str) else error["message"]


class HeadTests(StrictCase):
    def test_headers_up_to_the_documented_limit_are_taken(self):
        for headers, status in [
            ({"X-Long": "x" * (20 << 10)}, 200),
            ({"X-Long": "x" * (31 << 10)}, 200),
            ({"X-Long": "x" * (33 << 10)}, 431),
            ({f"X-{number}": "x" for number in range(90)}, 200),
            ({f"X-{number}": "x" for number in range(101)}, 431),
        ]:
            with self.subTest(len(headers), status=status):
                self.assertEqual(self.http("GET", "/healthz", None, headers)[0], status)

    def test_a_coding_that_is_not_known_is_refused(self):
        body = b"5\r\nabcde\r\n0\r\n\r\n"
        for value, version, status in [
            ("gzip, chunked", "1.1", 501),
            ("gzip", "1.1", 501),
            ("chunked, chunked", "1.1", 400),
            ("chunked, identity", "1.1", 501),
            ("chunked", "1.0", 400),
        ]:
            with self.subTest(value, version=version):
                found = self.status(
                    f"POST /v1/detect HTTP/{version}", "Host: localhost", f"Transfer-Encoding: {value}", body=body
                )
                self.assertIn(found, (status, 400) if "chunked" not in value.split(", ")[-1] else (status,))
        self.assertEqual(
            self.status(
                "POST /v1/sessions HTTP/1.1",
                "Host: localhost",
                "Transfer-Encoding: Chunked",
                body=b'11\r\n{"kind": "track"}\r\n0\r\n\r\n',
            ),
            201,
        )

    def test_the_asterisk_is_for_options_alone(self):
        for method, status in {"OPTIONS": 204, "GET": 400, "POST": 400, "HEAD": 400, "DELETE": 400}.items():
            self.assertEqual(self.status(f"{method} * HTTP/1.1", "Host: localhost"), status)

    def test_control_characters_are_refused(self):
        for path in (
            "/v1/detect?use=yunet%00evil",
            "/v1/detect?use=yunet%0a",
            "/v1/detect?use%00=yunet",
            "/v1/detect%00",
            "/v1/detect?use=%7f",
            "/v2/models/faces%00/ready",
        ):
            with self.subTest(path):
                self.assertIn("control characters", self.message(400, "POST", path, PHOTO))


class FlagTests(StrictCase):
    NAMES = (
        "landmarks",
        "pose",
        "expressions",
        "quality",
        "transform",
        "iso-quality",
        "point-precision",
        "gaze",
        "all",
        "prominent-only",
        "mirrored",
    )

    def faces(self, query):
        return self.json(200, "POST", f"/v1/detect?{query}", PHOTO)["faces"]

    def test_flags_are_true_or_false(self):
        for name in self.NAMES:
            with self.subTest(name):
                on, off = self.faces(f"{name}=true"), self.faces("")
                for value in ("=1", ""):
                    self.assertEqual(self.faces(f"{name}{value}"), on)
                for value in ("=false", "=0"):
                    self.assertEqual(self.faces(f"{name}{value}"), off)
                for value in ("yes", "2", "", "True"):
                    self.assertIn(name, self.message(400, "POST", f"/v1/detect?{name}={value}", PHOTO))
        # Other options may be called true.
        self.assertIn("true", self.message(404, "POST", "/v1/detect?use=true", PHOTO))
        self.assertIn("max-faces", self.message(400, "POST", "/v1/detect?max-faces=true", PHOTO))

    def test_the_document_has_the_same_flags(self):
        document = self.json(200, "GET", "/openapi.json")
        flags = {
            one["name"]
            for one in document["paths"]["/v1/detect"]["post"]["parameters"]
            if one["schema"].get("enum") == ["true", "false", "1", "0"]
        }
        self.assertEqual(flags, set(self.NAMES))
        options = document["components"]["schemas"]["CheckOptions"]["properties"]
        for name in [name for name, schema in options.items() if schema.get("type") == "boolean"]:
            for value in (True, False):
                body = json.dumps({"kind": "check", "options": {"actions": ["blink"], name: value}})
                self.assertEqual(self.http("POST", "/v1/sessions", body)[0], 201, name)


class JSONTests(StrictCase):
    RIGHT = '{"kind": "track", "options": {"use": "yunet"}}'

    def test_other_than_json_is_refused(self):
        for text in [
            self.RIGHT,
            " \t\r\n" + self.RIGHT + "\n",
            '{"kind":"track","options":null}',
            '{"kind": "tr\\u0061ck"}',
            '{"kind": "track", "options": {}, "\\"],": [1, {"a": "},]"}]}',
        ]:
            with self.subTest(text):
                self.assertEqual(self.http("POST", "/v1/sessions", text)[0], 201)
        for text in [
            self.RIGHT.replace("}}", "},}"),
            self.RIGHT.replace("}}", ",}}"),
            self.RIGHT + ",",
            "," + self.RIGHT,
            '{"kind": "track", "more": %s1%s}' % ("[" * 40, "]" * 40),
            '{"kind": "track", "more": [1, ]}',
            '{"kind": "track", "more": [1,,2]}',
            '{"kind": "track", "more": [,]}',
            "\ufeff" + self.RIGHT,
            self.RIGHT.encode("utf-16"),
            self.RIGHT.encode("utf-16-le"),
            self.RIGHT.encode("utf-16-be"),
            self.RIGHT.encode("utf-32"),
            self.RIGHT.encode("utf-32-be"),
            self.RIGHT + "\0",
            self.RIGHT.replace(" ", "\f"),
            self.RIGHT.replace(" ", "\u00a0"),
            "{'kind': 'track'}",
            '{kind: "track"}',
            self.RIGHT + "// more",
            "/* */" + self.RIGHT,
            self.RIGHT + self.RIGHT,
            self.RIGHT[:-1],
            '{"kind": "track", "more": 01}',
            '{"kind": "track", "more": +1}',
            '{"kind": "track", "more": .5}',
            '{"kind": "track", "more": 1.}',
            '{"kind": "track", "more": 0x10}',
            '{"kind": "track", "more": NaN}',
            '{"kind": "track", "more": Infinity}',
            '{"kind": "track", "more": "a\nb"}',
            '{"kind": "track", "more": "\\x41"}',
            '{"kind": "track", "more": "\\ud800"}',
            '{"kind": "track", "more": tru}',
            b'{"kind": "track", "more": "\xff"}',
            b'{"kind": "track", "more": "\xc0\x80"}',
            '{"kind" "track"}',
            '{"kind": "track", "more"}',
            '{"kind": "track", "options": []}',
            '{"kind": "track", "options": 1}',
            "",
            "[]",
            "null",
            '{"kind": "track", "options": {"use": "yunet\\u0000evil"}}',
        ]:
            with self.subTest(text):
                self.message(400, "POST", "/v1/sessions", text.encode() if isinstance(text, str) else text)

    def test_inferences_are_as_strict(self):
        body = {
            "inputs": [{"name": "image", "datatype": "BYTES", "shape": [1], "data": [base64.b64encode(PHOTO).decode()]}]
        }
        right = json.dumps(body)
        self.assertEqual(self.http("POST", "/v2/models/faces/infer", right)[0], 200)
        for text in (right[:-1] + ",}", "\ufeff" + right, right.encode("utf-16")):
            self.message(400, "POST", "/v2/models/faces/infer", text.encode() if isinstance(text, str) else text)
        body["parameters"] = {"use": "yunet\0evil"}
        self.message(400, "POST", "/v2/models/faces/infer", json.dumps(body))
        self.assertEqual(self.http("POST", "/v2/repository/index", '{"ready": true}')[0], 200)
        self.message(400, "POST", "/v2/repository/index", '{"ready": true,}')


def form(*parts, boundary="limit"):
    """A form of heads and contents."""
    return b"".join(b"--%s\r\n%s\r\n\r\n%s\r\n" % (boundary.encode(), head.encode(), body) for head, body in parts) + (
        b"--%s--\r\n" % boundary.encode()
    )


class PictureTests(StrictCase):
    FILE = 'Content-Disposition: form-data; name="file"; filename="photo.jpg"\r\nContent-Type: image/jpeg'
    FORM = {"Content-Type": "multipart/form-data; boundary=limit"}

    def detect(self, body, kind):
        status, _, answer = self.http("POST", "/v1/detect", body, {"Content-Type": kind})
        self.assertEqual(status, 200, answer)
        return json.loads(answer)["faces"]

    def test_a_form_with_one_file_is_taken(self):
        expected = self.detect(PHOTO, "image/jpeg")
        whole = form((self.FILE, PHOTO))
        for body, kind in [
            (whole, self.FORM["Content-Type"]),
            (whole, 'Multipart/Form-Data; charset=utf-8; boundary="limit"'),
            (whole.removesuffix(b"\r\n"), self.FORM["Content-Type"]),
            (b"a preamble\r\n" + whole + b"an epilogue", self.FORM["Content-Type"]),
            (whole.replace(b"--limit\r\n", b"--limit \t\r\n"), self.FORM["Content-Type"]),
            (b"--limit\r\n\r\n" + PHOTO + b"\r\n--limit--", self.FORM["Content-Type"]),
            (
                form(('Content-Disposition: form-data; name="file"', PHOTO), boundary="b" * 70),
                f"multipart/form-data; boundary={'b' * 70}",
            ),
        ]:
            with self.subTest(body[:60], kind=kind):
                self.assertEqual(self.detect(body, kind), expected)
        # A frame of a session, too.
        session = json.loads(self.http("POST", "/v1/sessions", '{"kind": "track"}')[2])["id"]
        status, _, answer = self.http("POST", f"/v1/sessions/{session}/frames", whole, self.FORM)
        self.assertEqual((status, len(json.loads(answer)["faces"])), (200, 1))

    def test_a_form_that_is_wrong_is_refused(self):
        whole = form((self.FILE, PHOTO))
        for body, word in [
            (form((self.FILE, PHOTO), (self.FILE, PHOTO)), "has several parts"),
            (form(('Content-Disposition: form-data; name="pose"', b"true"), (self.FILE, PHOTO)), "has several parts"),
            (b"--limit--\r\n", "has no part"),
            (b"", "lacks its boundary"),
            (PHOTO, "lacks its boundary"),
            (whole[:-20], "ends without"),
            (whole.replace(b"limit--", b"limit"), "ends without"),
            (b"--limit", "ends without"),
            (b"--limit\r\nno head\r\n--limit--", "without headers"),
            (form((self.FILE + "\r\nContent-Transfer-Encoding: base64", base64.b64encode(PHOTO))), "encoded part"),
            (form((self.FILE + "\r\nX-Long: " + "x" * 10_000, PHOTO)), "without headers"),
        ]:
            with self.subTest(word, body=body[:60]):
                self.assertIn(word, self.message(400, "POST", "/v1/detect", body, self.FORM))
        for kind in (
            "multipart/form-data",
            "multipart/form-data; boundary=",
            f"multipart/form-data; boundary={'b' * 71}",
        ):
            self.assertIn("no boundary", self.message(400, "POST", "/v1/detect", whole, {"Content-Type": kind}))
        self.assertIn(
            "multipart/mixed",
            self.message(400, "POST", "/v1/detect", whole, {"Content-Type": "multipart/mixed; boundary=limit"}),
        )

    def test_a_form_with_very_many_parts_takes_no_memory_for_them(self):
        gateway = self.enterContext(Gateway(self.engine.path, "--no-grpc"))
        body, before, peak = b"--limit\r\n" * ((60 << 20) // 9), gateway.resident(), 0
        with socket.create_connection(gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(
                b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=limit\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body) + body
            )
            client.settimeout(0.01)
            answer = b""
            while not answer:
                peak = max(peak, gateway.resident())
                with contextlib.suppress(TimeoutError):
                    answer = client.recv(65536)
                    self.assertTrue(answer, "the gateway closed the connection")
        self.assertIn(b"has several parts", answer)
        self.assertLess((peak - before) >> 20, 128)

    def test_the_limit_of_a_body_is_that_of_a_form(self):
        gateway = self.enterContext(Gateway(self.engine.path, "--max-body", "1", "--no-grpc"))
        self.assertEqual(
            self.http("POST", "/v1/detect", form((self.FILE, bytes(1 << 20))), self.FORM, gateway=gateway)[0], 413
        )

    def test_pictures_in_text_are_told_what_to_send(self):
        coded = base64.b64encode(PHOTO).decode()
        for body, word in [
            (json.dumps({"image": coded}), "the body is JSON"),
            (f' \n["{coded}"]', "the body is JSON"),
            (f'"{coded}"', "the body is JSON"),
            (f"data:image/jpeg;base64,{coded}", "the body is a data URL"),
            (coded, "the body is base64"),
        ]:
            with self.subTest(word):
                message = self.message(400, "POST", "/v1/detect", body)
                self.assertIn(word, message)
                self.assertIn("send the bytes of the file as the body", message)


class GRPCHeadTests(GatewayCase):
    """Heads of gRPC that no library sends."""

    flag_files = {"--token-file": f"{TOKEN}\n"}

    def block(self, *fields, kind=b"application/grpc", path=HEALTH_CHECK):
        """The first head of an answer, as it is on the wire."""
        with (
            socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE) as client,
            client.makefile("rb") as file,
        ):
            client.sendall(rpc(path, *fields, kind=kind))
            return next(body for kind, _, _, body in iter(lambda: read_frame(file), None) if kind == HEADERS)

    def line(self, *fields, **others):
        """The line of the log of a call."""
        seen = len(self.gateway.calls(transport="grpc"))
        self.block(*fields, **others)
        return self.gateway.calls(seen + 1, transport="grpc")[seen]

    def code(self, *fields, **others):
        return self.line(*fields, **others)["code"]

    def test_a_call_has_one_authorization(self):
        right, wrong = (b"authorization", b"Bearer " + TOKEN.encode()), (b"authorization", b"Bearer nonsense")
        path = b"/faceengine.v1.Detector/Nothing"
        self.assertEqual(self.code(right, path=path), "UNIMPLEMENTED")
        self.assertEqual(self.code(wrong, path=path), "UNAUTHENTICATED")
        for fields in ((right, wrong), (wrong, right), (right, right), (wrong, wrong)):
            with self.subTest(fields):
                self.assertEqual(self.code(*fields, path=path), "INVALID_ARGUMENT")

    def test_a_request_has_one_authorization(self):
        wrong = "nonsense"
        for *values, status in (
            (TOKEN, 200),
            (wrong, 401),
            (TOKEN, wrong, 400),
            (wrong, TOKEN, 400),
            (TOKEN, TOKEN, 400),
        ):
            headers = [f"Authorization: Bearer {value}" for value in values]
            answer = self.raw(request("POST /v1/detect", PHOTO, "Connection: close", *headers))
            self.assertTrue(answer.startswith(b"HTTP/1.1 %d " % status), answer[:100])

    def test_a_timeout_that_is_malformed_is_refused(self):
        cases = {
            "OK": (b"1S", b"99999999H", b"00000001M", b"5000m"),
            "DEADLINE_EXCEEDED": (b"0S",),
            "INTERNAL": (b"", b"S", b"1", b"1s", b"-1S", b"+1S", b"1.5S", b"1 S", b"123456789n", b"1SS", b"never"),
        }
        for value, code in [(value, code) for code, values in cases.items() for value in values]:
            with self.subTest(value):
                self.assertEqual(self.code((b"grpc-timeout", value)), code)

    def test_other_kinds_of_content_are_not_taken_for_grpc(self):
        for kind in (b"application/grpc", b"application/grpc+proto", b"application/grpc;charset=utf-8"):
            self.assertEqual(self.code(kind=kind), "OK")
        for kind in (b"application/grpc+json", b"application/grpc+", b"application/grpc+thrift;a=b"):
            self.assertEqual(self.code(kind=kind), "UNIMPLEMENTED")
        unsupported = self.block(kind=b"text/plain")
        seen = len(self.gateway.calls(transport="grpc"))
        for kind in (
            b"application/grpc-web",
            b"application/grpc-web+proto",
            b"application/grpc-web-text",
            b"application/grpcweb",
        ):
            with self.subTest(kind):
                self.assertEqual(self.block(kind=kind), unsupported)
        self.assertEqual(self.code(), "OK")
        self.assertEqual(len(self.gateway.calls(transport="grpc")), seen + 1)

    def test_a_traceparent_is_logged_if_it_has_its_form(self):
        def header(value):
            return (b"traceparent", value.encode())

        self.assertEqual(self.line(header(TRACE))["traceparent"], TRACE)
        wrong = [
            "x" * 100,
            TRACE + "0",
            TRACE[:-1],
            TRACE.upper(),
            "ff" + TRACE[2:],
            TRACE.replace("-", "_"),
            "00-" + "0" * 32 + TRACE[35:],
            TRACE[:36] + "0" * 16 + "-01",
            TRACE.replace("a", "g"),
        ]
        for value in wrong:
            with self.subTest(value):
                self.assertNotIn("traceparent", self.line(header(value)))
        self.assertNotIn("traceparent", self.line(header(TRACE), header(TRACE)))
        for count, value, logged in [(1, TRACE, TRACE), (2, "x" * 8000, None), (3, TRACE + "-more", None)]:
            self.http("GET", "/healthz", None, {"Traceparent": value})
            self.assertEqual(self.gateway.calls(count, call="GET /healthz")[-1].get("traceparent"), logged)

    def test_a_long_name_of_a_call_is_logged_in_part(self):
        path = b"/nobody.Here/" + b"x" * 8000
        self.assertEqual(self.line(path=path)["call"], path[1:129].decode())
