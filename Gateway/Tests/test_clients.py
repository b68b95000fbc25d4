"""Third-party clients besides Python's, whose gRPC is that of C++: gRPC of Go, and KServe's."""

import json
import os
import pathlib
import subprocess

import grpc

from support import PATIENCE, ROOT, GatewayCase

HERE = pathlib.Path(__file__).parent / "clients"
BUILD = ROOT / "Gateway/.build/clients"
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"


def run(*command):
    """The JSON that a program printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=5 * PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


class GoTests(GatewayCase):
    def test_go(self):
        BUILD.mkdir(parents=True, exist_ok=True)
        program = BUILD / "go"
        built = subprocess.run([HERE / "build.sh", program], capture_output=True, text=True, timeout=20 * PATIENCE)
        if built.returncode == 77:
            self.skipTest(built.stderr.strip())
        self.assertEqual(built.returncode, 0, built.stderr)
        told = run(program, self.gateway.grpc, PHOTO)
        codes = {"invalid": "INVALID_ARGUMENT", "late": "DEADLINE_EXCEEDED", "large": "RESOURCE_EXHAUSTED"}
        self.assertEqual(told, {"faces": 1, "details": 1, "ids": list(range(1, 9)), "ended": 0, "healthy": 1000,
                                **{name: grpc.StatusCode[code].value[0] for name, code in codes.items()}})


class KServeTests(GatewayCase):
    def test_kserves_clients_find_the_face(self):
        python = os.environ.get("KSERVE_PYTHON")
        if not python:
            self.skipTest("there is no KServe: test.sh makes its environment from the package index with FACE_ENGINE_LONG_TESTS=1")
        told = run(python, HERE / "kserve_client.py", self.gateway.http, self.gateway.grpc, PHOTO)
        for transport in ("rest", "grpc"):
            with self.subTest(transport):
                found = told[transport]
                self.assertTrue(found["live"] and found["ready"] and found["model"], found)
                for name, counts in (("one", [1]), ("batch", [1, 1]), ("pixels", [1])):
                    self.assertEqual(found[name]["counts"], counts)
                    self.assertTrue(all(score > 0.8 for score in found[name]["scores"]), found)
