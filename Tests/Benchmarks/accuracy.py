#!/usr/bin/env python3
"""Average precision of face-engine beside OpenCV's FaceDetectorYN: same weights, same photos, one run.

    python3 Tests/Benchmarks/accuracy.py --labels crowds/labels.json --scorer ap.py
    python3 Tests/Benchmarks/accuracy.py ... --accuracy low balanced high
    python3 Tests/Benchmarks/accuracy.py ... --model Models/centerface --model folder/of/another

With --accuracy, each mode as it comes, with the processor time of a photo, decoding included, at the usual confidence;
with --model, each of these models at the photos' own size. In both cases beside FaceDetectorYN at own size.

--labels  a list of {"image", "width", "height", "faces": [{"x", "y", "w", "h", "ignore"}]}, images relative to the file
--scorer  a program that takes LABELS.json PREDICTIONS.json and prints average precision; predictions are
          {"image": [[x, y, w, h, score], ...]}

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside the
checkout.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import environment
from environment import ROOT

PINS = ["opencv-python-headless==5.0.0.93", "numpy"]
# A command does not wait for its decoder processes, so getrusage would leave their time out: it decodes itself.
COUNTED = ["--decoder-processes", "none"]
LOWEST_SCORE = 0.02  # what the scorer wants to see down to
SIDES = {"own size": None, "long side 640": 640}
ONE_SEARCH = 8192  # as a max side: own size, as no picture is larger, but not again for large faces as "native"


def ours(engine, paths, arguments, model=ROOT / "Models/yunet"):
    """{path: [[x, y, w, h, score], ...]} of face-engine, run as its users run it."""
    command = [engine, "detect", "--json", "--model", model, "--min-confidence", str(LOWEST_SCORE), *arguments, *paths]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    answers = [json.loads(line) for line in lines]
    return {
        answer["image"]: [
            [*(face["box"][k] for k in ("x", "y", "width", "height")), face["confidence"]] for face in answer["faces"]
        ]
        for answer in answers
    }


def seconds(engine, paths, arguments):
    """Processor time of a photo in seconds, including the command's start and decoding."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [engine, "detect", "--json", "--model", ROOT / "Models/yunet", *COUNTED, *arguments, *paths]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) / len(paths)


def peers(weights, paths, side):
    """The same of FaceDetectorYN, which wants its input's size and scaling done by its user."""
    import cv2

    detector = cv2.FaceDetectorYN.create(str(weights), "", (320, 320), LOWEST_SCORE, 0.3, 5000)
    found = {}
    for path in paths:
        image = cv2.imread(path)
        scale = min(1, side / max(image.shape[:2])) if side else 1
        if scale < 1:
            image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        detector.setInputSize((image.shape[1], image.shape[0]))
        faces = detector.detect(image)[1]
        found[path] = (
            [] if faces is None else [[*(float(v) / scale for v in face[:4]), float(face[14])] for face in faces]
        )
    return found


def score(scorer, labels, found, folder):
    predictions = pathlib.Path(folder, "predictions.json")
    predictions.write_text(
        json.dumps(
            {item["image"]: found[str(labels.parent / item["image"])] for item in json.loads(labels.read_text())}
        )
    )
    return subprocess.run(
        [sys.executable, scorer, labels, predictions], check=True, capture_output=True, text=True
    ).stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--scorer", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--accuracy", nargs="+", choices=["low", "balanced", "high"], default=[])
    parser.add_argument("--model", action="append", default=[])
    options = parser.parse_args()
    environment.enter("accuracy", PINS)

    paths = [str(options.labels.parent / item["image"]) for item in json.loads(options.labels.read_text())]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        weights = environment.published_weights()

        def show(name, found):
            print(f"  {name:<24}", score(options.scorer, options.labels, found, folder), flush=True)

        if not options.accuracy and not options.model:
            for name, side in SIDES.items():
                print(f"{name}:")
                show("face-engine", ours(options.engine, paths, ["--max-side", str(side or ONE_SEARCH)]))
                show("FaceDetectorYN", peers(weights, paths, side))
            return
        show("FaceDetectorYN", peers(weights, paths, None))
        for accuracy in options.accuracy:
            arguments = ["--accuracy", accuracy]
            took = 1e3 * seconds(options.engine, paths, arguments)
            show(f"{accuracy}, {took:.1f} ms", ours(options.engine, paths, arguments))
        for model in options.model:
            show(pathlib.Path(model).name, ours(options.engine, paths, ["--max-side", str(ONE_SEARCH)], model))


if __name__ == "__main__":
    main()
