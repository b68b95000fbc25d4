"""A third-party client besides Python's, whose gRPC is that of C++: gRPC of Go."""

import json
import pathlib
import subprocess

import grpc

from support import PATIENCE, ROOT, GatewayCase

HERE = pathlib.Path(__file__).parent / "clients"
BUILD = ROOT / "Gateway/.build/clients"
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"


class GoTests(GatewayCase):
    def test_go(self):
        BUILD.mkdir(parents=True, exist_ok=True)
        program = BUILD / "go"
        built = subprocess.run([HERE / "build.sh", program], capture_output=True, text=True, timeout=20 * PATIENCE)
        if built.returncode == 77:
            self.skipTest(built.stderr.strip())
        self.assertEqual(built.returncode, 0, built.stderr)
        called = subprocess.run(
            [program, self.gateway.grpc, PHOTO], capture_output=True, text=True, timeout=5 * PATIENCE
        )
        self.assertEqual(called.returncode, 0, called.stderr)
        codes = {"invalid": "INVALID_ARGUMENT", "late": "DEADLINE_EXCEEDED", "large": "RESOURCE_EXHAUSTED"}
        self.assertEqual(
            json.loads(called.stdout),
            {
                "faces": 1,
                "details": 1,
                "ids": list(range(1, 9)),
                "ended": 0,
                "healthy": 1000,
                **{name: grpc.StatusCode[code].value[0] for name, code in codes.items()},
            },
        )
