#!/usr/bin/env python3
"""parts_summary.py SECONDS: what Tools/part.sh has left in .build/parts, for the end of a long log: how long each part took, the ten
slowest tests, what failed, and the counts of tests. Fails where a test has failed or none was run."""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

PARTS = pathlib.Path(__file__).resolve().parents[1] / ".build/parts"
SLOWEST = 10
SHOWN = 20  # lines of a failed part's log


def swift_tests(part):
    """(seconds, name, message of its failure or None) of each test in the results that Swift Testing writes, and how many were skipped."""
    path = PARTS / f"{part}.xml"
    try:
        cases = list(ElementTree.parse(path).iter("testcase")) if path.exists() else []
    except ElementTree.ParseError:
        cases = []  # the run was ended
    tests, skipped = [], 0
    for case in cases:
        if case.find("skipped") is not None:
            skipped += 1
            continue
        failure = case.find("failure")
        message = None if failure is None else " ".join(failure.get("message", "").split())[:600]
        tests.append((float(case.get("time", 0)), f"{case.get('classname')}.{case.get('name')}", message))
    return tests, skipped


def python_tests(part):
    """The same of unittest's, from the times that the part has kept and the lines that it ends with."""
    path = PARTS / f"{part}.times"
    rows = [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []
    return [(float(seconds), name, None) for seconds, name, *_ in rows]


def counts_of_unittest(log):
    """(passed, failed, skipped) of every run in a log."""
    passed = failed = skipped = 0
    ran = 0
    for line in log.splitlines():
        if found := re.match(r"Ran (\d+) tests? in ", line):
            ran = int(found[1])
        elif found := re.match(r"(OK|FAILED)(?: \((.*)\))?$", line):
            numbers = dict(re.findall(r"(\w+)=(\d+)", found[2] or ""))
            bad = int(numbers.get("failures", 0)) + int(numbers.get("errors", 0))
            left = int(numbers.get("skipped", 0))
            passed, failed, skipped, ran = passed + max(ran - bad - left, 0), failed + bad, skipped + left, 0
    return passed, failed, skipped


def main():
    parts, tests, failures = [], [], []
    passed = failed = skipped = 0
    for path in sorted(PARTS.glob("*.tsv")):
        part = path.stem
        status, seconds = path.read_text().split()
        log = PARTS.joinpath(f"{part}.log").read_text(errors="replace")
        parts.append((float(seconds), part, int(status)))
        swift, left = swift_tests(part)
        tests += [(time, f"{part}: {name}") for time, name, _ in swift + python_tests(part)]
        bad = [(name, message) for _, name, message in swift if message is not None]
        counted = counts_of_unittest(log)
        passed, failed, skipped = (passed + len(swift) - len(bad) + counted[0], failed + len(bad) + counted[1],
                                   skipped + left + counted[2])
        failures += [f"FAILED: {part}: {name}: {message}" for name, message in bad]
        if int(status) not in (0, 77):
            failures += [f"FAILED: {part}, status {status}; the end of .build/parts/{part}.log:"]
            failures += [f"  {line}" for line in log.splitlines()[-SHOWN:]] if not bad else []
    for line in sorted({line for path in PARTS.glob("*.log") for line in path.read_text(errors="replace").splitlines()
                        if "SKIPPED" in line}):
        print(line)
    print("\nthe slowest tests, in seconds:")
    for seconds, name in sorted(tests, reverse=True)[:SLOWEST]:
        print(f"{seconds:8.1f}  {name}")
    print("the parts, in seconds:")
    for seconds, part, status in sorted(parts, reverse=True):
        print(f"{seconds:8.1f}  {part}{'' if status in (0, 77) else ' FAILED'}")
    print(f"{float(sys.argv[1]):8.1f}  in all")
    # Last, since a runner may keep no more than the end.
    print("\n".join(failures))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failures or failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
