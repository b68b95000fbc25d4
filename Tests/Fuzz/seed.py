#!/usr/bin/python3
"""Writes one real message of each kind into Tests/Fuzz/corpus, for libFuzzer to begin with.

Run it after a message was added and recorded (GoldenBytesTests), then fuzz, then `Tools/fuzz.sh TARGET minimize`. Needs Debian's
python3-protobuf.
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


# What the names of recorded frames begin with, and the number that MessageFuzz.Kind has for their messages. The first that fits.
KINDS = {"request-detect-batch": 8, "response-detect-batch": 9, "request-detect": 0, "response-detect": 1, "request-health": 2,
         "response-health": 3, "data-health": 3, "request-info": 4, "response-info": 5, "request-hello": 6, "response-hello": 7,
         "data-watch-start": 10, "data-watch-frame": 10, "data-check-start": 10, "request-watch": 10, "request-check": 10,
         "data-watch": 11, "data-check": 11, "control-client": 12, "control-engine": 13, "request-stats": 14, "response-stats": 15,
         "request-list-models": 16, "response-list-models": 17, "request-reload-model": 18, "response-reload-model": 19,
         "request-describe": 20, "response-describe": 21, "request-take-over": 22, "response-take-over": 23}
ENVELOPES = {"request": (0, ttrpc.Request), "response": (1, ttrpc.Response)}  # the numbers of EnvelopeFuzz

stream = b""
for recorded in sorted((HERE.parent / "Fixtures/wire").iterdir()):
    frame = recorded.read_bytes()
    length, number, type_of_frame, _ = HEADER.unpack_from(frame)
    message = frame[HEADER.size:HEADER.size + length]
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

# Bare networks: the ends of CenterFace and of YuNet on a convolution, once with every layer whose shapes are followed.
STEM = "Convolution c1 1 1 data c1 0=4 1=3 3={stride} 4=1 5=1 6=108"
CENTERFACE = ["Split split 1 4 {last} f0 f1 f2 f3", "Convolution heat 1 1 f0 heat 0=1 1=1 5=1 6=4 9=4",
              "Convolution scale 1 1 f1 scale 0=2 1=1 5=1 6=8", "Convolution offset 1 1 f2 offset 0=2 1=1 5=1 6=8",
              "Convolution points 1 1 f3 points 0=10 1=1 5=1 6=40"]
YUNET = ["Split split 1 4 {last} f0 f1 f2 f3", "Convolution cls 1 1 f0 cls 0=1 1=1 5=1 6=4", "Sigmoid cls_s 1 1 cls cls_s",
         "Convolution obj 1 1 f1 obj 0=1 1=1 5=1 6=4", "Sigmoid obj_s 1 1 obj obj_s",
         "Convolution box 1 1 f2 box 0=4 1=1 5=1 6=16", "Convolution kps 1 1 f3 kps 0=10 1=1 5=1 6=40",
         "Permute p0 1 1 cls_s p0 0=3", "Reshape r0 1 1 p0 r0 0=1 1=-1"]
MANY = ["Split s0 1 2 c1 a b", "ConvolutionDepthWise dw 1 1 a dw 0=4 1=3 4=1 5=1 6=36 7=4", "ReLU relu 1 1 dw relu",
        "Pooling pool 1 1 b pool 0=0 1=2 2=2", "Interp up 1 1 pool up 0=2 1=2 2=2", "BinaryOp add 2 1 relu up add 0=0",
        "Slice slice 1 2 add s1 s2 -23300=2,2,2", "Concat concat 2 1 s2 s1 concat 0=0", "ShuffleChannel shuffle 1 1 concat shuffle 0=2",
        "Clip clip 1 1 shuffle clip 0=0 1=6", "HardSwish hs 1 1 clip hs 0=0.2 1=0.5"]


def graph(lines):
    layers = ["Input data 0 1 data", *lines]
    blobs = sum(int(line.split()[3]) for line in layers)
    return "\n".join(["7767517", f"{len(layers)} {blobs}", *layers, ""]).encode()


for name, stride, body, ends in [("centerface", 4, [], CENTERFACE), ("yunet", 8, [], YUNET), ("layers", 4, MANY, CENTERFACE)]:
    last = "hs" if body else "c1"
    lines = [line.format(stride=stride, last=last) for line in [STEM, *body, *ends]]
    write("networks", f"seed-{name}", graph(lines))
    write("networks", f"seed-{name}-weights", graph(lines) + b"\0" + struct.pack("<I3f", 0, 0.5, -0.25, 1) * 4)

for package in sorted((HERE.parents[1] / "Models").glob("*/model.json")):
    write("manifests", f"seed-{package.parent.name}", package.read_bytes())

header = b"YUV4MPEG2 W16 H17 F30000:1001 Ip A1:1 C420jpeg XCOLORRANGE=FULL\n"
write("y4m", "seed-i420", b"\x40" + header + (b"FRAME\n" + bytes(range(256)) + bytes(16 * 17 + 2 * 8 * 9 - 256)) * 2)
write("y4m", "seed-gray", b"\x01YUV4MPEG2 W16 H16 F25:1 Cmono\nFRAME Ip\n" + bytes(range(256)))
write("y4m", "seed-cut", b"\xffYUV4MPEG2 W16 H16\nFRAME\n" + bytes(100))

# Files for Tests/CTests/fuzz/files_fuzz.c: what stands before each says what it is.
files = HERE.parent / "CTests/fuzz/files"
files.mkdir(parents=True, exist_ok=True)
for kind, folder, names in [(0, HERE.parent / "Fixtures/images", ["rgb.png", "exif_6.jpg", "rgba.webp", "rgb.bmp", "palette.gif", "rgb.tiff"]),
                            (1, HERE.parent / "Fixtures/onnx", ["centerface.onnx"]),
                            (2, HERE / "corpus/networks", ["seed-centerface-weights", "seed-layers"]),
                            (3, HERE.parents[1] / "Models", ["facemesh/model.json"])]:
    for name in names:
        (files / f"seed-{kind}-{name.replace('/', '-')}").write_bytes(bytes([kind]) + (folder / name).read_bytes())
