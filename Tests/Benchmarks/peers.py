#!/usr/bin/env python3
"""face-engine beside OpenCV's FaceDetectorYN and MediaPipe's own Python package: a picture's file to its faces.

    Tests/Benchmarks/peers.py [--turns 15] [--max-side 1024] [--renew] [IMAGE…]

All have one processor between them and take turns on each picture, so that whatever else the machine does happens to
all. What is timed begins with the file's bytes in memory and ends with the faces: decoding, scaling and whatever a
detector wants done before it are in it, loading models is not. A turn is the median of five searches after two that do
not count. The table has medians over the turns and, behind them, the middle half: first of the clock, then of the
time that all threads together had a processor, which other programs disturb less.

MediaPipe's FaceLandmarker tells points, the head's pose and coefficients of the expression; our row of the same outputs is
the one to compare it with. Below the pictures is one run of our mesh network beside ncnn.
--renew writes what was measured into docs/benchmarks.json and draws its picture anew.

FaceDetectorYN runs the weights that ours were converted from. MediaPipe's detector takes every picture at 128×128 and is
made for large faces near the camera: look at how many faces each one found. Without pictures, those of the checkout.

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside
the checkout. Where MediaPipe does not install, that is said and the others are compared.
"""

import argparse
import contextlib
import datetime
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

import environment
import network
from environment import ROOT

OPENCV = "opencv-python-headless==5.0.0.93"
MEDIAPIPE = "mediapipe==1.2.2"
WARM_UP = 2
SEARCHES = 5
MIN_CONFIDENCE = 0.6
BOXES, SAME, ALL = (
    "face-engine, boxes and five points",
    "face-engine, points, pose, expressions",
    "face-engine, all it can tell",
)
SAME_OUTPUTS = ["landmarks", "pose", "expressions"]
LANDMARKER = "MediaPipe FaceLandmarker"
PANEL = "A photo's file to 478 points, pose and 52 coefficients of each face, and the network of the points alone"


def enter_environment():
    """Starts this program again in an environment that has the peers."""

    def install(command):
        subprocess.run([*command, MEDIAPIPE], check=False)
        # A module of OpenCV comes with MediaPipe, too: the pinned one goes over it.
        subprocess.run([*command, "--force-reinstall", OPENCV], check=True)

    environment.enter("peers", [OPENCV, MEDIAPIPE], install)


def turn(search):
    """(clock, processors, faces) of `search`, in milliseconds."""
    times = []
    for number in range(WARM_UP + SEARCHES):
        start = time.perf_counter(), time.process_time()
        faces = search()
        if number >= WARM_UP:
            times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    return *(statistics.median(elapsed) * 1e3 for elapsed in zip(*times)), faces


def ours(engine, max_side, kind):
    """face-engine's own measurement, in a process of its own: for the clock and for the processors' time."""
    command = [
        engine,
        "bench",
        "--json",
        "--model",
        ROOT / "Models/yunet",
        "--max-side",
        str(max_side),
        "--frames",
        "0",
        "--warm-up",
        str(WARM_UP),
        "--rounds",
        str(SEARCHES),
        "--min-confidence",
        str(MIN_CONFIDENCE),
    ]
    if kind == BOXES:
        command.append("--no-points")

    def whole(image):
        if kind == SAME:
            return next(cost["whole"] for cost in image["costs"] if cost["outputs"] == SAME_OUTPUTS)
        return image["searched"]["whole"]

    def run(path):
        images = [
            json.loads(subprocess.run([*command, *flags, path], check=True, capture_output=True, text=True).stdout)[
                "images"
            ][0]
            for flags in ([], ["--processor-time"])
        ]
        return *(whole(image)["p50"] / 1e6 for image in images), images[0]["faces"]

    return run


def opencv(weights, max_side):
    import cv2
    import numpy

    cv2.setNumThreads(1)
    detector = cv2.FaceDetectorYN.create(str(weights), "", (320, 320), MIN_CONFIDENCE, 0.3, 5000)

    def search(file):
        image = cv2.imdecode(file, cv2.IMREAD_COLOR)
        scale = min(1, max_side / max(image.shape[:2]))
        if scale < 1:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        detector.setInputSize((image.shape[1], image.shape[0]))
        faces = detector.detect(image)[1]
        return 0 if faces is None else len(faces)

    def run(path):
        file = numpy.fromfile(path, numpy.uint8)
        return turn(lambda: search(file))

    return run


