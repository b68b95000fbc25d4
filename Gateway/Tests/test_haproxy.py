"""Streams through haproxy, as Gateway/Deploy configures it, before two gateways with an engine each: the status that
docs/scale-out.md promises when a stream ends.
"""

import pathlib
import shutil
import signal
import socket
import tempfile
import unittest

import grpc

import face_engine_pb2_grpc as services
from authority import Authority
from engine_calls import frame, start
from support import ROOT, Engine, Gateway, GatewayCase, Program, until

STREAMS = 6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@unittest.skipUnless(shutil.which("haproxy") and shutil.which("openssl"), "SKIPPED: needs haproxy and openssl")
class StatusTests(GatewayCase):
    @classmethod
    def setUpClass(cls):
        pass  # the gateways are those of each test

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.authority = Authority(self.folder, "gateway", "front", "client")
        self.engines, self.gateways = [], []
        for number in range(2):
            self.start_machine(number)
        self.start_proxy()
        channel = self.enterContext(
            grpc.secure_channel(
                self.address, self.authority.credentials(), options=[("grpc.ssl_target_name_override", "front")]
            )
        )
        self.detector = services.DetectorStub(channel)
        self.streams = [self.begin() for _ in range(STREAMS)]

    def start_machine(self, number):
        folder = self.folder / str(number)
        folder.mkdir()
        engine = Engine(folder)
        self.engines.append(engine)
        self.addCleanup(lambda: (engine.process.send_signal(signal.SIGCONT), engine.stop()))
        # All callers share the proxy's address.
        gateway = Gateway(
            engine.path,
            "--no-http",
            *self.authority.flags("gateway"),
            "--client-ca",
            self.authority.file,
            "--rate",
            "0",
            "--drain-delay",
            "1",
            "--drain-timeout",
            "2",
        )
        self.gateways.append(gateway)
        self.addCleanup(gateway.stop)

    def start_proxy(self):
        text = (ROOT / "Gateway/Deploy/haproxy.cfg").read_text()
        for name, path in (("front.pem", "front.pem"), ("gateways-ca.pem", "ca.pem"), ("client.pem", "client.pem")):
            text = text.replace(f"/etc/haproxy/{name}", str(self.folder / path))
        for number, gateway in enumerate(self.gateways, 1):
            text = text.replace(f"10.0.0.{number}:50051", gateway.grpc)
        text = text.replace("    server gateway3 10.0.0.3:50051 check tcp-ut 5s\n", "")
        self.assertNotIn("10.0.0.", text)
        self.address = f"127.0.0.1:{free_port()}"
        (self.folder / "haproxy.cfg").write_text(text.replace("bind :50051", f"bind {self.address}"))
        self.addCleanup(Program("haproxy", "-db", "-f", self.folder / "haproxy.cfg").stop, signal.SIGKILL)

    def begin(self):
        """The answers of a stream with an answered frame."""
        _, answers = self.begun(self.detector.Watch, start(), frame(1), wait_for_ready=True)
        self.addCleanup(answers.cancel)
        return answers

    def judge(self, *codes):
        """About half of the streams end, with one of these statuses: the other machine has the rest. Others can begin."""
        until(lambda: any(not answers.is_active() for answers in self.streams), "a stream's end")
        ended = [(answers.code(), answers.details()) for answers in self.streams if not answers.is_active()]
        self.assertLessEqual({code for code, _ in ended}, set(codes), ended)
        until(self.begins, "another stream")

    def begins(self):
        """Whether a stream begins: the balancer may not know yet who is gone."""
        try:
            return self.begin()
        except grpc.RpcError:
            return None

    def test_an_engine_dies(self):
        self.engines[0].stop(signal.SIGKILL)
        self.judge(grpc.StatusCode.UNAVAILABLE)

    def test_an_engine_hangs(self):
        self.engines[0].process.send_signal(signal.SIGSTOP)
        self.judge(grpc.StatusCode.UNAVAILABLE)

    def test_a_gateway_dies(self):
        """No gateway is left to say UNAVAILABLE: haproxy resets the streams."""
        self.gateways[0].stop(signal.SIGKILL)
        self.judge(grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)

    def test_a_gateway_drains(self):
        self.gateways[0].process.send_signal(signal.SIGTERM)
        self.judge(grpc.StatusCode.UNAVAILABLE)
