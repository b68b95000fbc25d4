#!/usr/bin/env python3
"""load.py [--rounds N] [--peer GATEWAY] [--connections N]: what requests cost the gateway, and what a crowd costs its clients.

Needs `make build gateway`, and the packages of Gateway/Tests/requirements.txt (Gateway/.build/venv/bin/python has them). Prints, from
one run in which everything takes turns:

    the gateway's processor time a request of HTTP and of gRPC: a photo, one of a camera's 1080p, bytes that are no picture, health;
    how long a photo takes over HTTP alone, and beside that many connections of another address that send half a head, half a body or
    nothing, or do not read their answers;
    the same, and /healthz, beside eight callers who send the bodies that cost most.

With --peer, the same of another build of the gateway, in the same rounds.
"""

import argparse
import contextlib
import gzip
import http.client
import io
import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Gateway/Tests"))
subprocess.run([sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT}/Proto", f"--python_out={(stubs := tempfile.mkdtemp())}",
                f"--grpc_python_out={stubs}", "face_engine.proto"], check=True)
sys.path.insert(0, stubs)

import grpc
import face_engine_pb2 as messages
import face_engine_pb2_grpc as services
import support
from PIL import Image

PHOTO = support.PHOTO
JUNK = os.urandom(len(PHOTO))


def large():
    """The photo, as large as a camera's, with some noise."""
    photo = Image.open(io.BytesIO(PHOTO)).convert("RGB").resize((1920, 2304), Image.BICUBIC).crop((0, 0, 1920, 1080))
    file = io.BytesIO()
    Image.blend(photo, Image.effect_noise((1920, 1080), 20).convert("RGB"), 0.15).save(file, "JPEG", quality=90)
    return file.getvalue()


LARGE = large()
CALLS, LARGE_CALLS = 200, 40
# Of the bad clients. The good one has 127.0.0.1.
ELSEWHERE = "127.0.0.2"
CROWDS = {
    "half a head": b"GET /healthz HTTP/1.1\r\nHost: loc",
    "half a body": b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + bytes(1000),
    "nothing": b"",
    "not read": b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100,
}


# (path, body, headers): what costs the gateway most for the bytes that a caller sends.
DEEP = "[" * 27 + "]" * 27
COSTLY = {
    "zeros in gzip": ("/v1/detect", gzip.compress(bytes(64 << 20)), {"Content-Encoding": "gzip"}),
    "zeros in gzip, a form": ("/v1/detect", gzip.compress(bytes(64 << 20)),
                              {"Content-Encoding": "gzip", "Content-Type": "multipart/form-data; boundary=x"}),
    "empty members in gzip": ("/v1/detect", gzip.compress(b"") * 50_000, {"Content-Encoding": "gzip"}),
    "nested JSON": ("/v1/sessions", '{"kind":"track","options":{"actions":[%s]}}' % ",".join([DEEP] * 1100), {}),
    "many options": ("/v1/sessions", '{"kind":"track","options":{"box":[%s]}}' % ",".join(['"1,1,9,9"'] * 6000), {}),
    "unknown options": ("/v1/sessions", '{"kind":"track","options":{%s}}' % ",".join(f'"o{n}":1' for n in range(6000)), {}),
    "a long query": ("/v1/detect?" + "&".join(["box=1,1,9,9"] * 2600), PHOTO, {}),
    "JSON of numbers": ("/v2/models/faces/infer", '{"inputs":[{"name":"image","datatype":"UINT8","shape":[%d],"data":[%s]}]}'
                        % (250_000, ",".join(["1"] * 250_000)), {"Content-Type": "application/json"}),
    "spaces in JSON": ("/v2/models/faces/infer", '{"inputs":[' + " " * (30 << 20) + "]}", {"Content-Type": "application/json"}),
}


