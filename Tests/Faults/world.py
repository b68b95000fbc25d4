"""An engine and a gateway that are started, killed, stopped and replaced, and what they hold."""

import collections
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

import faceengine
import support
from clients import METHODS, PHOTO_FILE, Client, images
from support import ENGINE, PATIENCE, ask, until

# How much more resident memory a process may keep than after the first calls of all kinds, once it has rested.
GROWTH, SLACK = 1.25, 24 << 20
POOL = 24  # threads that a gateway starts when it has work, and keeps
MARK = "FACE_FAULTS_RUN"


class Failed(AssertionError):
    """A promise that did not hold."""


def expect(holds, what):
    if not holds:
        raise Failed(what)


def children(process):
    """The processes that each thread of a process has started."""
    found = []
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return sorted(found)


def holdings(program):
    """What a process holds: descriptors by kind, threads, mappings of shared memory, and its own processes and theirs."""
    process, held = pathlib.Path(f"/proc/{program.process.pid}"), collections.Counter()
    local = {f"socket:[{line.split()[6]}]" for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]}
    for descriptor in (process / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            target = os.readlink(descriptor)
            held["sockets of Unix" if target in local else "descriptors of " + target.split("[")[0]] += 1
    held["threads"] = len(os.listdir(process / "task"))
    held["shared memories"] = (process / "maps").read_text().count("/memfd:")
    forkers = children(program.process.pid)
    held["processes"] = len(forkers) + sum(len(children(forker)) for forker in forkers)
    return +held


def marked(mark):
    """All processes of this run."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.add(int(entry.name))
    return found


def command_line(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return "it has ended"


class World:
    """An engine at `path`, a gateway before it, their clients, and the faces that these have to find."""

    def __init__(self, folder, log, seed):
        self.folder, self.log, self.path = folder, log, os.path.join(folder, "engine.sock")
        self.mark = f"{MARK}={os.getpid()}-{seed}"
        os.environ[MARK] = self.mark.split("=")[1]
        self.clients, self.ended, self.baselines, self.resident = [], [], {}, {}
        self.now = "the start"
        # What Stats had at the step's begin, and what it has to have at the end: "all" calls, or no more than were
        # begun.
        self.counted, self.bounds = {}, None
        self.pixels = images()
        self.engine = self.serve()
        self.gateway = None
        self.start_gateway()
        with faceengine.connect(self.path) as engine:
            self.faces = {
                "photo": self._boxes(engine.detect(PHOTO_FILE)),
                "pixels": self._boxes(engine.detect(self.pixels)),
            }
        expect(all(len(boxes) == 1 for boxes in self.faces.values()), f"the photo has one face, not {self.faces}")
        self.hostile = []

    @staticmethod
    def _boxes(faces):
        return [(face.box.x, face.box.y, face.box.width, face.box.height) for face in faces]

    # ---- Programs

    def program(self, *flags, path=None, launcher=(), **others):
        """An engine that has been started."""
        return support.Program(
            *launcher,
            ENGINE,
            "serve",
            "--socket",
            path or self.path,
            "--socket-mode",
            "0666",
            "--access-log",
            "--limit",
            "connections-per-user=200",
            *flags,
            **others,
        )

    def serve(self, *flags, path=None, **others):
        """An engine that serves."""
        engine = self.program(*flags, path=path, **others)
        engine.said(r"\] serving$")
        return engine

    def restart(self):
        self.engine = self.serve()
        self.counted, self.bounds = {}, "begun"

    def start_gateway(self):
        flags = () if self.gateway is None else ("--http", self.gateway.http, "--grpc", self.gateway.grpc)
        self.gateway = support.Gateway(self.path, *flags)
        self.http, self.grpc = self.gateway.http_address, self.gateway.grpc
        until(lambda: self.get("/readyz") == 200, "the gateway's first answer")

    def get(self, path):
        return ask(self.http, "GET", path)[0]

    def status(self):
        done = subprocess.run(
            [ENGINE, "status", "--json", "--socket", self.path], capture_output=True, text=True, timeout=PATIENCE
        )
        expect(done.returncode == 0, f"face-engine status: {done.returncode} {done.stderr}")
        return json.loads(done.stdout)

    def forkers(self, without=()):
        """The two processes that start decoders, once there are two without the lost ones."""

        def found():
            now = children(self.engine.process.pid)
            return now if len(now) == 2 and not set(now) & set(without) else None

        return until(found, "two processes that start decoders")

    def close(self):
        for client in self.clients:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):  # it has ended
                os.kill(client.process, signal.SIGKILL)
                os.waitpid(client.process, 0)
        for process in marked(self.mark):  # also what has been leaked, and would keep the programs' output open
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        for program in (self.gateway, self.engine):
            if program:
                program.stop(signal.SIGKILL)

    # ---- Clients

    def start(self, kinds, allowed, dice):
        self.ended = []
        self.clients = [Client(kind, self, allowed, dice.getrandbits(32)) for kind in kinds]
        self.progress("their first answers", 1)

    def look(self):
        """Fails if a client has ended, which it does by itself only after a broken promise."""
        for client in self.clients:
            if not client.is_killed and os.waitid(os.P_PID, client.process, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                client.is_killed = True
                raise Failed(f"the client {client.kind} found a broken promise, above")
        for program in (self.engine, self.gateway):
            code = program.process.poll()
            expect(
                code is None, f"{os.path.basename(program.process.args[0])} ended with {code}: {program.errors[-5:]}"
            )

    def wait(self, condition, what):
        """Waits for an event that the clients or programs bring about, while all promises hold."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.look()
            expect(time.monotonic() < end, f"{what} did not come within {PATIENCE} s")
            time.sleep(0.01)

    def progress(
        self,
        what,
        count=2,
        codes=("OK", "INVALID_ARGUMENT", "CANCELLED", "DEADLINE_EXCEEDED", "OUT_OF_RANGE", "RESOURCE_EXHAUSTED"),
        side=None,
    ):
        """Waits until each client has had that many more answers."""
        from clients import KINDS

        now = [
            (client, client.ledger.answers(*codes))
            for client in self.clients
            if not client.is_killed and side in (None, KINDS[client.kind][1])
        ]
        for client, before in now:
            self.wait(
                lambda: client.is_killed or client.ledger.answers(*codes) >= before + count,
                f"{what} of the client {client.kind}",
            )

    def kill_client(self, client, dice):
        """Kills a client, and starts another one of its kind."""
        client.is_killed = True
        os.kill(client.process, signal.SIGKILL)
        os.waitpid(client.process, 0)
        self.clients.append(Client(client.kind, self, client.allowed, dice.getrandbits(32), client.user))

    def finish(self):
        """Ends the clients, and returns their ledgers."""
        for client in self.clients:
            client._over[0] = 1
        for client in self.clients:
            if not client.is_killed:
                until(
                    lambda: os.waitid(os.P_PID, client.process, os.WEXITED | os.WNOHANG | os.WNOWAIT),
                    f"the end of the client {client.kind}",
                )
                client.is_killed = True
                _, status = os.waitpid(client.process, 0)
                expect(status == 0, f"the client {client.kind} found a broken promise, above")
        ledgers, self.clients = [client.ledger for client in self.clients], []
        return ledgers

    def finish_early(self):
        """Ends the clients before the step's end."""
        self.ended = self.finish()

    # ---- Promises

    def begin_counting(self):
        self.counted, self.bounds = self.counts(), "all"

    def counts(self):
        return {one["method"]: one for one in self.status()["methods"]}

    def check_counts(self, ledgers):
        """Stats has each answer that was read, and no call that was not made."""
        now = self.counts()
        for method in METHODS:

            def delta(field, code=None):
                values = []
                for counts in (now, self.counted):
                    value = counts.get(method, {"calls": 0, "failures": {}})[field]
                    values.append(
                        value.get(code, 0) if code else sum(value.values()) if isinstance(value, dict) else value
                    )
                return values[0] - values[1]

            begun = sum(ledger.begun(method) for ledger in ledgers)
            read = sum(ledger.count(method, "OK") for ledger in ledgers)
            calls = delta("calls")
            expect(
                self.bounds is None or calls <= begun,
                f"{method}: Stats has {calls} calls, clients began {begun}: one was made twice",
            )
            if self.bounds != "all":
                continue
            served = calls - delta("failures")
            expect(
                read <= served,
                f"{method}: clients read {read} answers, Stats has {served}: one was lost or answered twice",
            )
            for code in ("INVALID_ARGUMENT", "CANCELLED", "DEADLINE_EXCEEDED"):
                told = sum(ledger.count(method, code) for ledger in ledgers)
                expect(
                    told <= delta("failures", code),
                    f"{method}: clients were told {told} times {code}, Stats has {delta('failures', code)}",
                )

    def settle(self):
        """Waits until engine and gateway hold what they did without clients, and nothing else is left of the run."""
        for name, program in (("engine", self.engine), ("gateway", self.gateway)):
            end = time.monotonic() + PATIENCE
            if name not in self.baselines:  # without the decoders of the first calls
                until(
                    lambda: (
                        holdings(program)["shared memories"] == 0
                        and holdings(program)["processes"] == len(children(program.process.pid))
                    ),
                    f"the rest of the {name}",
                )
                # The gateway may open a connection between a look at it and one at the engine.
                self.baselines[name] = until(
                    lambda: (
                        now
                        if (now := self.without_pool(name)) == (time.sleep(0.2) or self.without_pool(name))
                        else None
                    ),
                    f"the same holdings of the {name} twice",
                )
            while not (now := self.without_pool(name)) <= self.baselines[name]:
                expect(
                    time.monotonic() < end,
                    f"the {name} held {dict(self.baselines[name])}, and holds {dict(now)} "
                    f"{PATIENCE} s after its clients were gone",
                )
                time.sleep(0.05)
        ours = {self.engine.process.pid, self.gateway.process.pid, *self.forkers()}
        end = time.monotonic() + PATIENCE
        while left := marked(self.mark) - ours:
            expect(
                time.monotonic() < end,
                f"the processes {left} are left {PATIENCE} s after their step: {[command_line(one) for one in left]}",
            )
            time.sleep(0.05)

    def without_pool(self, name):
        """What a process holds, without the connections that the gateway keeps to the engine, and idle clients to it: as many as it
        likes, and for as long."""
        held = holdings(getattr(self, name))
        if name == "engine":
            held["sockets of Unix"] -= holdings(self.gateway)["sockets of Unix"]
        else:
            del held["sockets of Unix"], held["descriptors of socket:"]
            held["threads"] = max(held["threads"] - POOL, 0)
        return held

    def rest(self):
        """Waits until engine and gateway have given memory back."""
        for name, program in (("engine", self.engine), ("gateway", self.gateway)):
            base = self.resident.setdefault(name, program.resident())
            with contextlib.suppress(AssertionError):
                until(lambda: program.resident() <= base * GROWTH + SLACK, "rest")
            now = program.resident()
            expect(now <= base * GROWTH + SLACK, f"the {name} had {base >> 20} MiB resident, and has {now >> 20}")
