#!/usr/bin/python3
"""Sends the pictures of make_corpus.py to an engine, and looks at what others notice.

    Tests/Hostile/attack.py CORPUS [BUILD_FOLDER] [--seconds 60] [--free ROUNDS]

Two users send every picture in turn, and end each call by a CANCEL, a deadline or their own end. A third has photos searched, and asks
for Health. Prints the third one's times, the engine's counts, and what it and its decoders hold. With --free, first how soon after each
kind of end a call of the same user is answered by an engine with one worker, for each picture: the median and the most of
ROUNDS, less what the call takes alone. Exits with 1 if a call of the third user failed, or Health was not SERVING.

Needs root, since each user is a uid of its own, python3-protobuf and protoc.
"""

import argparse
import itertools
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
FIRST_USER = 61101
INLINE = 3 << 20  # larger ones travel in shared memory
DEADLINE, PAUSE = 0.3, 0.1
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests/Peers/python"))

from users import as_user  # noqa: E402


class Sender:
    """A connection that sends one picture."""

    def __init__(self, path, picture):
        from face_client import Buffer, Connection, fe
        self.fe = fe
        self.connection = Connection(path)
        self.connection.hello("cancel", "buffers")
        data = picture.read_bytes()
        if len(data) <= INLINE:
            self.image = fe.Image(encoded=data)
        else:
            self.buffer = Buffer(self.connection, 1, len(data))
            self.buffer.memory[:] = data
            self.image = self.buffer.encoded(len(data))

    def begin(self, timeout=None):
        request = self.fe.DetectRequest(image=self.image)
        return self.connection.begin("Detector", "Detect", request, timeout)

    def finish(self, stream):
        """The code of the answer."""
        from face_client import EngineError
        try:
            self.connection.finish(stream, self.fe.DetectResponse())
        except EngineError as error:
            return error.code
        return "OK"

    def close(self):
        self.connection.__exit__()


def send_and_end(path, picture, end):
    """Has a call end in one of three ways; returns its connection, if that is still open, and the code of its answer."""
    sender = Sender(path, picture)
    stream = sender.begin(DEADLINE if end == "deadline" else None)
    if end == "deadline":
        return sender, sender.finish(stream)
    time.sleep(PAUSE)
    if end == "death":
        sender.close()
        return None, None
    sender.connection.cancel(stream)
    return sender, sender.finish(stream)


def attack(path, pictures, first):
    """Goes through all pictures and ends until it is killed."""
    from face_client import EngineError
    ends = itertools.cycle(["cancel", "deadline", "death"])
    order = pictures[first:] + pictures[:first]
    while True:
        for picture in order:
            try:
                sender, _ = send_and_end(path, picture, next(ends))
            except EngineError as error:
                print(f"{picture.name}: {error}", flush=True)
                continue
            if sender:
                sender.close()


def watch(path, seconds):
    """The third user."""
    from face_client import Connection, EngineError, fe
    times, failures, states = [], 0, set()
    photo = fe.Image(encoded=PHOTO.read_bytes())
    with Connection(path) as engine:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                failures += len(engine.detect(photo).faces) != 1
            except EngineError as error:
                print(error)
                failures += 1
            times.append(1000 * (time.monotonic() - start))
            answer = engine.call("Health", "Check", fe.HealthCheckRequest(), fe.HealthCheckResponse())
            states.add(fe.HealthCheckResponse.ServingStatus.Name(answer.status))
            time.sleep(0.02)
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    print(f"the third user: {len(times)} calls, {failures} failed, Health {', '.join(sorted(states))}; "
          f"p50 {cuts[49]:.1f} ms, p90 {cuts[89]:.1f}, p99 {cuts[98]:.1f}, most {max(times):.1f}", flush=True)
    return int(failures > 0 or states != {"SERVING"})


def time_of(path):
    """Milliseconds until a small call is answered."""
    from face_client import Connection, fe
    start = time.monotonic()
    with Connection(path) as engine:
        engine.detect(fe.Image(pixels=fe.Pixels(format=fe.PIXEL_FORMAT_GRAY, width=64, height=64, data=bytes(64 * 64))))
    return 1000 * (time.monotonic() - start)