def processor_time(gateway):
    """Milliseconds of all threads."""
    threads = pathlib.Path(f"/proc/{gateway.process.pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e6


def by_http(gateway, method, path, body, count):
    connection = http.client.HTTPConnection(*gateway.http_address, timeout=60)
    for _ in range(count):
        connection.request(method, path, body)
        connection.getresponse().read()
    connection.close()


def by_grpc(gateway, body, count):
    with grpc.insecure_channel(gateway.grpc, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        if body is None:
            health = services.HealthStub(channel)
            for _ in range(count):
                health.Check(messages.HealthCheckRequest())
        else:
            detector = services.DetectorStub(channel)
            for _ in range(count):
                with contextlib.suppress(grpc.RpcError):
                    detector.Detect(messages.DetectRequest(image=messages.Image(encoded=body)))


REQUESTS = {
    "HTTP, a photo": lambda gateway, count: by_http(gateway, "POST", "/v1/detect", PHOTO, count),
    "gRPC, a photo": lambda gateway, count: by_grpc(gateway, PHOTO, count),
    "HTTP, 1080p": lambda gateway, count: by_http(gateway, "POST", "/v1/detect", LARGE, count),
    "gRPC, 1080p": lambda gateway, count: by_grpc(gateway, LARGE, count),
    "HTTP, no picture": lambda gateway, count: by_http(gateway, "POST", "/v1/detect", JUNK, count),
    "gRPC, no picture": lambda gateway, count: by_grpc(gateway, JUNK, count),
    "HTTP, /healthz": lambda gateway, count: by_http(gateway, "GET", "/healthz", None, count),
    "gRPC, Health/Check": lambda gateway, count: by_grpc(gateway, None, count),
}


def latency(gateway, count=40):
    """The median time of a photo on a new connection."""
    times = []
    for _ in range(count):
        start = time.perf_counter()
        by_http(gateway, "POST", "/v1/detect", PHOTO, 1)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


@contextlib.contextmanager
def crowd(gateway, count, first, does_read):
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            client = stack.enter_context(socket.socket())
            client.bind((ELSEWHERE, 0))
            if not does_read:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(gateway.http_address)
            client.setblocking(False)
            with contextlib.suppress(OSError):  # it had to give way
                client.send(first)
        yield


@contextlib.contextmanager
def callers(gateway, count, path, body, headers):
    """So many other callers, who send the same again and again."""
    is_over = threading.Event()

    def send():
        while not is_over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                connection = http.client.HTTPConnection(*gateway.http_address, timeout=60, source_address=(ELSEWHERE, 0))
                connection.request("POST", path, body, headers)
                connection.getresponse().read()
                connection.close()
    threads = [threading.Thread(target=send) for _ in range(count)]
    for thread in threads:
        thread.start()
    yield
    is_over.set()
    for thread in threads:
        thread.join()


def worst(gateway, count=100):
    """The 99th percentiles of a photo and of /healthz, on new connections."""
    found = []
    for method, path, body in (("POST", "/v1/detect", PHOTO), ("GET", "/healthz", None)):
        times = []
        for _ in range(count):
            start = time.perf_counter()
            by_http(gateway, method, path, body, 1)
            times.append(time.perf_counter() - start)
        found.append(sorted(times)[int(count * 0.99) - 1])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--peer", help="another face-engine-gateway")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, max(8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    with tempfile.TemporaryDirectory() as folder:
        engine = support.Engine(folder)
        gateways = {"": support.Gateway(engine.path, "--no-access-log")}
        if options.peer:
            support.GATEWAY = pathlib.Path(options.peer)
            gateways[" (peer)"] = support.Gateway(engine.path, "--no-access-log")
        costs, delays = {}, {}
        for _ in range(options.rounds):
            for name, request in REQUESTS.items():
                count = LARGE_CALLS if "1080p" in name else CALLS
                for which, gateway in gateways.items():
                    request(gateway, 10)  # warms up
                    before = processor_time(gateway)
                    request(gateway, count)
                    costs.setdefault(name + which, []).append((processor_time(gateway) - before) / count)
        for _ in range(options.rounds):
            delays.setdefault("alone", []).append(latency(gateways[""]))
            for name, first in CROWDS.items():
                with crowd(gateways[""], options.connections, first, name != "not read"):
                    delays.setdefault(f"beside {options.connections}: {name}", []).append(latency(gateways[""]))
        print(f"{'processor time a request, ms':36} median   best")
        for name, values in costs.items():
            print(f"{name:36} {statistics.median(values):6.3f} {min(values):6.3f}")
        alone = statistics.median(delays["alone"])
        print(f"{'a photo over HTTP, ms':36} median  by alone")
        for name, values in delays.items():
            print(f"{name:36} {statistics.median(values) * 1e3:6.2f} {statistics.median(values) / alone:6.2f}")
        print(f"{'99th percentile, ms':36}  photo /healthz")
        for name, costly in {"alone": None, **COSTLY}.items():
            with callers(gateways[""], 8, *costly) if costly else contextlib.nullcontext():
                photo, health = worst(gateways[""])
            print(f"{name:36} {photo * 1e3:6.1f} {health * 1e3:8.1f}", flush=True)
        for gateway in gateways.values():
            gateway.stop()
        engine.stop()


if __name__ == "__main__":
    main()
