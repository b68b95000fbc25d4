"""What happens to engine, gateway and clients in one step, while the clients call without end."""

import collections
import contextlib
import os
import signal
import subprocess
import time

import grpc
from grpc_health.v1 import health_pb2 as health, health_pb2_grpc as health_services

import face_engine_pb2 as messages
from clients import FIRST_USER, KINDS, Client
from face_client import Connection
from exchanges import exchanges, garbage, prepare, send_part
from support import LONG, PATIENCE, ask, until
from world import children, expect

LOST = ("UNAVAILABLE",)
STRIDE = 1 if LONG else 16  # bytes from one end of a client to the next
SERVING, NOT_SERVING = health.HealthCheckResponse.SERVING, health.HealthCheckResponse.NOT_SERVING
Step = collections.namedtuple("Step", "body allowed kinds others")
# Their refusals fill the log, which then leaves lines out.
LOUD = ("wrong", "hostile")
STEPS = {}


def step(*allowed, kinds=(), without=()):
    """Registers a step: how calls may fail in it, and the kinds of clients that it needs, or cannot have."""

    def register(body):
        STEPS[body.__name__.replace("_", "-")] = Step(body, allowed, kinds, sorted(set(KINDS) - {*kinds, *without}))
        return body

    return register


@step()
def calm(world, dice):
    """Nothing happens."""


@step()
def clients_are_killed(world, dice):
    for _ in range(dice.randint(3, 8)):
        client = dice.choice([client for client in world.clients if not client.is_killed])
        if dice.random() < 0.6:
            world.kill_client(client, dice)
        else:
            os.kill(client.process, signal.SIGSTOP)
            time.sleep(dice.uniform(0, 0.2))
            os.kill(client.process, signal.SIGCONT)
        time.sleep(dice.uniform(0, 0.1))


@step()
def clients_go_at_any_byte(world, dice):
    """They close their connection after any byte that they send, and after any that they read."""
    for exchange in exchanges():
        place = dice.randrange(STRIDE)
        for count in range(place, len(exchange.data) + 1, STRIDE):
            send_part(world.path, exchange, count).close()
        total = exchange.answered(world.path)
        for count in range(place, total + 1, STRIDE):
            with send_part(world.path, exchange) as peer:
                while count > 0:
                    count -= len(peer.recv(count)) or expect(False, f"{exchange.name}: the engine answers")
        world.look()
    world.bounds = None  # these calls are counted, too


@step(without=LOUD)
def garbage_comes(world, dice):
    """Refused calls, and connections that bring what is no frame. The log has a part of them."""
    said = len(world.engine.errors)
    for number in range(20):
        with garbage(world.path, dice if number % 2 else None) as peer, contextlib.suppress(OSError):
            while peer.recv(1 << 16):
                pass
    until(
        lambda: any("lines left out" in line for line in world.engine.errors[said:]),
        "the log's line of what it leaves out",
    )
    refused = sum("call refused" in line for line in world.engine.errors[said:])
    expect(refused < 500, f"the log has {refused} lines of 1000 refused calls")


@step(without=LOUD)
def models_are_reloaded(world, dice):
    said = len(world.engine.errors)
    for count in range(1, dice.randint(2, 5)):
        world.engine.process.send_signal(signal.SIGHUP)
        world.wait(lambda: sum("models reloaded" in line for line in world.engine.errors[said:]) >= count, "the reload")


# ---- Take-overs


@step("GOAWAY", kinds=("library", "session", "track", "http"))
def another_engine_takes_over(world, dice):
    """No call fails."""
    for _ in range(dice.randint(1, 3)):
        old, world.engine = world.engine, world.serve("--take-over")
        until(lambda: old.process.poll() is not None, "the end of the old engine")
        expect(old.stop() == 0, f"the old engine ended with {old.process.returncode}: {old.errors[-3:]}")
        world.progress("answers of the next engine")


@step("GOAWAY", kinds=("library", "session"), without=LOUD)
def take_overs_fail(world, dice):
    """The new process has no model, is killed at any moment, or is gone when it has the socket: the old engine serves on."""
    for way in dice.sample(["no model", "killed", "prepared", "begun"], 3):
        if way == "no model":
            new = world.program("--take-over", "--model", "/none")
            until(lambda: new.process.poll() is not None, "the end of an engine without a model")
            expect(new.stop() == 1, f"an engine without a model ended with {new.process.returncode}")
        elif way == "killed":
            new = world.program("--take-over")
            until(lambda: children(new.process.pid) or dice.random() < 0.3, "its processes")
            new.stop(signal.SIGKILL)
            if world.engine.process.poll() is not None:  # it was too late
                world.engine.stop()
                world.restart()
        else:
            said = len(world.engine.errors)
            with prepare(world.path) as prepared:
                if way == "begun":
                    prepared.begin()
            if way == "begun":
                until(
                    lambda: any("keeps serving" in line for line in world.engine.errors[said:]),
                    "that the old engine keeps serving",
                )
        world.progress("answers of the old engine")


