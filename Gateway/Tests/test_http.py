"""HTTP: pictures, sessions, and the documents about both."""

import contextlib
import gzip
import http.client
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import jsonschema

from answers import SCHEMA
from fake_engine import FakeEngine
from support import LONG, PATIENCE, PHOTO, ROOT, Gateway, GatewayCase, request, until

HERE = pathlib.Path(__file__).resolve().parent


def upload(file=PHOTO, path="/v1/detect"):
    return request(f"POST {path}", file)


class HTTPCase(GatewayCase):
    def call(self, method, path, body=None, headers=None):
        return self.http(method, path, body, headers)

    def session(self, kind="track", **options):
        """The path of a new session."""
        return (
            "/v1/sessions/"
            + self.json(201, "POST", "/v1/sessions", json.dumps({"kind": kind, "options": options}))["id"]
        )


class PictureTests(HTTPCase):
    def test_a_photo_is_answered_as_the_command_prints_it(self):
        answer = self.json(200, "POST", "/v1/detect?all", PHOTO)
        jsonschema.validate({**answer, "image": "-"}, SCHEMA)
        self.assertEqual(len(answer["faces"]), 1)
        self.assertEqual(len(answer["faces"][0]["blendshapes"]), 52)

    def test_options_have_the_commands_names(self):
        for query, count in [
            ("min-confidence=1", 0),
            ("max-faces=1&accuracy=low", 1),
            ("rotations=any&pose=true", 1),
            ("pose=false", 1),
            ("constellation=76", 1),
            ("constellation=98", 1),
            ("box=180,110,180,220&landmarks=true", 1),
        ]:
            with self.subTest(query):
                self.assertEqual(len(self.json(200, "POST", f"/v1/detect?{query}", PHOTO)["faces"]), count)

    def test_wrong_options_are_named(self):
        for query, word in [
            ("accuracy=best", "accuracy"),
            ("nothing=1", "nothing"),
            ("max-faces=-1", "faces"),
            ("--help", "--help"),
            ("help", "help"),
            ("%ff=1", "UTF-8"),
            ("landmarks=2", "landmarks"),
            ("pose=", "pose"),
            ("nothing=false", "nothing"),
        ]:
            with self.subTest(query):
                self.assertIn(word, self.fails(400, "INVALID_ARGUMENT", "POST", f"/v1/detect?{query}", PHOTO))

    def test_a_body_that_is_no_picture_is_refused(self):
        for body in (b"nothing of the kind", b""):
            self.fails(400, "INVALID_ARGUMENT", "POST", "/v1/detect", body)

    def test_unknown_paths_and_methods_are_refused(self):
        self.fails(404, "NOT_FOUND", "GET", "/nothing")
        status, headers, _ = self.call("GET", "/v1/detect")
        self.assertEqual((status, headers["allow"]), (405, "POST"))

    def test_health_is_reported(self):
        self.assertEqual(self.json(200, "GET", "/healthz"), {"status": "ok"})
        self.json(200, "GET", "/readyz")
        self.assertEqual(self.call("HEAD", "/healthz")[2], b"")

    def test_a_connection_is_used_again(self):
        connection = http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE)
        self.addCleanup(connection.close)
        for _ in range(5):
            connection.request("POST", "/v1/detect", PHOTO)
            answer = connection.getresponse()
            self.assertRegex(answer.headers["server-timing"], r"^engine;dur=\d+\.\d{3}$")
            self.assertEqual(len(json.load(answer)["faces"]), 1)


class SessionCase(HTTPCase):
    # The circle is around the face of the photo, with limits that a photo meets.
    CHECK = {"circle": {"x": 0.52, "y": 0.37, "radius": 0.3}, "hold": 0.3, "start-delay": 0.1}

    def frame(self, session, number):
        return self.json(200, "POST", f"{session}/frames", PHOTO, headers={"X-Timestamp-Ns": str(number * 10**8)})

    def finish(self, session):
        """Sends frames until a check has its picture; their answers."""
        answers = []
        while len(answers) < 60 and not (answers and "picture" in answers[-1]):
            answers.append(self.frame(session, len(answers) + 1))
        return answers


