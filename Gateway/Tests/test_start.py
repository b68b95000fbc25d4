"""The sections of docs/start.md that call a gateway, as they are written: with an engine and a gateway of their own at the ports that
are written there, in a network of their own."""

import os
import shutil
import subprocess
import tempfile
import unittest

from support import ENGINE, GATEWAY, PATIENCE, ROOT


class StartTests(unittest.TestCase):
    def expect_seen(self, section):
        unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
        refused = subprocess.run([*unshare, "true"], capture_output=True, text=True)
        if refused.returncode != 0:
            self.skipTest(f"there is no network of its own to be had: {refused.stderr}")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ROOT / "Tests/start.py", section],
                cwd=folder, env={**os.environ, "PATH": f"{ENGINE.parent}:{GATEWAY.parent}:{os.environ['PATH']}"},
                capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_curl(self):
        self.expect_seen("curl")

    def test_node(self):
        if not shutil.which("node"):
            self.skipTest("there is no node; install the Debian package nodejs")
        self.expect_seen("Node")
