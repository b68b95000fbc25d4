"""Damaged requests: some of them each time, or for FACE_FUZZ_SECONDS, a minute in long tests."""

import os
import random
import sys
import time

import fuzz
from support import LONG, GatewayCase, until

COUNT = 1000
# The gateway keeps its connections to the engine.
POOL = 20


class FuzzTests(GatewayCase):
    # As many requests as they can send.
    flags = ("--rate", "0")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.gateway.process.pid}/fd"))

    def test_damaged_requests_leave_the_gateway_as_it_was(self):
        seconds = float(os.environ.get("FACE_FUZZ_SECONDS", "60" if LONG else "0"))
        fuzzer = fuzz.Fuzzer(self.gateway, random.randrange(1 << 32) if seconds > 0 else 1)
        fuzzer.replay()
        fuzzer.run(COUNT)
        before, descriptors = self.gateway.resident(), self.descriptors()
        end = time.monotonic() + seconds
        while time.monotonic() < end and not fuzzer.findings:
            fuzzer.run(COUNT)
        print(f"\nfuzz: {dict(sorted(fuzzer.outcomes.items()))}", file=sys.stderr)
        self.assertIsNone(self.gateway.process.poll(), self.gateway.errors[-20:])
        self.assertEqual(fuzzer.findings, [])
        self.assertEqual(fuzz.converse(self.gateway.http_address, fuzz.HEALTH, 0)[:12], b"HTTP/1.1 200")
        until(lambda: self.descriptors() <= descriptors + POOL, "closing what was opened")
        self.assertLess(self.gateway.resident() - before, 64 << 20)