class SessionTests(SessionCase):
    def test_a_face_keeps_its_id(self):
        session = self.session(pose=True, **{"min-hits": 1})
        answers = [self.frame(session, number) for number in range(1, 5)]
        for answer in answers:
            jsonschema.validate(answer, SCHEMA)
        self.assertEqual([face["id"] for answer in answers for face in answer["faces"]], [1] * 4)
        self.assertEqual([answer["frame"] for answer in answers], [1, 2, 3, 4])
        self.assertEqual(self.call("DELETE", session)[0], 204)
        self.fails(404, "NOT_FOUND", "POST", f"{session}/frames", PHOTO)

    def test_faces_between_two_searches_are_predicted(self):
        session = self.session(**{"min-hits": 1, "analysis-rate": 3})
        faces = [face for number in range(1, 9) for face in self.frame(session, number)["faces"]]
        self.assertEqual({face.get("predicted") for face in faces}, {True, None})

    def test_a_check_ends_with_a_picture(self):
        session = self.session("check", **self.CHECK)
        self.fails(409, "FAILED_PRECONDITION", "GET", f"{session}/picture")
        answers = self.finish(session)
        answer = answers[-1]
        self.assertEqual(answer["state"], "finish", [(each["state"], each["tip"]) for each in answers])
        self.assertAlmostEqual(answer["circle"]["radius"], 0.3 * 512, places=2)
        self.assertIn("result", [event["event"] for event in answer["events"]])
        for part in ("picture", "crop"):
            status, headers, body = self.call("GET", answer[part]["url"])
            self.assertEqual((status, headers["content-type"], body[:2]), (200, "image/jpeg", b"\xff\xd8"))
        self.assertEqual(self.call("POST", f"{session}/restart")[0], 204)
        for part in ("picture", "crop"):
            self.fails(409, "FAILED_PRECONDITION", "GET", f"{session}/{part}")
        self.assertNotEqual(self.frame(session, 100)["state"], "finish")

    def test_wrong_sessions_are_refused(self):
        track, check = '{"kind": "track", "options": {%s}}', '{"kind": "check", "options": {%s}}'
        words = {
            track % '"box": ["1,2,3,4"]': "finds its faces itself",
            track % '"box": []': "finds its faces itself",
            **{
                check % f'"{name}": {value}': f"^{name} is .* s; give 0 to 1000000"
                for name, value in (("timeout", "-1"), ("hold", "1e300"), ("tip-time", "-1e-3"))
            },
        }
        others = [
            "",
            "[]",
            '{"kind": "watch"}',
            check % '"circle": {"x": 2, "y": 0, "radius": 1}',
            check % '"circle": {"x": 0.5, "y": 0.5, "radius": 1e-60}',
            check % '"actions": ["wave"]',
            *(
                track % option
                for option in (
                    '"circle": {}',
                    '"pose": {}',
                    '"max-faces": "3"',
                    '"pose": "true"',
                    '"pose": ""',
                    '"pose": []',
                    '"use": 0',
                    '"accuracy": false',
                    '"max-faces": 9007199254740992',
                    '"min-face-size": 16385',
                )
            ),
        ]
        for body, word in {**words, **dict.fromkeys(others, ".")}.items():
            with self.subTest(body):
                self.assertRegex(self.fails(400, "INVALID_ARGUMENT", "POST", "/v1/sessions", body), word)
        self.fails(404, "NOT_FOUND", "DELETE", "/v1/sessions/nobody")
        session = self.session()
        self.fails(409, "FAILED_PRECONDITION", "POST", f"{session}/restart")
        for text in ("now", "0" * 20):
            self.fails(400, "INVALID_ARGUMENT", "POST", f"{session}/frames", PHOTO, headers={"X-Timestamp-Ns": text})

    def test_a_failed_frame_does_not_end_its_session(self):
        session = self.session()
        self.frame(session, 1)
        self.fails(400, "INVALID_ARGUMENT", "POST", f"{session}/frames", b"?")
        self.assertEqual(len(self.frame(session, 3)["faces"]), 1)


