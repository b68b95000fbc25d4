"""The files of Gateway/Deploy are valid for the tools that read them."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from scale_out.test_scale_out import Certificates
from support import PATIENCE, PHOTO, Engine, Gateway, Program, until

DEPLOY = pathlib.Path(__file__).resolve().parents[1] / "Deploy"


class DeployTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    @unittest.skipUnless(importlib.util.find_spec("kubernetes_validate"), "SKIPPED: needs kubernetes-validate of the Python index")
    def test_kubernetes_accepts_the_manifests(self):
        import kubernetes_validate
        import yaml
        kinds = []
        for document in yaml.safe_load_all((DEPLOY / "kubernetes/face-engine.yaml").read_text()):
            kubernetes_validate.validate(document, "1.30", strict=True)
            kinds.append(document["kind"])
        self.assertEqual(kinds, ["Deployment", "Service", "NetworkPolicy", "PodDisruptionBudget"])

    def test_the_dashboard_is_the_output_of_its_script(self):
        subprocess.run([sys.executable, DEPLOY / "grafana.py", "--check"], check=True)

    @unittest.skipUnless(shutil.which("nginx") and shutil.which("openssl"), "SKIPPED: needs nginx and openssl")
    def test_calls_go_through_nginx(self):
        certificates = Certificates(self.folder)
        for name in ("gateway", "front", "client"):
            certificates.sign(name)
        engine = Engine(self.folder)
        self.addCleanup(engine.stop)
        gateway = Gateway(
            engine.path, "--no-http", "--tls-certificate", self.folder / "gateway.crt", "--tls-key",
            self.folder / "gateway.key", "--client-ca", self.folder / "ca.pem")
        self.addCleanup(gateway.stop)
        text = (DEPLOY / "nginx.conf").read_text()
        for name in ("front.crt", "front.key", "client.crt", "client.key"):
            text = text.replace(f"/etc/nginx/{name}", str(self.folder / name))
        text = text.replace("/etc/nginx/gateways-ca.pem", str(self.folder / "ca.pem"))
        text = text.replace("10.0.0.1:50051", gateway.grpc).replace("listen 50051", f"listen unix:{self.folder}/front.sock")
        for other in ("2", "3"):
            text = text.replace(f"    server 10.0.0.{other}:50051 max_fails=2 fail_timeout=1s;\n", "")
        self.assertNotIn("10.0.0.", text)
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log stderr; events {{}} http {{ access_log off;\n"
            + "".join(f"{kind}_temp_path {self.folder}/{kind};\n"
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            + text + "}\n")
        proxy = Program("nginx", "-p", self.folder, "-e", "stderr", "-c", self.folder / "nginx.conf")
        self.addCleanup(proxy.stop)
        until(lambda: (self.folder / "front.sock").exists() or proxy.process.poll() is not None, "nginx's start")
        credentials = grpc.ssl_channel_credentials((self.folder / "ca.pem").read_bytes())
        with grpc.secure_channel(f"unix:{self.folder}/front.sock", credentials,
                                 options=[("grpc.ssl_target_name_override", "front")]) as channel:
            detector = services.DetectorStub(channel)
            image = messages.Image(encoded=PHOTO)
            answer = detector.Detect(messages.DetectRequest(image=image), timeout=PATIENCE)
            self.assertEqual(len(answer.faces), 1)
            start = messages.WatchRequest(start=messages.WatchStart(mode=messages.WatchStart.EVERY))
            frames = [messages.WatchRequest(frame=messages.WatchFrame(id=number, image=image)) for number in (1, 2, 3)]
            answers = list(detector.Watch(iter([start, *frames]), timeout=PATIENCE))
            self.assertEqual([(answer.id, len(answer.result.faces)) for answer in answers], [(1, 1), (2, 1), (3, 1)])


if __name__ == "__main__":
    unittest.main()
