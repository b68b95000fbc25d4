"""/metrics: what is there of the engine's durations, by whichever engine counts them."""

import contextlib
import json
import re
import socket
import tempfile
import unittest

import face_engine_pb2 as messages
from fake_engine import Connection, StubEngine
from support import PATIENCE, PHOTO, ROOT, Gateway, GatewayCase, metrics, request, until

DETECT = "faceengine.v1.Detector/Detect"
FAMILIES = ("face_engine_queue_seconds", "face_engine_run_seconds")
# As docs/gateway.md says.
BOUNDS = [
    "5e-05",
    "0.0001",
    "0.00025",
    "0.0005",
    "0.001",
    "0.0025",
    "0.005",
    "0.01",
    "0.025",
    "0.05",
    "0.1",
    "0.25",
    "0.5",
    "1.0",
    "2.5",
    "5.0",
    "10.0",
    "+Inf",
]


def samples(text, name, method=DETECT):
    """The samples of a metric and a method, in order: the label beside the method's, empty where there is none, and the value."""
    pattern = rf'^{name}\{{method="{re.escape(method)}"(?:,le="([^"]*)")?\}} (\S+)$'
    return [(found[1] or "", float(found[2])) for found in re.finditer(pattern, text, re.M)]


class HistogramTests(GatewayCase):
    def test_durations_are_histograms(self):
        for _ in range(3):
            self.assertEqual(self.http()[0], 200)
        for accept in ("*/*", "application/openmetrics-text; version=1.0.0"):
            text = metrics(self.gateway, accept)
            for name in FAMILIES:
                with self.subTest(name, accept=accept):
                    self.assertEqual(re.findall(rf"^# TYPE {name} (\w+)$", text, re.M), ["histogram"])
                    self.assertNotIn(f"{name}{{", text)
                    buckets = samples(text, f"{name}_bucket")
                    self.assertEqual([bound for bound, _ in buckets], BOUNDS)
                    counts = [count for _, count in buckets]
                    self.assertEqual(counts, sorted(counts))
                    self.assertEqual(samples(text, f"{name}_count"), [("", counts[-1])])
                    self.assertGreaterEqual(counts[-1], 3)
                    [(_, total)] = samples(text, f"{name}_sum")
                    # Between the sums of the lower and of the upper bounds, with an hour for what is beyond the last.
                    ends = [float(bound) for bound in BOUNDS[:-1]] + [3600]
                    each = [count - before for count, before in zip(counts, [0, *counts])]
                    self.assertLessEqual(sum(low * count for low, count in zip([0, *ends], each)), total)
                    self.assertLessEqual(total, sum(high * count for high, count in zip(ends, each)))
            # Each method that was called is there.
            for method in re.findall(r'^face_engine_calls_total\{method="([^"]+)"\}', text, re.M):
                self.assertEqual(len(samples(text, "face_engine_run_seconds_bucket", method)), len(BOUNDS))

    def test_the_board_asks_for_what_is_there(self):
        families = set(re.findall(r"^# TYPE (\S+) ", metrics(self.gateway), re.M))
        board = json.loads((ROOT / "Gateway/Deploy/grafana.json").read_text())
        queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
        names = {
            name.removesuffix("_bucket") for query in queries for name in re.findall(r"\b(?:face|process)_\w+", query)
        }
        self.assertLessEqual({"face_engine_up", "face_engine_queue_seconds", "process_resident_memory_bytes"}, names)
        self.assertEqual(names - families, set())


