#!/usr/bin/env python3
"""faults.py BUILD_FOLDER [scheduling|connections|client|gateway] [EVENTS]: shows that the simulations find faults. Builds the service
and what decides in the client, or the gateway, and its simulations with all of the faults below, of connection_faults.py, client_faults.py
and gateway_faults.py; a variable of the environment turns each fault on. Runs the scenario with each, and prints a table: the fault,
the seed and the event that find it, and what the simulation says. Fails if one is not found within EVENTS events, or if something is
found without a fault."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from client_faults import FAULTS as CLIENT
from connection_faults import FAULTS as CONNECTIONS
from gateway_faults import FAULTS as GATEWAY

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ("FaceCore", "Posix", "CPosixShims", "CSandbox", "Wire", "CProtocol")

# The fault, the file, the code, and the code with the fault.
SCHEDULING = [
    (
        "one worker fewer than may run",
        "WorkerSchedule",
        "    running.count < capacity + extra && !queue.isEmpty",
        "    running.count < capacity + extra - (FAULT ? 1 : 0) && !queue.isEmpty",
    ),
    (
        "a user's turn too few",
        "WorkerSchedule",
        "running.count < capacity ? capacity : 1 }",
        "running.count < capacity - (FAULT ? 1 : 0) ? capacity : 1 }",
    ),
    (
        "nobody is woken to wait for the connections",
        "WorkerSchedule",
        "        pollingWorker == nil ? .oneWaiting : []",
        "        pollingWorker == nil && !FAULT ? .oneWaiting : []",
    ),
    (
        "lost wake-up when a job is queued",
        "WorkerSchedule",
        "return !isFirst && canStart ? .oneWaiting : []",
        "return !isFirst && canStart && !FAULT ? .oneWaiting : []",
    ),
    (
        "lost wake-up of paused jobs at an end",
        "WorkerSchedule",
        "{ lastUse = now }\n    return .paused",
        "{ lastUse = now }\n    return FAULT ? [] : .paused",
    ),
    ("the rest of a cancelled batch is queued", "WorkerSchedule", "if isWanted {", "if isWanted || FAULT {"),
    (
        "a cancelled job counts as waited for",
        "WorkerSchedule",
        "      begun[index].abandoned = min(begun[index].abandoned, now)\n",
        "      if !FAULT { begun[index].abandoned = min(begun[index].abandoned, now) }\n",
    ),
    (
        "a running job is not told that it is cancelled",
        "WorkerSchedule",
        "      begun[index].canceller.cancel()\n",
        "      if !FAULT { begun[index].canceller.cancel() }\n",
    ),
    (
        "the account of a job that runs is not released",
        "WorkerSchedule",
        "      job.reservation = nil\n      let own",
        "      if FAULT { leaked.append(job.reservation as Any) }\n      job.reservation = nil\n      let own",
    ),
    (
        "the deadline of a queued job is forgotten",
        "WorkerSchedule",
        "    nextExpiry = min(nextExpiry, job.deadline)\n    change",
        "    if !FAULT { nextExpiry = min(nextExpiry, job.deadline) }\n    change",
    ),
    (
        "after one expiry the next deadline is forgotten",
        "WorkerSchedule",
        "    nextExpiry = next\n",
        "    nextExpiry = FAULT ? .never : next\n",
    ),
    (
        "the deadline of a replacing frame is forgotten",
        "WorkerSchedule",
        "    if replaced != nil {",
        "    if replaced != nil, !FAULT {",
    ),
    (
        "the user that has had most comes first",
        "FairQueue",
        "if let next, next < candidate { continue }",
        "if let next, (next < candidate) != (FAULT) { continue }",
    ),
    (
        "the time of ended jobs is not counted",
        "FairQueue",
        "    users[user]?.cost = cost\n",
        "    users[user]?.cost = cost\n    if FAULT { users[user]?.used -= cost }\n",
    ),
    (
        "an ended job counts as running",
        "FairQueue",
        "    users[user]?.running -= 1\n",
        "    if !FAULT { users[user]?.running -= 1 }\n",
    ),
    (
        "pauses are charged",
        "WorkerSchedule",
        "where !begun[index].isPaused && !begun[index].isStalled {",
        "where (!begun[index].isPaused || FAULT) && !begun[index].isStalled {",
    ),
    (
        "further workers never end",
        "WorkerSchedule",
        "    guard hasFurtherWorkers, poll",
        "    guard !FAULT, hasFurtherWorkers, poll",
    ),
    (
        "a worker without a thread counts",
        "WorkerSchedule",
        "    assert(index(of: worker) == nil)\n    workerCount -= 1",
        "    if !FAULT { workerCount -= 1 }",
    ),
    (
        "a lane loses its turn",
        "RoundRobinQueue",
        "      } else {\n        turns.append(lane)",
        "      } else if !FAULT {\n        turns.append(lane)",
    ),
    (
        "a lane that is filled again counts as empty",
        "RoundRobinQueue",
        "    case (true?, false): emptied -= 1",
        "    case (true?, false): if !FAULT { emptied -= 1 }",
    ),
    (
        "the queue keeps one taken element",
        "RoundRobinQueue",
        "      storage.removeFirst(head)",
        "      storage.removeFirst(head - (FAULT ? 1 : 0))",
    ),
    (
        "a job that is queued again takes no room",
        "UserAccount",
        "    state.withLock { state in state.add(amounts, of: user) }\n    return",
        "    if !FAULT { state.withLock { state in state.add(amounts, of: user) } }\n    return",
    ),
    (
        "a user that has nothing is refused half of what is left",
        "UserAccount",
        "let share = own == 0 ? left : left - left / 2",
        "let share = own == 0 && !FAULT ? left : left - left / 2",
    ),
    (
        "two workers wait for the connections",
        "WorkerSchedule",
        "    guard pollingWorker == nil else { return nil }\n    pollingWorker",
        "    guard pollingWorker == nil || FAULT else { return nil }\n    pollingWorker",
    ),
    (
        "the worker that waited for the connections still counts as waiting",
        "WorkerSchedule",
        "if pollingWorker == worker { pollingWorker = nil }",
        "if pollingWorker == worker, !FAULT { pollingWorker = nil }",
    ),
    (
        "a call without a caller is paused once more",
        "WorkerSchedule",
        "begun[own].abandoned <= now ||",
        "begun[own].abandoned <= now && !FAULT ||",
    ),
    (
        "idle since the start",
        "WorkerSchedule",
        "if ended.usesModels { lastUse = now }",
        "if ended.usesModels, !FAULT { lastUse = now }",
    ),
    (
        "lost wake-up at the end",
        "WorkerSchedule",
        "    return [.allWaiting, .paused]",
        "    return FAULT ? .paused : [.allWaiting, .paused]",
    ),
    (
        "nobody looks whether a user has fallen behind",
        "WorkerSchedule",
        "let wakes: Wakes = canStart ?",
        "let wakes: Wakes = canStart && !FAULT ?",
    ),
    (
        "users of long jobs start as others do",
        "FairQueue",
        "entry.used + entry.cost < others",
        "entry.used + entry.cost < others || FAULT",
    ),
    ("nothing is ever paused", "WorkerSchedule", "let goesOn = ", "let goesOn = FAULT || "),
    (
        "the floor stays at zero",
        "FairQueue",
        "    floor = max(floor, min(used(by: user), others))\n",
        "    if !FAULT { floor = max(floor, min(used(by: user), others)) }\n",
    ),
    (
        "a call that continues has no slice",
        "WorkerSchedule",
        "used : used - Self.slice,",
        "used : used - (FAULT ? .zero : Self.slice),",
    ),
    (
        "calls that give no sign count for ever",
        "WorkerSchedule",
        "job.lastSign + Self.silence > now\n",
        "(job.lastSign + Self.silence > now || FAULT)\n",
    ),
    (
        "short calls are paused",
        "WorkerSchedule",
        "begun[own].had < Self.slice ||",
        "begun[own].had < Self.slice && !FAULT ||",
    ),
    (
        "workers wait for ever",
        "WorkerSchedule",
        "hasFurtherWorkers ? now + Self.idleTime : .never",
        "hasFurtherWorkers && !FAULT ? now + Self.idleTime : .never",
    ),
    (
        "nobody continues instead of a paused one",
        "WorkerSchedule",
        "wakesOthers ? wakes.union(.paused)",
        "wakesOthers && !FAULT ? wakes.union(.paused)",
    ),
    (
        "a late job stays paused",
        "WorkerSchedule",
        "        abandoned: job.deadline)",
        "        abandoned: FAULT ? .never : job.deadline)",
    ),
    (
        "users that wait are miscounted",
        "FairQueue",
        "waiting += (wasEmpty ? 0 : -1) + (entry.line.isEmpty ? 0 : 1)",
        "waiting += (wasEmpty ? 0 : -1) + (entry.line.isEmpty || FAULT && users.count > 3 ? 0 : 1)",
    ),
    (
        "the last part of a call is not charged",
        "WorkerSchedule",
        "    advance(to: now)\n    guard let index",
        "    if !FAULT { advance(to: now) }\n    guard let index",
    ),
    (
        "a user that was away keeps its old time",
        "FairQueue",
        "if wasEmpty, !entry.line.isEmpty {",
        "if wasEmpty, !entry.line.isEmpty, !FAULT {",
    ),
    (
        "one user takes the workers for further users",
        "WorkerSchedule",
        "  private var limit: Int {",
        "  private var limit: Int { FAULT ? capacity :",
    ),
    (
        "users are never forgotten",
        "FairQueue",
        "guard let entry = users[user], entry.isIdle else { return }",
        "guard let entry = users[user], entry.isIdle, !FAULT else { return }",
    ),
    (
        "a CANCEL of an answered call wakes paused calls",
        "WorkerSchedule",
        "return meant.isEmpty ? [] : .paused",
        "return meant.isEmpty && !FAULT ? [] : .paused",
    ),
    (
        "paused calls wake each other without end",
        "WorkerSchedule",
        "!goesOn && (!wasPaused ||",
        "!goesOn && (!wasPaused || FAULT ||",
    ),
    (
        "each call wakes an idle worker, also if it cannot start",
        "WorkerSchedule",
        "    let isFirst = queue.isEmpty",
        "    if FAULT { append(job); return .oneWaiting }\n    let isFirst = queue.isEmpty",
    ),
    (
        "a user's share of a limit is one too small",
        "UserAccount",
        "left - left / 2",
        "left - left / 2 - (FAULT ? 1 : 0)",
    ),
    (
        "a user gets one less than its share",
        "UserAccount",
        "amount <= share - own else",
        "amount <= share - own - (FAULT ? 1 : 0) else",
    ),
    (
        "a user gets one more than its share",
        "UserAccount",
        "guard own <= share, amount",
        "guard own <= share || FAULT, FAULT && amount == share - own + 1 || amount",
    ),
    (
        "a user may share one byte less",
        "UserAccount",
        "amounts.mappedBytes <= limits.mappedBytesPerUser - mapped else",
        "amounts.mappedBytes <= limits.mappedBytesPerUser - mapped - (FAULT ? 1 : 0) else",
    ),
    (
        "a user may open one check more",
        "UserAccount",
        "own.checks < limits.checksPerUser else",
        "own.checks < limits.checksPerUser + (FAULT ? 1 : 0) else",
    ),
    (
        "empty accounts are kept",
        "UserAccount",
        "if users[user] == UserAccount() {",
        "if users[user] == UserAccount(), !FAULT {",
    ),
    (
        "a call that waits for memory counts as one that runs for its user",
        "FairQueue",
        "users[user]?.running += isStalled ? -1 : 1",
        "users[user]?.running += FAULT ? 0 : isStalled ? -1 : 1",
    ),
    (
        "nobody is woken to run in place of a call that waits for memory",
        "WorkerSchedule",
        "    guard isStalled else { return [] }",
        "    guard isStalled, !FAULT else { return [] }",
    ),
    (
        "calls that wait for memory count as running",
        "WorkerSchedule",
        "begun.filter { !$0.isStalled }",
        "begun.filter { !$0.isStalled || FAULT }",
    ),
    (
        "further workers end after a second",
        "WorkerSchedule",
        "idleTime: TimeSpan { .seconds(10) }",
        "idleTime: TimeSpan { FAULT ? .seconds(1) : .seconds(10) }",
    ),
    (
        "a call has 60 ms before it pauses",
        "FairQueue",
        "slice: TimeSpan { .milliseconds(50) }",
        "slice: TimeSpan { FAULT ? .milliseconds(60) : .milliseconds(50) }",
    ),
    (
        "a new lane takes another one's turn",
        "RoundRobinQueue",
        "case (nil, false): turns.append(lane)",
        "case (nil, false): turns.append(lane); if FAULT, let x = turns.popFirst() { turns.append(x) }",
    ),
    (
        "a call expires only after its deadline",
        "WorkerSchedule",
        "return job.deadline <= now",
        "return FAULT ? job.deadline < now : job.deadline <= now",
    ),
    (
        "deadlines are looked at again and again",
        "WorkerSchedule",
        "if job.deadline > now { next = min(next, job.deadline) }",
        "if job.deadline > now { next = min(next, FAULT ? now : job.deadline) }",
    ),
    (
        "queries count as a use of the models",
        "WorkerSchedule",
        "usesModels: job.usesModels, lastSign",
        "usesModels: job.usesModels || FAULT, lastSign",
    ),
    (
        "a frame that replaces another one takes no room",
        "WorkerSchedule",
        "let job = reserved(job)\n    let replaced",
        "let job = FAULT ? job : reserved(job)\n    let replaced",
    ),
    (
        "the end of a connection cancels its user's other calls",
        "WorkerSchedule",
        "cancelBegun(at: now) { $0.connection == connection }",
        "cancelBegun(at: now) { $0.connection == connection || FAULT && $0.user == user }",
    ),
    (
        "workers count as stuck at once",
        "WorkerSchedule",
        "doubtTime: TimeSpan { .milliseconds(500) }",
        "doubtTime: TimeSpan { FAULT ? .zero : .milliseconds(500) }",
    ),
]

# By scenario: the faults, and how many events find each.
SCENARIOS = {
    "scheduling": (SCHEDULING, 200_000),
    "connections": (CONNECTIONS, 200_000),
    "client": (CLIENT, 200_000),
    "gateway": (GATEWAY, 200_000),
}

SWITCH = """import Glibc
let fault = getenv("FAULT").flatMap { Int(String(cString: $0)) }
nonisolated(unsafe) var leaked: [Any] = []
"""


def objects(products):
    """Those of today's sources: a build leaves what it made of files that were renamed or removed since."""
    for module in MODULES:
        folder, sources = products / f"{module}.build", next(ROOT.glob(f"Sources/*/{module}"))
        swift = {path.name for path in sources.rglob("*.swift")}
        for path in folder.rglob("*.o"):
            source = path.relative_to(folder).with_suffix("")
            if source.name in swift or (sources / source).is_file():
                yield path


