"""What decides in the gateway, without sockets: short runs of `make simulate SCENARIO=gateway`."""

import subprocess
import unittest

from support import ROOT

SIMULATE = ROOT / "Gateway/.build/release/simulate-gateway"


def simulate(seed, events):
    run = subprocess.run([SIMULATE, str(seed), str(events)], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


class SimulationTests(unittest.TestCase):
    """A finding names its seed: `make simulate` replays it."""

    def test_nothing_is_found(self):
        for seed in (1, 1_000_000):  # not a random one, which might fail by chance; `make simulate` has those
            status, text = simulate(seed, 40_000)
            self.assertEqual(status, 0, text)

    def test_a_seed_gives_the_same_events(self):
        def ends():
            status, text = simulate(5, 4000)
            self.assertEqual(status, 0, text)
            return text.partition("; ")[2].partition(" in ")[0]

        first = ends()
        self.assertRegex(first, r"^\d+ answers")
        self.assertEqual(first, ends())


if __name__ == "__main__":
    unittest.main()