class EndedSessionTests(SessionCase):
    owns_engine = True

    def test_a_picture_that_comes_after_the_restart_is_forgotten(self):
        first, session = (self.session("check", **self.CHECK) for _ in range(2))
        for each in (first, session):
            self.addCleanup(self.call, "DELETE", each)
        last = len(self.finish(first))
        for number in range(1, last):
            self.frame(session, number)
        self.engine.process.send_signal(signal.SIGSTOP)
        try:
            # The engine has one of two frames when the other one is refused.
            both = [http.client.HTTPConnection(*self.gateway.http_address, timeout=PATIENCE) for _ in range(2)]
            for each in both:
                self.addCleanup(each.close)
                each.request("POST", f"{session}/frames", PHOTO, {"X-Timestamp-Ns": str(last * 10**8)})
            [refused] = select.select([each.sock for each in both], [], [], PATIENCE)[0]
            both.sort(key=lambda each: each.sock is refused)
            self.assertEqual(both.pop().getresponse().status, 409)
            self.assertEqual(self.call("POST", f"{session}/restart")[0], 204)
        finally:
            self.engine.process.send_signal(signal.SIGCONT)
        answer = json.load(both[0].getresponse())
        self.assertIn("result", [event["event"] for event in answer["events"]])
        self.assertNotIn("picture", answer)
        self.fails(409, "FAILED_PRECONDITION", "GET", f"{session}/picture")

    def test_a_restart_ends_what_the_engine_keeps(self):
        # All checks that the engine lets one user have.
        first, second = ([self.session("check") for _ in range(16)] for _ in range(2))
        for session in first:
            self.frame(session, 1)
        self.fails(429, "RESOURCE_EXHAUSTED", "POST", f"{second[0]}/frames", PHOTO)
        for session in first:
            self.assertEqual(self.call("POST", f"{session}/restart")[0], 204)
        for session in second:
            self.frame(session, 1)
        for session in second:
            # The next frame has the place.
            self.assertEqual(self.call("POST", f"{session}/restart")[0], 204)
            self.assertEqual(self.frame(session, 2)["attempt"], 2)
        for session in first + second:
            self.call("DELETE", session)

    def test_checks_that_end_while_they_begin_leave_nothing(self):
        # The end comes at every point of the first frame: before, while the picture is measured, while the stream is
        # opened.
        for number in range(96):
            session = self.session("check", **self.CHECK)
            frame = threading.Thread(target=self.call, args=("POST", f"{session}/frames", PHOTO))
            frame.start()
            time.sleep(number % 24 / 2000)
            self.assertEqual(self.call("DELETE", session)[0], 204)
            frame.join()
        # More checks than had begun would have left: all that the engine lets one user have.
        sessions = [self.session("check") for _ in range(16)]
        for session in sessions:
            self.json(200, "POST", f"{session}/frames", PHOTO)
        more = self.session("check")
        self.assertIn(
            "has 16 guided checks open", self.fails(429, "RESOURCE_EXHAUSTED", "POST", f"{more}/frames", PHOTO)
        )
        for session in [*sessions, more]:
            self.call("DELETE", session)


class IdleSessionTests(HTTPCase):
    flags = ("--session-timeout", "1", "--max-sessions", "2")

    def test_sessions_end_when_nothing_comes_and_make_room(self):
        first, second = self.session(), self.session()
        self.assertNotEqual(first, second)
        body = '{"kind": "track"}'
        self.fails(429, "RESOURCE_EXHAUSTED", "POST", "/v1/sessions", body)
        # The session is used only once, since each frame would keep it open.
        until(lambda: self.call("POST", "/v1/sessions", body)[0] == 201, "room for another session")
        self.assertEqual(self.call("POST", f"{first}/frames", PHOTO)[0], 404)


