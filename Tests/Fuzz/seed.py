#!/usr/bin/python3
"""Writes one real message of each kind, networks and manifests into Tests/Fuzz/corpus, for libFuzzer to begin with.

Run it after a message was added and recorded (GoldenBytesTests), then fuzz, then `Tools/fuzz.sh TARGET minimize`. Needs Debian's
python3-protobuf. Seeds that do not change are in the corpus alone: of networks, y4m and Tests/CTests/fuzz/files.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "Proto"
HEADER = struct.Struct(">IIBB")  # length, stream, kind, flags

with tempfile.TemporaryDirectory() as generated:
    subprocess.run(["protoc", f"--python_out={generated}", "-I", PROTO, "ttrpc.proto"], check=True)
    sys.path.insert(0, generated)
    import ttrpc_pb2 as ttrpc


def write(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


# What the names of recorded frames begin with, and the number that MessageFuzz.Kind has for their messages. The first
# that fits.
KINDS = {
    "request-detect-batch": 8,
    "response-detect-batch": 9,
    "request-detect": 0,
    "response-detect": 1,
    "request-health": 2,
    "response-health": 3,
    "data-health": 3,
    "request-info": 4,
    "response-info": 5,
    "request-hello": 6,
    "response-hello": 7,
    "data-watch-start": 10,
    "data-watch-frame": 10,
    "data-check-start": 10,
    "request-watch": 10,
    "request-check": 10,
    "data-watch": 11,
    "data-check": 11,
    "control-client": 12,
    "control-engine": 13,
    "request-stats": 14,
    "response-stats": 15,
    "request-list-models": 16,
    "response-list-models": 17,
    "request-reload-model": 18,
    "response-reload-model": 19,
    "request-describe": 20,
    "response-describe": 21,
    "request-take-over": 22,
    "response-take-over": 23,
}
ENVELOPES = {"request": (0, ttrpc.Request), "response": (1, ttrpc.Response)}  # the numbers of EnvelopeFuzz

stream = b""
for recorded in sorted((HERE.parent / "Fixtures/wire").iterdir()):
    frame = recorded.read_bytes()
    length, number, type_of_frame, _ = HEADER.unpack_from(frame)
    message = frame[HEADER.size : HEADER.size + length]
    stream += frame if len(frame) < 500 else b""
    sort = recorded.stem.split("-")[0]
    if sort in ENVELOPES:
        write("envelopes", f"seed-{recorded.stem}", bytes([ENVELOPES[sort][0]]) + message)
        message = ENVELOPES[sort][1].FromString(message).payload
    kind = next((kind for name, kind in KINDS.items() if recorded.stem.startswith(name)), None)
    if sort == "control":
        message = bytes([type_of_frame, number]) + message
    if kind is not None and len(message) <= 8192:  # what Tools/fuzz.sh lets inputs grow to
        write("messages", f"seed-{recorded.stem}", bytes([kind]) + message)

write("frames", "seed-one-piece", b"\xff\xff" + stream)
write("frames", "seed-pieces", b"\x02\xff" + stream)
write("frames", "seed-oversized", b"\x06\x02" + stream)
write("frames", "seed-implausible", b"\xff\xff" + HEADER.pack(1, 1, 1, 0) + b"x\1" + bytes(9))

for network in sorted((HERE.parent / "Fixtures/onnx").glob("*.onnx")):
    if network.stat().st_size <= 8192:
        write("onnx", f"seed-{network.stem}", network.read_bytes())

for package in sorted((HERE.parents[1] / "Models").glob("*/model.json")):
    write("manifests", f"seed-{package.parent.name}", package.read_bytes())