def build_service(products, folder):
    return build(
        [ROOT / "Sources/IPC/Service", ROOT / "Sources/IPC/Client/Decisions", ROOT / "Tests/Simulation"],
        ("Client", "Service", "Simulation"),
        [*SCHEDULING, *CONNECTIONS, *CLIENT],
        folder,
        [
            "-package-name",
            ROOT.name.lower(),
            "-I",
            products / "Modules",
            "-I",
            ROOT / "Sources/Generated/CProtocol/include",
            *maps(
                ROOT.glob("Sources/Native/SystemLibraries/*/module.modulemap"),
                products.glob("C*.build/module.modulemap"),
            ),
            *objects(products),
            *(products / "Logging.build").glob("*.o"),
        ],
    )


def build_gateway(products, folder):
    """With the objects that SwiftPM links, except for those of the modules that have the faults."""
    gateway = ROOT / "Gateway"
    products = gateway / ".build/release"
    modules = ("GatewayServing", "EngineLink", "GatewayHTTP2", "GatewayHTTP")
    own = tuple(f"/{module}.build/" for module in (*modules, "simulate_gateway"))
    linked = shlex.split((products / "simulate-gateway.product/Objects.LinkFileList").read_text())
    headers = [*gateway.glob(".build/checkouts/*/Sources/*/include"), *ROOT.glob("Sources/*/*/include")]
    return build(
        [
            *(gateway / "Sources" / module for module in modules),
            products / "GatewayHTTP.build/DerivedSources",
            gateway / "Tests/Simulation",
        ],
        modules,
        GATEWAY,
        folder,
        [
            "-package-name",
            gateway.name.lower(),
            "-enable-upcoming-feature",
            "MemberImportVisibility",
            "-I",
            products / "Modules",
            *(word for path in headers for word in ("-Xcc", f"-I{path}")),
            *maps(
                gateway.glob("Sources/SystemLibraries/*/module.modulemap"),
                ROOT.glob("Sources/Native/SystemLibraries/*/module.modulemap"),
                products.glob("C*.build/module.modulemap"),
                (path / "module.modulemap" for path in headers),
            ),
            *(path for path in linked if not any(part in path for part in own)),
            "-lnghttp2",
            "-ljansson",
            "-lz",
            "-lstdc++",
        ],
    )