class DrainTests(HTTPCase):
    def stopped(self, engine):
        """A gateway that is left when a second is over."""
        gateway = Gateway(engine, "--drain-timeout", "1")
        self.addCleanup(lambda: gateway.process.poll() is None and gateway.stop(signal.SIGKILL))
        return gateway

    def test_a_request_that_has_begun_is_answered_when_the_gateway_stops(self):
        with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(upload()[:-1000])
            # Many later requests have been answered.
            for _ in range(50):
                self.assertEqual(self.call("GET", "/healthz")[0], 200)
            self.gateway.process.send_signal(signal.SIGTERM)
            self.gateway.said("stops")
            client.sendall(PHOTO[-1000:])
            answer = http.client.HTTPResponse(client)
            answer.begin()
            self.assertEqual((answer.status, len(json.load(answer)["faces"])), (200, 1))
        self.assertEqual(self.gateway.stop(), 0)

    def test_uploads_that_trickle_are_given_up(self):
        gateway = self.stopped(self.engine.path)
        with socket.create_connection(gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(upload(bytes(1_000_000))[:1000])
            gateway.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(OSError):  # the gateway has closed it
                while not select.select([client], [], [], 0.05)[0]:
                    client.sendall(b"\0")
            self.assertEqual(gateway.stop(), 0)

    def test_a_call_that_is_lost_is_a_failure(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        engine = FakeEngine(f"{folder}/engine.sock", is_slow=True)
        gateway = self.stopped(engine.path)
        with socket.create_connection(gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(upload())
            until(lambda: engine.unanswered, "the call")
            self.assertEqual(gateway.stop(), 1)
        self.assertIn("calls are still running", "".join(gateway.errors))
        engine.close()


class PageTests(HTTPCase):
    @classmethod
    def setUpClass(cls):
        cls.flags = ("--page", cls.enterClassContext(tempfile.TemporaryDirectory()))
        folder = pathlib.Path(cls.flags[1])
        (folder / "index.html").write_text("<!doctype html>")
        (folder / "page.js").write_text("export {};\n" * 100)
        (folder / "secret.key").write_text("?")
        super().setUpClass()

    def test_files_have_their_types_and_the_policy(self):
        for path, kind in [("/", "text/html; charset=utf-8"), ("/assets/page.js", "text/javascript; charset=utf-8")]:
            status, headers, _ = self.call("GET", path)
            self.assertEqual((status, headers["content-type"]), (200, kind))
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertEqual(headers["x-content-type-options"], "nosniff")

    def test_static_files_are_kept_and_compressed(self):
        for path in ("/", "/assets/page.js", "/openapi.json"):
            plain = self.call("GET", path)[2]
            for accepted, coding in (
                (None, None),
                ("gzip", "gzip"),
                ("br, x;q=1, GZIP; q=0.5", "gzip"),
                ("*", "gzip"),
                ("br", None),
                ("gzip;q=0, *", None),
                ("identity, gzip;q=0.000", None),
            ):
                with self.subTest(path, accepted=accepted):
                    # One that would not be smaller stays as it is.
                    coding = coding if path != "/" else None
                    asked = {"Accept-Encoding": accepted} if accepted else {}
                    status, headers, body = self.call("GET", path, headers=asked)
                    self.assertEqual(
                        (status, headers["content-encoding"], headers["cache-control"]), (200, coding, "no-cache")
                    )
                    self.assertIn("accept-encoding", headers.get_all("vary"))
                    self.assertEqual(gzip.decompress(body) if coding else body, plain)
                    self.assertEqual(len(body) < len(plain), bool(coding))
                    tag, kept = (
                        headers["etag"],
                        {name: headers[name] for name in ("etag", "cache-control", "vary", "content-security-policy")},
                    )
                    self.assertRegex(tag, '^"[^"]+"$')
                    status, headers, body = self.call("HEAD", path, headers=asked)
                    self.assertEqual((status, headers["content-encoding"], body), (200, coding, b""))
                    self.assertEqual({name: headers[name] for name in kept}, kept)
                    for method, known, status in (
                        ("GET", tag, 304),
                        ("HEAD", f"W/{tag}", 304),
                        ("GET", f'"other", {tag}', 304),
                        ("GET", "*", 304),
                        ("GET", '"other"', 200),
                    ):
                        found, headers, body = self.call(method, path, headers={**asked, "If-None-Match": known})
                        self.assertEqual((found, {name: headers[name] for name in kept}), (status, kept), known)
                        if status == 304:
                            self.assertEqual((body, headers["content-encoding"]), (b"", None))
            tags = {
                self.call("GET", path, headers={"Accept-Encoding": each})[1]["etag"] for each in ("gzip", "identity")
            }
            self.assertEqual(len(tags), 1 if path == "/" else 2, tags)

    def test_other_paths_are_not_served(self):
        for path in [
            "/assets/secret.key",
            "/assets/..%2fpage.js",
            "/assets/%2e%2e",
            "/assets/.",
            "/assets/none.js",
            "/assets/page.js/more",
            "/assets//etc/passwd",
        ]:
            with self.subTest(path):
                self.assertEqual(self.call("GET", path)[0], 404)


PHASES = ["Examples", "Coverage", "Fuzzing", "Stateful"]


class SchemathesisCase(HTTPCase):
    # More than the phases begin before the first ones end.
    flags = ("--max-sessions", "4096")

    def find_nothing(self, phases, examples, *headers):
        """Runs all checks: the long form with another seed each time, which a failure tells; the short one with the same, so that it
        does not fail for what another change has nothing to do with."""
        seed = int(os.environ.get("FACE_ENGINE_SCHEMATHESIS_SEED") or (random.randrange(2**32) if LONG else 1))
        command = [
            pathlib.Path(sys.executable).parent / "schemathesis",
            "run",
            f"http://{self.gateway.http}/openapi.json",
            "--checks",
            "all",
            "--phases",
            ",".join(phases).lower(),
            "--max-examples",
            examples,
            "--seed",
            seed,
            "--request-timeout",
            PATIENCE,
            "--exclude-path",
            "/",
            "--generation-database",
            "none",
            "--no-color",
        ]
        for header in headers:
            command += ["--header", header]
        environment = {
            **os.environ,
            "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
            "SCHEMATHESIS_NEEDS_TOKEN": "1" if headers else "0",
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        }
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            timeout=900,
            cwd=self.folder.name,
            env=environment,
        )
        again = f"again with FACE_ENGINE_SCHEMATHESIS_SEED={seed}:\n"
        self.assertEqual(done.returncode, 0, again + done.stdout[-8000:] + done.stderr[-2000:])
        for phase in phases:
            self.assertRegex(done.stdout, f"✅ +{phase}", again + done.stdout[-8000:])


class TokenDocumentTests(SchemathesisCase):
    token = "of-sixteen-characters-or-more"
    flag_files = {"--token-file": token}

    def test_schemathesis_finds_nothing_with_a_token(self):
        # The cases of the coverage phase are those of the other test.
        phases = PHASES if LONG else ["Fuzzing", "Stateful"]
        self.find_nothing(phases, 15 if LONG else 3, f"Authorization: Bearer {self.token}")


class DocumentTests(SchemathesisCase):
    def test_schemathesis_finds_nothing(self):
        self.find_nothing(PHASES, 15 if LONG else 3)

    def test_sessions_are_described_as_they_are(self):
        document = self.json(200, "GET", "/openapi.json")
        self.assertEqual(document["security"], [{}, {"token": []}])
        for path in ("/healthz", "/readyz", "/openapi.json", "/v2/health/live", "/v2/health/ready"):
            self.assertEqual(document["paths"][path]["get"]["security"], [], path)
        begun = document["paths"]["/v1/sessions"]["post"]["responses"]["201"]
        session = self.json(201, "POST", "/v1/sessions", '{"kind": "track"}')
        self.assertEqual(set(session), set(begun["content"]["application/json"]["schema"]["required"]))
        self.assertEqual(set(begun["links"]), {"sendFrame", "restartCheck", "getPicture", "getCrop", "endSession"})

    def test_no_value_is_an_internal_error(self):
        options = self.json(200, "GET", "/openapi.json")["components"]["schemas"]["CheckOptions"]["properties"]
        self.assertGreater(len(options), 50)
        for option in [*options, "analysis-rate", "pixel-aspect"]:
            for value in ("-1", "1e300", "-0.5", '""', '"nan"', '"-1"', "[]", "{}", "null", "true", '[""]', "[-1]"):
                body = '{"kind": "check", "options": {"%s": %s}}' % (option, value)
                status, _, answer = self.call("POST", "/v1/sessions", body)
                self.assertIn(status, (201, 400), body)
                self.assertNotIn(b"nternal error", answer, body)

    def test_metrics_are_valid_for_promtool(self):
        if not shutil.which("promtool"):
            self.skipTest("there is no promtool; install Debian's prometheus")
        self.json(200, "POST", "/v1/detect", PHOTO)
        _, headers, text = self.call("GET", "/metrics")
        self.assertTrue(headers["content-type"].startswith("text/plain; version=0.0.4"))
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, b""))

    def test_prometheus_scrapes_open_metrics(self):
        if not shutil.which("prometheus"):
            self.skipTest("there is no prometheus; install Debian's")
        self.json(200, "POST", "/v1/detect", PHOTO)
        _, headers, text = self.call(
            "GET", "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"}
        )
        self.assertTrue(headers["content-type"].startswith("application/openmetrics-text; version=1.0.0"))
        self.assertTrue(text.endswith(b"# EOF\n"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = "127.0.0.1:%d" % free.getsockname()[1]
        folder = pathlib.Path(self.folder.name)
        (folder / "prometheus.yml").write_text(
            f"scrape_configs: [{{job_name: faces, scrape_interval: 200ms, scrape_timeout: 200ms, "
            f"static_configs: [{{targets: ['{self.gateway.http}']}}]}}]"
        )
        with tempfile.TemporaryDirectory() as data:
            server = subprocess.Popen(
                [
                    "prometheus",
                    f"--config.file={folder / 'prometheus.yml'}",
                    f"--storage.tsdb.path={data}",
                    f"--web.listen-address={address}",
                ],
                stderr=subprocess.DEVNULL,
            )
            try:

                def asked(query):
                    """The value of a query; None where there is none yet."""
                    found = subprocess.run(
                        ["curl", "-s", "-G", "--data-urlencode", f"query={query}", f"http://{address}/api/v1/query"],
                        capture_output=True,
                        text=True,
                    ).stdout
                    value = re.search(r'"value":\[[\d.]+,"([^"]+)"\]', found)
                    return float(value[1]) if value else None

                until(lambda: asked("face_engine_up") == 1, "a scrape")
                # As the board of Gateway/Deploy asks, but of all time.
                share = "histogram_quantile(0.99, sum by (le) (face_engine_run_seconds_bucket{method=~'.*/Detect'}))"
                self.assertGreater(asked(share), 0)
                self.assertLessEqual(asked(share), 10)
            finally:
                server.terminate()
                server.wait(PATIENCE)

    def test_metrics_tell_of_calls_and_an_engine_that_is_gone(self):
        self.json(200, "POST", "/v1/detect", PHOTO)
        self.fails(400, "INVALID_ARGUMENT", "POST", "/v1/detect", b"?")
        text = self.call("GET", "/metrics")[2].decode()
        self.assertIn("face_engine_up 1", text)
        self.assertRegex(text, r'face_gateway_calls_total{transport="http",code="INVALID_ARGUMENT"} \d')
        self.assertRegex(text, r'face_engine_calls_total{method="faceengine.v1.Detector/Detect"} \d')
        self.assertRegex(text, r'face_engine_run_seconds_sum{method="faceengine.v1.Detector/Detect"} \d')
