#!/usr/bin/python3
"""chaos.py BUILD MINUTES [FOLDER]: engines under clients that are killed and stopped, while it is reloaded and started anew.

Rounds of half a minute. In each, seven kinds of clients call without end: `inline` (a file in the message), `shared` (pixels in
shared memory), `batch`, `watch` (a stream of mode EVERY), `command` (face-engine detect), `wrong` (damaged pictures and
calls that there are not) and `hostile` (the pictures of Tests/Hostile, in FOLDER/pictures, with a deadline or a CANCEL). At random moments one is killed (SIGKILL) or stopped for a while (SIGSTOP), and the engine reloads
its models. A client writes down what it begins and what it is told, so that at the end of a round for each method

    calls whose answer a client has read  <=  calls in Stats  <=  calls that a client has begun

and likewise for failures by code: Stats may only have more by what was begun when a client was killed. Then the engine has to
hold what it held before the round: descriptors, threads, offered memory, and within ten seconds its resident memory but for a
seventh. After four rounds it is ended by SIGTERM or SIGKILL, and another is started at the same socket. FOLDER/memory.csv gets
the resident bytes of each second; draw.py makes a picture of them.

Ends with a message at the first thing that did not hold, and with the seed that CHAOS_SEED takes to do the same again.
"""

import collections
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
KINDS = ["inline", "shared", "batch", "watch", "command", "wrong", "hostile"]
ROUND = 30  # seconds
LIFE = 4  # rounds of one engine
GROWTH = 1.15  # of the resident memory of an engine that rests, once it has rested for REST seconds after a round
REST = 10
PAUSE = 5  # seconds after which an engine without calls has given back what it keeps for them
DETECT, BATCH, WATCH = (f"faceengine.v1.Detector/{name}" for name in ["Detect", "DetectBatch", "Watch"])


class Journal:
    """The calls and answers of one client, a line each, written at once: a killed client's lines stay."""

    def __init__(self, path):
        self.folder = pathlib.Path(path).parent
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def begin(self, method):
        os.write(self._file, f"begin {method}\n".encode())

    def told(self, method, code="OK"):
        os.write(self._file, f"told {method} {code}\n".encode())


# ---- Clients: each a process of its own, which ends when its standard input does.

def client(kind, path, journal):
    import select
    sys.path.insert(0, str(ROOT / "Examples/python"))
    from face_client import Buffer, Connection, EngineError, fe

    photo = fe.Image(encoded=PHOTO.read_bytes())
    gray = fe.Image(pixels=fe.Pixels(format=fe.PIXEL_FORMAT_GRAY, width=160, height=120, data=bytes(160 * 120)))

    def call(method, body):
        journal.begin(method)
        try:
            body()
            journal.told(method)
        except EngineError as error:
            if error.code == "UNAVAILABLE":
                sys.exit(f"{kind}: {error}")  # the engine is there for the whole round
            journal.told(method, error.code)

    def is_over():
        return bool(select.select([sys.stdin], [], [], 0)[0])

    if kind == "hostile":
        sys.path.insert(0, str(ROOT / "Tests/Hostile"))
        from attack import send_and_end
        pictures = sorted((pathlib.Path(journal.folder) / "pictures").iterdir())
        while not is_over():
            journal.begin(DETECT)
            sender, code = send_and_end(path, random.choice(pictures), random.choice(["cancel", "deadline"]))
            journal.told(DETECT, code)
            sender.close()
        return

    with Connection(path) as engine:
        engine.hello("buffers", "credit", "cancel")
        buffer = Buffer(engine, 1, 320 * 240) if kind == "shared" else None
        while not is_over():
            if kind == "inline":
                call(DETECT, lambda: engine.detect(photo))
            elif kind == "shared":
                call(DETECT, lambda: engine.detect(buffer.pixels(320, 240, fe.PIXEL_FORMAT_GRAY)))
            elif kind == "batch":
                request = fe.DetectBatchRequest(images=[gray] * random.randint(1, 8))
                call(BATCH, lambda: engine.call("Detector", "DetectBatch", request, fe.DetectBatchResponse()))
            elif kind == "watch":
                stream = engine.watch(fe.WatchStart.EVERY)
                sent = random.randint(1, 12)
                for number in range(sent):
                    journal.begin(WATCH)
                    stream.send(gray, number)
                stream.close()
                for _ in stream:
                    journal.told(WATCH)
            else:
                damaged = fe.Image(encoded=bytes(random.randrange(256) for _ in range(random.randint(0, 300))))
                call(DETECT, lambda: engine.detect(random.choice([damaged, fe.Image()])))


