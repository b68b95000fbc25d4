#!/usr/bin/env python3
"""Runs the Swift tests that were built: several processes beside each other, in each of them one test after the other, so that the
time of a test is its own.

    Tools/swift_tests.py [--jobs N] [PATTERN...]

A process has the tests of one suite, or of a target whose suites are all short; those that took longest the last time are begun
first. What face-engine printed for programs is held against its schema (Tests/json_lines.py). PATTERN: only suites whose name, as in IntegrationTests.HostTests, contains it. The times go to the file that
FACE_ENGINE_TEST_TIMES names, a line `seconds<TAB>name` of each test. Fails when a test fails, or none is run.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / ".build/release/FaceEnginePackageTests.xctest"
# Of the last run, for the order of the next.
KNOWN = ROOT / ".build/test-seconds.tsv"
# Targets in which a suite takes seconds.
SPLIT = ("IntegrationTests", "EngineTests", "ClientTests", "ServiceTests")
# Nothing that hangs does so for ever: far longer than any process takes on a busy machine.
LIMIT = 1800
DULL = re.compile(r"^(◇|✔|↳)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
SKIPPED = re.compile(r"^➜ (?:Test|Suite) (.* skipped.*)")
printing = threading.Lock()
running = set()


def suites(patterns):
    """What runs in a process of its own: a target, or a suite of those in which that takes seconds, or that was asked for."""
    listed = subprocess.run(
        [PROGRAM, "--testing-library", "swift-testing", "--list-tests"], check=True, capture_output=True, text=True
    )
    groups = set()
    for test in re.findall(r"^(\w+\.\w+)/", listed.stdout, re.MULTILINE):
        target, suite = test.split(".")
        if not patterns:
            groups.add(test if target in SPLIT else target)
        elif any(part in test for part in patterns):
            groups.add(test if target in SPLIT or any(part in suite for part in patterns) else target)
    # A function outside of any suite would be left out.
    loose = re.findall(r"^\w+\.\w+\(.*", listed.stdout, re.MULTILINE)
    assert not loose, f"these tests are in no suite: {loose}"
    return sorted(groups)


def known_seconds():
    try:
        rows = [line.split("\t") for line in KNOWN.read_text().splitlines()]
        return {name: float(seconds) for seconds, name in rows}
    except (OSError, ValueError):
        return {}


def results(path):
    """(seconds, name, outcome, message) of each test in a file as --xunit-output writes it."""
    for case in ElementTree.parse(path).iter("testcase"):
        failure, skipped = case.find("failure"), case.find("skipped")
        message = "" if failure is None else " ".join(failure.get("message", "").split())[:600]
        outcome = "failed" if failure is not None else "skipped" if skipped is not None else "passed"
        yield float(case.get("time", 0)), f"{case.get('classname')}.{case.get('name')}", outcome, message


def run(group, folder):
    """Runs one process; (group, seconds, results)."""
    path = pathlib.Path(folder, f"{group}.xml")
    pattern = f"^{re.escape(group)}/" if "." in group else f"^{re.escape(group)}\\."
    started = time.monotonic()
    # In a session of its own, so that the end of a run that hangs is that of all it has started.
    with subprocess.Popen(
        [PROGRAM, "--testing-library", "swift-testing", "--no-parallel", "--filter", pattern, "--xunit-output", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        running.add(process)
        timer = threading.Timer(LIMIT, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        lines = [COLOUR.sub("", line.rstrip("\n")) for line in process.stdout]
    timer.cancel()
    running.discard(process)
    seconds = time.monotonic() - started
    try:
        tests = list(results(path))
    except (OSError, ElementTree.ParseError):
        tests = []
    if not tests or (process.returncode != 0 and all(outcome != "failed" for _, _, outcome, _ in tests)):
        begun = [line for line in lines if line.startswith("◇ Test ")]
        tests.append(
            (
                seconds,
                group,
                "failed",
                f"the process ended with {process.returncode} after {seconds:.0f} s; the last of it: "
                f"{begun[-1] if begun else ''} {lines[-1] if lines else ''}",
            )
        )
    failed = sum(outcome == "failed" for _, _, outcome, _ in tests)
    with printing:
        for line in lines:
            if skipped := SKIPPED.match(line):
                print(f"SKIPPED: {group}: {skipped[1]}")
            elif not DULL.match(line) or (failed and line.startswith("✘")):
                print(line)
        print(f"{group}: {len(tests)} tests, {seconds:.1f} s{f', {failed} FAILED' if failed else ''}", flush=True)
    return group, seconds, tests


def schema_errors(folder):
    """What is wrong with the JSON that face-engine printed in the tests, as a test of its own; none if it printed none."""
    files = list(pathlib.Path(folder).iterdir())
    if not any(path.stat().st_size for path in files):
        return []
    started = time.monotonic()
    said = subprocess.run([ROOT / "Tests/json_lines.py", *files], capture_output=True, text=True, check=False)
    print(f"{said.stdout}{said.stderr}", end="", flush=True)
    failed = "failed" if said.returncode else "passed"
    message = " ".join(f"{said.stdout} {said.stderr}".split())[:600]
    return [(time.monotonic() - started, "Tests/json_lines.py", failed, message)]


def stop(number, _frame):
    for process in list(running):
        os.killpg(process.pid, signal.SIGKILL)
    os._exit(128 + number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--jobs",
        type=int,
        default=(os.cpu_count() or 1) + 1,
        metavar="N",
        help="processes at a time; one more than processors if it is not given, since tests also wait",
    )
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    groups = suites(options.patterns)
    if not groups:
        sys.exit(
            "swift_tests.py: no suite has such a name; see those that there are with `swift test list --skip-build`"
        )
    known = known_seconds()
    groups.sort(key=lambda group: known.get(group, 1e9 if group.startswith("Integration") else 1e6), reverse=True)
    with (
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as printed,
    ):
        os.environ["FACE_ENGINE_JSON_LINES"] = printed
        done = list(pool.map(lambda group: run(group, folder), groups))
        checked = schema_errors(printed)
    tests = [test for _, _, part in done for test in part] + checked
    known.update((group, seconds) for group, seconds, _ in done)
    KNOWN.write_text("".join(f"{seconds:.3f}\t{group}\n" for group, seconds in sorted(known.items())))
    if times := os.environ.get("FACE_ENGINE_TEST_TIMES"):
        with open(times, "a", encoding="utf-8") as file:
            file.writelines(f"{seconds:.3f}\t{name}\n" for seconds, name, _, _ in tests)
    failed = [test for test in tests if test[2] == "failed"]
    for _, name, _, message in failed:
        print(f"FAILED: {name}: {message}")
    skipped = sum(outcome == "skipped" for _, _, outcome, _ in tests)
    print(f"{len(tests) - len(failed) - skipped} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or len(tests) == skipped else 0


if __name__ == "__main__":
    sys.exit(main())
