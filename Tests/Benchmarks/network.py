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

ROOT = pathlib.Path(__file__).resolve().parents[2]
PINS = ["opencv-python-headless==5.0.0.93", "onnxruntime==1.31.1", "onnx==1.23.2", "numpy", "openvino==2026.4.1"]
SIZES = [(320, 320), (640, 384), (640, 640)]
MULTIPLY_ADDS_PER_PIXEL = 840.4  # of YuNet, counted from its graph
# Flags of the processor that instruction sets of ours in eight bits need, and the one in floats to compare with.
EIGHT_BITS = {"avx512vnni": ("avx512_vnni", "avx512"), "avxvnni": ("avx_vnni", "avx2"), "avx2": ("avx2", "avx2")}
# Multiply-adds of the others, and a size that each is run at.
EXPRESSION_MULTIPLY_ADDS, EXPRESSION_INPUT = 31.8e6, (146, 2)  # of its graph; ours leaves out what nothing reads
OTHERS = {"facemesh": (1722.2, (256, 256)), "centerface": (6027.1, (640, 640))}


class Ours:
    """Tests/Benchmarks/network/main.swift, which answers a line with a line."""

    def __init__(self, model="yunet"):
        self.process = subprocess.Popen([ROOT / ".build/release/network-benchmark", ROOT / "Models" / model],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

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


def peak_rates(folder):
    """1e9 multiply-adds a second of one thread, by instruction set."""
    library = folder / "peak.so"
    compiler = shutil.which("clang") or shutil.which("gcc")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", ROOT / "Tests/Benchmarks/peak.c", "-o", library], check=True)
    peaks = ctypes.CDLL(library)
    rates = {}
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    for name, flag in [("avx2", "avx2"), ("avx512", "avx512f")]:
        if f" {flag}" in flags:
            function = peaks[f"peak_{name}"]
            function.restype = ctypes.c_double
            rates[name] = max(function() for _ in range(20))
    return rates


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
        prepared, result, Photos(), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
        activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
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
        model, "CPU", {"INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": precision})
    request = compiled.create_infer_request()
    request.set_input_tensor(openvino.Tensor(numpy.random.default_rng(1).uniform(0, 255, (1, 3, size[1], size[0])).astype("float32")))
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
    flags = (["-D_ENABLE_AVX512", "-mavx512f", "-mavx512bw", "-mavx512vl"] if wide else ["-D_ENABLE_AVX2"]) + ["-mavx2", "-mfma"]
    # Made by its CMake otherwise.
    (folder / "facedetection_export.h").write_text("#define FACEDETECTION_EXPORT\n")
    library = folder / "libfacedetection.so"
    compiler = shutil.which("clang++") or shutil.which("g++")
    subprocess.run([compiler, "-O3", "-w", *flags, "-shared", "-fPIC", "-I", folder, *sorted(sources.glob("src/*.cpp")), "-o",
                    library], check=True)
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
    runners = {"onnxruntime": onnx_runner(graph, size), "onnxruntime int8": onnx_runner(quantised, size),
               "OpenVINO": openvino_runner(graph, size, "f32"), "OpenVINO int8": openvino_runner(quantised, size, "f32")}
    if " avx512_bf16" in pathlib.Path("/proc/cpuinfo").read_text():
        runners["OpenVINO bf16"] = openvino_runner(graph, size, "bf16")
    if library:
        runners["libfacedetection"] = libfacedetection_runner(library, size)
    return runners