def measure_free(path, pictures, rounds):
    """How soon a worker is free after each end."""
    alone = statistics.median(time_of(path) for _ in range(50))
    print(f"a small call takes {alone:.2f} ms alone; after the end of a call with a picture, in ms:")
    print(f"{'':26} {'cancel':>15} {'deadline':>15} {'death':>15}")
    worst = 0
    for picture in pictures:
        cells = []
        for end in ("cancel", "deadline", "death"):
            times = []
            for _ in range(rounds):
                sender, _ = send_and_end(path, picture, end)
                times.append(time_of(path) - alone)
                if sender:
                    sender.close()
            worst = max(worst, *times)
            cells.append(f"{statistics.median(times):7.1f} {max(times):7.1f}")
        print(f"{picture.name:26} {'  '.join(cells)}", flush=True)
    print(f"most: {worst:.1f} ms", flush=True)


def held(process):
    """Resident megabytes, threads and children of a process, and of its descendants. proc_pid_status(5)"""
    def status(id):
        try:
            lines = pathlib.Path(f"/proc/{id}/status").read_text().splitlines()
        except OSError:
            return {}
        return dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    all = {int(path.name): status(path.name) for path in pathlib.Path("/proc").iterdir() if path.name.isdigit()}
    family = {process}
    for _ in range(3):
        family |= {id for id, fields in all.items() if int(fields.get("PPid", 0)) in family}

    def resident(id):
        return int(all[id].get("VmRSS", "0 kB").split()[0]) / 1024
    shared = int(all[process]["RssShmem"].split()[0]) / 1024
    return (f"{resident(process):.0f} MB, {shared:.0f} of them shared, in {all[process]['Threads']} threads; {len(family) - 1} processes for decoding with "
            f"{sum(resident(id) for id in family - {process}):.0f} MB")


class Engine:
    def __init__(self, build, socket, *flags):
        command = [str(build / "face-engine"), "serve", "--socket", socket, "--socket-mode", "0666", "--model", str(ROOT / "Models/yunet")]
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen([*command, "--log-level", "warning", *flags], stderr=self.log)
        status = [str(build / "face-engine"), "status", "--socket", socket]
        subprocess.run([*status, "--wait-ready=60"], check=True)
        self.status = status

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path, nargs="?", default=ROOT / ".build/release")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--free", type=int, default=0)
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("attack.py: needs root, for users of its own")
    pictures = sorted(options.corpus.iterdir())
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        protos = [str(path) for path in (ROOT / "Proto").glob("*.proto")]
        subprocess.run(["protoc", f"-I{ROOT / 'Proto'}", f"--python_out={folder}", *protos], check=True)
        sys.path[:0] = [folder, str(ROOT / "Examples/python")]
        socket = f"{folder}/engine.sock"
        if options.free:
            with Engine(options.build, socket, "--workers", "1"):
                measure_free(socket, pictures, options.free)
        with Engine(options.build, socket) as engine:
            print(f"before: {held(engine.process.pid)}", flush=True)
            attackers = [as_user(FIRST_USER + number, attack, socket, pictures, number * len(pictures) // 2) for number in range(2)]
            third = as_user(FIRST_USER + 2, watch, socket, options.seconds)
            failed = os.waitstatus_to_exitcode(os.waitpid(third, 0)[1])
            print(f"under attack: {held(engine.process.pid)}", flush=True)
            for attacker in attackers:
                os.kill(attacker, signal.SIGKILL)
                os.waitpid(attacker, 0)
            time.sleep(15)
            print(f"15 s later: {held(engine.process.pid)}")
            lines = subprocess.run(engine.status, check=True, capture_output=True, text=True).stdout.splitlines()
            print("\n".join(line for line in lines if line.startswith(("face-engine", "workers", "decoders"))))
    sys.exit(failed)


if __name__ == "__main__":
    main()
