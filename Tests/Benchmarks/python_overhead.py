#!/usr/bin/env python3
"""What a call from Python costs beyond the same call from C, on a 1080p frame; and how soon the first face comes.

    python_overhead.py [BUILD_FOLDER]

All that a caller does around the search is timed: the call's whole time less that of face_detect, whose begin and end the C side
notes. Calls of each kind take turns on one engine, frame and processor: C, which reads all faces; Python, which drops them;
Python, which reads box and confidence of all; and ctypes alone: face_detect and face_result_destroy, with arguments that were
prepared, the least that a call can cost. max_side 64 makes a search short, so that caches stay warm; the default one leaves them
cold, as in a program that searches a video.

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
CALLS = {64: 1500, 0: 200}  # of each kind, by max_side
TURN = 5
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
    photo = ROOT / "Examples/photos/grace_hopper.jpg"
    frame = np.zeros((1080, 1920, 3), np.uint8)
    frame[200:800, 700:1212] = faceengine.draw.Picture(photo).array()
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(processors)})
    engine = faceengine.load()
    for side, calls in CALLS.items():
        kinds = kinds_of(ctypes.CDLL(str(made)), engine, frame, side)
        times = {name: [] for name in kinds}
        for _ in range(calls // TURN):
            for name, kind in kinds.items():
                times[name] += [kind() for _ in range(TURN)]
        for name, all_times in times.items():
            p10, p50 = (sorted(all_times)[int(calls * share)] / 1e3 for share in (0.1, 0.5))
            base10, base50 = (sorted(times["C"])[int(calls * share)] / 1e3 for share in (0.1, 0.5))
            print(f"max_side {side}, {name}: p10 {p10:.1f} µs, p50 {p50:.1f} µs; over C p10 {p10 - base10:.1f} µs, "
                  f"p50 {p50 - base50:.1f} µs")
    os.sched_setaffinity(0, processors)
    first = [tuple(map(float, subprocess.run(
        [sys.executable, "-c", FIRST_FACE.format(photo=str(photo))], check=True, capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "Python")}).stdout.split())) for _ in range(15)]
    wall, processor = zip(*first)
    print(f"from import to the first face of a photo: p50 {statistics.median(wall) * 1e3:.0f} ms, best {min(wall) * 1e3:.0f} ms; "
          f"processor time p50 {statistics.median(processor) * 1e3:.0f} ms")


def kinds_of(side_of_c, engine, frame, side):
    """By name, functions that make one call and return the nanoseconds of all but the search."""
    from faceengine import _abi, _images, _library

    library, clock = _library.face, time.perf_counter_ns
    around = side_of_c.time_around_search
    around.restype, around.argtypes = ctypes.c_longlong, [ctypes.c_void_p, ctypes.c_void_p] + [ctypes.c_uint32] * 3
    timed, prepared = side_of_c.timed_detect, side_of_c["timed_detect"]  # the second does not check its arguments
    timed.restype, timed.argtypes = library.face_detect.restype, library.face_detect.argtypes
    library.face_detect, destroy = timed, library.face_result_destroy
    began, ended = (ctypes.c_longlong.in_dll(side_of_c, name) for name in ("search_began", "search_ended"))
    image, _ = _images.describe(frame)
    options, result = _library.fresh(_abi.face_options), ctypes.c_void_p()
    options.max_side = side
    arguments = ctypes.c_void_p(engine._handle), ctypes.byref(image), ctypes.byref(options), ctypes.byref(result)
    keywords = {"max_side": side} if side else {}

    def c():
        return around(engine._handle, frame.ctypes.data, 1920, 1080, side)

    def dropping():
        start = clock()
        engine.detect(frame, **keywords)
        return clock() - start - (ended.value - began.value)

    def reading():
        start = clock()
        for face in engine.detect(frame, **keywords):
            face.box, face.confidence
        return clock() - start - (ended.value - began.value)

    def bare():
        start = clock()
        prepared(*arguments)
        destroy(result)
        return clock() - start - (ended.value - began.value)

    return {"C": c, "Python, faces dropped": dropping, "Python, faces read": reading, "ctypes alone": bare}


if __name__ == "__main__":
    main()
