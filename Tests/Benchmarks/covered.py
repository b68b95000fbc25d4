#!/usr/bin/env python3
"""How well the engine's outputs divide covered faces from clear ones.

    python3 Tests/Benchmarks/covered.py --data ../shared/data

--data  a folder with images of WIDER FACE (wider_val_dev, crowds), GENKI-4K (smile_pose) and WFLW (wflw98), with labels.json

covered.json says where, in pixels, faces are whose mouth, or whose eyes, something covers: masks, hands, sunglasses. We looked at
all faces from 60 pixels that their sets mark as partly covered, at most of them from 40, and at the others from 80. Faces we were
not sure of do not count. All other faces from 80 pixels are clear.

A face counts as covered if a measurement is beyond the value that 1 % or 5 % of the clear faces exceed. Needs a release build of
face-engine with fetched models, and numpy.
"""

import argparse
import json
import pathlib

import numpy as np

from faces import ROOT, box_of, detect, overlap

LABELS = json.loads(pathlib.Path(__file__).with_name("covered.json").read_text())
MIN_COVERED, MIN_CLEAR = 40, 80  # pixels of the shorter side of the box
FLAGS = ("--landmarks", "--point-precision", "--expressions", "--quality", "--iso-quality", "--min-face-size", "40")
LIPS = [61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 185, 40, 39, 37, 0, 267, 269, 270, 409]
EYES = [33, 144, 145, 153, 133, 157, 159, 161, 263, 373, 374, 380, 362, 384, 386, 388]


def run(engine, paths):
    found = {}
    for first in range(0, len(paths), 200):
        found |= detect(engine, paths[first : first + 200], *FLAGS)
    return found


def measurements(face):
    """Numbers that may grow with a cover."""
    points = np.array(face["regions"]["allPoints"])
    errors = np.array(face["precision"]) / np.linalg.norm(points[33] - points[263])
    iso = {name: measure["component"] for name, measure in face.get("isoQuality", {}).items() if "component" in measure}
    return {
        "expected error, lips": errors[LIPS].mean(),
        "expected error, eyes": errors[EYES].mean(),
        "expected error, all points": np.median(errors),
        "confidence, low": -face["confidence"],
        "landmarksConfidence, low": -face["landmarksConfidence"],
        "eyesOpen, low": -np.mean(list(face["eyesOpen"].values())),
        "capture quality, low": -face["quality"]["overall"],
        **{
            f"ISO {name}, low": -iso.get(name, 0)
            for name in (
                "eyesOpen",
                "mouthClosed",
                "naturalColour",
                "illuminationUniformity",
                "underExposurePrevention",
                "dynamicRange",
            )
        },
    }


def places(data):
    """(kind, path, box) of every labelled face that is large enough; no box stands for the only face of the photo."""
    listed = [
        (kind, data / path, (x - 1, y - 1, x + 1, y + 1)) for kind, faces in LABELS.items() for path, x, y in faces
    ]
    clear = []
    for folder in ("wider_val_dev", "crowds", "smile_pose"):
        for item in json.loads((data / folder / "labels.json").read_text()):
            path = data / folder / item["image"]
            taken = [middle for _, other, middle in listed if other == path]
            boxes = [
                (face["x"], face["y"], face["x"] + face["w"], face["y"] + face["h"])
                for face in item["faces"]
                if not face["invalid"] and not face["occlusion"] and min(face["w"], face["h"]) >= MIN_CLEAR
            ]
            if folder == "smile_pose":
                boxes = [] if taken else [None]
            clear += [
                ("clear", path, box)
                for box in boxes
                if box is None or not any(overlap(box, middle) for middle in taken)
            ]
    return [place for place in listed if place[0] != "unsure"] + clear


def face_at(faces, box):
    """The found face at a labelled place, the largest one without a box."""
    if box is None:
        return max(faces, key=lambda face: face["box"]["width"], default=None)
    around = [face for face in faces if overlap(box_of(face), box) >= (0.3 if box[2] - box[0] > 2 else 1e-9)]
    return max(around, key=lambda face: overlap(box_of(face), box), default=None)


def is_measured(face, least):
    return face and "regions" in face and min(face["box"]["width"], face["box"]["height"]) >= least


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()

    labelled = places(options.data)
    found = run(options.engine, sorted({str(path) for _, path, _ in labelled}))
    seen = [(kind, face_at(found[str(path)], box)) for kind, path, box in labelled]

    values = {kind: [] for kind, _ in seen}
    for kind, face in seen:
        if is_measured(face, MIN_CLEAR if kind == "clear" else MIN_COVERED):
            values[kind].append(measurements(face))
    for kind, measured in values.items():
        here = [face for other, face in seen if other == kind]
        missing = sum(face is None for face in here)
        blank = sum(face is not None and "regions" not in face for face in here)
        print(f"{kind}: {len(here)} faces, {missing} not found, {blank} without landmarks, {len(measured)} measured")
    print("\nShare beyond the value that 1 % and 5 % of the clear faces exceed:")
    for name in values["clear"][0]:
        limits = np.quantile([one[name] for one in values["clear"]], [0.99, 0.95])
        shares = [
            f"{kind} {(np.array([[one[name]] for one in measured]) > limits).mean(0).round(2).tolist()}"
            for kind, measured in values.items()
            if kind != "clear" and measured
        ]
        print(f"{name}: {', '.join(shares)}")


if __name__ == "__main__":
    main()
