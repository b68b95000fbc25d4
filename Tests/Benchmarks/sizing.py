#!/usr/bin/env python3
"""What the engine needs for workers, streams and checks: the tables of docs/sizing.md.

    nice python3 Tests/Benchmarks/sizing.py CLIP [--frames 90] [--engine .build/release/face-engine]

Starts engines with sockets of their own, and sends them the frames of a clip with faces, scaled to each size. Processor time is
user and system time of the engine's processes and of the client, divided by frames: other work on the machine hardly changes
it. Memory is Pss (proportional set size) of all of an engine's processes. Needs a release build with models, and ffmpeg.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = ((640, 360), (1280, 720), (1920, 1080))
KINDS = {
    "boxes and ids": [],
    "boxes and ids, `--analysis-rate 5`": ["--analysis-rate", "5"],
    "landmarks, pose": ["--landmarks", "--pose"],
    "guided check": ["--check"],
}
TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid):
    """A process and those that it has started."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += tree(int(child))
    return found


def memory(pid):
    """Megabytes."""
    total = 0
    for one in tree(pid):
        lines = pathlib.Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def processor(pid):
    """Seconds, with those of children that have ended."""
    total = 0
    for one in tree(pid):
        fields = pathlib.Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += sum(map(int, fields[11:15] if one == pid else fields[11:13]))
    return total / TICKS


class Engine:
    def __init__(self, options, folder, *flags):
        self.program, self.socket = options.engine, f"{folder}/{len(list(folder.iterdir()))}.sock"
        self.process = subprocess.Popen(
            [self.program, "serve", "--socket", self.socket, *flags], stdout=subprocess.DEVNULL
        )
        subprocess.run([self.program, "status", "--socket", self.socket, "--wait-ready"], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def watch(self, file, size, flags):
        command = [
            self.program,
            "watch",
            "--through",
            self.socket,
            "--raw",
            f"nv12:{size[0]}x{size[1]}",
            "--fps",
            "25",
            *flags,
            str(file),
        ]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def cost(self, file, size, flags, frames):
        """Milliseconds a frame: of the engine, of the client."""
        before = processor(self.process.pid)
        _, status, used = os.wait4(self.watch(file, size, flags).pid, 0)
        assert os.waitstatus_to_exitcode(status) in (0, 1)  # 1: a check that did not finish
        return 1e3 * (processor(self.process.pid) - before) / frames, 1e3 * (used.ru_utime + used.ru_stime) / frames

    def most(self, file, size, flags, streams):
        """Most megabytes while as many streams run."""
        running = [self.watch(file, size, flags) for _ in range(streams)]
        most = 0
        while any(one.poll() is None for one in running):
            most = max(most, memory(self.process.pid))
            time.sleep(0.02)
        return most


def clip_of(clip, size, frames, folder):
    file = folder / f"{size[0]}.nv12"
    subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-stream_loop",
            "-1",
            "-i",
            clip,
            "-vf",
            f"scale={size[0]}:{size[1]}",
            "-frames:v",
            str(frames),
            "-f",
            "rawvideo",
            "-pix_fmt",
            "nv12",
            str(file),
        ],
        check=True,
    )
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip")
    parser.add_argument("--frames", type=int, default=90)
    parser.add_argument("--engine", default=str(ROOT / ".build/release/face-engine"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        files = {size: clip_of(options.clip, size, options.frames, folder) for size in SIZES}
        print("milliseconds of a processor for a frame: engine + client")
        with Engine(options, folder, "--workers", "1") as engine:
            print(f"memory after the start: {memory(engine.process.pid):.0f} MB")
            for kind, flags in KINDS.items():
                engine.cost(files[SIZES[0]], SIZES[0], flags, options.frames)  # loads the models
                for size in SIZES:
                    turns = sorted(engine.cost(files[size], size, flags, options.frames) for _ in range(3))
                    print(f"{kind}, {size[0]}x{size[1]}: {turns[1][0]:.1f} + {turns[1][1]:.1f}", flush=True)
            time.sleep(4)
            print(f"memory at rest, all models loaded: {memory(engine.process.pid):.0f} MB")
        print("most memory in MB, while as many streams run")
        for workers in (1, 2, 4):
            for kind in ("boxes and ids", "landmarks, pose"):
                with Engine(options, folder, "--workers", str(workers)) as engine:
                    found = [f"{size[1]}p {engine.most(files[size], size, KINDS[kind], workers):.0f}" for size in SIZES]
                    print(f"{workers} workers, {kind}: {', '.join(found)}", flush=True)
        with Engine(options, folder, "--workers", "1") as engine:
            size = SIZES[2]
            for streams in (1, 4, 8):
                print(
                    f"1 worker, {streams} streams at 1080p: {engine.most(files[size], size, KINDS['boxes and ids'], streams):.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
