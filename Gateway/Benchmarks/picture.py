#!/usr/bin/env python3
"""picture.py [GATEWAY...]: the gateway's processor time for a 1080p JPEG over HTTP and gRPC, of each of these programs (by
default the one that was built) in turns before one engine. Run it with the Python, and the PYTHONPATH, of Gateway/Tests/test.sh."""

import http.client
import io
import pathlib
import statistics
import sys
import tempfile

import grpc
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests"))
import face_engine_pb2 as messages  # noqa: E402
import face_engine_pb2_grpc as services  # noqa: E402
import support  # noqa: E402

ROUNDS, CALLS = 12, 30


def picture():
    """The photo, as large as a camera's, with some noise."""
    photo = Image.open(io.BytesIO(support.PHOTO)).convert("RGB").resize((1920, 2304), Image.BICUBIC).crop((0, 0, 1920, 1080))
    noise = Image.effect_noise((1920, 1080), 20).convert("RGB")
    file = io.BytesIO()
    Image.blend(photo, noise, 0.15).save(file, "JPEG", quality=90)
    return file.getvalue()


def processor_time(program):
    """Milliseconds of all threads."""
    threads = pathlib.Path(f"/proc/{program.process.pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e6


class Clients:
    def __init__(self, gateway, file):
        self.gateway, self.file = gateway, file
        self.connection = http.client.HTTPConnection(*gateway.http_address)
        self.detector = services.DetectorStub(grpc.insecure_channel(gateway.grpc))
        self.times = {"http": [], "grpc": []}

    def http(self):
        self.connection.request("POST", "/v1/detect", self.file)
        answer = self.connection.getresponse()
        answer.read()
        assert answer.status == 200

    def grpc(self):
        self.detector.Detect(messages.DetectRequest(image=messages.Image(encoded=self.file)))

    def round(self):
        for name, times in self.times.items():
            begin = processor_time(self.gateway)
            for _ in range(CALLS):
                getattr(self, name)()
            times.append((processor_time(self.gateway) - begin) / CALLS)


def main():
    file = picture()
    print(f"{len(file)} bytes; ms of a call: the median round, the best one")
    with tempfile.TemporaryDirectory() as folder:
        engine = support.Engine(folder)
        programs = sys.argv[1:] or [support.GATEWAY]
        clients = []
        for support.GATEWAY in programs:
            clients.append(Clients(support.Gateway(engine.path), file))
        for _ in range(ROUNDS):
            for each in clients:
                each.round()
        for program, each in zip(programs, clients):
            found = {name: (round(statistics.median(times[1:]), 3), round(min(times), 3)) for name, times in each.times.items()}
            print(program, found)
            each.gateway.stop()
        engine.stop()


if __name__ == "__main__":
    main()
