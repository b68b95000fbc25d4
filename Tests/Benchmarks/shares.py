#!/usr/bin/python3
"""What the long calls of some users cost another one.

    shares.py [BUILD_FOLDER] [--seconds 20] [--extra N]

For none, then for one user with eight floods, two with four each and eight with two each: starts `face-engine serve`, has the
users call (a flood is a connection that has one call for grey noise of 2040×2040 pixels with accuracy high at a time, a few
seconds of work), and times calls of one more user for a photo of 512×600 pixels, a call each 20 ms. Prints their percentiles
in milliseconds beside the median of the long calls, the resident memory of the engine and its threads at that time (VmRSS and
Threads of proc_pid_status(5)), and both 15 seconds after the users have gone. Needs root, since each user is a uid of its own,
python3-protobuf and protoc.
"""

import argparse
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
SIDE = 2040
FIRST_USER = 61001
CASES = [(0, 0), (1, 8), (2, 4), (8, 2)]  # users, floods of each
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests/Peers/python"))

from users import as_user  # noqa: E402


def flood(path, times):
    """Calls without end, and appends the milliseconds of each call to the file `times`, which is open."""
    from face_client import Connection, fe
    noise = random.Random(1).randbytes(SIDE * SIDE)
    image = fe.Image(pixels=fe.Pixels(format=fe.PIXEL_FORMAT_GRAY, width=SIDE, height=SIDE, data=noise))
    with Connection(path) as engine:
        while True:
            start = time.monotonic()
            engine.detect(image, accuracy=fe.ACCURACY_HIGH)
            os.write(times, f"{(time.monotonic() - start) * 1e3:.0f}\n".encode())


def call(path, seconds, times):
    from face_client import Connection, fe
    image = fe.Image(encoded=PHOTO.read_bytes())
    with Connection(path) as engine:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            start = time.monotonic()
            engine.detect(image)
            os.write(times, f"{(time.monotonic() - start) * 1e3:.3f}\n".encode())
            time.sleep(0.02)


def read_times(file):
    file.seek(0)
    return sorted(float(line) for line in file.read().split())


def held(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    memory, threads = (int(status.split(name)[1].split()[0]) for name in ["VmRSS:", "Threads:"])
    return f"{memory / 1024:8.0f} {threads:7}"


def measure(build, folder, users, floods, options):
    from face_client import Connection, EngineError
    path = f"{folder}/engine-{users}-{floods}"
    limits = ["--limit", f"extra-workers={options.extra}"] if options.extra else []
    engine = subprocess.Popen([
        build / "face-engine", "serve", "--socket", path, "--socket-mode", "0666", "--model", ROOT / "Models/yunet",
        "--log-level", "error", *limits])
    children = []
    try:
        while True:
            try:
                Connection(path).__exit__()
                break
            except EngineError:
                assert engine.poll() is None, "the engine has ended"
                time.sleep(0.05)
        with tempfile.TemporaryFile() as long_times, tempfile.TemporaryFile() as times:
            for user in range(FIRST_USER, FIRST_USER + users):
                children += [as_user(user, flood, path, long_times.fileno()) for _ in range(floods)]
            time.sleep(5 if users else 0)
            caller = as_user(FIRST_USER + users, call, path, options.seconds, times.fileno())
            time.sleep(options.seconds)
            busy = held(engine)
            _, status = os.waitpid(caller, 0)
            assert status == 0, "the caller failed"
            for child in children:
                os.kill(child, signal.SIGKILL)
            for child in children:
                os.waitpid(child, 0)
            children = []
            long, short = read_times(long_times), read_times(times)
        time.sleep(15 if users else 0)
        name = f"{users} × {floods}" if users else "alone"
        print(f"{name:8} {len(short):6} {statistics.median(short):9.1f} {short[len(short) * 99 // 100]:9.1f} {short[-1]:9.1f} "
              f"{statistics.median(long) if long else 0:9.0f} {busy} {held(engine)}", flush=True)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        engine.terminate()
        engine.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / ".build/release")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--extra", type=int, help="the engine's limit extra-workers")
    options = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("shares: run as root, since each user is a uid of its own")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        subprocess.run(["protoc", f"--python_out={folder}", "-I", ROOT / "Proto", "face_engine.proto", "ttrpc.proto"], check=True)
        sys.path[:0] = [folder, str(ROOT / "Examples/python")]
        print(f"{'users':8} {'calls':>6} {'p50 ms':>9} {'p99 ms':>9} {'max ms':>9} {'long ms':>9} {'RSS MB':>8} threads  later MB")
        for users, floods in CASES:
            measure(options.build, folder, users, floods, options)


main()
