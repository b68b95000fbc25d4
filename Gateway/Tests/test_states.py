"""The states of an RPC and of a connection of HTTP/1, without a network: what each event does in each of them."""

import pathlib
import subprocess
import tempfile
import unittest

GATEWAY = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ["Sources/GatewayGRPC/GRPCCallState.swift", "Sources/GatewayHTTP/HTTPConnectionState.swift", "Tests/states/main.swift"]
UNREAD, PLAIN, GZIP = "arriving", "message(isCompressed: false)", "message(isCompressed: true)"
INFLATING, INFLATING_LAST = "inflating(isLast: false)", "inflating(isLast: true)"
# (state, event): the next state. Every other event is refused.
CALL = {
    (UNREAD, "granted"): "fitting", (UNREAD, PLAIN): UNREAD, (UNREAD, GZIP): INFLATING, (UNREAD, "clientEnded"): "ended",
    ("fitting", PLAIN): UNREAD, ("fitting", GZIP): INFLATING, ("fitting", "clientEnded"): "ended",
    (INFLATING, "inflated"): UNREAD, (INFLATING, "clientEnded"): INFLATING_LAST, (INFLATING_LAST, "inflated"): "ended",
    ("ended", PLAIN): "ended", ("ended", GZIP): INFLATING_LAST, ("ended", "toldEnd"): "told",
}
RECEIVING, HELD = "receiving(isHeld: false)", "receiving(isHeld: true)"
CONNECTION = {
    ("idle", "head(isHeld: false)"): RECEIVING, ("idle", "head(isHeld: true)"): HELD, (HELD, "released"): RECEIVING,
    **{(state, event): next for state in (RECEIVING, HELD) for event, next in
       (("refused(1)", "refused(1)"), ("answeredEarly", "discarding"), ("requestEnded", "answering"))},
    ("refused(1)", "answeredEarly"): "discarding", ("refused(1)", "requestEnded"): "answering",
    ("discarding", "requestEnded"): "idle", ("answering", "answerTaken"): "idle",
}


def call_after(state, event):
    if state == "over":
        return ""
    if event == "end":
        return "over"
    received, asked, answered = state.removeprefix("open(").removesuffix(")").rsplit(", ", 2)
    if event == "answerBegan":
        return f"open({received}, {asked}, isAnswered: true)" if answered == "isAnswered: false" else ""
    after = CALL.get((received, event))
    asked = "isAsked: true" if event.startswith("message") else asked
    return f"open({after}, {asked}, {answered})" if after else ""


def connection_after(state, event):
    if event == "close":
        return "closing" if state != "closing" else ""
    return CONNECTION.get((state, event), "")


class StateTests(unittest.TestCase):
    def test_each_event_in_each_state(self):
        with tempfile.TemporaryDirectory() as folder:
            program = f"{folder}/states"
            subprocess.run(["swiftc", *SOURCES, "-o", program], cwd=GATEWAY, check=True)
            printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        rows = [line.split("|") for line in printed.replace("states.GRPCCallState.Input.", "").splitlines()]
        self.assertEqual(len(rows), 25 * 8 + 7 * 8)
        for kind, state, event, after in rows:
            with self.subTest(kind=kind, state=state, event=event):
                self.assertEqual(after, {"call": call_after, "connection": connection_after}[kind](state, event))
