#!/usr/bin/env python3
"""upgrades.py [BUILD] [--calls 10000] [--streams 16] [--upgrades 20]: engines that take each other's place under load.

Four threads make calls and one thread a stream sends frames (half of them in mode EVERY, faces followed, pixels in shared memory), by
the C library through its Python package, while one `face-engine serve --take-over` after the other is started. Then:

- no call and no submission has failed, and each frame has had one event, in order;
- ids are in the order in which they were given, and none comes again after its face has left;
- Stats has the calls that were made, without a failure, and the frames that were answered;
- each engine has ended by itself with 0 when the next one had its place.

Before each upgrade another process tries and fails: with a model that there is not, killed while it starts, or dead when it has the
socket and has not served yet; the engine serves on. A stream then has two connections to it for a moment, so a user may have more
of them here than by default. Prints how long upgrades took, and the longest call. Ends with a message at the
first thing that did not hold. UPGRADES_SEED repeats the moments.
"""

import argparse
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python"))
sys.dont_write_bytecode = True


class Load:
    """What the clients do and see."""

    def __init__(self, client, frame, calls, streams):
        import faceengine
        self._faceengine, self._client, self._frame = faceengine, client, frame
        self._lock = threading.Lock()
        self._left = calls
        self.calls, self.longest, self.answered, self.submitted = 0, 0, 0, 0
        self.failures = []
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self._call) for _ in range(4)]
        self.threads += [threading.Thread(target=self._stream, args=("newest" if i % 2 else "every",)) for i in range(streams)]
        for thread in self.threads:
            thread.start()

    @property
    def is_calling(self):
        return self._left > 0

    def _failed(self, what):
        with self._lock:
            self.failures.append(what)

    def _call(self):
        while True:
            with self._lock:
                if self._left == 0:
                    return
                self._left -= 1
            begin = time.perf_counter()
            try:
                self._client.detect(self._frame)
            except Exception as error:
                self._failed(f"call: {error}")
            took = time.perf_counter() - begin
            with self._lock:
                self.calls += 1
                self.longest = max(self.longest, took)
            time.sleep(0.002)

    def _stream(self, mode):
        faceengine = self._faceengine
        numbers, ids, gone, submitted, answered = [], [], set(), 0, 0

        def take(event):
            nonlocal answered
            if isinstance(event, faceengine.FaceLeft):
                gone.add(event.face_id)
                return
            numbers.append(event.number)
            if isinstance(event, faceengine.FrameFailed):
                self._failed(f"{mode} frame {event.number}: {event.error}")
            if isinstance(event, faceengine.FrameFaces):
                answered += 1
                for face in event.faces:
                    if face.id is None:
                        continue  # not followed yet
                    if face.id in gone:
                        self._failed(f"{mode} frame {event.number}: face {face.id} had left")
                    ids.append(face.id)

        with self._client.session(mode=mode) as session:
            while not self.is_over.is_set():
                try:
                    submitted = session.submit(self._frame)
                except Exception as error:
                    self._failed(f"{mode} submit: {error}")
                time.sleep(0.02)
                while (event := session.next_event(timeout=0)) is not None:
                    take(event)
            session.flush()
            while (event := session.next_event(timeout=0)) is not None:
                take(event)
        if numbers != list(range(1, submitted + 1)):
            self._failed(f"{mode}: {submitted} frames, and events of {numbers[:5]}... {numbers[-5:]}, {len(numbers)} in all")
        if ids != sorted(ids) or not ids:
            self._failed(f"{mode}: ids are not in their order: {ids[:50]}")
        with self._lock:
            self.answered += answered
            self.submitted += submitted


def serve(build, path, *options, model=ROOT / "Models/yunet"):
    return subprocess.Popen(
        [build / "face-engine", "serve", "--socket", path, "--model", model, "--log-level", "critical",
         "--limit", "connections-per-user=100", *options],
        stderr=subprocess.DEVNULL if model != ROOT / "Models/yunet" else None)


def status(build, path):
    done = subprocess.run([build / "face-engine", "status", "--json", "--socket", path], check=True, capture_output=True)
    return json.loads(done.stdout)


def take_over(step, stream):
    """A request of that step."""
    call = b"\x0a\x13faceengine.v1.Admin\x12\x08TakeOver\x1a\x02\x08" + bytes([step])
    return len(call).to_bytes(4, "big") + stream.to_bytes(4, "big") + b"\1\0" + call


