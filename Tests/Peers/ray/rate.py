#!/usr/bin/env python3
"""How many pictures a second and processor Examples/ray searches, beside `face-engine detect --jobs` on the same pictures.

    rate.py FACE_ENGINE [PICTURES]

Both measure pose and quality, with one thread for each processor. They take turns, each with a third of the pictures and with all
of them: the difference leaves out what starting costs. Counted is processor time, since other work on the machine changes it less
than it changes how long they take: of Ray's actors, and of all of Ray. That has processes which cost something for each second
that passes, so it wants a quiet machine and thousands of pictures.
Needs Ray, pyarrow, NumPy and the models. The package's libraries are found as usual (FACE_ENGINE_LIBRARIES).
"""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Examples/ray"), str(ROOT / "Python")]
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])  # for the workers
os.environ.setdefault("FACE_ENGINE_MODELS", str(ROOT / "Models"))
os.environ["RAY_USAGE_STATS_ENABLED"], os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "0", "1"
ROUNDS = 3
TICK = os.sysconf("SC_CLK_TCK")


class ProcessorTime(threading.Thread):
    """Counts the processor time of the processes that have `mark` in their environment, also of those that end."""

    def __init__(self, mark):
        super().__init__(daemon=True)
        self.mark, self.times, self.actors, self.finished = mark.encode(), {}, set(), threading.Event()
        self.others, self.own = set(), 0.0  # processes of other programs; processor time of the counting itself

    def run(self):
        while not self.finished.wait(0.2):
            self.look()
            self.own = time.thread_time()

    def look(self):
        for process in pathlib.Path("/proc").iterdir():
            try:
                if process.name in self.others or not process.name.isdigit():
                    continue
                if process.name not in self.times and self.mark not in (process / "environ").read_bytes():
                    self.others.add(process.name)
                    continue
                fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
                if (process / "cmdline").read_bytes().startswith(b"ray::MapWorker"):
                    self.actors.add(process.name)
                self.times[process.name] = (int(fields[11]) + int(fields[12])) / TICK
            except (OSError, IndexError):
                pass  # no process, or one that has ended

    def seconds(self):
        """The processor time of all processes, including this one, and that of the actors."""
        self.look()
        own = resource.getrusage(resource.RUSAGE_SELF)
        return (sum(self.times.values()) + own.ru_utime + own.ru_stime - self.own, sum(self.times[one] for one in self.actors))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    import ray

    import faces

    processors = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        folders = {part: pathlib.Path(folder, str(part)) for part in (count // 3, count)}
        sources = [ROOT / "Examples/photos" / name for name in ("grace_hopper.jpg", "astronaut.png")]
        for part, pictures in folders.items():
            pictures.mkdir()
            for number in range(part):
                shutil.copyfile(sources[number % 2], pictures / f"{number:05}{sources[number % 2].suffix}")
        os.environ["FACES_RAY_RATE"] = folder  # inherited by Ray's processes; this one started without it
        ray.init(num_cpus=processors, log_to_driver=False, include_dashboard=False)
        counter = ProcessorTime(folder)
        counter.start()
        found = str(pathlib.Path(folder, "faces"))

        def with_ray(pictures):
            before = counter.seconds()
            faces.find(str(pictures), found, actors=processors)
            return [after - start for start, after in zip(before, counter.seconds())]

        def with_command(pictures):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            # A command does not wait for its decoder processes, so getrusage would leave their time out.
            subprocess.run([sys.argv[1], "detect", "--model", os.path.join(os.environ["FACE_ENGINE_MODELS"], "yunet"), "--json", "--pose",
                            "--quality", "--decoder-processes", "none", "--jobs", str(processors), str(pictures)], check=True, stdout=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return [after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime]

        rates = {"face-engine detect": [], "Ray": [], "Ray's actors": []}
        for number in range(ROUNDS):
            each = []
            for run in (with_command, with_ray):
                small, large = (run(pictures) for pictures in folders.values())
                each += [(count - count // 3) / (b - a) for a, b in zip(small, large)]
            for name, rate in zip(rates, each):
                rates[name].append(rate)
            print(f"round {number + 1}: " + ", ".join(f"{name} {rate:.1f}" for name, rate in zip(rates, each)), flush=True)
        counter.finished.set()
        ray.shutdown()
        base = statistics.median(rates["face-engine detect"])
        for name, values in rates.items():
            print(f"{name}: {statistics.median(values):.1f} pictures for each second of a processor, {statistics.median(values) / base:.2f} "
                  "of face-engine detect")


if __name__ == "__main__":
    main()