def eight_bit_runners():
    """{name: what to compare it with in floats} of what this processor has."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    return {f"{name}:integers": floats for name, (flag, floats) in EIGHT_BITS.items() if f" {flag}" in flags}


def compare_networks(ours, graph, quantised, library, rounds, rates):
    eight_bits = eight_bit_runners()
    for size in SIZES:
        runners = {name: (lambda name=name: ours.run(name, 1, size)) for name in [*rates, *eight_bits, "ncnn"]}
        others = peers(graph, quantised, size, library)
        times = take_turns(rounds, runners | others)
        print(f"\n{size[0]}×{size[1]}, one thread, ms")
        for name, elapsed in times.items():
            print(f"  {name:16}", show("clock", [t[0] for t in elapsed]), " ", show("CPU", [t[1] for t in elapsed]))
        for name in rates:
            work = size[0] * size[1] * MULTIPLY_ADDS_PER_PIXEL
            share = work / (median(times[name], 1) * 1e6) / rates[name]
            ratios = [f"{median(times[peer], kind) / median(times[name], kind):.2f}× {peer} ({label})"
                      for peer in ("onnxruntime", "ncnn") for kind, label in ((0, "clock"), (1, "CPU"))]
            print(f"  {name} is {', '.join(ratios)}; {share:.0%} of the peak")
        best = min(others, key=lambda name: median(times[name], 1))
        for name, floats in eight_bits.items():
            gains = [median(times[peer], 1) / median(times[name], 1) for peer in (floats, best)]
            print(f"  {name} is {gains[0]:.2f}× our floats and {gains[1]:.2f}× the best of the others, {best} (CPU)")


def compare_others(rounds, rates):
    for model, (work, size) in OTHERS.items():
        ours = Ours(model)
        files = json.loads((ROOT / "Models" / model / "model.json").read_text())["files"]
        eight_bits = eight_bit_runners() if {"int8", "int16"} & set(files) else {}
        names = [*rates, *eight_bits, "ncnn"]
        times = take_turns(rounds, {name: (lambda name=name: ours.run(name, 1, size)) for name in names})
        print(f"\n{model} at {size[0]}×{size[1]}, one thread, ms")
        for name, elapsed in times.items():
            print(f"  {name:12}", show("clock", [t[0] for t in elapsed]), " ", show("CPU", [t[1] for t in elapsed]))
        for name in rates:
            share = size[0] * size[1] * work / (median(times[name], 1) * 1e6) / rates[name]
            ratios = [median(times["ncnn"], kind) / median(times[name], kind) for kind in (0, 1)]
            print(f"  {name} is {ratios[0]:.2f}× ncnn (clock), {ratios[1]:.2f}× (CPU); {share:.0%} of the peak")
        for name, floats in eight_bits.items():
            print(f"  {name} is {median(times[floats], 1) / median(times[name], 1):.2f}× our floats (CPU)")


def compare_expressions(rounds, rates):
    """Turns of many runs, as one is shorter than what wakes a processor."""
    ours = Ours("blendshapes")
    runs = 20

    def run(engine):
        elapsed = list(map(float, ours.ask("values", engine, 1, *EXPRESSION_INPUT, runs)))
        return statistics.median(elapsed[:runs]), statistics.median(elapsed[runs:])

    times = take_turns(rounds, {name: (lambda name=name: run(name)) for name in [*rates, "ncnn"]})
    print("\nthe expression network, one thread, ms")
    for name, elapsed in times.items():
        print(f"  {name:12}", show("clock", [t[0] for t in elapsed]), " ", show("CPU", [t[1] for t in elapsed]))
    for name in rates:
        ratios = [median(times["ncnn"], kind) / median(times[name], kind) for kind in (0, 1)]
        share = EXPRESSION_MULTIPLY_ADDS / (median(times[name], 1) * 1e6) / rates[name]
        print(f"  {name} is {ratios[0]:.2f}× ncnn (clock), {ratios[1]:.2f}× (CPU); as fast as the whole graph at {share:.0%} of "
              "the peak")


def compare_threads(ours, rounds):
    print("\nmore than one thread, by the clock")
    for size in SIZES:
        times = take_turns(rounds, {n: (lambda n=n: ours.run("best", n, size)) for n in (1, 2)})
        streams = {n: [] for n in (1, 2)}
        for _ in range(max(4, rounds // 4)):
            for n in streams:
                streams[n].append(float(ours.ask("streams", "best", n, *size, 20)[0]))
        print(f"{size[0]}×{size[1]}: two threads on one image {median(times[1], 0) / median(times[2], 0):.2f}× one; "
              f"two workers on two streams {statistics.median(streams[2]) / statistics.median(streams[1]):.2f}× one")


def make_frame(folder):
    """1080p with the photos of Examples on it; returns the array and the file with its bytes."""
    import cv2
    import numpy
    frame = numpy.full((1080, 1920, 3), 96, numpy.uint8)
    left = 40
    for path in sorted((ROOT / "Examples/photos").glob("*.*g")):
        for height in (1000, 420):
            photo = cv2.imread(str(path))
            photo = cv2.resize(photo, None, fx=height / photo.shape[0], fy=height / photo.shape[0],
                               interpolation=cv2.INTER_AREA)
            width = min(photo.shape[1], 1920 - left)
            if width > 100:
                frame[20:20 + height, left:left + width] = photo[:, :width]
            left += width + 20
    file = folder / "frame.bgr"
    file.write_bytes(frame.tobytes())
    return frame, file


def overlap(one, other):
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[0] + one[2], other[0] + other[2]), min(one[1] + one[3], other[1] + other[3])
    both = max(0, right - left) * max(0, bottom - top)
    return both / (one[2] * one[3] + other[2] * other[3] - both)


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

    def mine():
        answer = ours.ask("detect", file, 1920, 1080, 640, 1)
        found["ours"] = [list(map(float, answer[3 + i:8 + i])) for i in range(0, len(answer) - 3, 5)]
        return float(answer[0]), float(answer[1])

    times = take_turns(rounds, {"face-engine": mine, "FaceDetectorYN": lambda: timed(theirs)})
    print("\n1080p BGR to faces, long side 640, one thread, ms")
    for name, elapsed in times.items():
        print(f"  {name:14}", show("clock", [t[0] for t in elapsed]), " ", show("CPU", [t[1] for t in elapsed]))
    print("  ", " and ".join(
        f"{median(times['FaceDetectorYN'], k) / median(times['face-engine'], k):.2f}× ({n})"
        for k, n in ((0, "clock"), (1, "CPU"))))
    theirs = [[*(float(v) * 3 for v in face[:4]), float(face[14])] for face in found["theirs"]]
    matched = [max(theirs, key=lambda their: overlap(our, their)) for our in found["ours"]]
    print(f"  {len(found['ours'])} and {len(theirs)} faces; least overlap "
          f"{min(overlap(a, b) for a, b in zip(found['ours'], matched)):.4f}, confidences within "
          f"{max(abs(a[4] - b[4]) for a, b in zip(found['ours'], matched)):.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--libfacedetection", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--expressions", action="store_true", help="only the expression network")
    options = parser.parse_args()
    if options.expressions:
        with tempfile.TemporaryDirectory() as temporary:
            compare_expressions(options.rounds, peak_rates(pathlib.Path(temporary)))
        return
    environment.enter("benchmarks", PINS)
    from accuracy import published_weights

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        weights = published_weights(folder)
        rates = peak_rates(folder)
        print("peak of one thread, 1e9 multiply-adds a second:", json.dumps(rates))
        ours = Ours()
        graph = cut_graph(weights, folder)
        library = libfacedetection(options.libfacedetection, folder)
        compare_networks(ours, graph, quantised_graph(graph, folder), library, options.rounds, rates)
        compare_others(options.rounds, rates)
        compare_expressions(options.rounds, rates)
        compare_threads(ours, options.rounds)
        compare_end_to_end(ours, weights, options.rounds, folder)
        print("load of the machine:", " ".join(f"{v:.1f}" for v in os.getloadavg()))


if __name__ == "__main__":
    main()
