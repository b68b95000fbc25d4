#!/usr/bin/env python3
"""The default detector's network, in floats and in eight bits, beside ncnn, onnxruntime and OpenVINO, each in every precision
that it has here, the other networks beside ncnn, and a 1080p frame to its faces beside FaceDetectorYN.

    Tests/Benchmarks/network.py [--rounds 40] [--libfacedetection FOLDER]
    Tests/Benchmarks/network.py --expressions [--rounds 40]

Same weights, one process each, one thread unless said otherwise, and turns taken image by image, so that whatever else
the machine does happens to all. Times are medians and, behind them, the middle half. "CPU" is what the processors spent,
which other programs disturb less than what a clock shows. With --expressions only the expression network is run, beside ncnn,
which needs no packages. Needs `swift build -c release`, the fetched model, and clang or
gcc; makes itself a Python environment with pinned packages, outside the checkout. FOLDER has libfacedetection's sources, which
are in no package: a YuNet with weights of its own in eight bits, whose time has the decoding of its boxes in it.
"""

import argparse
import ctypes
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # leave no files in the checkout

import environment  # noqa: E402
from environment import ROOT  # noqa: E402
from faces import overlap  # noqa: E402

PINS = ["opencv-python-headless==5.0.0.93", "onnxruntime==1.31.1", "onnx==1.23.2", "numpy", "openvino==2026.4.1"]
SIZES = [(320, 320), (640, 384), (640, 640)]
# The flag of the processor that each instruction set of ours in eight bits needs.
EIGHT_BITS = {"avx512vnni": "avx512_vnni", "avxvnni": "avx_vnni", "avx2": "avx2"}
EXPRESSION_INPUT = (146, 2)
# A size that each of the others is run at.
OTHERS = {"facemesh": (256, 256), "centerface": (640, 640)}


class Ours:
    """Tests/Benchmarks/network/main.swift, which answers a line with a line."""

    def __init__(self, model="yunet"):
        self.process = subprocess.Popen(
            [ROOT / ".build/release/network-benchmark", ROOT / "Models" / model],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit(f"network-benchmark gave no answer to {words}")
        return answer

    def run(self, engine, threads, size):
        """Milliseconds of one run: on the clock, of the processors."""
        return tuple(map(float, self.ask("network", engine, threads, *size, 1)))


def timed(work):
    start = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - start[0]) * 1e3, (time.process_time() - start[1]) * 1e3


def take_turns(rounds, runners):
    """{name: [(clock, CPU)]}; the first turns, which fill caches and memory, do not count."""
    times = {name: [] for name in runners}
    for turn in range(rounds + 3):
        for name, run in runners.items():
            elapsed = run()
            if turn >= 3:
                times[name].append(elapsed)
    return times


def show(name, values):
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{name} {middle:7.2f} ({low:.2f}…{high:.2f})"


def median(times, kind):
    return statistics.median(elapsed[kind] for elapsed in times)


