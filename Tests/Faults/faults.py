"""faults.py [--seconds 60] [--seed N] [--scenario NAME] [--step NAME] [--log FILE]: faults of real processes, end to end.

An engine, a gateway before it, and clients of both that call without end: by the socket, by the C library, by the command, by HTTP
and gRPC. Step by step, in an order that the seed makes up, something is killed, stopped, replaced or flooded (steps.py), and at the end of
each step all promises are checked:

- each call has one answer, with the right faces, or an error that the step excuses; each client continues afterwards;
- Stats has each answer that was read, and no call that was not made;
- engine and gateway hold the descriptors, threads, shared memories and processes that they did before, and no process is left;
- resident memory comes back down;
- who has to end ends, with the exit code that the documents promise, and says what they promise.

Before that, each scenario of scenarios.py is tried once. All steps come once, then at random until the seconds are over. Says in FILE what
happened; ends with 1 at the first promise that does not hold, with the seed and the step that find it again.
"""

import argparse
import os
import pathlib
import random
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True
sys.path[:0] = [
    str(HERE),
    *(str(ROOT / name) for name in ("Bindings/Python", "Examples/python", "Gateway/Tests", "Tests/Hostile")),
]

import raster_files  # noqa: E402
import tiff_files  # noqa: E402
from clients import KINDS, as_user  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402
from steps import STEPS  # noqa: E402
from world import World  # noqa: E402

# Those that are made at once and go in a message.
HOSTILE = {
    "runs-4096.gif",
    "runs-8192.bmp",
    "progressive-500.jpg",
    "huge-16384.jpg",
    "canvas-16384.webp",
    "tiles-padded.tiff",
    "strips-lzw.tiff",
}
CLIENTS = 5  # of a step


class Log:
    """What happened, on standard output and in a file."""

    def __init__(self, path):
        self._file, self._begin = open(path, "w", encoding="utf-8") if path else None, time.monotonic()

    def __call__(self, text):
        line = f"{time.monotonic() - self._begin:7.1f} s  {text}"
        print(line, flush=True)
        if self._file:
            print(line, file=self._file, flush=True)


def play(world, name, number, dice):
    """One step, and all promises at its end."""
    step = STEPS[name]
    kinds = [*step.kinds, *dice.sample(step.others, CLIENTS - len(step.kinds))] if name != "calm" else list(KINDS)
    times, began = {}, time.monotonic()

    def phase(name, part, *arguments):
        nonlocal began
        result = part(*arguments)
        times[name], began = time.monotonic() - began, time.monotonic()
        return result

    world.begin_counting()
    phase("start", world.start, kinds, step.allowed, dice)
    phase("fault", step.body, world, dice)
    phase("after", world.progress, "answers after it")
    ledgers = world.ended + phase("end", world.finish)
    world.check_counts(ledgers)
    phase("rest", world.settle)
    if number % 4 == 0:
        phase("memory", world.rest)
    answers = sum(ledger.answers("OK") for ledger in ledgers)
    lost = sum(ledger.answers("UNAVAILABLE") for ledger in ledgers)
    world.log(
        f"step {number}: {name}: {', '.join(kinds)}: {answers} answers, {lost} calls lost; "
        + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items())
    )
    return answers


def attempt(name):
    """A scenario, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        SCENARIOS[name](folder)


def attempt_all(names, log):
    """Scenarios beside each other, for most of them wait. Gives those that failed."""
    waiting, running, failed = list(names), {}, []
    while waiting or running:
        while waiting and len(running) <= (os.cpu_count() or 1):
            name = waiting.pop(0)
            running[as_user(None, attempt, name)] = name
        process, status = os.wait()
        name = running.pop(process)
        failed += [name] * (status != 0)
        log(f"scenario {name}: {'ok' if status == 0 else 'FAILED'}")
    return failed


def run(world, options, dice):
    """All steps once, then at random."""
    world.hostile = [make() for name, _, make in raster_files.FILES + tiff_files.FILES if name in HOSTILE]
    end, number, answers = time.monotonic() + options.seconds, 0, 0
    todo = list(options.step or ()) or ["calm", *dice.sample(sorted(set(STEPS) - {"calm"}), len(STEPS) - 1)]
    while todo or time.monotonic() < end:
        name = todo.pop(0) if todo else dice.choice(options.step or sorted(STEPS))
        world.now = f"step {number}: {name}"
        answers += play(world, name, number, random.Random(f"{options.seed} {number}"))
        number += 1
    world.rest()
    for program in (world.gateway, world.engine):
        code = program.stop()
        if code != 0:
            raise AssertionError(f"{program.process.args[0]} ended with {code}")
    return number, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--scenario", action="append", choices=sorted(SCENARIOS), help="try these alone")
    parser.add_argument("--step", action="append", choices=sorted(STEPS), help="take these alone, once and at random")
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    log = Log(options.log)
    log(f"faults: seed {options.seed}")
    scenarios = options.scenario or (() if options.step else SCENARIOS)
    failed = attempt_all(scenarios, log)
    if options.scenario or failed:
        sys.exit(1 if failed else 0)
    now, world = "the start", None
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            world = World(folder, log, options.seed)
            try:
                steps, answers = run(world, options, random.Random(options.seed))
            finally:
                now = world.now
                world.close()
        log(f"{answers} answers")
        print(f"{len(scenarios) + steps} passed, 0 failed, 0 skipped")  # as Tools/parts.py reads it
    except Exception as error:
        if not isinstance(error, AssertionError):
            traceback.print_exc()
        for program in (world.engine, world.gateway) if world else ():
            log("\n".join([f"the last lines of {program.process.args[0]}:", *program.errors[-8:]]))
        log(f"FAILED: seed {options.seed}, {now}: {error}")
        sys.exit(1)


if __name__ == "__main__":
    main()