def mediapipe_pair(task, stack):
    """Its face detector alone, and its face landmarker with all that this can tell: {name: run}."""
    import cv2
    import mediapipe
    import numpy
    from mediapipe.tasks.python import BaseOptions, vision

    parts = zipfile.ZipFile(io.BytesIO(task))
    detector = stack.enter_context(
        vision.FaceDetector.create_from_options(
            vision.FaceDetectorOptions(base_options=BaseOptions(model_asset_buffer=parts.read("face_detector.tflite")))
        )
    )
    landmarker = stack.enter_context(
        vision.FaceLandmarker.create_from_options(
            vision.FaceLandmarkerOptions(
                base_options=BaseOptions(model_asset_buffer=task),
                num_faces=100,
                output_face_blendshapes=True,
                output_facial_transformation_matrixes=True,
            )
        )
    )

    def read(file):
        image = cv2.cvtColor(cv2.imdecode(file, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
        return mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=image)

    def runner(search):
        def run(path):
            file = numpy.fromfile(path, numpy.uint8)
            return turn(lambda: search(read(file)))

        return run

    return {
        "MediaPipe FaceDetector": runner(lambda image: len(detector.detect(image).detections)),
        LANDMARKER: runner(lambda image: len(landmarker.detect(image).face_landmarks)),
    }


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else "a processor without a name"


def spread(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:8.2f} ({low:.2f}…{high:.2f})"


def compare(title, runners, turns):
    """Takes turns, prints a table and returns the medians of the processors' time, by name."""
    elapsed = {name: [] for name in runners}
    for _ in range(turns):
        for name, run in runners.items():
            elapsed[name].append(run())
    print(f"\n{title}, milliseconds\n{'':39}{'clock':>8}{'':18}{'processors':>10}{'':14}faces")
    for name, results in elapsed.items():
        clock, processors, *faces = zip(*results)
        print(f"{name:39}{spread(clock):26}{spread(processors):26}{faces[0][0] if faces else '':4}", flush=True)
    return {name: statistics.median(result[1] for result in results) for name, results in elapsed.items()}


def compare_picture(path, runners, turns):
    found = compare(path, {name: (lambda run=run: run(path)) for name, run in runners.items()}, turns)
    if LANDMARKER in found:
        print(
            f"{LANDMARKER} takes {found[LANDMARKER] / found[SAME]:.2f} times as long as the same outputs of face-engine"
        )
        return {"FaceEngine": found[SAME], LANDMARKER: found[LANDMARKER]}
    return {"FaceEngine": found[SAME]}


def compare_mesh(turns):
    mesh = network.Ours("facemesh")
    size = network.OTHERS["facemesh"]
    found = compare(
        "the mesh network alone",
        {
            name: (lambda engine=engine: mesh.run(engine, 1, size))
            for name, engine in (("FaceEngine", "best:integers"), ("ncnn", "ncnn"))
        },
        2 * turns,
    )
    print(f"ncnn takes {found['ncnn'] / found['FaceEngine']:.2f} times as long")
    return found


def renew(groups, turns):
    """Replaces the panel of landmarks in docs/benchmarks.json, and its picture."""
    file = ROOT / "docs/benchmarks.json"
    data = json.loads(file.read_text())
    panel = {
        "title": PANEL,
        "unit": f"ms of processor time on one processor, medians of {turns} turns in the same run",
        "measured": datetime.date.today().isoformat(),
        "machine": processor(),
        "command": f"Tests/Benchmarks/peers.py --turns {turns} --renew",
        "groups": [
            {"name": name, "values": {peer: [round(time, 2)] for peer, time in values.items()}}
            for name, values in groups.items()
        ],
    }
    data["panels"] = [other for other in data["panels"] if other["title"] != PANEL] + [panel]
    # A line for each group, as the other panels have.
    text = json.dumps(data, indent=2, ensure_ascii=False)
    for panel_of_data in data["panels"]:
        for group in panel_of_data["groups"]:
            long = "\n".join(" " * 8 + line for line in json.dumps(group, indent=2, ensure_ascii=False).splitlines())
            text = text.replace(long, " " * 8 + json.dumps(group, ensure_ascii=False))
    file.write_text(text + "\n")
    with open(ROOT / "docs/benchmarks.svg", "w") as picture:
        subprocess.run([sys.executable, ROOT / "Tools/draw_benchmarks.py"], check=True, stdout=picture)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", nargs="*", metavar="IMAGE")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--max-side", type=int, default=1024, help="of the picture that YuNet sees, in pixels")
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--renew", action="store_true", help="write docs/benchmarks.json and its picture")
    options = parser.parse_args()
    if options.turns < 2:
        parser.error("--turns must be 2 or more")
    enter_environment()

    images = options.images or sorted(
        str(path) for path in (ROOT / "Examples/photos").iterdir() if path.suffix in (".jpg", ".png")
    )
    # Inherited by every thread and process: MediaPipe has no setting for its threads.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as temporary, contextlib.ExitStack() as stack:
        folder = pathlib.Path(temporary)
        weights = environment.published_weights()
        runners = {kind: ours(options.engine, options.max_side, kind) for kind in (BOXES, SAME, ALL)}
        runners["FaceDetectorYN"] = opencv(weights, options.max_side)
        missing = None
        try:
            runners |= mediapipe_pair(environment.published("facemesh", folder), stack)
        except ImportError as error:
            missing = error
        print(
            f"{OPENCV}, {MEDIAPIPE if missing is None else f'no MediaPipe ({missing})'}\non one processor, {processor()}"
        )
        print(subprocess.run([options.engine, "--version"], check=True, capture_output=True, text=True).stdout.strip())
        groups = {pathlib.Path(path).name: compare_picture(path, runners, options.turns) for path in images}
        groups["face mesh, 256 × 256"] = compare_mesh(options.turns)
        if options.renew and missing is None:
            renew(groups, options.turns)


if __name__ == "__main__":
    main()
