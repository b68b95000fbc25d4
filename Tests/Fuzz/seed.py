#!/usr/bin/python3
"""Writes one real message of each kind into Tests/Fuzz/corpus, for libFuzzer to begin with.

Run it after a message was added, then fuzz, then `Tools/fuzz.sh TARGET minimize`. Needs Debian's python3-protobuf.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parents[1] / "Proto"

with tempfile.TemporaryDirectory() as generated:
    subprocess.run(["protoc", f"--python_out={generated}", "-I", PROTO, "face_engine.proto", "ttrpc.proto"], check=True)
    sys.path.insert(0, generated)
    import face_engine_pb2 as fe
    import ttrpc_pb2 as ttrpc


def frame(stream, kind, body=b"", flags=0):
    return struct.pack(">IIBB", len(body), stream, kind, flags) + body


def write(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


point = fe.Point(x=1.5, y=-2)
face = fe.Face(box=fe.Box(x=1, y=2, width=30, height=40), confidence=0.75,
               points=fe.FivePoints(left_eye=point, right_eye=point, nose_tip=point, mouth_left=point, mouth_right=point))
options = fe.DetectOptions(min_confidence=0.5, overlap_threshold=0.25, max_faces=3, min_face_size=8, max_side=640)
# Everything that can be told of a face, asked for and said of a picture.
known_face = fe.Face(box=face.box, confidence=0.5, track=fe.Track(id=7, frame_count=9), pose=fe.Pose(yaw=10, pitch=-5, roll=2),
                     eyes=fe.Eyes(left_open=0.25, right_open=1), mouth=fe.Mouth(smile=1, open=0.5),
                     quality=fe.CaptureQuality(overall=0.5, sharpness=1, exposure=1, size=0.25, pose=0.75, framing=1),
                     expressions=[index / 64 for index in range(52)])
dense_face = fe.Face(box=face.box, landmarks=fe.Landmarks(x=range(478), y=range(478), z=range(478), confidence=1))
known_options = fe.DetectOptions(landmarks=True, pose=True, eyes=True, mouth=True, expressions=True, quality=True,
                                 accuracy=fe.ACCURACY_HIGH, model="yunet")
planes = fe.Pixels(format=fe.PIXEL_FORMAT_I420, width=16, height=17, colour=fe.YUV_COLOUR_BT709_VIDEO, data=bytes(500),
                   chroma=[fe.Plane(offset=300, stride=9), fe.Plane(offset=272)])
shared_planes = fe.SharedPixels(buffer=1, offset=16, format=fe.PIXEL_FORMAT_NV12, width=17, height=16, stride=20,
                                chroma=[fe.Plane(offset=400, stride=18)])
region = fe.Box(x=-1, y=2, width=10, height=11)
pixels = fe.Pixels(format=fe.PIXEL_FORMAT_GRAY, width=16, height=16, stride=17, data=bytes(range(256)) + bytes(16))
shared = fe.SharedBytes(buffer=1, offset=16, size=1000)
shared_pixels = fe.SharedPixels(buffer=1, offset=16, format=fe.PIXEL_FORMAT_RGB, width=16, height=17, stride=49)
full_height = fe.Pixels(format=fe.PIXEL_FORMAT_NV16, width=17, height=17, stride=18, data=bytes(2 * 17 * 18))
packed = fe.Pixels(format=fe.PIXEL_FORMAT_YUYV, width=17, height=16, colour=fe.YUV_COLOUR_BT601_VIDEO, data=bytes(36 * 16))
model = fe.Model(name="yunet", family="yunet", licence="MIT", role="detector", engine="fused")
limits = fe.Limits(max_message_bytes=4 << 20, calls_per_connection=16, connections_per_user=32, min_image_side=16,
                   max_image_side=8192, batch_images=64, streams_per_connection=16, buffers_per_connection=8,
                   mapped_bytes_per_user=128 << 20, frame_credit=4, drain_timeout_ns=10**10,
                   checks_per_user=16)
# Everything of a guided check.
check = fe.CheckOptions(
    space=fe.Space(kind=fe.Space.VIEW, view_width=720, view_height=1280, fit=fe.Space.COVER, rotation=90, mirrored=True),
    mask=fe.Circle(x=360, y=480, radius=300), use_timestamps=True, shuffle_actions=True, seed=7, start_over=True,
    actions=[fe.CHECK_ACTION_BLINK, fe.CHECK_ACTION_OPEN_MOUTH], hold_ns=10**9, timeout_ns=0, hysteresis=0.25,
    min_face=0.5, max_face=0.75, max_yaw=20, crop_size=256, crop_margin=0)
picture = fe.CheckPicture(width=640, height=480, jpeg=b"\xff\xd8\xff\xd9")
report = fe.CheckReport(
    state=fe.CHECK_STATE_FINISH, tip=fe.TIP_DONE, progress=1, actions_done=2, action_count=2, attempt=3,
    circle=check.mask, events=[
        fe.CheckEvent(status=fe.CHECK_STATE_FINISH), fe.CheckEvent(tip=fe.TIP_DONE), fe.CheckEvent(draw=0),
        fe.CheckEvent(clear=True), fe.CheckEvent(failed=fe.CheckFailure(code="time_out", message="too late")),
        fe.CheckEvent(result=fe.CheckResult(face=known_face, picture=picture, crop=picture, crop_box=region))])
# Where the client keeps the picture.
size = fe.CheckPicture(width=640, height=480)
best = fe.CheckReport(
    state=fe.CHECK_STATE_FINISH, tip=fe.TIP_DONE, circle=check.mask, best=True,
    events=[fe.CheckEvent(result=fe.CheckResult(face=known_face, picture=size, crop=size, crop_box=region))])
buckets = fe.DurationBuckets(bounds_ns=[1000, 10**10], counts=[1, 2, 0], sum_ns=8000)
durations = fe.Histogram(count=3, p50=1000, p90=2000, p99=3000, max=4000, buckets=buckets)
stats = fe.StatsResponse(
    uptime_ns=10**9, connections=1, connections_total=2, connections_refused=1, peers_dropped=1, received_bytes=300,
    sent_bytes=400, mapped_bytes=4096, frames_dropped=5,
    methods=[fe.MethodStats(method="faceengine.v1.Detector/Detect", calls=3, failures=[fe.CodeCount(code=3, count=1)],
                            queue_time=durations, run_time=durations)])
counts = fe.DurationCounts(counts=[0, 2, 1], longest_ns=4000, buckets=buckets)
# By the number that MessageFuzz.Kind has for each.
messages = [
    [fe.DetectRequest(image=fe.Image(encoded=b"\xff\xd8\xff\xe0", orientation=fe.ORIENTATION_LEFT), options=options),
     fe.DetectRequest(image=fe.Image(pixels=pixels)),
     fe.DetectRequest(image=fe.Image(pixels=planes, mirrored=True, region=region), options=known_options),
     fe.DetectRequest(image=fe.Image(shared_pixels=shared_planes)),
     fe.DetectRequest(image=fe.Image(shared_encoded=shared, orientation=fe.ORIENTATION_RIGHT_MIRRORED, region=region)),
     fe.DetectRequest(image=fe.Image(pixels=packed), options=fe.DetectOptions(max_faces=0, max_side=0)),
     fe.DetectRequest(image=fe.Image(pixels=full_height))],
    [fe.DetectResponse(width=640, height=480, faces=[face, fe.Face(box=face.box)]),
     fe.DetectResponse(width=640, height=480, faces=[known_face]),
     fe.DetectResponse(width=640, height=480, faces=[dense_face])],
    [fe.HealthCheckRequest(service="faceengine.v1.Detector")],
    [fe.HealthCheckResponse(status=fe.HealthCheckResponse.SERVING)],
    [fe.InfoRequest()],
    [fe.InfoResponse(engine_version="1.2.3", protocol_version=1, models=[model], limits=limits, features=["cancel"])],
    [fe.HelloRequest(min_protocol_version=1, max_protocol_version=2, client="seed", features=["cancel", "later"])],
    [fe.HelloResponse(protocol_version=1, engine_version="1.2.3", features=["cancel", "buffers"], limits=limits)],
    [fe.DetectBatchRequest(images=[fe.Image(pixels=pixels), fe.Image(shared_pixels=shared_pixels)], options=options)],
    [fe.DetectBatchResponse(results=[fe.BatchResult(result=fe.DetectResponse(width=640, height=480, faces=[face])),
                                     fe.BatchResult(failure=fe.Failure(code=3, message="send an image"))])],
    [fe.WatchRequest(start=fe.WatchStart(options=options, mode=fe.WatchStart.EVERY)),
     fe.WatchRequest(frame=fe.WatchFrame(id=1, timestamp_ns=2, image=fe.Image(shared_encoded=shared), timeout_ns=3)),
     fe.WatchRequest(start=fe.WatchStart(tracking=fe.Tracking(max_missed_frames=0, detection_interval=1))),
     fe.WatchRequest(start=fe.WatchStart(check=check)),
     fe.WatchRequest(start=fe.WatchStart(check=fe.CheckOptions(still=True))),
     fe.WatchRequest(start=fe.WatchStart(check=fe.CheckOptions(client_keeps_picture=True))),
     fe.WatchRequest(frame=fe.WatchFrame(id=1, attempt=2, image=fe.Image(shared_encoded=shared))),
     fe.WatchRequest(start=fe.WatchStart(options=known_options, tracking=fe.Tracking())),
     fe.WatchRequest(frame=fe.WatchFrame(id=2**64 - 1, image=fe.Image(pixels=pixels, mirrored=True, region=region)))],
    [fe.WatchResponse(id=1, timestamp_ns=2, dropped=fe.Dropped(total=3)),
     fe.WatchResponse(id=1, failure=fe.Failure(code=3, message="send an image")),
     fe.WatchResponse(id=1, result=fe.DetectResponse(width=640, height=480, faces=[known_face]), left=[1, 2**64 - 1]),
     fe.WatchResponse(id=1, result=fe.DetectResponse(width=640, height=480, faces=[known_face]), check=report),
     fe.WatchResponse(id=1, result=fe.DetectResponse(), check=fe.CheckReport(circle=fe.Circle())),
     fe.WatchResponse(id=1, result=fe.DetectResponse(width=640, height=480, faces=[known_face]), check=best),
     fe.WatchResponse(id=1, failure=fe.Failure(code=8, message="too many faces"), left=[1], check=best)],
    [],  # the frames below
    [],
    [fe.StatsRequest()],
    [stats],
    [fe.ListModelsRequest()],
    [fe.ListModelsResponse(models=[fe.ListedModel(model=model, title="YuNet", loaded=True), fe.ListedModel(model=model)])],
    [fe.ReloadModelRequest(name="yunet")],
    [fe.ReloadModelResponse(models=[model, fe.Model(name="b")])],
    [fe.DescribeRequest()],
    [fe.DescribeResponse(file_descriptor_set=b"\x0a\x02\x0a\x00")],
    [fe.TakeOverRequest(step=fe.TAKE_OVER_STEP_BEGIN), fe.TakeOverRequest(step=fe.TAKE_OVER_STEP_END)],
    [fe.TakeOverResponse(owns_socket_file=True, counters=fe.Counters(
        uptime_ns=10**9, connections_total=2, connections_refused=1, peers_dropped=1, received_bytes=300, sent_bytes=400,
        frames_dropped=5, model_releases=1, next_connection=3,
        methods=[fe.MethodCounters(method="faceengine.v1.Detector/Detect", calls=3, failures=[fe.CodeCount(code=3, count=1)],
                                   ends=[fe.CodeCount(code=0, count=3)], queue_time=counts, run_time=counts)]))],
]
for kind, examples in enumerate(messages):
    for index, message in enumerate(examples):
        write("messages", f"seed-{kind}-{index}", bytes([kind]) + message.SerializeToString())
# Frames beyond ttrpc: kind, then type, stream, data.
for name, kind, *rest in [("cancel", 12, 0x10, 3), ("ping", 12, 0x12, 0, *range(8)),
                          ("offer", 12, 0x15, 0, *struct.pack(">IQ", 1, 4096)),
                          ("goaway", 13, 0x11, 0, *struct.pack(">I", 7)),
                          ("credit", 13, 0x14, 5, *struct.pack(">I", 4)),
                          ("offer-answer", 13, 0x15, 0, *struct.pack(">II", 1, 3), *b"seal it")]:
    write("messages", f"seed-{name}", bytes([kind, *rest]))

request = ttrpc.Request(service="faceengine.v1.Health", method="Check", payload=b"\x0a\x01x", timeout_nano=1_000_000_000,
                        metadata=[ttrpc.KeyValue(key="trace", value="1")]).SerializeToString()
response = ttrpc.Response(payload=b"\x08\x01").SerializeToString()
failure = ttrpc.Response(status=ttrpc.Status(code=3, message="send an image")).SerializeToString()
details = [ttrpc.Detail(type_url=f"type.googleapis.com/google.rpc.{kind}", value=b"\x0a\x07\x0a\x05image")
           for kind in ("BadRequest", "QuotaFailure", "ErrorInfo")]
refusals = [ttrpc.Response(status=ttrpc.Status(code=8, message="too many", details=[detail])).SerializeToString()
            for detail in details]
write("envelopes", "seed-request", b"\0" + request)
write("envelopes", "seed-response", b"\1" + response)
write("envelopes", "seed-failure", b"\1" + failure)
for index, refusal in enumerate(refusals):
    write("envelopes", f"seed-refusal-{index}", b"\1" + refusal)

stream = frame(1, 1, request) + frame(1, 2, response) + frame(3, 3, b"", 1 | 4)
write("frames", "seed-one-piece", b"\xff\xff" + stream)
write("frames", "seed-pieces", b"\x02\xff" + stream)
write("frames", "seed-oversized", b"\x06\x02" + stream)
write("frames", "seed-implausible", b"\xff\xff" + frame(1, 1, b"x") + b"\1" + bytes(9))

for network in sorted((HERE.parent / "Fixtures/onnx").glob("*.onnx")):
    if network.stat().st_size <= 8192:  # what Tools/fuzz.sh lets inputs grow to
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
