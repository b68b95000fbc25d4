"""Runs every test of the gateway: each module, and each file of the page's tests, in a process of its own, as many at a time as
there are processors. What one of them has printed is shown when it ends; then come the slowest tests, and how long each part took.
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from support import ROOT

sys.path.append(str(ROOT / "Tests"))
from durations import slowest  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
JOBS = len(os.sched_getaffinity(0))
# Those that take longest begin first, one that works and one that waits at a time.
FIRST = ["page/test_check.py", "test_http", "test_safety", "page/test_faces.py"]
# Seconds to end what it has started for a part that is interrupted.
GRACE = 20


class Part:
    """A process that runs tests, and all that these start."""

    def __init__(self, name, times):
        self.name = name
        self.output = tempfile.TemporaryFile()
        command = [sys.executable, ROOT / "Tests/durations.py", name]
        if name.startswith("page/"):
            command = [HERE / "test.sh", name, "-q"]
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [str(word) for word in command],
            cwd=HERE,
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "FACE_ENGINE_TEST_TIMES": str(times), "PYTHONUNBUFFERED": "1"},
        )

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def end(self, grace=0):
        """Waits for the end, ends what was left behind, and shows what was printed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(grace)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.code = self.process.wait()
        self.seconds = time.monotonic() - self.began
        self.output.seek(0)
        self.text = self.output.read().decode(errors="replace")
        self.output.close()
        print(f"== {self.name}\n{self.text}", flush=True)

    def counts(self):
        """Tests that passed, failed and were skipped, in unittest's words or in pytest's."""
        last = "\n".join(self.text.splitlines()[-5:])
        found = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)\b", last)}
        found.update((word, int(number)) for word, number in re.findall(r"(failures|errors|skipped)=(\d+)", last))
        failed = sum(found.get(word, 0) for word in ("failed", "failures", "error", "errors"))
        skipped = found.get("skipped", 0)
        if ran := re.search(r"^Ran (\d+) tests?", last, re.M):
            return max(0, int(ran[1]) - failed - skipped), failed, skipped
        return found.get("passed", 0), failed, skipped

    def failures(self):
        """A line for each test that failed, with why."""
        lines = re.findall(r"^FAILED (?!\().+", self.text, re.M)
        for name, trace in re.findall(
            r"^(?:FAIL|ERROR): ([^\n]+)\n-+\n(Traceback.+?)\n\n[-=]{70}$", self.text, re.M | re.S
        ):
            # Behind the last line of the stack.
            why = re.split(r"^  .*\n", trace, flags=re.M)[-1]
            lines.append(f"FAILED: {name}: {' '.join(why.split())}")
        return lines

    @property
    def has_failed(self):
        return self.code != 0


def run(names, jobs, times):
    """The parts of these names, once each has ended."""
    waiting, running, ended = list(names), [], []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(Part(waiting.pop(0), times))
            for part in [part for part in running if part.process.poll() is not None]:
                running.remove(part)
                ended.append(part)
                part.end()
            time.sleep(0.05)
    finally:
        for part in running:
            part.interrupt()
        end = time.monotonic() + GRACE
        for part in running:
            part.end(max(0, end - time.monotonic()))
    return ended


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    began = time.monotonic()
    names = [path.stem for path in HERE.glob("test_*.py")]
    names += [str(path.relative_to(HERE)) for path in HERE.glob("page/test_*.py")]
    names.sort(key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
    with tempfile.TemporaryDirectory() as folder:
        times = pathlib.Path(os.environ.get("FACE_ENGINE_TEST_TIMES") or pathlib.Path(folder, "times")).absolute()
        times.touch()
        before = len(times.read_text().splitlines())
        parts = run(names, JOBS, times)
        lines = [line.split("\t", 1) for line in times.read_text().splitlines()[before:]]
    print("The slowest tests:\n" + slowest((float(seconds), name) for seconds, name in lines))
    print("The parts:\n" + "".join(f"{part.seconds:8.2f} s  {part.name}\n" for part in parts))
    failed = [part for part in parts if part.has_failed]
    for part in failed:
        print(f"test.sh: FAILED: {part.name} ended with {part.code}", *part.failures(), sep="\n  ")
    print("%d passed, %d failed, %d skipped" % tuple(map(sum, zip(*(part.counts() for part in parts)))), end="")
    print(f" in {time.monotonic() - began:.2f} s")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("test.sh: FAILED: it was interrupted")
