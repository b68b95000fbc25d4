#!/usr/bin/env python3
"""What a client pays while its engine is away, and how soon it continues when the engine is back.

    away.py [BUILD_FOLDER] [--times 20]

The C library, called from Python. The engine is killed (SIGKILL); then calls without a time limit are made, and the processor
time is taken that an open session costs in two idle seconds. The engine is started again: it counts as back when it answers a
Health/Check on a socket of the script's own, made as soon as one can connect. From then on: until a call that is repeated each
millisecond succeeds, and until a frame of the session is taken that is submitted again each millisecond. The call often is
before the script, hence the small and negative times.
"""

import argparse
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python"))
sys.dont_write_bytecode = True

SERVICE = b"faceengine.v1.Detector"
CHECK = b"\x0a\x14faceengine.v1.Health\x12\x05Check\x1a\x18\x0a\x16" + SERVICE
CHECK = len(CHECK).to_bytes(4, "big") + b"\0\0\0\1\1\0" + CHECK


def start(build, path):
    return subprocess.Popen(
        [build / "face-engine", "serve", "--socket", path, "--model", ROOT / "Models/yunet", "--log-level", "error"])


def serving(path):
    """When the engine first answers."""
    while True:
        with socket.socket(socket.AF_UNIX) as peer:
            try:
                peer.connect(path)
                peer.sendall(CHECK)
                if peer.recv(100):
                    return time.perf_counter()
            except OSError:
                time.sleep(0.0005)


def repeated(call, unavailable, times, name):
    while True:
        try:
            call()
            times[name] = time.perf_counter()
            return
        except unavailable:
            time.sleep(0.001)


def show(name, values, unit):
    values = sorted(values)
    print(f"{name}: median {statistics.median(values):.2f} {unit}, largest {values[-1]:.2f} {unit} of {len(values)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / ".build/release")
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    build = options.build.resolve()
    with tempfile.TemporaryDirectory() as folder:
        libraries = pathlib.Path(folder, "lib")
        libraries.mkdir()
        for name in ("libfaceengine", "libfaceengine-draw"):
            (libraries / f"{name}.so.1").symlink_to(build / f"{name}.so")
        os.environ["FACE_ENGINE_LIBRARIES"] = str(libraries)
        measure(build, f"{folder}/socket", options.times)


def measure(build, path, count):
    import faceengine
    import numpy as np

    gone = faceengine.UnavailableError
    frame = np.zeros((48, 64, 3), np.uint8)
    engine = start(build, path)
    serving(path)
    client = faceengine.connect(path)
    session = client.session(mode="newest")
    refused, idle, called, submitted = [], [], [], []
    for _ in range(count):
        engine.kill()
        engine.wait()
        for _ in range(50):
            begin = time.perf_counter()
            try:
                client.detect(frame)
            except gone:
                refused.append((time.perf_counter() - begin) * 1e3)
        begin = time.process_time()
        time.sleep(2)
        idle.append((time.process_time() - begin) / 2 * 100)
        times = {}
        loops = [threading.Thread(target=repeated, args=(call, gone, times, name)) for name, call in [
            ("call", lambda: client.detect(frame)), ("session", lambda: session.submit(frame))]]
        for loop in loops:
            loop.start()
        engine = start(build, path)
        back = serving(path)
        for loop in loops:
            loop.join()
        called.append((times["call"] - back) * 1e3)
        submitted.append((times["session"] - back) * 1e3)
    engine.kill()
    engine.wait()
    show("a call while the engine is away", refused, "ms")
    show("an open session meanwhile", idle, "% of a processor")
    show("from the engine's return to the first call", called, "ms")
    show("from the engine's return to the first frame of a session", submitted, "ms")


if __name__ == "__main__":
    main()