def command(build, path, journal):
    import select
    while not select.select([sys.stdin], [], [], 0)[0]:
        journal.begin(DETECT)
        done = subprocess.run([build / "face-engine", "detect", "--socket", path, PHOTO], capture_output=True)
        if done.returncode == 0:
            journal.told(DETECT)
        else:
            sys.exit(f"command: {done.stderr.decode()}")


# ---- The engine and what it holds

class Engine:
    def __init__(self, build, folder):
        self.path = str(folder / "s")
        self._build = build
        self.log = open(folder / "log", "ab")
        self.process = subprocess.Popen(
            [build / "face-engine", "serve", "--socket", self.path, "--limit", "connections-per-user=200"], stderr=self.log)
        subprocess.run([build / "face-engine", "status", "--socket", self.path, "--wait-ready=60"], check=True)

    def stats(self):
        done = subprocess.run([self._build / "face-engine", "status", "--json", "--socket", self.path], check=True,
                              capture_output=True)
        return json.loads(done.stdout)

    def holdings(self):
        """Numbers of descriptors by kind, threads, and mappings of offered memory."""
        process = pathlib.Path(f"/proc/{self.process.pid}")
        kinds = collections.Counter()
        for descriptor in (process / "fd").iterdir():
            try:
                kinds[os.readlink(descriptor).split("[")[0]] += 1
            except FileNotFoundError:
                pass
        kinds["threads"] = sum(1 for _ in (process / "task").iterdir())
        kinds["memories"] = (process / "maps").read_text().count("/memfd:")
        return +kinds

    def resident(self):
        return int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Memory:
    """Writes the engine's resident bytes down, each second of a round."""

    def __init__(self, path):
        self._file = open(path, "w", buffering=1)
        self._begin = time.monotonic()
        print("seconds,engine,round,resident_bytes", file=self._file)

    @contextlib.contextmanager
    def watch(self, engine, number):
        is_over = threading.Event()

        def write():
            while True:
                print(f"{time.monotonic() - self._begin:.1f},{engine.process.pid},{number},{engine.resident()}", file=self._file)
                if is_over.wait(1):
                    return

        thread = threading.Thread(target=write)
        thread.start()
        try:
            yield
        finally:
            is_over.set()
            thread.join()


def fail(what):
    sys.exit(f"failed: {what}")


def settle(engine, before):
    """Waits until the engine has noticed that its clients are gone."""
    deadline = time.monotonic() + 60
    while (now := engine.holdings()) != before:
        if time.monotonic() > deadline:
            fail(f"the engine held {dict(before)} and holds {dict(now)} a minute after its clients were gone")
        time.sleep(0.05)


def rest(engine, baseline):
    """Waits until the engine has released the memory of its calls, and returns its resident bytes."""
    deadline = time.monotonic() + REST
    while (now := engine.resident()) > baseline * GROWTH:
        if time.monotonic() > deadline:
            fail(f"the engine had {baseline} bytes resident and has {now} {REST} seconds after its clients were gone")
        time.sleep(0.1)
    return now


def tallies(folder):
    begun, told = collections.Counter(), collections.Counter()
    for journal in folder.glob("journal-*"):
        for line in journal.read_text().splitlines():
            what, *rest = line.split(" ")
            if what == "begin":
                begun[rest[0]] += 1
            else:
                told[tuple(rest)] += 1
    return begun, told


def compare(stats, begun, told):
    methods = {one["method"]: one for one in stats["methods"]}
    for method in [DETECT, BATCH, WATCH]:
        counted = methods.get(method, {"calls": 0, "failures": {}})
        read = sum(count for (name, _), count in told.items() if name == method)
        if not read <= counted["calls"] <= begun[method]:
            fail(f"{method}: clients read {read} answers and began {begun[method]}; Stats has {counted['calls']}")
        open_calls = begun[method] - read
        codes = {code for (name, code) in told if name == method} | set(counted["failures"])
        for code in codes - {"OK"}:
            known, here = told[method, code], counted["failures"].get(code, 0)
            if not known <= here <= known + open_calls:
                fail(f"{method} {code}: clients read {known}, Stats has {here}, and {open_calls} have no known end")
    return sum(begun.values()), sum(told.values())


def start(kind, number, build, engine, folder):
    return subprocess.Popen([sys.executable, __file__, "--client", kind, build, engine.path, folder / f"journal-{number}"],
                            stdin=subprocess.PIPE)