class GaugeTests(GatewayCase):
    """What /metrics says of the gateway's own."""

    flags = ("--max-connections", "2")

    def value(self, name, labels=""):
        """A sample in both formats, which are the same."""
        texts = [metrics(self.gateway, accept) for accept in ("*/*", "application/openmetrics-text; version=1.0.0")]
        found = [re.findall(rf"^{name}{re.escape(labels)} (\S+)$", text, re.M) for text in texts]
        self.assertEqual([len(each) for each in found], [1, 1], name)
        return int(found[1][0])

    def test_sessions_and_checks_are_counted(self):
        def counts():
            return [self.value("face_gateway_sessions"), self.value("face_gateway_checks")]

        self.assertEqual(counts(), [0, 0])
        ids = [self.json(201, "POST", "/v1/sessions", '{"kind": "%s"}' % kind)["id"] for kind in ("track", "check")]
        paths = [f"/v1/sessions/{each}" for each in ids]
        self.json(200, "POST", f"{paths[1]}/frames", PHOTO)
        self.assertEqual(counts(), [2, 1])
        for path in paths:
            self.http("DELETE", path, None)
        until(lambda: counts() == [0, 0], "the sessions' end")

    def test_visits_are_counted(self):
        def counts():
            return [
                self.value(f"face_gateway_{name}") for name in ("visits_total", "visitors", "visit_stay_seconds_count")
            ]

        options = {"visits": True, "min-hits": 1, "min-stay": 1, "max-look-angle": 90}
        session = (
            "/v1/sessions/"
            + self.json(201, "POST", "/v1/sessions", json.dumps({"kind": "track", "options": options}))["id"]
        )

        def visits(second):
            answer = self.json(200, "POST", f"{session}/frames", PHOTO, {"X-Timestamp-Ns": str(second * 1_000_000_000)})
            self.assertIn("pose", answer["faces"][0])
            return [
                (one["event"], one["visit"], one["id"], one["stayed"], one["looked"], one["present"])
                for one in answer.get("visits", [])
            ]

        self.assertEqual(counts(), [0, 0, 0])
        self.assertEqual([visits(1), visits(2), visits(3)], [[], [("came", 1, 1, 1, 1, 1)], []])
        self.assertEqual(counts(), [1, 1, 0])
        # Nobody knows what was in the ten seconds without a frame.
        self.assertEqual(visits(13), [("left", 1, 1, 2, 2, 0)])
        self.assertEqual(visits(14), [("came", 2, 1, 1, 1, 1)])
        self.assertEqual(counts(), [2, 1, 1])
        self.http("DELETE", session, None)
        until(lambda: counts() == [2, 0, 2], "the last visit's end")
        for name, total in (("stay", "3.0"), ("look", "3.0")):
            self.assertIn(f"\nface_gateway_visit_{name}_seconds_sum {total}\n", metrics(self.gateway))
            self.assertIn(f'\nface_gateway_visit_{name}_seconds_bucket{{le="1.0"}} 1\n', metrics(self.gateway))

    def test_connections_and_those_that_gave_way_are_counted(self):
        def count(what):
            return self.value(f"face_gateway_connections{what}", '{transport="grpc"}')

        self.assertEqual(count(""), 0)
        before = count("_evicted_total")
        with contextlib.ExitStack() as stack:
            for _ in range(5):
                stack.enter_context(socket.create_connection(self.gateway.grpc_address, timeout=PATIENCE))
            until(lambda: count("_evicted_total") == before + 3, "three evictions")
            self.assertGreaterEqual(count(""), 2)
        until(lambda: count("") == 0, "the connections' end")

    def test_requests_that_wait_and_their_bytes_are_counted(self):
        self.assertEqual(
            [self.value("face_gateway_waiting", f'{{kind="{kind}"}}') for kind in ("calls", "streams")], [0, 0]
        )
        self.assertEqual(self.value("face_gateway_request_bytes"), 0)
        with socket.create_connection(self.gateway.http_address, timeout=PATIENCE) as client:
            client.sendall(request("POST /v1/detect", bytes(50_000))[:-10_000])
            until(lambda: self.value("face_gateway_request_bytes") == 40_000, "the bytes")
        until(lambda: self.value("face_gateway_request_bytes") == 0, "their end")


class OtherEngineTests(unittest.TestCase):
    def test_the_bounds_are_the_engines(self):
        buckets = messages.DurationBuckets(bounds_ns=[20_000, 3_000_000_000], counts=[4, 2, 1], sum_ns=9_500_000_000)
        durations = messages.Histogram(count=7, p50=10_000, buckets=buckets)
        method = messages.MethodStats(method=DETECT, calls=7, queue_time=durations, run_time=durations)

        class StatsConnection(Connection):
            """Answers what /metrics asks."""

            answers = {
                "Admin/Stats": messages.StatsResponse(uptime_ns=1, methods=[method]),
                "Admin/Info": messages.InfoResponse(),
                "Health/Check": messages.HealthCheckResponse(status=1),
            }

        path = self.enterContext(tempfile.TemporaryDirectory()) + "/engine.sock"
        self.enterContext(StubEngine(path, StatsConnection))
        text = metrics(self.enterContext(Gateway(path, "--no-grpc")))
        self.assertIn("face_engine_up 1\n", text)
        for name in FAMILIES:
            self.assertEqual(re.findall(rf"^# TYPE {name} (\w+)$", text, re.M), ["histogram"])
            self.assertEqual(samples(text, f"{name}_bucket"), [("2e-05", 4), ("3.0", 6), ("+Inf", 7)])
            self.assertEqual(samples(text, f"{name}_sum"), [("", 9.5)])
            self.assertEqual(samples(text, f"{name}_count"), [("", 7)])
