#!/usr/bin/env python3
"""How far the converted face mesh and expression networks are from the published ones, on the same input.

    python3 Tests/Benchmarks/model_parity.py [--record FILE] PHOTO...

Needs numpy, opencv-python-headless, ai-edge-litert (runs the published files) and ncnn (runs ours), and fetched models.
Each photo is looked at whole, as if it were the crop of a face, and turned by a quarter three times. FILE is written with the
points of the first input and what the published expression network makes of them: 146 lines of two numbers, then 52 of one.
Tests/Fixtures/recordings has that of Examples/photos/astronaut.png.
"""

import argparse
import json
import os
import pathlib
import re
import zipfile

import cv2
import ncnn
import numpy as np
from ai_edge_litert.interpreter import Interpreter

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("FACE_ENGINE_CACHE") or pathlib.Path.home() / ".cache/face-engine")


def package(name):
    return json.loads((ROOT / "Models" / name / "model.json").read_text())


def ours(name):
    files = package(name)["files"]
    graph, weights = (str(CACHE / "models" / file["sha256"] / file["name"]) for file in files.values())
    network = ncnn.Net()
    network.opt.num_threads = 1
    for option in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(network.opt, option, False)
    network.load_param(graph)
    network.load_model(weights)

    def run(values, *outputs):
        extractor = network.create_extractor()
        values = np.ascontiguousarray(values, np.float32)  # ncnn.Mat borrows it
        extractor.input("in0", ncnn.Mat(values))
        return [np.array(extractor.extract(output)[1]).reshape(-1) for output in outputs]
    return run


def published(name, member):
    origin = package(name)["origin"]
    (wheel,) = (CACHE / "downloads" / origin["sha256"]).glob("*.whl")
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(archive.open(origin["member"])) as task:
        interpreter = Interpreter(model_content=task.read(member), num_threads=1)
    interpreter.allocate_tensors()
    (given,) = interpreter.get_input_details()

    def run(values):
        interpreter.set_tensor(given["index"], np.ascontiguousarray(values, np.float32).reshape(given["shape"]))
        interpreter.invoke()
        return [interpreter.get_tensor(output["index"]).reshape(-1) for output in interpreter.get_output_details()]
    return run


def expression_points():
    """The mesh indices of the points that the expression network takes."""
    source = (ROOT / "Sources/Vision/Analysis/ExpressionNetwork.swift").read_text()
    return [int(number) for number in re.findall(r"\d+", re.search(r"let indices = \[(.*?)\]", source, re.DOTALL)[1])]


def record(file, points, scores):
    lines = [f"{x:.9g} {y:.9g}" for x, y in points] + [f"{score:.9g}" for score in scores]
    file.write_text("\n".join(lines) + "\n", encoding="ascii")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    parser.add_argument("photos", nargs="+", metavar="PHOTO")
    options = parser.parse_args()
    mesh, expressions = ours("facemesh"), ours("blendshapes")
    their_mesh = published("facemesh", "face_landmarks_detector.tflite")
    their_expressions = published("blendshapes", "face_blendshapes.tflite")
    pixels, presences, scores = [], [], []
    indices = expression_points()
    for path in options.photos:
        photo = cv2.cvtColor(cv2.resize(cv2.imread(path), (256, 256), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
        for turns in range(4):
            image = np.rot90(photo, turns).astype(np.float32) / 255
            points, presence = mesh(image.transpose(2, 0, 1), "out0", "out1")
            theirs = their_mesh(image)
            pixels.append(np.abs(points - theirs[0]).max())
            presences.append(np.abs(presence - theirs[1]).max())
            chosen = points.reshape(-1, 3)[indices, :2]
            centred = chosen - chosen.mean(0)
            centred /= np.linalg.norm(centred, axis=1).mean()
            (ours_scores,) = expressions(centred.reshape(146, 1, 2), "out0")
            (their_scores,) = their_expressions(chosen)
            if options.record and not scores:
                record(options.record, chosen, their_scores)
            scores.append(np.abs(ours_scores - their_scores).max())
    print(f"{len(pixels)} inputs, largest differences: points {max(pixels):.1e} px of 256, presence (logit) "
          f"{max(presences):.1e}, coefficients {max(scores):.1e}")


if __name__ == "__main__":
    main()