def maps(*paths):
    return [word for each in paths for path in each if path.is_file() for word in ("-Xcc", f"-fmodule-map-file={path}")]


def build(folders, modules, faults, folder, arguments):
    """The program: a module of its own that has the sources of these modules, and uses the objects of the package's build."""
    imports = re.compile(rf"^(package |public )?import ({'|'.join(modules)})\n", flags=re.MULTILINE)
    texts = {path.name: imports.sub("", path.read_text()) for each in folders for path in each.rglob("*.swift")}
    for number, (what, file, code, faulty) in enumerate(faults):
        text = texts[f"{file}.swift"]
        if text.count(code) != 1:
            sys.exit(
                f"faults.py: {file}.swift has the code of the fault `{what}` {text.count(code)} times; name it anew"
            )
        texts[f"{file}.swift"] = text.replace(code, faulty.replace("FAULT", f"(fault == {number})"))
    texts["Fault.swift"] = SWITCH
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    compiled = subprocess.run(
        [
            "swiftc",
            "-O",
            "-wmo",
            "-module-name",
            "simulation",
            "-swift-version",
            "6",
            "-enable-upcoming-feature",
            "InternalImportsByDefault",
            "-suppress-warnings",
            *arguments,
            *(folder / name for name in texts),
            "-lprotobuf-c",
            "-o",
            folder / "simulate",
        ],
        check=False,
    )
    if compiled.returncode:
        sys.exit("faults.py: the simulation with its faults is not compiled; see the errors above")
    return folder / "simulate"