def attempt_in_vain(build, path, dice):
    """A take-over that fails, in one of three phases."""
    phase = dice.randrange(3)
    if phase == 0 and serve(build, path, "--take-over", model=ROOT / "Models/none").wait(60) == 0:
        sys.exit("failed: an engine without a model took over")
    if phase == 1:  # killed while it starts
        process = serve(build, path, "--take-over")
        time.sleep(dice.uniform(0, 0.02))
        process.kill()
        process.wait()
    if phase == 2:  # dead when it has the socket
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            folder = os.open(os.path.dirname(path), os.O_PATH)
            socket.send_fds(peer, [take_over(3, 1)], [folder])
            os.close(folder)
            _, descriptors, _, _ = socket.recv_fds(peer, 1 << 16, 2)
            if len(descriptors) != 2:
                sys.exit(f"failed: {len(descriptors)} descriptors came instead of the socket and its lock")
            if dice.randrange(2):
                peer.sendall(take_over(1, 3))
                if not peer.recv(1 << 16):
                    sys.exit("failed: BEGIN got no answer")
            time.sleep(dice.uniform(0, 0.02))
            for descriptor in descriptors:
                os.close(descriptor)
    return phase


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / ".build/release")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--streams", type=int, default=16)
    parser.add_argument("--upgrades", type=int, default=20)
    options = parser.parse_args()
    build = options.build.resolve()
    seed = int(os.environ.get("UPGRADES_SEED") or time.time_ns() % 2**32)
    print(f"upgrades: seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        libraries = pathlib.Path(folder, "lib")
        libraries.mkdir()
        for name in ("libfaceengine", "libfaceengine-draw"):
            (libraries / f"{name}.so.1").symlink_to(build / f"{name}.so")
        os.environ["FACE_ENGINE_LIBRARIES"] = str(libraries)
        run(build, f"{folder}/socket", options, random.Random(seed))


def run(build, path, options, dice):
    import faceengine
    import numpy as np

    photo = faceengine.draw.Picture(ROOT / "Examples/photos/grace_hopper.jpg").array("rgb")
    frame = np.ascontiguousarray(photo[::4, ::4])
    engine = serve(build, path)
    subprocess.run([build / "face-engine", "status", "--socket", path, "--wait-ready=60"], check=True)
    load = Load(faceengine.connect(path), frame, options.calls, options.streams)
    took, in_vain, replaced = [], [0, 0, 0], 0
    try:
        for upgrade in range(options.upgrades):
            in_vain[attempt_in_vain(build, path, dice)] += 1
            if engine.poll() is not None:
                sys.exit("failed: the engine has ended although no other one took its place")
            begin = time.perf_counter()
            following = serve(build, path, "--take-over")
            code = engine.wait(60)
            if code != 0:
                sys.exit(f"failed: the engine ended with {code} in upgrade {upgrade + 1}")
            took.append(time.perf_counter() - begin)
            engine = following
            replaced += 1
            if load.failures:
                break
            if upgrade + 1 < options.upgrades:
                # So that the calls last for all upgrades.
                done = options.calls * (upgrade + 1) // options.upgrades
                while load.calls < done and not load.failures:
                    time.sleep(0.01)
        while load.is_calling and not load.failures:
            time.sleep(0.05)
        load.is_over.set()
        for thread in load.threads:
            thread.join(120)
        if load.failures:
            sys.exit("failed: " + "; ".join(load.failures[:5]) + f"; {len(load.failures)} in all")
        report = status(build, path)
        methods = {one["method"].split("/")[1]: one for one in report["methods"]}
        for name, expected in [("Detect", load.calls), ("Watch", load.answered)]:
            counted = methods[name]
            if counted["calls"] != expected or counted["failures"]:
                sys.exit(f"failed: {name}: clients saw {expected}, Stats has {counted['calls']}, failures {counted['failures']}")
    finally:
        load.is_over.set()
        engine.kill()
        engine.wait()
    took.sort()
    print(f"ok: {load.calls} calls, {options.streams} streams with {load.submitted} frames ({load.answered} searched), {replaced} upgrades, "
          f"attempts in vain: {in_vain[0]} without a model, {in_vain[1]} killed at their start, {in_vain[2]} with the socket; from start to the old engine's end: median {took[len(took) // 2]:.2f} s, "
          f"longest {took[-1]:.2f} s; longest call {load.longest:.2f} s; uptime {report['uptime_ns'] / 1e9:.0f} s")


if __name__ == "__main__":
    main()
