#!/usr/bin/env python3
"""parts_summary.py SECONDS: the end of a long log, from what Tools/part.sh has left in .build/parts: what was skipped, the ten slowest
tests, the time of each part, what failed, and the counts of tests. Fails if a part has failed or no test was run."""

import pathlib
import re
import sys

PARTS = pathlib.Path(__file__).resolve().parents[1] / ".build/parts"
SLOWEST = 10
SHOWN = 20  # lines of the log of a part that does not say what failed
# The line with which a part that runs tests ends.
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped", re.MULTILINE)


def times(part):
    """(seconds, test) of each test that the part has timed; other columns may follow."""
    path = PARTS / f"{part}.times"
    rows = [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []
    return [(float(seconds), f"{part}: {name}") for seconds, name, *_ in rows]


def main():
    parts, tests, skipped, failures = [], [], set(), []
    counts = (0, 0, 0)
    for path in sorted(PARTS.glob("*.tsv")):
        part = path.stem
        status, milliseconds = map(int, path.read_text().split())
        log = PARTS.joinpath(f"{part}.log").read_text(errors="replace")
        lines = log.splitlines()
        has_failed = status not in (0, 77)
        parts.append((milliseconds / 1000, f"{part}{' FAILED' if has_failed else ''}"))
        tests += times(part)
        skipped.update(f"{part}: {line}" for line in lines if "SKIPPED" in line)
        if found := COUNTS.findall(log):
            counts = tuple(sum(pair) for pair in zip(counts, map(int, found[-1])))
        if has_failed:
            said = [line for line in lines if re.search(r"\bFAIL(ED)?\b", line)] or lines[-SHOWN:]
            failures += [f"{part}: FAILED with status {status}; .build/parts/{part}.log has all of it"]
            failures += [f"  {line[:600]}" for line in said[-SHOWN:]]
    print("\n".join(sorted(skipped)))
    print("\nThe slowest tests:")
    for seconds, name in sorted(tests, reverse=True)[:SLOWEST]:
        print(f"{seconds:8.1f} s  {name}")
    print("The parts:")
    for seconds, part in sorted(parts, reverse=True):
        print(f"{seconds:8.1f} s  {part}")
    print(f"{float(sys.argv[1]):8.1f} s  in all, with what was built")
    # Last, since a runner may keep no more than the end.
    print("\n".join(failures))
    print("%d passed, %d failed, %d skipped" % counts)
    return 1 if failures or not counts[0] else 0


if __name__ == "__main__":
    sys.exit(main())
