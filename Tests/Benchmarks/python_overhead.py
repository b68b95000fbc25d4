#!/usr/bin/env python3
"""What a call from Python costs beyond the same call from C, on a 1080p frame; and how soon the first face comes.

    python_overhead.py [BUILD_FOLDER]

Processor time of the calling thread, medians. First the difference of whole calls: 20 calls from C and 20 from Python
take turns in one process, on one engine and frame. max_side 64 makes the search short, so that the difference is not lost in it. Then the
time of the Python code alone, with the search replaced by one that gives a result made before.
Needs NumPy, a C compiler and the models.
"""

import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Python"))
CALLS = {64: 3000, 0: 200}  # by max_side
FIRST_FACE = """
import time
start, processor = time.perf_counter(), time.process_time()
import faceengine
for face in faceengine.load().detect({photo!r}): pass
print(time.perf_counter() - start, time.process_time() - processor)
"""


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build/release").resolve()
    models = pathlib.Path(os.environ.get("FACE_ENGINE_MODELS") or ROOT / "Models")
    os.environ.setdefault("FACE_ENGINE_MODELS", str(models))
    with tempfile.TemporaryDirectory() as folder:
        libraries = pathlib.Path(folder, "lib")
        libraries.mkdir()
        for name in ("libfaceengine", "libfaceengine-draw"):
            (libraries / f"{name}.so.1").symlink_to(build / f"{name}.so")
        os.environ["FACE_ENGINE_LIBRARIES"] = str(libraries)
        measure(models, libraries, pathlib.Path(folder))


def measure(models, libraries, folder):
    import faceengine
    import numpy as np

    made = folder / "call.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/include", pathlib.Path(__file__).with_suffix(".c"), "-o", made,
                    f"{libraries}/libfaceengine.so.1", f"-Wl,-rpath,{libraries}"], check=True)
    time_call = ctypes.CDLL(str(made)).time_call
    time_call.restype, time_call.argtypes = ctypes.c_longlong, [ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_uint32] * 3
    photo = ROOT / "Examples/photos/grace_hopper.jpg"
    frame = np.zeros((1080, 1920, 3), np.uint8)
    frame[200:800, 700:1212] = faceengine.draw.Picture(photo).array()
    engine = faceengine.load()
    for side, calls in CALLS.items():
        columns = [], []
        for _ in range(calls // 20):  # in turns of 20, as a program that does only one of them finds its code in the caches
            for _ in range(20):
                columns[0].append(time_call(engine._handle, frame.ctypes.data, 1920, 1080, side))
            for _ in range(20):
                start = time.thread_time_ns()
                engine.detect(frame, max_side=side)
                columns[1].append(time.thread_time_ns() - start)
        for name, share in (("p10", 0.1), ("p50", 0.5)):
            c, python = (sorted(column)[int(calls * share)] / 1e3 for column in columns)
            print(f"max_side {side}, {name} of {calls} calls: C {c:.1f} µs, Python {python:.1f} µs, difference {python - c:.1f} µs")
    print(f"Python code alone, one face: p50 {alone(engine, frame):.1f} µs")
    first = [tuple(map(float, subprocess.run(
        [sys.executable, "-c", FIRST_FACE.format(photo=str(photo))], check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "Python")}).stdout.split())) for _ in range(15)]
    wall, processor = zip(*first)
    print(f"from import to the first face of a photo: p50 {statistics.median(wall) * 1e3:.0f} ms, best {min(wall) * 1e3:.0f} ms; "
          f"processor time p50 {statistics.median(processor) * 1e3:.0f} ms")


def alone(engine, frame):
    """All that detect does but for the search, whose C function gives a result that was made before."""
    from faceengine import _abi, _images, _library

    library = _library.face
    image, kept = _images.describe(frame)
    options, result = _library.fresh(_abi.face_options), ctypes.c_void_p()
    assert library.face_detect(engine._handle, ctypes.byref(image), ctypes.byref(options), ctypes.byref(result)) == 0
    detect, destroy = library.face_detect, library.face_result_destroy

    def prepared(handle, image, options, out):
        library.face_result_count(result)  # a call into C, as the real one is
        out._obj.value = result.value
        return 0

    library.face_detect, library.face_result_destroy = prepared, lambda _: library.face_result_count(result)
    times = []
    for _ in range(20000):
        start = time.thread_time_ns()
        engine.detect(frame)
        times.append(time.thread_time_ns() - start)
    library.face_detect, library.face_result_destroy = detect, destroy
    del kept
    return statistics.median(times) / 1e3


if __name__ == "__main__":
    main()