def simulate(program, scenario, events, fault):
    """How the run ended, and what it found: seed, event and text."""
    # The time limit is for faults after which nothing ends.
    run = subprocess.run(
        ["timeout", "600", program, "1", str(events), scenario],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "FAULT": fault},
    )
    return run, re.search(r"make simulate SEED=(\d+) .*: event (\d+): (.*?) \(at", run.stdout)


def main():
    products = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:3] or list(SCENARIOS)
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        folder, programs = pathlib.Path(folder), {}
        for scenario, (faults, events) in SCENARIOS.items():
            if scenario not in wanted:
                continue
            make = build_gateway if scenario == "gateway" else build_service
            if make not in programs:
                programs[make] = make(products, folder / make.__name__)
            events = sys.argv[3] if len(sys.argv) > 3 else events
            first = {"connections": len(SCHEDULING), "client": len(SCHEDULING) + len(CONNECTIONS)}.get(scenario, 0)
            run, found = simulate(programs[make], scenario, events, "none")
            if found or run.returncode:
                sys.exit(f"faults.py: something is found without a fault: {run.stdout}{run.stderr[-500:]}")
            for number, (what, *_) in enumerate(faults, first):
                run, found = simulate(programs[make], scenario, events, str(number))
                missed += [] if found else [what]
                print(
                    f"| {what} | {found[1]} | {found[2]} | {found[3][:110]} |"
                    if found
                    else f"| {what} | NOT FOUND |  | {run.stderr[-200:]} |",
                    flush=True,
                )
    print(
        f"faults.py: {len(missed)} were not found: {', '.join(missed)}" if missed else "faults.py: each was found",
        file=sys.stderr,
    )
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
