#!/usr/bin/env python3
"""Runs the parts of the tests and checks beside each other, and sums them up.

    Tools/parts.py make TARGET...               makes targets of the Makefile beside each other, then prints the summary
    Tools/parts.py repeat RUNS BUSY TARGET...   does so RUNS times, and RUNS times beside BUSY busy loops, to find flaky tests
    Tools/parts.py run NAME COMMAND [ARG...]    runs one part: the recipe of such a target

Each line of a part's output is shown behind the part's name. .build/parts/NAME.log keeps the output; NAME.times has the seconds of
its tests, a line `seconds<TAB>name` each, if the command writes that file, which FACE_ENGINE_TEST_TIMES names; NAME.json is written
last. A command that cannot be tried here prints SKIPPED with the reason, and exits with 77. After a repeated run that failed, its
files are in .build/parts-failed/BUSY-RUN.
"""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = ROOT / ".build/parts"
FAILED_RUNS = ROOT / ".build/parts-failed"
SKIPPED = 77
SLOWEST = 10
SHOWN = 20  # lines of the log of a part that does not name what failed
# The line with which a part that runs tests ends. A part without it counts as one test.
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped", re.MULTILINE)


def processor_seconds():
    """Of the children that have ended, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_part(name, command):
    PARTS.mkdir(parents=True, exist_ok=True)
    log, times, result = (PARTS / f"{name}.{ending}" for ending in ("log", "times", "json"))
    for path in (times, result):
        path.unlink(missing_ok=True)
    started = time.monotonic()
    with (
        open(log, "w", encoding="utf-8") as kept,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "FACE_ENGINE_TEST_TIMES": str(times)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
    ):
        for line in process.stdout:
            kept.write(line)
            print(f"{name}: {line}", end="", flush=True)
    status = process.returncode
    result.write_text(
        json.dumps({"status": status, "seconds": time.monotonic() - started, "processor": processor_seconds()})
    )
    return 0 if status == SKIPPED else status


def run_targets(targets):
    for path in PARTS.glob("*"):
        path.unlink()
    started, processor = time.monotonic(), processor_seconds()
    # One part more than there are processors, since tests also wait. A make above this one has other jobs.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    }
    made = subprocess.run(
        ["make", "--no-print-directory", "--keep-going", f"--jobs={(os.cpu_count() or 1) + 1}", "TESTS=1", *targets],
        cwd=ROOT,
        env=environment,
    )
    return summarise(time.monotonic() - started, processor_seconds() - processor, made.returncode)


def repeat_targets(runs, busy, targets):
    failed = []
    shutil.rmtree(FAILED_RUNS, ignore_errors=True)
    for loops in (0, busy):
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
        try:
            for number in range(1, runs + 1):
                status = run_targets(targets)
                print(
                    f"run {number} of {runs}, beside {loops} busy loops: {'FAILED' if status else 'passed'}", flush=True
                )
                if status:
                    failed.append(shutil.copytree(PARTS, FAILED_RUNS / f"{loops}-{number}", dirs_exist_ok=True))
        finally:
            for other in others:
                other.kill()
    print(f"{2 * runs - len(failed)} of {2 * runs} runs passed", *(f"FAILED: {folder}" for folder in failed), sep="\n")
    return 1 if failed else 0


def summarise(seconds, processor, status):
    """Prints the end of a long log; 1 if a part has failed, make has failed with `status`, or no test was run."""
    parts, tests, skipped, failures, counts = [], [], set(), [], (0, 0, 0)
    for path in sorted(PARTS.glob("*.json")):
        part, result = path.stem, json.loads(path.read_text())
        log = path.with_suffix(".log").read_text(errors="replace")
        lines, has_failed = log.splitlines(), result["status"] not in (0, SKIPPED)
        parts.append((result["seconds"], f"{result['processor']:8.1f} s  {part}{' FAILED' * has_failed}"))
        if (times := path.with_suffix(".times")).exists():
            rows = [line.split("\t") for line in times.read_text().splitlines()]
            tests += [(float(taken), f"{part}: {name}") for taken, name, *_ in rows]
        skipped.update(f"{part}: {line}" for line in lines if "SKIPPED" in line)
        part_counts = tuple(map(int, (COUNTS.findall(log) or [("0", "0", "0")])[-1]))
        if not any(part_counts) or has_failed and not part_counts[1]:
            part_counts = tuple(
                map(sum, zip(part_counts, (result["status"] == 0, has_failed, result["status"] == SKIPPED)))
            )
        counts = tuple(map(sum, zip(counts, part_counts)))
        if has_failed:
            named = [line for line in lines if re.search(r"\bFAIL(ED)?\b", line)] or lines
            failures += [
                f"{part}: FAILED with status {result['status']}; .build/parts/{part}.log has all of it",
                *(f"  {line[:600]}" for line in named[-SHOWN:]),
            ]
    if status and not failures:
        failures = [f"make FAILED with status {status} before a part ran; its messages are above"]
        counts = (counts[0], counts[1] + 1, counts[2])
    for title, rows in (
        ("The slowest tests:", sorted(tests, reverse=True)[:SLOWEST]),
        ("The parts, and their processor time:", sorted(parts, reverse=True)),
        ("With what was built:", [(seconds, f"{processor:8.1f} s  in all")]),
    ):
        print(title, *(f"{taken:8.1f} s  {name}" for taken, name in rows), sep="\n")
    # Last, since a runner may keep no more than the end.
    print(*sorted(skipped), *failures, "%d passed, %d failed, %d skipped" % counts, sep="\n", flush=True)
    return 1 if failures or not counts[0] else 0


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["make", *targets] if targets:
            sys.exit(run_targets(targets))
        case ["repeat", runs, busy, *targets] if targets:
            sys.exit(repeat_targets(int(runs), int(busy), targets))
        case ["run", name, *command] if command:
            sys.exit(run_part(name, command))
        case _:
            sys.exit(__doc__)
