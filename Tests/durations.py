"""How long each test takes, for unittest and for pytest. The slowest are printed at the end; where FACE_ENGINE_TEST_TIMES names a
file, a line `seconds<TAB>name` of each is added to that instead.

    durations.py NAME...      runs tests as python -m unittest NAME... does
"""

import os
import sys
import time
import unittest

FILE = os.environ.get("FACE_ENGINE_TEST_TIMES")
SLOWEST = 10


def slowest(times):
    """A line for each of the slowest of (seconds, name)."""
    return "".join(f"{seconds:8.2f} s  {name}\n" for seconds, name in sorted(times, reverse=True)[:SLOWEST])


class Times(list):
    """(seconds, name) of each test, unless they are written to the file."""

    def add(self, seconds, name):
        if not FILE:
            self.append((seconds, name))
            return
        with open(FILE, "a", encoding="utf-8") as file:
            file.write(f"{seconds:.3f}\t{name}\n")


class PytestTimes:
    """A plugin of pytest. A fixture's time is that of the test which is the first, or the last, to need it."""

    def __init__(self, folder):
        self.folder, self.times, self.seconds = folder, Times(), 0.0

    def pytest_runtest_logreport(self, report):
        self.seconds += report.duration
        if report.when == "teardown":
            self.times.add(self.seconds, self.folder + report.nodeid)
            self.seconds = 0.0

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.write(slowest(self.times))


class Result(unittest.TextTestResult):
    times = Times()

    def startTest(self, test):
        super().startTest(test)
        self.began = time.monotonic()

    def stopTest(self, test):
        self.times.add(time.monotonic() - self.began, test.id())
        super().stopTest(test)

    def printErrors(self):
        super().printErrors()
        self.stream.write(slowest(self.times))


class Runner(unittest.TextTestRunner):
    resultclass = Result


if __name__ == "__main__":
    sys.path[0] = os.getcwd()
    unittest.main(module=None, testRunner=Runner)