def float_kernels():
    """The instruction sets of ours in floats that this processor has."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return [name for name, flag in (("avx2", "avx2"), ("avx512", "avx512f")) if f" {flag}" in flags]


def cut_graph(weights, folder):
    """The published graph for any size, as it was converted for us: its maps are not laid out as lists. Of an opset at which
    onnxruntime is a third faster than at that of the published file."""
    import onnx

    sys.path.insert(0, str(ROOT / "Tools/models"))
    from convert_yunet import cut

    onnx.save(onnx.version_converter.convert_version(cut(onnx.load(weights)), 13), folder / "cut.onnx")
    return folder / "cut.onnx"


def quantised_graph(graph, folder):
    """The same in eight bits, by onnxruntime's own tool, with the checkout's photos to measure ranges on."""
    import cv2
    from onnxruntime import quantization

    class Photos(quantization.CalibrationDataReader):
        def __init__(self):
            files = sorted((ROOT / "Examples/photos").glob("*.*g"))
            self.inputs = iter([{"input": blob_of(cv2.resize(cv2.imread(str(file)), (640, 640)))} for file in files])

        def get_next(self):
            return next(self.inputs, None)

    prepared, result = folder / "prepared.onnx", folder / "eight_bits.onnx"
    quantization.quant_pre_process(graph, prepared, skip_symbolic_shape=True)
    quantization.quantize_static(
        prepared,
        result,
        Photos(),
        quant_format=quantization.QuantFormat.QDQ,
        per_channel=True,
        activation_type=quantization.QuantType.QUInt8,
        weight_type=quantization.QuantType.QInt8,
    )
    return result


def blob_of(image):
    return image.transpose(2, 0, 1)[None].astype("float32")


def openvino_runner(graph, size, precision):
    import numpy
    import openvino

    core = openvino.Core()
    model = core.read_model(graph)
    model.reshape([1, 3, size[1], size[0]])
    compiled = core.compile_model(
        model, "CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision}
    )
    request = compiled.create_infer_request()
    request.set_input_tensor(
        openvino.Tensor(numpy.random.default_rng(1).uniform(0, 255, (1, 3, size[1], size[0])).astype("float32"))
    )
    return lambda: timed(request.infer)


def onnx_runner(weights, size):
    """onnxruntime on an image of this size, one thread. Its input is made before the clock starts."""
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    blob = numpy.random.default_rng(1).uniform(0, 255, (1, 3, size[1], size[0])).astype("float32")
    name = session.get_inputs()[0].name
    return lambda: timed(lambda: session.run(None, {name: blob}))


def libfacedetection(sources, folder):
    """Its library, made for the widest vectors that it has code for and this processor runs; None without sources."""
    if sources is None:
        return None
    wide = " avx512bw" in pathlib.Path("/proc/cpuinfo").read_text()
    flags = (["-D_ENABLE_AVX512", "-mavx512f", "-mavx512bw", "-mavx512vl"] if wide else ["-D_ENABLE_AVX2"]) + [
        "-mavx2",
        "-mfma",
    ]
    # Made by its CMake otherwise.
    (folder / "facedetection_export.h").write_text("#define FACEDETECTION_EXPORT\n")
    library = folder / "libfacedetection.so"
    compiler = shutil.which("clang++") or shutil.which("g++")
    subprocess.run(
        [
            compiler,
            "-O3",
            "-w",
            *flags,
            "-shared",
            "-fPIC",
            "-I",
            folder,
            *sorted(sources.glob("src/*.cpp")),
            "-o",
            library,
        ],
        check=True,
    )
    return ctypes.CDLL(library)


def libfacedetection_runner(library, size):
    import cv2

    photo = cv2.resize(cv2.imread(str(ROOT / "Examples/photos/astronaut.png")), size)
    result = ctypes.create_string_buffer(0x9000)
    # C++ has given the function's name its parameters.
    search = library["_Z14facedetect_cnnPhS_iii"]
    search.restype = ctypes.POINTER(ctypes.c_int)
    pixels = photo.ctypes.data_as(ctypes.c_void_p)
    if not search(result, pixels, size[0], size[1], photo.strides[0])[0]:
        sys.exit("libfacedetection found no face; its sources are not those of this benchmark")
    return lambda: timed(lambda: search(result, pixels, size[0], size[1], photo.strides[0]))


def peers(graph, quantised, size, library):
    """{name: runner} of onnxruntime and OpenVINO in all their precisions; bf16 where the processor has it."""
    runners = {
        "onnxruntime": onnx_runner(graph, size),
        "onnxruntime int8": onnx_runner(quantised, size),
        "OpenVINO": openvino_runner(graph, size, "f32"),
        "OpenVINO int8": openvino_runner(quantised, size, "f32"),
    }
    if " avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text():
        runners["OpenVINO bf16"] = openvino_runner(graph, size, "bf16")
    if library:
        runners["libfacedetection"] = libfacedetection_runner(library, size)
    return runners


def eight_bit_kernels():
    """The same in eight bits."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return [f"{name}:integers" for name, flag in EIGHT_BITS.items() if f" {flag}" in flags]


def compare(title, runners, rounds, peers):
    """Prints a table, and how many times as long the fastest of `peers` and ncnn take as each of ours."""
    times = take_turns(rounds, runners)
    print(f"\n{title}, one thread, ms")
    for name, elapsed in times.items():
        print(f"  {name:19}", show("clock", [t[0] for t in elapsed]), " ", show("CPU", [t[1] for t in elapsed]))
    best = min(peers, key=lambda name: median(times[name], 1))
    for name in (name for name in times if name not in peers and name != "ncnn"):
        ratios = [
            f"{median(times[peer], 1) / median(times[name], 1):.2f}× {peer}" for peer in dict.fromkeys((best, "ncnn"))
        ]
        print(f"  {name} is {', '.join(ratios)} (CPU)")


def compare_networks(ours, graph, quantised, library, rounds):
    for size in SIZES:
        names = [*float_kernels(), *eight_bit_kernels(), "ncnn"]
        others = peers(graph, quantised, size, library)
        runners = {name: (lambda name=name: ours.run(name, 1, size)) for name in names}
        compare(f"{size[0]}×{size[1]}", runners | others, rounds, others)


def compare_others(rounds):
    for model, size in OTHERS.items():
        ours = Ours(model)
        files = json.loads((ROOT / "Models" / model / "model.json").read_text())["files"]
        names = [*float_kernels(), *(eight_bit_kernels() if {"int8", "int16"} & set(files) else []), "ncnn"]
        runners = {name: (lambda name=name: ours.run(name, 1, size)) for name in names}
        compare(f"{model} at {size[0]}×{size[1]}", runners, rounds, {"ncnn": None})