def play(build, engine, folder, dice, life):
    """One round of an engine's life. Gives how many clients were killed."""
    clients, number, killed = [], 0, 0

    def add(kind):
        nonlocal number
        number += 1
        clients.append((kind, start(kind, f"{life}-{number}", build, engine, folder)))

    for kind in KINDS:
        add(kind)
    end = time.monotonic() + ROUND
    while time.monotonic() < end:
        time.sleep(dice.uniform(0.02, 0.4))
        for kind, process in clients:
            if process.poll() is not None:
                fail(f"the client {kind} ended by itself with {process.returncode}")
        place = dice.randrange(len(clients))
        kind, process = clients[place]
        event = dice.random()
        if event < 0.5:
            process.kill()
            process.wait()
            process.stdin.close()
            del clients[place]
            killed += 1
            add(kind)
        elif event < 0.8:
            process.send_signal(signal.SIGSTOP)
            time.sleep(dice.uniform(0, 0.3))
            process.send_signal(signal.SIGCONT)
        else:
            engine.process.send_signal(signal.SIGHUP)
        if engine.process.poll() is not None:
            fail(f"the engine ended with {engine.process.returncode}")
    for kind, process in clients:
        process.stdin.close()
    for kind, process in clients:
        if process.wait(120) != 0:
            fail(f"the client {kind} ended with {process.returncode}")
    return killed


def main(build, minutes, folder):
    seed = int(os.environ.get("CHAOS_SEED") or time.time_ns() % 2**32)
    print(f"chaos: seed {seed}", flush=True)
    dice = random.Random(seed)
    memory = Memory(folder / "memory.csv")
    end = time.monotonic() + minutes * 60
    engine, number = None, 0
    all_calls, all_told, all_killed = 0, 0, 0
    try:
        while number == 0 or time.monotonic() < end:
            engine = Engine(build, folder)
            for journal in folder.glob("journal-*"):
                journal.unlink()
            # The first calls load what stays: of every kind one.
            subprocess.run([build / "face-engine", "detect", "--json", "--all", "--socket", engine.path, PHOTO], check=True,
                           stdout=subprocess.DEVNULL)
            first = engine.stats()
            time.sleep(0.2)
            while engine.holdings()["memories"]:  # of the decoders of these calls
                time.sleep(0.1)
            before = engine.holdings()
            time.sleep(PAUSE)
            baseline = engine.resident()
            killed = 0
            for life in range(LIFE):
                number += 1
                with memory.watch(engine, number):
                    killed += play(build, engine, folder, dice, life)
                    settle(engine, before)
                    most = engine.resident()
                    resident = rest(engine, baseline)
                begun, told = tallies(folder)
                for one in first["methods"]:  # those that this program made itself
                    begun[one["method"]] += one["calls"]
                    told[one["method"], "OK"] += one["calls"]
                begun_count, told_count = compare(engine.stats(), begun, told)
                print(f"chaos: round {number}: {begun_count} calls of this engine, {told_count} answers, {killed} clients killed, "
                      f"{most >> 20} MiB resident, then {resident >> 20}, of {baseline >> 20} before", flush=True)
                if time.monotonic() > end:
                    break
            all_calls, all_told, all_killed = all_calls + begun_count, all_told + told_count, all_killed + killed
            last = dice.choice([signal.SIGTERM, signal.SIGTERM, signal.SIGKILL])
            engine.process.send_signal(last)
            if engine.process.wait(60) != (-signal.SIGKILL if last == signal.SIGKILL else 0):
                fail(f"the engine ended with {engine.process.returncode} on {last.name}")
    finally:
        if engine and engine.process.poll() is None:
            engine.process.kill()
            engine.process.wait()
    print(f"ok: {number} rounds, {all_calls} calls, {all_told} answers, {all_killed} clients killed; see {folder}/memory.csv")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--client"]:
        kind, build, path, journal = sys.argv[2:]
        if kind == "command":
            command(pathlib.Path(build), path, Journal(journal))
        else:
            client(kind, path, Journal(journal))
    elif len(sys.argv) in (3, 4):
        target = pathlib.Path(sys.argv[3] if len(sys.argv) == 4 else tempfile.mkdtemp(prefix="chaos-"))
        target.mkdir(parents=True, exist_ok=True)
        main(pathlib.Path(sys.argv[1]).resolve(), float(sys.argv[2]), target)
    else:
        sys.exit(__doc__)
