"""Who calls, by tokens and certificates, and how their files are read anew while the gateway serves."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import unittest

import grpc
from tritonclient.grpc import service_pb2 as inference
from tritonclient.grpc import service_pb2_grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from engine_calls import frame, start
from support import PATIENCE, PHOTO, Gateway, GatewayCase, failure, until
from test_safety import refusal

FIRST = "the-first-token-0123456789"
SECOND = "the-second-token-0123456789"
THIRD = "AbC123-._~+/xyz=="


def write(path, text):
    """Replaces a file as careful programs do: by renaming another one."""
    pathlib.Path(path + ".new").write_text(text, encoding="utf-8")
    os.replace(path + ".new", path)


def link(target, path):
    """Makes a link, or replaces one by renaming another one."""
    os.symlink(target, path + ".new")
    os.replace(path + ".new", path)


def make_pair(folder, certificate="tls.crt", key="tls.key", name="localhost"):
    """Makes a certificate of this machine that is its own authority, with its key."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-keyout",
            key,
            "-out",
            certificate,
            "-subj",
            f"/O=Kiosks/CN={name}",
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext",
            "keyUsage=digitalSignature,keyCertSign",
        ],
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return os.path.join(folder, certificate), os.path.join(folder, key)


def served(address, protocol, mine=None):
    """The certificate that a new connection gets, as DER."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    if mine:
        context.load_cert_chain(*mine)
    with (
        socket.create_connection(address, timeout=PATIENCE) as connection,
        context.wrap_socket(connection, server_hostname="localhost") as client,
    ):
        return client.getpeercert(binary_form=True)


def der(path):
    return ssl.PEM_cert_to_DER_cert(pathlib.Path(path).read_text())


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


ANSWERS = ("reloaded", "keeps its tokens", "has no files")


def hang_up(gateway):
    """Has a gateway read its files anew, and returns what it says about that."""
    seen = len(gateway.errors)
    os.kill(gateway.process.pid, signal.SIGHUP)
    return until(
        lambda: next((line for line in gateway.errors[seen:] if any(word in line for word in ANSWERS)), None),
        "an answer to SIGHUP",
    )


class TokenCalls(GatewayCase):
    """Calls with tokens, and what is logged of them."""

    def ask(self, authorization, gateway=None):
        """The HTTP status of a small call."""
        headers = {} if authorization is None else {"Authorization": authorization}
        status, headers, _ = self.http("GET", "/metrics", None, headers, gateway=gateway)
        self.assertEqual(headers["www-authenticate"], "Bearer" if status == 401 else None)
        return status

    def ask_grpc(self, authorization, gateway=None):
        """The code of a small call."""
        with grpc.insecure_channel((gateway or self.gateway).grpc) as channel:
            try:
                self.detect(channel, metadata=[] if authorization is None else [("authorization", authorization)])
                return grpc.StatusCode.OK
            except grpc.RpcError as error:
                return error.code()

    def start(self, text=f"kiosk: {FIRST}\ndoor: {SECOND}\n"):
        path = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "tokens")
        write(path, text)
        return path, self.enterContext(Gateway(self.engine.path, "--token-file", path))


class FileTests(unittest.TestCase):
    """Files that the gateway does not start with."""

    def refused(self, text):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            code, words = refusal("--token-file", file.name)
        self.assertNotEqual(code, 0)
        # A token is not told to whoever reads the messages.
        self.assertNotIn(FIRST, words)
        return words

    def test_what_is_wrong_is_said_with_its_line(self):
        for text, words in [
            ("", ["has no token"]),
            ("# none yet\n\n  \n", ["has no token"]),
            ("short", ["line 1", "16 characters"]),
            (f"a: {FIRST}\nb: short\n", ["line 2", "16 characters"]),
            (f"a: {FIRST}\n\nb:\n", ["line 3", "16 characters"]),
            (f"a: {FIRST}\n# again\na: {SECOND}\n", ["line 3", "named a"]),
            (f"line-2: {SECOND}\n{FIRST}\n", ["line 2", "named line-2"]),
            (f"a: {FIRST}\nb: {FIRST}\n", ["line 2", "as a's"]),
            (f"{FIRST}\n{FIRST}\n", ["line 2", "as line-1's"]),
            (f"the kiosk: {FIRST}\n", ["line 1", "not a name"]),
            (f": {FIRST}\n", ["line 1", "not a name"]),
            (f"{'n' * 65}: {FIRST}\n", ["line 1", "not a name"]),
            (f"kiösk: {FIRST}\n", ["line 1", "not a name"]),
            (f"kiosk {FIRST}\n", ["line 1", "invalid characters"]),
            (f"a: {FIRST}:more\n", ["line 1", "invalid characters"]),
            (f"a: {FIRST}ä\n", ["line 1", "invalid characters"]),
            ("".join(f"{number}: {number:032}\n" for number in range(1001)), ["line 1001", "more than 1000"]),
        ]:
            with self.subTest(text[:40]):
                found = self.refused(text)
                for word in words:
                    self.assertIn(word, found)

    def test_certificates_that_do_not_fit_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            certificate, key = make_pair(folder)
            _, other = make_pair(folder, "other.crt", "other.key")
            empty = os.path.join(folder, "empty")
            open(empty, "w").close()
            for *files, word in [
                (certificate, other, "does not belong to the certificate"),
                (key, key, "has no PEM certificates"),
                (empty, key, "has no PEM certificates"),
                (certificate, certificate, "has no PEM private key"),
                (certificate, empty, "has no PEM private key"),
                (certificate, key, empty, "has no PEM certificates"),
            ]:
                with self.subTest(files):
                    flags = zip(("--tls-certificate", "--tls-key", "--client-ca"), files)
                    code, words = refusal(*(word for pair in flags for word in pair))
                    self.assertNotEqual(code, 0)
                    self.assertIn(word, words)


class NameTests(TokenCalls):
    flag_files = {
        "--token-file": f"# callers of the hall\n\nkiosk: {FIRST}\r\n\tdoor.2 :{SECOND}  \n   # and one without a name\n{THIRD}"
    }

    def test_each_token_is_logged_by_its_name(self):
        gateway = self.enterContext(Gateway(self.engine.path, *self.flags))
        for token in (FIRST, SECOND, THIRD):
            self.assertEqual(self.ask(f"Bearer {token}", gateway), 200)
            self.assertEqual(self.ask_grpc(f"Bearer {token}", gateway), grpc.StatusCode.OK)
        self.assertEqual(self.ask("Bearer " + "x" * len(FIRST), gateway), 401)
        self.assertEqual(self.http("GET", "/healthz", None, gateway=gateway)[0], 200)
        lines = gateway.calls(8)
        self.assertEqual(
            sorted((line["transport"], line.get("caller", "-")) for line in lines),
            sorted(
                [(transport, name) for transport in ("http", "grpc") for name in ("kiosk", "door.2", "line-6")]
                + [("http", "-")] * 2
            ),
        )
        self.assertNotIn("-token-", "".join(gateway.lines + gateway.errors))

    def test_the_scheme_may_have_any_case_and_more_spaces(self):
        for scheme in ("Bearer ", "bearer ", "BEARER ", "bEaReR    "):
            with self.subTest(scheme):
                self.assertEqual(self.ask(scheme + FIRST), 200)
                self.assertEqual(self.ask_grpc(scheme + FIRST), grpc.StatusCode.OK)

    def test_what_is_almost_a_token_is_refused(self):
        for header in (
            None,
            "",
            "Bearer",
            "Bearer ",
            f"Bearer{FIRST}",
            f"Bearer\t{FIRST}",
            f"Basic {FIRST}",
            f"Bearer {FIRST[:-1]}",
            f"Bearer {FIRST}x",
            f"Bearer {FIRST.upper()}",
            f"Bearer kiosk: {FIRST}",
            f"Bearer {FIRST}, Bearer {FIRST}",
            "Bearer # callers of the hall",
            FIRST,
            "Bearer " + FIRST[::-1],
        ):
            with self.subTest(header):
                self.assertEqual(self.ask(header), 401)
                # gRPC's library sends no other white space.
                if header is None or header == " ".join(header.split()):
                    self.assertEqual(self.ask_grpc(header), grpc.StatusCode.UNAUTHENTICATED)

    def test_what_is_the_same_for_all_needs_no_token(self):
        for path in ("/", "/check", "/face-check.js", "/assets/page.js", "/openapi.json", "/readyz"):
            with self.subTest(path):
                self.assertEqual(self.http("GET", path, None)[0], 200)

    def test_the_log_says_whose_calls_are_too_many(self):
        gateway = self.enterContext(Gateway(self.engine.path, *self.flags, "--rate", "1"))
        statuses = [self.ask(f"Bearer {FIRST}", gateway) for _ in range(10)]
        self.assertIn(429, statuses)
        self.assertEqual({line.get("caller") for line in gateway.calls(10) if line["status"] == 429}, {"kiosk"})


class ReloadedTokenTests(TokenCalls):
    def test_new_tokens_replace_the_old_ones(self):
        path, gateway = self.start(f"kiosk: {FIRST}\n")
        write(path, f"kiosk: {SECOND}\ndoor: {THIRD}\n")
        self.assertEqual(self.ask(f"Bearer {FIRST}", gateway), 200, "nothing was read before SIGHUP")
        self.assertIn("reloaded tokens and certificates", hang_up(gateway))
        for token, status, code in [
            (FIRST, 401, grpc.StatusCode.UNAUTHENTICATED),
            (SECOND, 200, grpc.StatusCode.OK),
            (THIRD, 200, grpc.StatusCode.OK),
        ]:
            self.assertEqual(self.ask(f"Bearer {token}", gateway), status)
            self.assertEqual(self.ask_grpc(f"Bearer {token}", gateway), code)

    def test_streams_end_with_their_token(self):
        path, gateway = self.start()
        tensor = inference.ModelInferRequest.InferInputTensor(name="image", datatype="BYTES", shape=[1])
        infer = inference.ModelInferRequest(
            model_name="faces", inputs=[tensor], raw_input_contents=[struct.pack("<I", len(PHOTO)) + PHOTO]
        )
        channel = self.channel(gateway=gateway)
        detector, models = services.DetectorStub(channel), service_pb2_grpc.GRPCInferenceServiceStub(channel)
        for name, method, requests in [
            ("Watch", detector.Watch, [start(), frame(1)]),
            ("Check", detector.Check, [start(check=messages.CheckOptions()), frame(1)]),
            ("ModelStreamInfer", models.ModelStreamInfer, [infer]),
        ]:
            with self.subTest(name):
                write(path, f"kiosk: {FIRST}\ndoor: {SECOND}\n")
                hang_up(gateway)
                (_, ended), (sent, kept) = [
                    self.begun(method, *requests, metadata=[("authorization", f"Bearer {token}")])
                    for token in (FIRST, SECOND)
                ]
                write(path, f"door: {SECOND}\n")
                self.assertIn("reloaded", hang_up(gateway))
                failure(grpc.StatusCode.UNAUTHENTICATED, lambda **_: list(ended))
                # The other one continues.
                sent.send(requests[-1])
                next(kept)
                sent.close()
                list(kept)

    def test_a_wrong_file_changes_nothing(self):
        path, gateway = self.start(f"kiosk: {FIRST}\n")
        write(path, f"kiosk: {SECOND}\nkiosk: {THIRD}\n")
        self.assertIn("line 2: there is already a token named kiosk", hang_up(gateway))
        os.remove(path)
        self.assertIn("cannot open", hang_up(gateway))
        self.assertEqual(self.ask(f"Bearer {FIRST}", gateway), 200)
        self.assertEqual(self.ask(f"Bearer {SECOND}", gateway), 401)
        write(path, f"kiosk: {SECOND}\n")
        self.assertIn("reloaded", hang_up(gateway))
        self.assertEqual(self.ask(f"Bearer {SECOND}", gateway), 200)

    def test_calls_go_on_while_files_are_read(self):
        path, gateway = self.start(f"kiosk: {FIRST}\n")
        with grpc.insecure_channel(gateway.grpc) as channel:
            metadata = [("authorization", f"Bearer {FIRST}")]
            for number in range(30):
                call = services.DetectorStub(channel).Detect.future(
                    messages.DetectRequest(image=messages.Image(encoded=PHOTO)), timeout=PATIENCE, metadata=metadata
                )
                write(path, f"kiosk: {FIRST}\nother: {number:032}\n")
                os.kill(gateway.process.pid, signal.SIGHUP)
                self.assertEqual(len(call.result().faces), 1)
        until(lambda: self.ask(f"Bearer {29:032}", gateway) == 200, "the last of these files")

    def test_a_gateway_without_files_goes_on(self):
        gateway = self.enterContext(Gateway(self.engine.path))
        self.assertIn("has no files", hang_up(gateway))
        self.assertEqual(self.ask(None, gateway), 200)

    def test_a_folder_that_was_not_named_stays_out_of_reach(self):
        path, gateway = self.start(f"kiosk: {FIRST}\n")
        if "files" not in gateway.said("sandbox restricts (.*)")[1].split(","):
            self.skipTest("this kernel does not restrict files")
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "tokens"), f"kiosk: {SECOND}\n")
            link(os.path.join(folder, "tokens"), path)
            self.assertIn("Permission denied", hang_up(gateway))
        self.assertEqual(self.ask(f"Bearer {FIRST}", gateway), 200)


class OpenedSessionTests(TokenCalls):
    """Sessions are those of the token that opened them."""

    def open(self, gateway, token, kind="track"):
        return self.json(201, "POST", "/v1/sessions", json.dumps({"kind": kind}), bearer(token), gateway=gateway)

    def frame(self, gateway, session):
        return self.http(
            "POST", f"/v1/sessions/{session['id']}/frames", PHOTO, bearer(session["token"]), gateway=gateway
        )[0]

    def test_a_session_has_a_token_of_its_own(self):
        _, gateway = self.start()
        self.assertEqual(self.http("POST", "/v1/sessions", b'{"kind": "check"}', gateway=gateway)[0], 401)
        session, other = (self.open(gateway, FIRST, "check") for _ in range(2))
        path = f"/v1/sessions/{session['id']}"
        # It opens nothing else, and ends with its session.
        for method, where, own, without in [
            ("POST", f"{path}/frames", 200, 401),
            ("POST", f"{path}/restart", 204, 401),
            ("GET", f"{path}/picture", 409, 401),
            ("GET", f"{path}/crop", 409, 401),
            ("POST", "/v1/sessions", 401, 401),
            ("POST", "/v1/detect", 401, 401),
            ("GET", "/metrics", 401, 401),
            ("GET", "/v2/models/faces", 401, 401),
            ("DELETE", f"/v1/sessions/{other['id']}", 401, 401),
            ("DELETE", path, 204, 401),
            ("POST", f"{path}/frames", 401, 401),
        ]:
            with self.subTest(where, method=method):
                sent = PHOTO if where.endswith("/frames") else None
                for headers, status in (({}, without), (bearer(session["token"]), own)):
                    self.assertEqual(self.http(method, where, sent, headers, gateway=gateway)[0], status)
                if where.startswith(path):
                    self.assertEqual(self.http(method, where, sent, bearer(other["token"]), gateway=gateway)[0], 401)

    def test_calls_with_a_sessions_token_are_logged_by_its_opener(self):
        _, gateway = self.start()
        session = self.open(gateway, FIRST)
        self.assertEqual(self.frame(gateway, session), 200)
        self.http("DELETE", f"/v1/sessions/{session['id']}", None, bearer(SECOND), gateway=gateway)
        self.assertEqual(
            [(line["caller"], line.get("session")) for line in gateway.calls(3)],
            [("kiosk", None), ("kiosk", True), ("door", None)],
        )

    def test_sessions_end_with_the_token_that_opened_them(self):
        path, gateway = self.start()
        ended, kept = self.open(gateway, FIRST, "check"), self.open(gateway, SECOND)
        self.assertEqual([self.frame(gateway, session) for session in (ended, kept)], [200, 200])
        write(path, f"door: {SECOND}\n")
        self.assertIn("reloaded", hang_up(gateway))
        self.assertEqual([self.frame(gateway, session) for session in (ended, kept)], [401, 200])

        def values():
            text = self.http("GET", "/metrics", None, bearer(SECOND), gateway=gateway)[2].decode()
            return [
                line
                for line in text.splitlines()
                if line.startswith(("face_gateway_sessions ", "face_gateway_checks "))
            ]

        until(
            lambda: values() == ["face_gateway_sessions 1", "face_gateway_checks 0"],
            "the end of the session and its check",
        )
        self.assertEqual(self.frame(gateway, kept), 200)

    def test_sessions_end_with_a_secret_that_is_replaced_under_its_name(self):
        path, gateway = self.start()
        session = self.open(gateway, FIRST)
        write(path, f"kiosk: {THIRD}\n")
        self.assertIn("reloaded", hang_up(gateway))
        self.assertEqual(self.frame(gateway, session), 401)


class ReloadedCertificateTests(GatewayCase):
    def setUp(self):
        self.place = self.enterContext(tempfile.TemporaryDirectory())

    def start(self, certificate, key, *flags):
        return self.enterContext(Gateway(self.engine.path, "--tls-certificate", certificate, "--tls-key", key, *flags))

    def assert_served(self, gateway, certificate):
        self.assertEqual(served(gateway.http_address, "http/1.1"), der(certificate))
        self.assertEqual(served(gateway.grpc_address, "h2"), der(certificate))

    def assert_replaced(self, gateway, old, replace):
        """Replaces the certificate: new connections get the new one, and those that were there go on."""
        self.assert_served(gateway, old)
        before = http.client.HTTPSConnection(
            "localhost", gateway.http_address[1], timeout=PATIENCE, context=ssl.create_default_context(cafile=old)
        )
        self.addCleanup(before.close)
        channel = self.enterContext(
            grpc.secure_channel(gateway.grpc, grpc.ssl_channel_credentials(pathlib.Path(old).read_bytes()))
        )

        def calls():
            before.request("GET", "/readyz")
            answer = before.getresponse()
            answer.read()
            return answer.status, len(self.detect(channel).faces)

        self.assertEqual(calls(), (200, 1))
        held = before.sock
        new = replace()
        self.assertIn("reloaded", hang_up(gateway))
        self.assert_served(gateway, new)
        self.assertEqual(calls(), (200, 1))
        self.assertIs(before.sock, held)

    def test_files_that_are_replaced(self):
        """Renamed ones; links to an archive, as certbot has them; a folder of a secret, as Kubernetes has it, where ..data leads to a
        folder with a time in its name; a link to the folder of the moment."""
        names = ("tls.crt", "tls.key")

        def renamed(pair):
            for file, name in zip(pair, names):
                shutil.copy(file, f"{name}.new")
                os.replace(f"{name}.new", name)

        def archived(pair):
            for file, name in zip(pair, names):
                link(os.path.relpath(file), name)

        def linked(name):
            return lambda pair: link(os.path.basename(os.path.dirname(pair[0])), name)

        for way, replace, names_of in [
            ("renamed", renamed, "{}"),
            ("archive", archived, "{}"),
            ("secret", linked("..data"), "{}"),
            ("folder", linked("current"), "current/{}"),
        ]:
            with self.subTest(way), contextlib.chdir(self.place):
                os.mkdir(way)
                os.chdir(way)
                # An archive is one folder elsewhere.
                pairs = [
                    make_pair(f"{self.place}/files", f"{number}.crt", f"{number}.key")
                    if way == "archive"
                    else make_pair(f"{os.getcwd()}/..{number}")
                    for number in (1, 2)
                ]
                replace(pairs[0])
                if way == "secret":
                    for name in names:
                        link(f"..data/{name}", name)
                gateway = self.start(*(os.path.join(os.getcwd(), names_of.format(name)) for name in names))
                self.assert_replaced(gateway, pairs[0][0], lambda: replace(pairs[1]) or pairs[1][0])

    def test_a_wrong_file_changes_nothing(self):
        certificate, key = make_pair(self.place)
        gateway = self.start(certificate, key)
        first = der(certificate)
        other, other_key = make_pair(os.path.join(self.place, "other"))
        for path, text, words in [
            (certificate, "nonsense", "has no PEM certificates"),
            (key, "", "has no PEM private key"),
            (certificate, pathlib.Path(other).read_text(), "does not belong to the certificate"),
        ]:
            with self.subTest(words):
                right = pathlib.Path(path).read_text()
                write(path, text)
                self.assertIn(words, hang_up(gateway))
                self.assertEqual(
                    [served(gateway.http_address, "http/1.1"), served(gateway.grpc_address, "h2")], [first] * 2
                )
                write(path, right)
        write(certificate, pathlib.Path(other).read_text())
        write(key, pathlib.Path(other_key).read_text())
        self.assertIn("reloaded", hang_up(gateway))
        self.assert_served(gateway, other)

    def test_new_authorities_of_clients(self):
        certificate, key = make_pair(self.place)
        first, second = (
            make_pair(self.place, "1.crt", "1.key", "camera-1"),
            make_pair(self.place, "2.crt", "2.key", "camera-2"),
        )
        authority = os.path.join(self.place, "clients.pem")
        shutil.copy(first[0], authority)
        gateway = self.start(certificate, key, "--client-ca", authority)

        def context(mine):
            made = ssl.create_default_context(cafile=certificate)
            made.load_cert_chain(*mine)
            return made

        def channel(mine):
            texts = [pathlib.Path(each).read_bytes() for each in (certificate, mine[1], mine[0])]
            return grpc.secure_channel(gateway.grpc, grpc.ssl_channel_credentials(*texts))

        def ask(mine):
            """The answers to a call of HTTP and one of gRPC."""
            found = [None, None]
            with contextlib.suppress(OSError, http.client.HTTPException):
                found[0] = self.http("GET", "/metrics", None, gateway=gateway, context=context(mine))[0]
            with contextlib.suppress(grpc.RpcError), channel(mine) as opened:
                found[1] = len(self.detect(opened).faces)
            return found

        self.assertEqual((ask(first), ask(second)), ([200, 1], [None, None]))
        # Connections that are open when the authorities change.
        kept = http.client.HTTPSConnection(
            "localhost", gateway.http_address[1], timeout=PATIENCE, context=context(first)
        )
        self.addCleanup(kept.close)
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        _, stream = self.begun(services.DetectorStub(self.enterContext(channel(first))).Watch, start(), frame(1))
        write(authority, pathlib.Path(second[0]).read_text())
        self.assertIn("reloaded", hang_up(gateway))
        failure(grpc.StatusCode.UNAUTHENTICATED, lambda **_: list(stream))
        self.assertEqual(kept.sock.recv(1), b"")
        self.assertEqual((ask(first), ask(second)), ([None, None], [200, 1]))
        self.assertEqual(
            [(line["transport"], line["caller"]) for line in gateway.calls(6)],
            [(kind, name) for name in ("camera-1", "camera-1", "camera-2") for kind in ("http", "grpc")],
        )
