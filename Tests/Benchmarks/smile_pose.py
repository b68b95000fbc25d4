#!/usr/bin/env python3
"""How well smiles and head poses agree with labels.

    python3 Tests/Benchmarks/smile_pose.py --labels smile_pose/labels.json

--labels  a list of {"image", "smile", "yaw", "pitch", "roll"}: photos of one face each, angles in radians

Needs a release build of face-engine with fetched models, and numpy. The labels' signs are ours: yaw is positive when the
head turns to the picture's right edge, pitch when the chin is up, roll when the head tilts clockwise in the picture.

What we learnt from labels (the smile's four weights, pitch 0) we learnt from every second photo, beginning with the
first; errors are given for those ("fitted on"), for the others ("held out") and for all. --fit prints the weights that
the first half gives (Sources/Analysis/Measurements/FacialState.swift); --border adds a black rim of a quarter of each
side around the photos, which are cut close to the face.
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np

from faces import ROOT, detect

ANGLES = ("yaw", "pitch", "roll")
FEATURES = ("mouthSmile", "mouthUpperUp", "mouthDimple")


def log_odds(face, name):
    values = np.clip([face["blendshapes"][name + side] for side in ("Left", "Right")], 0.001, 0.999)
    return np.log(values / (1 - values)).mean()


def logistic_regression(features, truth, weight_decay=1.0):
    """Weights of the columns and a bias, by Newton's method. Source: Bishop, "Pattern Recognition", 4.3.3."""
    columns = np.c_[features, np.ones(len(features))]
    decay = np.diag([weight_decay] * features.shape[1] + [0])
    weights = np.zeros(columns.shape[1])
    for _ in range(50):
        odds = 1 / (1 + np.exp(-columns @ weights))
        slope = columns.T @ (odds - truth) + decay @ weights
        bend = (columns.T * (odds * (1 - odds))) @ columns + decay
        weights -= np.linalg.solve(bend, slope)
    return weights


def with_border(paths, folder):
    """Copies of the photos with a rim; needs opencv-python-headless."""
    import cv2
    copies = []
    for path in paths:
        image = cv2.imread(path)
        rows, columns = image.shape[0] // 4, image.shape[1] // 4
        copies.append(str(pathlib.Path(folder, pathlib.Path(path).stem + ".png")))
        cv2.imwrite(copies[-1], cv2.copyMakeBorder(image, rows, rows, columns, columns, cv2.BORDER_CONSTANT))
    return copies


def report(name, faces, labels):
    smiles = np.mean([(face["smile"] >= 0.5) == bool(label["smile"]) for face, label in zip(faces, labels)])
    errors = np.array([[face["pose"][angle] - np.degrees(label[angle]) for angle in ANGLES]
                       for face, label in zip(faces, labels)])
    means = ", ".join(f"{angle} {np.abs(error).mean():.2f}° (bias {error.mean():+.2f}°)"
                      for angle, error in zip(ANGLES, errors.T))
    print(f"{name:9} {len(faces):3} faces: smile accuracy {smiles:.4f}; mean absolute error of {means}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--border", action="store_true")
    options = parser.parse_args()

    labels = json.loads(options.labels.read_text())
    paths = [str(options.labels.parent / label["image"]) for label in labels]
    with tempfile.TemporaryDirectory() as folder:
        if options.border:
            paths = with_border(paths, folder)
        found = detect(options.engine, paths, "--pose", "--expressions")
    known = [(faces[0], label, index % 2 == 0) for index, (faces, label) in enumerate(zip(found.values(), labels))
             if faces and "pose" in faces[0]]
    print(f"{len(known)} of {len(labels)} found" + (", with a border" if options.border else ", as they are"))
    for name, halves in (("fitted on", (True,)), ("held out", (False,)), ("all", (True, False))):
        chosen = [(face, label) for face, label, half in known if half in halves]
        report(name, *zip(*chosen))
    if options.fit:
        features = np.array([[log_odds(face, name) for name in FEATURES] for face, _label, _half in known])
        smiles = np.array([label["smile"] for _face, label, _half in known])
        first = np.array([half for _face, _label, half in known])
        *weights, bias = logistic_regression(features[first], smiles[first])
        print(f"bias {bias:.3f}, " + ", ".join(f"{name} {weight:.3f}" for name, weight in zip(FEATURES, weights)))


if __name__ == "__main__":
    main()
