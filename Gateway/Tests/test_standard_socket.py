"""A gateway that is not told where the engine is, on a machine with an engine that runs as a system service: in a mount namespace with
a /run of its own."""

import subprocess
import unittest

from support import GATEWAY, PATIENCE, PHOTO, GatewayCase, Program, call, until

IN_ITS_OWN_RUN = ("unshare", "--mount", "bash", "-euc", """
    mount -t tmpfs tmpfs /run
    mkdir /run/face-engine
    ln -s "$1" /run/face-engine/face-engine.sock
    unset XDG_RUNTIME_DIR
    exec "${@:2}" """, "test")


@unittest.skipUnless(subprocess.run([*IN_ITS_OWN_RUN, "/none", "true"], capture_output=True).returncode == 0,
                     "SKIPPED: needs a mount namespace")
class StandardSocketTests(unittest.TestCase):
    def test_the_services_engine_is_found(self):
        engine = GatewayCase.shared or GatewayCase.share()
        gateway = self.enterContext(Program(*IN_ITS_OWN_RUN, engine.path, GATEWAY, "--no-grpc", "--http", "127.0.0.1:0"))
        host, port = gateway.said(r"http listens at (\S+)")[1].rsplit(":", 1)
        address = host, int(port)
        until(lambda: call(address, "GET", "/readyz")[0] == 200, "the engine's answer")
        status, found = call(address, "POST", "/v1/detect", PHOTO)
        self.assertEqual((status, found.count(b'"box"')), (200, 1))

    def test_without_an_engine_both_places_are_named(self):
        done = subprocess.run([*IN_ITS_OWN_RUN, "/none", "env", "XDG_RUNTIME_DIR=/none", GATEWAY],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("XDG_RUNTIME_DIR", done.stderr)
        self.assertIn("/run/face-engine/face-engine.sock", done.stderr)