@step("UNAVAILABLE", "GOAWAY")
def one_ends_during_a_take_over(world, dice):
    """One engine serves, whichever of them ends, and whenever."""
    old, end = world.engine, dice.choice(["old killed", "old stopped", "new forkers"])
    new = world.program("--take-over")
    if end == "new forkers" or dice.random() < 0.5:
        until(
            lambda: children(new.process.pid) or new.process.poll() is not None or old.process.poll() is not None,
            "its processes",
        )
    if end == "new forkers":
        for forker in children(new.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(forker, signal.SIGKILL)
    else:
        time.sleep(dice.uniform(0, 0.1))
        old.process.send_signal(signal.SIGKILL if end == "old killed" else signal.SIGTERM)
    until(lambda: new.process.poll() is not None or old.process.poll() is not None, "the end of one of them")
    dead, world.engine = (old, new) if old.process.poll() is not None else (new, old)
    dead.stop()
    status = [world.engine.process.args[0], "status", "--socket", world.path, "--wait-ready", "--timeout=1"]
    until(
        lambda: world.engine.process.poll() is not None or subprocess.run(status, capture_output=True).returncode == 0,
        "a service",
    )
    if world.engine.process.poll() is not None:
        # The new one had taken over before it lost its processes: a supervisor starts another one.
        expect(end == "new forkers", f"no engine serves after {end}: {dead.errors[-3:]} {world.engine.errors[-3:]}")
        world.restart()
    world.bounds = "begun"


# ---- Engines that are lost


@step(*LOST, kinds=("library", "session", "http", "grpc", "command"))
def the_engine_is_killed(world, dice):
    """Calls end with UNAVAILABLE and continue with the next engine; nothing of the old one is left."""
    left = world.forkers()
    world.engine.stop(signal.SIGKILL)
    if dice.random() < 0.5:
        for client in world.clients:
            if client.kind in ("http", "grpc", "library"):
                lost = client.ledger.answers("UNAVAILABLE")
                until(
                    lambda: client.ledger.answers("UNAVAILABLE") > lost or client.is_killed,
                    f"the loss for the client {client.kind}",
                )
        expect(world.get("/readyz") == 503 and world.get("/healthz") == 200, "the gateway is alive and not ready")
    until(
        lambda: not any(os.path.exists(f"/proc/{forker}") for forker in left), "the end of the lost engine's processes"
    )
    world.restart()


@step(*LOST, "GOAWAY")
def the_engine_is_stopped_and_started(world, dice):
    """It answers what it has, and ends with 0."""
    code = world.engine.stop()
    expect(code == 0, f"the engine ended with {code}: {world.engine.errors[-3:]}")
    world.restart()


@step(*LOST, kinds=("http", "track", "grpc"), without=LOUD)
def the_engine_is_frozen(world, dice):
    """Calls of the gateway end meanwhile; the others wait. Then the engine continues, or another one replaces it."""
    said = len(world.gateway.errors)
    with grpc.insecure_channel(world.grpc) as channel:
        stub = health_services.HealthStub(channel)
        watch = stub.Watch(health.HealthCheckRequest(), timeout=PATIENCE)
        expect(next(watch).status == SERVING, "health is SERVING")
        world.engine.process.send_signal(signal.SIGSTOP)
        expect(next(watch).status == NOT_SERVING, "a watch of health reports the loss")
        world.progress("the end, while the engine is frozen,", 1, LOST, "gateway")
        until(
            lambda: any("the engine does not answer" in line for line in world.gateway.errors[said:]),
            "the gateway's message",
        )
        expect(world.get("/readyz") == 503 and world.get("/healthz") == 200, "the gateway is alive and not ready")
        expect(b"face_engine_up 0" in ask(world.http, "GET", "/metrics")[2], "the metrics say that there is no engine")
        expect(stub.Check(health.HealthCheckRequest(), timeout=PATIENCE).status == NOT_SERVING, "health is NOT_SERVING")
        if dice.random() < 0.5:
            world.engine.stop(signal.SIGKILL)
            world.restart()
        else:
            world.engine.process.send_signal(signal.SIGCONT)
            world.bounds = "begun"  # a call that the gateway gave up may be counted as served
        expect(next(watch).status == SERVING, "a watch of health reports the return")
        watch.cancel()


@step(*LOST, kinds=("http", "track", "grpc"))
def the_gateway_ends(world, dice):
    """Killed, or told to stop with calls under way; the next one listens at the same addresses."""
    number = dice.choice([signal.SIGKILL, signal.SIGTERM])
    code = world.gateway.stop(number)
    expect(code == (0 if number == signal.SIGTERM else -number), f"the gateway ended with {code} on {number.name}")
    world.start_gateway()


@step(without=LOUD)
def decoders_are_killed(world, dice):
    """Also the processes that start them, killed or stopped: no call fails, and there are two again."""
    for _ in range(dice.randint(2, 4)):
        forkers = world.forkers()
        victim, what = dice.choice(forkers), dice.choice(["decoder", "forker", "frozen forker"])
        said = sum("another one replaces it" in line for line in world.engine.errors)
        with contextlib.suppress(ProcessLookupError):  # a decoder may end by itself
            if what == "decoder":
                for decoder in children(victim):
                    os.kill(decoder, signal.SIGKILL)
                continue
            os.kill(victim, signal.SIGKILL if what == "forker" else signal.SIGSTOP)
        world.wait(
            lambda: sum("another one replaces it" in line for line in world.engine.errors) > said,
            f"the place of a {what}",
        )
        if what == "frozen forker":
            os.kill(victim, signal.SIGCONT)
        world.forkers(without=[victim])
        world.progress(f"answers after a {what}")


# ---- Floods


@step("RESOURCE_EXHAUSTED", kinds=("inline", "http"))
def other_users_flood(world, dice):
    """Long calls and hostile pictures of others: who calls beside them is served, and health is SERVING."""
    if os.getuid() != 0:
        return
    users = [FIRST_USER + number for number in range(1, dice.choice([1, 2, 4]) + 1)]
    floods = [
        Client(dice.choice(["hostile", "batch", "inline"]), world, ("RESOURCE_EXHAUSTED",), dice.getrandbits(32), user)
        for user in users
        for _ in range(8 // len(users))
    ]
    world.clients += floods
    world.progress("answers beside the flood", 5)
    with Connection(world.path) as engine:
        answer = engine.call("Health", "Check", messages.HealthCheckRequest(), messages.HealthCheckResponse())
        expect(answer.status == SERVING, "health is SERVING in a flood")


@step()
def a_small_user_has_its_turn(world, dice):
    """Calls that wait together with many of another user are among the first: the access log has the order of their ends."""
    if os.getuid() != 0:
        return
    world.finish_early()
    # The engine's sockets hold all of them while it is stopped.
    grey = world.pixels[:, :, 1]
    detect = messages.DetectRequest(
        image=messages.Image(
            pixels=messages.Pixels(
                format=messages.PIXEL_FORMAT_GRAY, width=grey.shape[1], height=grey.shape[0], data=grey.tobytes()
            )
        )
    )
    first = len(world.engine.lines)
    with contextlib.ExitStack() as stack:

        def connect(user):
            os.seteuid(user)
            try:
                return stack.enter_context(Connection(world.path))
            finally:
                os.seteuid(0)

        flood, small = [connect(FIRST_USER + 20) for _ in range(8)], connect(FIRST_USER + 21)
        for engine in (*flood, small):
            engine.hello("cancel")
        world.engine.process.send_signal(signal.SIGSTOP)
        waiting = [(engine, engine.begin("Detector", "Detect", detect)) for engine in flood for _ in range(8)]
        waiting += [(small, small.begin("Detector", "Detect", detect)) for _ in range(4)]
        world.engine.process.send_signal(signal.SIGCONT)
        for engine, stream in waiting:
            expect(
                len(engine.finish(stream, messages.DetectResponse()).faces) == 1, "a call of the flood finds the face"
            )
    lines = until(
        lambda: (
            found
            if len(found := [line for line in world.engine.lines[first:] if "Detector/Detect " in line]) >= 68
            else None
        ),
        "a line of each call in the access log",
    )
    places = [place for place, line in enumerate(lines, 1) if f" uid={FIRST_USER + 21} " in line]
    expect(len(places) == 4, f"the access log has {len(places)} of 4 calls")
    # A worker each, or alternate turns, and what had begun before they arrived.
    expect(places[-1] <= 32, f"4 calls of a small user ended at the places {places} among 64 of another user")
    world.bounds = None
