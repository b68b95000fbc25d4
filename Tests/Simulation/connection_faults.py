#!/usr/bin/env python3
"""connection_faults.py BUILD_FOLDER [EVENTS]: shows that the simulation of the connections finds faults. Builds the service and the
simulation with all of the faults below, each of which a variable of the environment turns on, runs it with each, and prints a table:
the fault, the seed and the event that find it, and what the simulation says. Fails if one is not found within EVENTS events, two
million by default."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))
from release_objects import objects  # noqa: E402

SOURCES = [*(ROOT / "Sources/IPC/Service").rglob("*.swift"), *(ROOT / "Tests/Simulation").rglob("*.swift")]
MODULES = ("FaceCore", "Posix", "CPosixShims", "CSandbox", "Wire", "CProtocol")

# The fault, the file, the code, and the code with the fault.
FAULTS = [
    ("a Hello that comes during a stop is not told of it", "ConnectionManager+Control",
     "    if !isServing, response.features",
     "    if !isServing, !FAULT, response.features"),
    ("Hello is registered when its answer has been read", "ConnectionManager+Control",
     "    connection.features = response.features\n",
     "    if !FAULT || connection.outbox.isEmpty { connection.features = response.features }\n"),
    ("the account of a connection is not released", "ConnectionManager",
     "    connection.reservation.release()\n",
     "    if FAULT { leaked.append(connection.reservation) } else { connection.reservation.release() }\n"),
    ("the account of a message that arrives is not released", "ConnectionManager+Calls",
     "        connection.incoming = nil\n",
     "        if FAULT, let one = connection.incoming { leaked.append(one) }\n        connection.incoming = nil\n"),
    ("calls of a peer that is gone go on", "ConnectionManager",
     "    queue.cancelAll(ofConnection: connection.id, user: connection.peer.user)\n",
     "    if !FAULT { queue.cancelAll(ofConnection: connection.id, user: connection.peer.user) }\n"),
    ("a cancelled call continues", "ConnectionManager+Control",
     "      queue.cancel(requestID)\n",
     "      if !FAULT { queue.cancel(requestID) }\n"),
    ("a cancelled call is answered twice", "ConnectionManager+Control",
     "    connection.pendingCalls[number] = nil\n    connection.outbox.append(FailedCall.responseFrame(stream: number, status))\n  }\n\n  /// Maps",
     "    if !FAULT { connection.pendingCalls[number] = nil }\n    connection.outbox.append(FailedCall.responseFrame(stream: number, status))\n  }\n\n  /// Maps"),
    ("an answer is taken for that of a later call", "ConnectionManager+Calls",
     "    case .single(requestID, _):\n",
     "    case .single(let own, _) where own == requestID || FAULT && own.connection == requestID.connection:\n"),
    ("an answer stays in the table of calls", "ConnectionManager+Calls",
     "      connection.pendingCalls[requestID.stream] = nil\n      if completion",
     "      if !FAULT { connection.pendingCalls[requestID.stream] = nil }\n      if completion"),
    ("lost wake-up: the next deadline is later than a call's", "ConnectionManager",
     "queue.nextExpiry)",
     "FAULT ? .never : queue.nextExpiry)"),
    ("nobody waits for room to write", "Connection",
     "if !outbox.isEmpty { wanted.insert(.write) }",
     "if !outbox.isEmpty, !FAULT { wanted.insert(.write) }"),
    ("held answers are not counted as owed", "Connection",
     "streams.reduce(outbox.count) { $0 + $1.heldBytes }",
     "streams.reduce(outbox.count) { $0 + (FAULT ? 0 : $1.heldBytes) }"),
    ("the outbox loses what did not fit", "Outbox",
     "    guard sent == size else { return }\n",
     "    if FAULT { count -= size - sent; sent = size }\n    guard sent == size else { return }\n"),
    ("a drain forgets streams", "ConnectionManager+Control",
     "        stream.ending = status\n",
     "        if !FAULT { stream.ending = status }\n"),
    ("watchers of health are not told of a change", "ConnectionManager",
     "        sendHealth(status, to: connection, stream)\n",
     "        if !FAULT { sendHealth(status, to: connection, stream) }\n"),
    ("watchers of health are not told of a stop", "ConnectionManager+Control",
     "        guard case .healthWatch? = connection.pendingCalls[number] else { continue }\n",
     "        guard !FAULT, case .healthWatch? = connection.pendingCalls[number] else { continue }\n"),
    ("a half-close drops answers", "Connection",
     "    case .finishing: pendingCalls.isEmpty && outbox.isEmpty\n",
     "    case .finishing: (pendingCalls.isEmpty || FAULT) && outbox.isEmpty\n"),
    ("a half-close leaves streams open", "ConnectionManager",
     "      stream.isClosedByClient = true\n",
     "      stream.isClosedByClient = !FAULT\n"),
    ("the descriptor of a refused offer stays", "ConnectionManager+Control",
     "    guard let descriptor = connection.claimDescriptor() else {",
     "    if FAULT, connection.bufferCount.value >= limits.buffersPerConnection {\n      throw Status(.resourceExhausted, \"too many\")\n    }\n    guard let descriptor = connection.claimDescriptor() else {"),
    ("a buffer more than may be", "ConnectionManager+Control",
     "connection.bufferCount.value < limits.buffersPerConnection else",
     "connection.bufferCount.value < limits.buffersPerConnection + (FAULT ? 1 : 0) else"),
    ("a call more than may be", "ConnectionManager+Calls",
     "guard running < limits.callsPerConnection else",
     "guard running < limits.callsPerConnection + (FAULT ? 1 : 0) else"),
    ("a message that is refused is read as frames", "ConnectionManager+Calls",
     "          connection.skipMessage()\n",
     "          if !FAULT { connection.skipMessage() }\n"),
    ("data after the end of its stream is answered", "ConnectionManager+Calls",
     "      if connection.hasEnded(header.stream) { return }\n",
     "      if connection.hasEnded(header.stream), !FAULT { return }\n"),
    ("bytes that come with a lost descriptor are not counted", "Connection",
     "    if case .bytes(let count) = received.transfer { statistics",
     "    if case .bytes(let count) = received.transfer, !FAULT || !received.lostDescriptors { statistics"),
    ("a stream stands still after a refused frame", "ConnectionManager+Streams",
     "        sendSettled(stream, connection)\n      }\n    }\n",
     "        sendSettled(stream, connection)\n      }\n      if FAULT { break }\n    }\n"),
    ("the place of a dropped frame is given away", "WatchStream",
     "    frames.appendSettled(hold(Answers(bytes: answer)))\n",
     "    if !FAULT || isIdle { frames.appendSettled(hold(Answers(bytes: answer))) }\n"),
    ("a second signal does not hurry a drain", "EngineLifecycle",
     "if isToldToStop { connections.drain(until: now, at: now) }",
     "if isToldToStop, !FAULT { connections.drain(until: now, at: now) }"),
    ("a stop during a hand-over is forgotten", "EngineLifecycle",
     "      if isToldToStop {\n        drain(at: now)",
     "      if isToldToStop, !FAULT {\n        drain(at: now)"),
    ("the time to drain is not waited for", "EngineLifecycle",
     "    return min(ownDeadline, deadline)\n",
     "    return FAULT ? ownDeadline : min(ownDeadline, deadline)\n"),
    ("unfinished calls are not answered at the end", "ConnectionManager",
     "where call.isWork {",
     "where call.isWork && !FAULT {"),
    ("the loss of a successor is not noticed", "ConnectionManager",
     "      hasLostSuccessor = isHandingOver\n",
     "      hasLostSuccessor = isHandingOver && !FAULT\n"),
    ("an engine that resumes does not listen", "EngineLifecycle",
     "      try listener?.resume()\n",
     "      if !FAULT { try listener?.resume() }\n"),
    ("what is handed on lacks the inherited counters", "Statistics",
     "    counters.add(inherited.withLock { $0 })\n",
     "    if !FAULT { counters.add(inherited.withLock { $0 }) }\n"),
    ("a listener without descriptors pauses for ever", "Listener",
     "        pausedUntil = now + Self.pauseLength\n",
     "        pausedUntil = FAULT ? .never : now + Self.pauseLength\n"),
    ("peers that are gone count as connected", "ConnectionManager",
     "    if event.ended { return close(connection) }\n",
     "    if event.ended, !FAULT { return close(connection) }\n"),
]

SWITCH = """import Glibc
let fault = getenv("FAULT").flatMap { Int(String(cString: $0)) }
nonisolated(unsafe) var leaked: [Any] = []
"""


def build(products, folder):
    """The program, a module of its own that uses the objects of the package's build."""
    texts = {path.name: re.sub(r"^(package |public )?import (Service|Simulation)\n", "", path.read_text(), flags=re.MULTILINE)
             for path in SOURCES}
    for number, (what, file, code, faulty) in enumerate(FAULTS):
        text = texts[f"{file}.swift"]
        if text.count(code) != 1:
            sys.exit(f"connection_faults.py: {file}.swift has the code of the fault `{what}` {text.count(code)} times; name it anew")
        texts[f"{file}.swift"] = text.replace(code, faulty.replace("FAULT", f"(fault == {number})"))
    texts["Fault.swift"] = SWITCH
    for name, text in texts.items():
        (folder / name).write_text(text)
    maps = [*ROOT.glob("Sources/Native/SystemLibraries/*/module.modulemap"), *products.glob("C*.build/module.modulemap")]
    subprocess.run(
        ["swiftc", "-O", "-wmo", "-module-name", "simulation", "-package-name", ROOT.name.lower(), "-swift-version", "6",
         "-enable-upcoming-feature", "InternalImportsByDefault", "-suppress-warnings", "-I", products / "Modules", "-I", ROOT / "Sources/Generated/CProtocol/include",
         *(word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")), *(folder / name for name in texts),
         *objects(MODULES), *(products / "Logging.build").glob("*.o"), "-lprotobuf-c", "-o", folder / "simulate"],
        check=True)
    return folder / "simulate"


def main():
    products = pathlib.Path(sys.argv[1]).resolve()
    events = sys.argv[2] if len(sys.argv) > 2 else "2000000"
    with tempfile.TemporaryDirectory() as folder:
        program = build(products, pathlib.Path(folder))
        missed = 0

        def simulate(fault):
            # The time limit is for faults after which nothing ends.
            run = subprocess.run(["timeout", "300", program, "1", events, "connections"], check=False, capture_output=True, text=True,
                                 env={**os.environ, "FAULT": fault})
            return run, re.search(r"make simulate SEED=(\d+) .*: event (\d+): (.*?) \(at", run.stdout)

        run, found = simulate("none")
        if found:
            sys.exit(f"connection_faults.py: something is found without a fault: {run.stdout}")
        for number, (what, *_) in enumerate(FAULTS):
            run, found = simulate(str(number))
            missed += found is None
            print(f"| {what} | {found[1]} | {found[2]} | {found[3][:110]} |" if found else f"| {what} | NOT FOUND |  | {run.stderr[-200:]} |",
                  flush=True)
    print(f"{len(FAULTS) - missed} of {len(FAULTS)} faults were found", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
