"""The files of Gateway/Deploy are valid for the tools that read them, and what they start can be called as they say."""

import concurrent.futures
import importlib.util
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
from authority import Authority
from engine_calls import frame, start
from support import ENGINE, GATEWAY, PATIENCE, PHOTO, ROOT, Engine, Gateway, Program, Sent, ask, failure, until

DEPLOY = pathlib.Path(__file__).resolve().parents[1] / "Deploy"


class DeployTests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    @unittest.skipUnless(
        importlib.util.find_spec("kubernetes_validate"), "SKIPPED: needs kubernetes-validate of the Python index"
    )
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
        authority = Authority(self.folder, "gateway", "front", "client")
        engine = self.enterContext(Engine(self.folder))
        gateway = self.enterContext(
            Gateway(engine.path, "--no-http", *authority.flags("gateway"), "--client-ca", authority.file)
        )
        text = (DEPLOY / "nginx.conf").read_text()
        for name in ("front.crt", "front.key", "client.crt", "client.key"):
            text = text.replace(f"/etc/nginx/{name}", str(self.folder / name))
        text = text.replace("/etc/nginx/gateways-ca.pem", str(self.folder / "ca.pem"))
        text = text.replace("10.0.0.1:50051", gateway.grpc).replace(
            "listen 50051", f"listen unix:{self.folder}/front.sock"
        )
        for other in ("2", "3"):
            text = text.replace(f"    server 10.0.0.{other}:50051 max_fails=2 fail_timeout=1s;\n", "")
        self.assertNotIn("10.0.0.", text)
        (self.folder / "nginx.conf").write_text(
            f"daemon off; pid {self.folder}/pid; error_log stderr; events {{}} http {{ access_log off;\n"
            + "".join(
                f"{kind}_temp_path {self.folder}/{kind};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            + text
            + "}\n"
        )
        proxy = self.enterContext(Program("nginx", "-p", self.folder, "-e", "stderr", "-c", self.folder / "nginx.conf"))
        until(lambda: (self.folder / "front.sock").exists() or proxy.process.poll() is not None, "nginx's start")
        with grpc.secure_channel(
            f"unix:{self.folder}/front.sock",
            authority.credentials(),
            options=[("grpc.ssl_target_name_override", "front")],
        ) as channel:
            answers = list(
                services.DetectorStub(channel).Watch(iter([start(), *map(frame, (1, 2, 3))]), timeout=PATIENCE)
            )
            self.assertEqual([(answer.id, len(answer.result.faces)) for answer in answers], [(1, 1), (2, 1), (3, 1)])


@unittest.skipUnless(importlib.util.find_spec("yaml"), "SKIPPED: needs pyyaml of the Python index")
class KubernetesTests(unittest.TestCase):
    """A pod of the manifest: an engine and a gateway with its arguments, where the socket's path and the ports are others."""

    NAMESPACE = "kiosks"
    SOCKET = "/run/face-engine/face-engine.sock"

    @classmethod
    def setUpClass(cls):
        import yaml

        cls.documents = {
            document["kind"]: document
            for document in yaml.safe_load_all((DEPLOY / "kubernetes/face-engine.yaml").read_text())
        }
        cls.pod = cls.documents["Deployment"]["spec"]["template"]
        cls.container = {container["name"]: container for container in cls.pod["spec"]["containers"]}
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        command, *flags = cls.arguments("engine")
        assert command == "serve", command
        flags = [flag for flag in flags if flag != f"--socket={cls.SOCKET}"]
        assert len(flags) == len(cls.arguments("engine")) - 2, "the engine listens where the pod's socket is not"
        cls.engine = cls.enterClassContext(Engine(folder, *flags))
        flags = []
        for flag in cls.arguments("gateway"):
            flag, _ = re.subn(rf"^--socket={cls.SOCKET}$", f"--socket={cls.engine.path}", flag)
            flag, _ = re.subn(r"^(--(?:http|grpc)=.+):\d+$", r"\1:0", flag)
            flags.append(flag)
        cls.gateway = cls.enterClassContext(Program(GATEWAY, *flags))
        # By the port of the manifest, that which it is here.
        cls.port = {
            cls.named("grpc"): int(cls.gateway.said(r"grpc listens at 0\.0\.0\.0:(\d+)")[1]),
            cls.named("http"): int(cls.gateway.said(r"http listens at 0\.0\.0\.0:(\d+)")[1]),
        }
        cls.address = cls.pod_address()

    @classmethod
    def arguments(cls, name):
        """A container's arguments as Kubernetes passes them on: with the values of its own environment."""
        values = {}
        for variable in cls.container[name].get("env", []):
            field = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            values[variable["name"]] = cls.NAMESPACE if field == "metadata.namespace" else variable["value"]
        # What is not in the environment stays as it is.
        return [
            re.sub(r"\$\((\w+)\)", lambda found: values.get(found[1], found[0]), argument)
            for argument in cls.container[name]["args"]
        ]

    @classmethod
    def named(cls, port):
        """The number of a port of the gateway's container, which has a name there."""
        if isinstance(port, int):
            return port
        [found] = [each["containerPort"] for each in cls.container["gateway"]["ports"] if each["name"] == port]
        return found

    @staticmethod
    def pod_address():
        """An address of this machine that is not one that the gateway knows as its own."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect(("192.0.2.1", 9))  # sends nothing
            except OSError:
                return "127.0.0.2"
            return probe.getsockname()[0]

    def http(self, method, path, host, body=None, port="http", headers=None):
        """The status and the text of an answer from the pod's address."""
        status, _, answer = ask(
            (self.address, self.port[self.named(port)]), method, path, body, {"Host": host, **(headers or {})}
        )
        return status, answer.decode()

    def channel(self, port="grpc"):
        return self.enterContext(grpc.insecure_channel(f"127.0.0.1:{self.port[self.named(port)]}"))

    def test_the_gateway_listens_at_the_ports_that_are_named(self):
        for name in ("http", "grpc"):
            self.assertIn(f"--{name}=0.0.0.0:{self.named(name)}", self.arguments("gateway"))
            [port] = [port for port in self.documents["Service"]["spec"]["ports"] if port["name"] == name]
            self.assertEqual(self.named(port["targetPort"]), self.named(name))

    def test_each_image_is_built_by_a_container_file(self):
        built = {}
        for file in (ROOT / "Tools/package/container").glob("Containerfile*"):
            text = file.read_text()
            [(of, name)] = re.findall(r"podman build -f (\S+) -t (\S+) \.$", text, re.MULTILINE)
            self.assertEqual(ROOT / of, file)
            built[name] = json.loads(re.search(r"^ENTRYPOINT (.*)$", text, re.MULTILINE)[1])
        for container in self.container.values():
            name = container["image"].split(":")[0]
            self.assertEqual(container.get("command", built[name]), built[name])

    def test_the_service_is_called_by_each_of_its_names(self):
        service = self.documents["Service"]
        name = service["metadata"]["name"]
        [port] = [port["port"] for port in service["spec"]["ports"] if port["name"] == "http"]
        for end in ("", f".{self.NAMESPACE}", f".{self.NAMESPACE}.svc", f".{self.NAMESPACE}.svc.cluster.local"):
            with self.subTest(name + end):
                status, text = self.http("POST", "/v1/detect", f"{name}{end}:{port}", PHOTO)
                self.assertEqual((status, text.count('"box"')), (200, 1), text)
                self.assertEqual(self.http("GET", "/healthz", f"{name}{end}")[0], 200)
        for other in ("evil.example", f"{name}.evil.example", f"{name}.others.svc.cluster.local"):
            with self.subTest(other):
                self.assertEqual(self.http("GET", "/healthz", f"{other}:{port}")[0], 403)

    def test_probes_are_answered_by_address(self):
        kinds = []
        for name in ("startupProbe", "readinessProbe", "livenessProbe"):
            probe = self.container["gateway"][name]
            kinds.append("grpc" if "grpc" in probe else "http")
            with self.subTest(name):
                if "grpc" in probe:
                    request = health_pb2.HealthCheckRequest(service=probe["grpc"].get("service", ""))
                    answer = health_pb2_grpc.HealthStub(self.channel(probe["grpc"]["port"])).Check(
                        request, timeout=PATIENCE
                    )
                    self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
                else:
                    # The kubelet's, unless the manifest says otherwise. Needs a gateway that takes any address as its
                    # host.
                    port = self.named(probe["httpGet"]["port"])
                    headers = {header["name"]: header["value"] for header in probe["httpGet"].get("httpHeaders", [])}
                    host = headers.pop("Host", f"{self.address}:{port}")
                    status, text = self.http("GET", probe["httpGet"]["path"], host, port=port, headers=headers)
                    self.assertEqual(status, 200, text)
        self.assertEqual(kinds, ["grpc", "grpc", "http"])
        status, text = self.http("GET", "/readyz", f"{self.address}:{self.named('http')}")
        self.assertEqual(status, 200, text)

    def test_the_engines_probes_notice_one_that_hangs(self):
        engine = self.container["engine"]
        containerfile = (ROOT / "Tools/package/container/Containerfile").read_text()
        for name in ("startupProbe", "livenessProbe"):
            probe = engine[name]
            command, *flags = probe["exec"]["command"]
            self.assertIn(f'ENTRYPOINT ["{command}"]', containerfile)
            flags = [re.sub(rf"^--socket={self.SOCKET}$", f"--socket={self.engine.path}", flag) for flag in flags]

            def code():
                # As the kubelet has it: a probe that takes longer fails.
                return subprocess.run([ENGINE, *flags], timeout=probe["timeoutSeconds"], capture_output=True).returncode

            with self.subTest(name):
                self.assertEqual(code(), 0)
        self.addCleanup(until, lambda: self.http("GET", "/readyz", self.address)[0] == 200, "the engine's return")
        self.addCleanup(self.engine.process.send_signal, signal.SIGCONT)
        self.engine.process.send_signal(signal.SIGSTOP)
        self.assertEqual(code(), 1)
        until(lambda: self.http("GET", "/readyz", self.address)[0] == 503, "the gateway's notice")
        # The gateway's container is not started again for it.
        self.assertEqual(
            self.http("GET", self.container["gateway"]["livenessProbe"]["httpGet"]["path"], self.address)[0], 200
        )

    def test_prometheus_scrapes_by_address(self):
        """As the annotations say. Needs a gateway that takes any address as its host."""
        notes = self.pod["metadata"]["annotations"]
        self.assertEqual(notes["prometheus.io/scrape"], "true")
        port = int(notes["prometheus.io/port"])
        status, text = self.http(
            "GET",
            notes["prometheus.io/path"],
            f"{self.address}:{port}",
            port=port,
            headers={
                "Accept": "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"
            },
        )
        self.assertEqual(status, 200, text)
        self.assertIn("face_engine_up 1\n", text)

    def test_the_policy_lets_clients_and_monitoring_in(self):
        spec = self.documents["NetworkPolicy"]["spec"]
        labels = self.pod["metadata"]["labels"]
        self.assertLessEqual(spec["podSelector"]["matchLabels"].items(), labels.items())

        def selects(selector, labels):
            self.assertEqual(list(selector), ["matchLabels"])
            return selector["matchLabels"].items() <= labels.items()

        def admits(namespace, pod, port):
            for rule in spec["ingress"]:
                if port not in [each["port"] for each in rule["ports"]]:
                    continue
                for peer in rule["from"]:
                    space = {"kubernetes.io/metadata.name": namespace}
                    # Without a selector the policy's own namespace is meant.
                    own = {"matchLabels": {"kubernetes.io/metadata.name": self.NAMESPACE}}
                    if selects(peer.get("namespaceSelector", own), space) and selects(peer["podSelector"], pod):
                        return True
            return False

        client, prometheus = (
            {"face-engine/client": "true", "app": "kiosk"},
            {"app.kubernetes.io/name": "prometheus", "app": "x"},
        )
        for namespace, pod, ports in [
            (self.NAMESPACE, client, {"grpc", "http"}),
            ("monitoring", prometheus, {"http"}),
            (self.NAMESPACE, {"app": "x"}, set()),
            ("others", client, set()),
            ("monitoring", {"app": "x"}, set()),
            ("others", prometheus, set()),
        ]:
            with self.subTest(namespace=namespace, pod=pod):
                self.assertEqual({port for port in ("grpc", "http") if admits(namespace, pod, port)}, ports)

    def test_sixty_four_guided_checks_at_a_time(self):
        detector = services.DetectorStub(self.channel())

        def begin():
            sent = Sent(start(check=messages.CheckOptions()), frame(1))
            answers = detector.Check(sent, timeout=PATIENCE)
            self.addCleanup(lambda: (sent.close(), answers.cancel()))
            return answers

        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            for answer in pool.map(next, [begin() for _ in range(64)]):
                self.assertTrue(answer.HasField("check"), answer)
        # All of these are open, and there is none for a caller more.
        error = failure(grpc.StatusCode.RESOURCE_EXHAUSTED, lambda **_: next(begin()))
        self.assertIn("64 guided checks", error.details())