def compare_expressions(rounds):
    """Turns of many runs, as one is shorter than what wakes a processor."""
    ours = Ours("blendshapes")
    runs = 20

    def run(engine):
        elapsed = list(map(float, ours.ask("values", engine, 1, *EXPRESSION_INPUT, runs)))
        return statistics.median(elapsed[:runs]), statistics.median(elapsed[runs:])

    runners = {name: (lambda name=name: run(name)) for name in [*float_kernels(), "ncnn"]}
    compare("the expression network", runners, rounds, {"ncnn": None})


def compare_threads(ours, rounds):
    print("\ntwo threads on one image, by the clock")
    for size in SIZES:
        times = take_turns(rounds, {n: (lambda n=n: ours.run("best", n, size)) for n in (1, 2)})
        print(f"  {size[0]}×{size[1]}: {median(times[1], 0) / median(times[2], 0):.2f}× one")


def make_frame(folder):
    """1080p with the photos of Examples on it; returns the array and the file with its bytes."""
    import cv2
    import numpy

    frame = numpy.full((1080, 1920, 3), 96, numpy.uint8)
    left = 40
    for path in sorted((ROOT / "Examples/photos").glob("*.*g")):
        for height in (1000, 420):
            photo = cv2.imread(str(path))
            photo = cv2.resize(
                photo, None, fx=height / photo.shape[0], fy=height / photo.shape[0], interpolation=cv2.INTER_AREA
            )
            width = min(photo.shape[1], 1920 - left)
            if width > 100:
                frame[20 : 20 + height, left : left + width] = photo[:, :width]
            left += width + 20
    file = folder / "frame.bgr"
    file.write_bytes(frame.tobytes())
    return frame, file


def cornered(face):
    """(left, top, right, bottom, confidence) of (left, top, width, height, confidence)"""
    left, top, width, height, confidence = face
    return left, top, left + width, top + height, confidence


def compare_end_to_end(ours, weights, rounds, folder):
    import cv2

    cv2.setNumThreads(1)
    frame, file = make_frame(folder)
    detector = cv2.FaceDetectorYN.create(str(weights), "", (640, 360), 0.6, 0.3, 5000)
    found = {}

    def theirs():
        # The whole scale of 3 makes the means of areas the same for both.
        small = cv2.resize(frame, (640, 360), interpolation=cv2.INTER_AREA)
        found["theirs"] = detector.detect(small)[1]

    def search():
        answer = ours.ask("detect", file, 1920, 1080, 640, 1)
        found["ours"] = [list(map(float, answer[3 + i : 8 + i])) for i in range(0, len(answer) - 3, 5)]
        return float(answer[0]), float(answer[1])

    times = take_turns(rounds, {"face-engine": search, "FaceDetectorYN": lambda: timed(theirs)})
    print("\n1080p BGR to faces, long side 640, one thread, ms")
    for name, elapsed in times.items():
        print(f"  {name:14}", show("clock", [t[0] for t in elapsed]), " ", show("CPU", [t[1] for t in elapsed]))
    print(
        "  ",
        " and ".join(
            f"{median(times['FaceDetectorYN'], k) / median(times['face-engine'], k):.2f}× ({n})"
            for k, n in ((0, "clock"), (1, "CPU"))
        ),
    )
    theirs = [cornered([*(float(v) * 3 for v in face[:4]), float(face[14])]) for face in found["theirs"]]
    mine = [cornered(face) for face in found["ours"]]
    matched = [max(theirs, key=lambda their: overlap(our, their)) for our in mine]
    print(
        f"  {len(mine)} and {len(theirs)} faces; least overlap "
        f"{min(overlap(a, b) for a, b in zip(mine, matched)):.4f}, confidences within "
        f"{max(abs(a[4] - b[4]) for a, b in zip(mine, matched)):.4f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--libfacedetection", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--expressions", action="store_true", help="only the expression network")
    options = parser.parse_args()
    if options.expressions:
        return compare_expressions(options.rounds)
    environment.enter("benchmarks", PINS)

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        weights = environment.published_weights()
        ours = Ours()
        graph = cut_graph(weights, folder)
        library = libfacedetection(options.libfacedetection, folder)
        compare_networks(ours, graph, quantised_graph(graph, folder), library, options.rounds)
        compare_others(options.rounds)
        compare_expressions(options.rounds)
        compare_threads(ours, options.rounds)
        compare_end_to_end(ours, weights, options.rounds, folder)
        print("load of the machine:", " ".join(f"{v:.1f}" for v in os.getloadavg()))


if __name__ == "__main__":
    main()
