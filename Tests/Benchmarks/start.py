#!/usr/bin/env python3
"""From exec to the first faces of a 640×480 picture, in a process of its own that loads the default detector alone: the
command line, and Examples/c/detect.c, which links the library.

    python3 Tests/Benchmarks/start.py [--times 30]

Medians, and the middle half, of the clock from exec to exit and of the time on a processor; most memory resident; page
faults. Each command takes turns with the others; three turns do not count. Needs GNU time, cc, and a release build with fetched
models; makes itself a Python environment with Pillow, outside the checkout.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leave no files in the checkout

import environment  # noqa: E402
from environment import ROOT  # noqa: E402

WARM_UP = 3


def run(command):
    """(milliseconds of the clock, of a processor, page faults)"""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    process = os.posix_spawn(command[0], command, os.environ, file_actions=quiet)
    _, status, used = os.wait4(process, 0)
    taken = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return 1e3 * taken, 1e3 * (used.ru_utime + used.ru_stime), used.ru_minflt


def resident(command):
    """Megabytes. Told by GNU time, since a process that we start begins with our own."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["/usr/bin/time", "-f", "%M", "-o", file.name, *command], check=True, stdout=subprocess.DEVNULL)
        return int(pathlib.Path(file.name).read_text()) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--engine", default=str(ROOT / ".build/release/face-engine"))
    options = parser.parse_args()
    environment.enter("start", ["pillow==13.0.0"])
    from PIL import Image

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with Image.open(ROOT / "Examples/photos/astronaut.png") as photo:
            frame = photo.convert("RGB").resize((640, 640)).crop((0, 40, 640, 520))
        (folder / "frame.rgb").write_bytes(frame.tobytes())
        frame.save(folder / "frame.jpg", quality=90)
        frame.save(folder / "frame.ppm")
        library = pathlib.Path(options.engine).parent
        program, model = folder / "detect", str(ROOT / "Models/yunet")
        subprocess.run(
            [
                "cc",
                "-O2",
                ROOT / "Examples/c/detect.c",
                "-I",
                ROOT / "include",
                "-L",
                library,
                "-lfaceengine",
                f"-Wl,-rpath,{library}",
                "-o",
                program,
            ],
            check=True,
        )
        detect = [options.engine, "detect", "--model", model]
        commands = {
            "raw pixels": [*detect, "--raw", "rgb:640x480", str(folder / "frame.rgb")],
            "JPEG": [*detect, str(folder / "frame.jpg")],
            "C program": [str(program), "load", model, str(folder / "frame.ppm")],
            "--version": [options.engine, "--version"],
        }
        taken = {name: [] for name in commands}
        for turn in range(-WARM_UP, options.times):
            for name, command in commands.items():
                result = run(command)
                if turn >= 0:
                    taken[name].append(result)
        print(f"{'':12}{'clock, ms':>24}{'processor, ms':>24}{'resident, MB':>15}{'page faults':>13}")
        for name, results in taken.items():
            clock, processor, faults = zip(*results)
            spreads = []
            for values in (clock, processor):
                low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
                spreads.append(f"{middle:.1f} ({low:.1f}…{high:.1f})")
            print(
                f"{name:12}{spreads[0]:>24}{spreads[1]:>24}{resident(commands[name]):15.1f}"
                f"{statistics.median(faults):13.0f}"
            )


if __name__ == "__main__":
    main()
