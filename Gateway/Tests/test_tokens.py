"""Who calls, by tokens and certificates, and how their files are read anew while the gateway serves."""

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
from support import PATIENCE, PHOTO, Gateway, GatewayCase, Sent, until
from test_safety import refusal

FIRST = "the-first-token-0123456789"
SECOND = "the-second-token-0123456789"
THIRD = "AbC123-._~+/xyz=="


def write(path, text):
    """Replaces a file as careful programs do: by renaming another one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def link(target, path):
    """Makes a link, or replaces one by renaming another one."""
    os.symlink(target, path + ".new")
    os.replace(path + ".new", path)


def make_pair(folder, certificate="tls.crt", key="tls.key", name="localhost"):
    """Makes a certificate of this machine that is its own authority, with its key."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-keyout", key, "-out", certificate, "-subj", f"/O=Kiosks/CN={name}",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-addext", "keyUsage=digitalSignature,keyCertSign"], cwd=folder, check=True, capture_output=True)
    return os.path.join(folder, certificate), os.path.join(folder, key)


def served(address, protocol, mine=None):
    """The certificate that a new connection gets, as DER."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols([protocol])
    if mine:
        context.load_cert_chain(*mine)
    with socket.create_connection(address, timeout=PATIENCE) as connection, \
            context.wrap_socket(connection, server_hostname="localhost") as client:
        return client.getpeercert(binary_form=True)


def der(path):
    with open(path, encoding="ascii") as file:
        return ssl.PEM_cert_to_DER_cert(file.read())


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


ANSWERS = ("reloaded", "keeps its tokens", "has no files")


def hang_up(gateway):
    """Has a gateway read its files anew, and returns what it says about that."""
    seen = len(gateway.errors)
    os.kill(gateway.process.pid, signal.SIGHUP)
    return until(lambda: next((line for line in gateway.errors[seen:] if any(word in line for word in ANSWERS)), None),
                 "an answer to SIGHUP")


class TokenCalls(GatewayCase):
    """Calls with tokens, and what is logged of them."""

    def ask(self, authorization, gateway=None):
        """The HTTP status of a small call."""
        headers = {} if authorization is None else {"Authorization": authorization}
        return self.http("GET", "/metrics", None, headers, gateway=gateway)[0]

    def ask_grpc(self, authorization, gateway=None):
        """The code of a small call."""
        with grpc.insecure_channel((gateway or self.gateway).grpc) as channel:
            try:
                self.detect(channel, metadata=[] if authorization is None else [("authorization", authorization)])
                return grpc.StatusCode.OK
            except grpc.RpcError as error:
                return error.code()

    def logged(self, gateway, count):
        """The first lines of the log."""
        return until(lambda: len(gateway.lines) >= count and [json.loads(line) for line in list(gateway.lines)], f"{count} lines")


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
            for flags, word in [
                ((certificate, other), "does not belong to the certificate"),
                ((key, key), "has no PEM certificates"), ((empty, key), "has no PEM certificates"),
                ((certificate, certificate), "has no PEM private key"), ((certificate, empty), "has no PEM private key"),
            ]:
                with self.subTest(flags):
                    code, words = refusal("--tls-certificate", flags[0], "--tls-key", flags[1])
                    self.assertNotEqual(code, 0)
                    self.assertIn(word, words)
            code, words = refusal("--tls-certificate", certificate, "--tls-key", key, "--client-ca", empty)
            self.assertNotEqual(code, 0)
            self.assertIn("has no PEM certificates", words)


class NameTests(TokenCalls):
    @classmethod
    def setUpClass(cls):
        cls.file = tempfile.NamedTemporaryFile("w")
        cls.file.write(f"# callers of the hall\r\n\r\nkiosk: {FIRST}\r\n\tdoor.2 :{SECOND}  \n   # and one without a name\n{THIRD}")
        cls.file.flush()
        cls.flags = ("--token-file", cls.file.name)
        super().setUpClass()

    def test_each_token_is_logged_by_its_name(self):
        gateway = self.enterContext(Gateway(self.engine.path, *self.flags))
        for token in (FIRST, SECOND, THIRD):
            self.assertEqual(self.ask(f"Bearer {token}", gateway), 200)
            self.assertEqual(self.ask_grpc(f"Bearer {token}", gateway), grpc.StatusCode.OK)
        self.assertEqual(self.ask("Bearer " + "x" * len(FIRST), gateway), 401)
        self.assertEqual(self.http("GET", "/healthz", None, gateway=gateway)[0], 200)
        lines = self.logged(gateway, 8)
        self.assertEqual(sorted((line["transport"], line.get("caller", "-")) for line in lines), sorted(
            [(transport, name) for transport in ("http", "grpc") for name in ("kiosk", "door.2", "line-6")] + [("http", "-")] * 2))
        self.assertNotIn("-token-", "".join(gateway.lines + gateway.errors))

    def test_the_scheme_may_have_any_case_and_more_spaces(self):
        for scheme in ("Bearer ", "bearer ", "BEARER ", "bEaReR    "):
            with self.subTest(scheme):
                self.assertEqual(self.ask(scheme + FIRST), 200)
                self.assertEqual(self.ask_grpc(scheme + FIRST), grpc.StatusCode.OK)

    def test_what_is_almost_a_token_is_refused(self):
        for header in (None, "", "Bearer", "Bearer ", f"Bearer{FIRST}", f"Bearer\t{FIRST}", f"Basic {FIRST}", f"Bearer {FIRST[:-1]}",
                       f"Bearer {FIRST}x", f"Bearer {FIRST.upper()}", f"Bearer kiosk: {FIRST}", f"Bearer {FIRST}, Bearer {FIRST}",
                       "Bearer # callers of the hall", FIRST, "Bearer " + FIRST[::-1]):
            with self.subTest(header):
                self.assertEqual(self.ask(header), 401)
                # gRPC's library sends no other white space.
                if header is None or header == " ".join(header.split()):
                    self.assertEqual(self.ask_grpc(header), grpc.StatusCode.UNAUTHENTICATED)

    def test_the_log_says_whose_calls_are_too_many(self):
        gateway = self.enterContext(Gateway(self.engine.path, *self.flags, "--rate", "1"))
        statuses = [self.ask(f"Bearer {FIRST}", gateway) for _ in range(10)]
        self.assertIn(429, statuses)
        refused = [line for line in self.logged(gateway, 10) if line["status"] == 429]
        self.assertEqual({line.get("caller") for line in refused}, {"kiosk"})


class ReloadedTokenTests(TokenCalls):
    def start(self, text):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "tokens")
        write(path, text)
        gateway = self.enterContext(Gateway(self.engine.path, "--token-file", path))
        return path, gateway

    def test_new_tokens_replace_the_old_ones(self):
        path, gateway = self.start(f"kiosk: {FIRST}\n")
        write(path, f"kiosk: {SECOND}\ndoor: {THIRD}\n")
        self.assertEqual(self.ask(f"Bearer {FIRST}", gateway), 200, "nothing was read before SIGHUP")
        self.assertIn("reloaded tokens and certificates", hang_up(gateway))
        for token, status, code in [(FIRST, 401, grpc.StatusCode.UNAUTHENTICATED), (SECOND, 200, grpc.StatusCode.OK),
                                    (THIRD, 200, grpc.StatusCode.OK)]:
            self.assertEqual(self.ask(f"Bearer {token}", gateway), status)
            self.assertEqual(self.ask_grpc(f"Bearer {token}", gateway), code)

    def test_streams_end_with_their_token(self):
        path, gateway = self.start(f"kiosk: {FIRST}\ndoor: {SECOND}\n")
        frame = messages.WatchFrame(id=1, image=messages.Image(encoded=PHOTO))
        tensor = inference.ModelInferRequest.InferInputTensor(name="image", datatype="BYTES", shape=[1])
        infer = inference.ModelInferRequest(
            model_name="faces", inputs=[tensor], raw_input_contents=[struct.pack("<I", len(PHOTO)) + PHOTO])
        with grpc.insecure_channel(gateway.grpc) as channel:
            detector, models = services.DetectorStub(channel), service_pb2_grpc.GRPCInferenceServiceStub(channel)
            watch = [messages.WatchRequest(start=messages.WatchStart(mode=1)), messages.WatchRequest(frame=frame)]
            check = [messages.WatchRequest(start=messages.WatchStart(mode=1, check=messages.CheckOptions())), watch[1]]
            for name, method, requests in [("Watch", detector.Watch, watch), ("Check", detector.Check, check),
                                           ("ModelStreamInfer", models.ModelStreamInfer, [infer])]:
                with self.subTest(name):
                    write(path, f"kiosk: {FIRST}\ndoor: {SECOND}\n")
                    hang_up(gateway)
                    streams = []
                    for token in (FIRST, SECOND):
                        sent = Sent()
                        self.addCleanup(sent.close)
                        for request in requests:
                            sent.send(request)
                        stream = method(sent, metadata=[("authorization", f"Bearer {token}")], timeout=PATIENCE)
                        next(stream)
                        streams.append((sent, stream))
                    write(path, f"door: {SECOND}\n")
                    self.assertIn("reloaded", hang_up(gateway))
                    with self.assertRaises(grpc.RpcError) as caught:
                        list(streams[0][1])
                    self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)
                    # The other one continues.
                    streams[1][0].send(requests[-1])
                    next(streams[1][1])
                    streams[1][0].close()
                    list(streams[1][1])

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
                    messages.DetectRequest(image=messages.Image(encoded=PHOTO)), timeout=PATIENCE, metadata=metadata)
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
        status, _, body = self.http("POST", "/v1/sessions", json.dumps({"kind": kind}), bearer(token), gateway=gateway)
        self.assertEqual(status, 201, body)
        return json.loads(body)

    def frame(self, gateway, session):
        return self.http("POST", f"/v1/sessions/{session['id']}/frames", PHOTO, bearer(session["token"]), gateway=gateway)[0]

    def start(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "tokens")
        write(path, f"kiosk: {FIRST}\ndoor: {SECOND}\n")
        gateway = self.enterContext(Gateway(self.engine.path, "--token-file", path))
        return gateway, path

    def test_calls_with_a_sessions_token_are_logged_by_its_opener(self):
        gateway, _ = self.start()
        session = self.open(gateway, FIRST)
        self.assertEqual(self.frame(gateway, session), 200)
        self.http("DELETE", f"/v1/sessions/{session['id']}", None, bearer(SECOND), gateway=gateway)
        lines = self.logged(gateway, 3)
        self.assertEqual([(line["caller"], line.get("session")) for line in lines],
                         [("kiosk", None), ("kiosk", True), ("door", None)])

    def test_sessions_end_with_the_token_that_opened_them(self):
        gateway, path = self.start()
        ended, kept = self.open(gateway, FIRST, "check"), self.open(gateway, SECOND)
        self.assertEqual([self.frame(gateway, session) for session in (ended, kept)], [200, 200])
        write(path, f"door: {SECOND}\n")
        self.assertIn("reloaded", hang_up(gateway))
        self.assertEqual([self.frame(gateway, session) for session in (ended, kept)], [401, 200])

        def values():
            text = self.http("GET", "/metrics", None, bearer(SECOND), gateway=gateway)[2].decode()
            return [line for line in text.splitlines() if line.startswith(("face_gateway_sessions ", "face_gateway_checks "))]
        until(lambda: values() == ["face_gateway_sessions 1", "face_gateway_checks 0"], "the end of the session and its check")
        self.assertEqual(self.frame(gateway, kept), 200)

    def test_sessions_end_with_a_secret_that_is_replaced_under_its_name(self):
        gateway, path = self.start()
        session = self.open(gateway, FIRST)
        write(path, f"kiosk: {THIRD}\n")
        self.assertIn("reloaded", hang_up(gateway))
        self.assertEqual(self.frame(gateway, session), 401)


class ReloadedCertificateTests(GatewayCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.place = folder

    def start(self, certificate, key, *flags):
        return self.enterContext(Gateway(self.engine.path, "--tls-certificate", certificate, "--tls-key", key, *flags))

    def assert_served(self, gateway, certificate):
        self.assertEqual(served(gateway.http_address, "http/1.1"), der(certificate))
        self.assertEqual(served(gateway.grpc_address, "h2"), der(certificate))

    def assert_replaced(self, gateway, old, replace):
        """Replaces the certificate: new connections get the new one, and those that were there go on."""
        self.assert_served(gateway, old)
        with open(old, "rb") as file:
            trusted = file.read()
        before = http.client.HTTPSConnection("localhost", gateway.http_address[1], timeout=PATIENCE,
                                             context=ssl.create_default_context(cadata=trusted.decode()))
        channel = grpc.secure_channel(gateway.grpc, grpc.ssl_channel_credentials(trusted))
        self.addCleanup(before.close)
        self.addCleanup(channel.close)

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

    def test_files_that_are_renamed(self):
        old, _ = make_pair(os.path.join(self.place, "old"))
        current = os.path.join(self.place, "current")
        shutil.copytree(os.path.join(self.place, "old"), current)
        certificate, key = os.path.join(current, "tls.crt"), os.path.join(current, "tls.key")

        def replace():
            new, new_key = make_pair(os.path.join(self.place, "new"))
            shutil.copy(new, certificate + ".new")
            shutil.copy(new_key, key + ".new")
            os.replace(certificate + ".new", certificate)
            os.replace(key + ".new", key)
            return new
        self.assert_replaced(self.start(certificate, key), old, replace)

    def test_links_to_an_archive(self):
        """As certbot has them: live/NAME/fullchain.pem leads to ../../archive/NAME/fullchain1.pem, then to fullchain2.pem."""
        archive, live = os.path.join(self.place, "archive/localhost"), os.path.join(self.place, "live/localhost")
        os.makedirs(live)
        old, _ = make_pair(archive, "fullchain1.pem", "privkey1.pem")
        for name in ("fullchain", "privkey"):
            link(f"../../archive/localhost/{name}1.pem", os.path.join(live, f"{name}.pem"))

        def replace():
            new, _ = make_pair(archive, "fullchain2.pem", "privkey2.pem")
            for name in ("fullchain", "privkey"):
                link(f"../../archive/localhost/{name}2.pem", os.path.join(live, f"{name}.pem"))
            return new
        self.assert_replaced(self.start(os.path.join(live, "fullchain.pem"), os.path.join(live, "privkey.pem")), old, replace)

    def test_a_folder_of_a_secret(self):
        """As Kubernetes has it: tls.crt leads to ..data/tls.crt, and ..data to a folder with a time in its name."""
        old, _ = make_pair(os.path.join(self.place, "..2026_11_24_1"))
        link("..2026_11_24_1", os.path.join(self.place, "..data"))
        for name in ("tls.crt", "tls.key"):
            link(f"..data/{name}", os.path.join(self.place, name))

        def replace():
            new, _ = make_pair(os.path.join(self.place, "..2026_11_24_2"))
            link("..2026_11_24_2", os.path.join(self.place, "..data"))
            return new
        certificate, key = os.path.join(self.place, "tls.crt"), os.path.join(self.place, "tls.key")
        self.assert_replaced(self.start(certificate, key), old, replace)

    def test_a_link_to_the_folder_of_the_moment(self):
        old, _ = make_pair(os.path.join(self.place, "1"))
        current = os.path.join(self.place, "current")
        link("1", current)

        def replace():
            new, _ = make_pair(os.path.join(self.place, "2"))
            link("2", current)
            return new
        self.assert_replaced(self.start(os.path.join(current, "tls.crt"), os.path.join(current, "tls.key")), old, replace)

    def test_a_wrong_file_changes_nothing(self):
        certificate, key = make_pair(self.place)
        gateway = self.start(certificate, key)
        first = der(certificate)
        other, other_key = make_pair(os.path.join(self.place, "other"))
        for path, text, words in [(certificate, "nonsense", "has no PEM certificates"), (key, "", "has no PEM private key")]:
            with self.subTest(words):
                with open(path, encoding="ascii") as file:
                    right = file.read()
                write(path, text)
                self.assertIn(words, hang_up(gateway))
                write(path, right)
        with open(other, encoding="ascii") as file:
            write(certificate, file.read())
        self.assertIn("does not belong to the certificate", hang_up(gateway))
        self.assertEqual(served(gateway.http_address, "http/1.1"), first)
        self.assertEqual(served(gateway.grpc_address, "h2"), first)
        # The key of the new certificate comes, too.
        with open(other_key, encoding="ascii") as file:
            write(key, file.read())
        self.assertIn("reloaded", hang_up(gateway))
        self.assert_served(gateway, other)

    def test_new_authorities_of_clients(self):
        certificate, key = make_pair(self.place)
        first, second = make_pair(self.place, "1.crt", "1.key", "camera-1"), make_pair(self.place, "2.crt", "2.key", "camera-2")
        authority = os.path.join(self.place, "clients.pem")
        shutil.copy(first[0], authority)
        gateway = self.start(certificate, key, "--client-ca", authority)

        def ask(mine):
            context = ssl.create_default_context(cafile=certificate)
            context.load_cert_chain(*mine)
            try:
                return self.http("GET", "/metrics", None, gateway=gateway, context=context)[0]
            except (OSError, http.client.HTTPException):
                return None

        def ask_grpc(mine):
            texts = []
            for path in (certificate, mine[1], mine[0]):
                with open(path, "rb") as file:
                    texts.append(file.read())
            with grpc.secure_channel(gateway.grpc, grpc.ssl_channel_credentials(*texts)) as channel:
                try:
                    return len(self.detect(channel).faces)
                except grpc.RpcError:
                    return None
        self.assertEqual((ask(first), ask_grpc(first), ask(second), ask_grpc(second)), (200, 1, None, None))
        # Connections that are open when the authorities change.
        context = ssl.create_default_context(cafile=certificate)
        context.load_cert_chain(*first)
        kept = http.client.HTTPSConnection("localhost", gateway.http_address[1], timeout=PATIENCE, context=context)
        self.addCleanup(kept.close)
        kept.request("GET", "/healthz")
        kept.getresponse().read()
        sent = Sent()
        self.addCleanup(sent.close)
        sent.send(messages.WatchRequest(start=messages.WatchStart(mode=1)))
        sent.send(messages.WatchRequest(frame=messages.WatchFrame(id=1, image=messages.Image(encoded=PHOTO))))
        channel = self.enterContext(grpc.secure_channel(gateway.grpc, grpc.ssl_channel_credentials(
            *[pathlib.Path(each).read_bytes() for each in (certificate, first[1], first[0])])))
        stream = services.DetectorStub(channel).Watch(sent, timeout=PATIENCE)
        next(stream)
        with open(second[0], encoding="ascii") as file:
            write(authority, file.read())
        self.assertIn("reloaded", hang_up(gateway))
        with self.assertRaises(grpc.RpcError) as caught:
            list(stream)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)
        self.assertEqual(kept.sock.recv(1), b"")
        self.assertEqual((ask(first), ask_grpc(first), ask(second), ask_grpc(second)), (None, None, 200, 1))
        lines = until(lambda: len(gateway.lines) >= 6 and [json.loads(line) for line in list(gateway.lines)], "six lines")
        self.assertEqual([(line["transport"], line["caller"]) for line in lines],
                         [("http", "camera-1"), ("grpc", "camera-1"), ("http", "camera-1"), ("grpc", "camera-1"),
                          ("http", "camera-2"), ("grpc", "camera-2")])
