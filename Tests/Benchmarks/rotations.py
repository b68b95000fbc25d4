#!/usr/bin/env python3
"""What --rotations any finds on photos that are turned, beside the search for upright heads.

    Tests/Benchmarks/rotations.py --labels crowds/labels.json [--photos 73] [--step 15]

--labels  a list of {"image", "faces": [{"x", "y", "w", "h", "ignore"}]}, images relative to the file

A labelled face counts if its shorter side has --min-side pixels. A detection on another face is neither right nor wrong.
Only photos with three or more that count are taken. Each photo is turned about its middle
in a picture large enough for it, with black corners, and written as JPEG, at 0° too. A face is found where a box overlaps its label's
(intersection over union 0.4, each box for one face); the turned label is the bounding box of the ellipse in it.

recall  of the labelled faces, at the usual confidence
wrong   boxes where no label is, a photo

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside the
checkout.
"""

import argparse
import json
import math
import pathlib
import tempfile

import environment
from environment import ROOT
from faces import box_of, detect, overlap

PINS = ["opencv-python-headless==5.0.0.93", "numpy"]
SAME_FACE = 0.4
MODES = ("upright", "any")


class Turn:
    """A turn of a photo clockwise about its middle."""

    def __init__(self, width, height, degrees):
        self.cosine, self.sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        # Rounded first, since a sine of 180° is not quite 0.
        self.size = [
            math.ceil(round(abs(a * self.cosine) + abs(b * self.sine), 6))
            for a, b in ((width, height), (height, width))
        ]
        self.old = width / 2, height / 2

    def point(self, x, y):
        x, y = x - self.old[0], y - self.old[1]
        return self.size[0] / 2 + self.cosine * x - self.sine * y, self.size[1] / 2 + self.sine * x + self.cosine * y

    def box(self, face):
        x, y = self.point(face["x"] + face["w"] / 2, face["y"] + face["h"] / 2)
        width = math.hypot(self.cosine * face["w"], self.sine * face["h"])
        height = math.hypot(self.sine * face["w"], self.cosine * face["h"])
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2

    def picture(self, photo):
        import cv2
        import numpy

        # Places of pixels are those of their middles.
        corner = self.point(0.5, 0.5)
        matrix = numpy.array([[self.cosine, -self.sine, corner[0] - 0.5], [self.sine, self.cosine, corner[1] - 0.5]])
        return cv2.warpAffine(photo, matrix, self.size, flags=cv2.INTER_CUBIC)


def pairs(boxes, labels):
    """{label: box} by their indices, the best overlaps first."""
    overlaps = sorted(
        ((overlap(box, label), i, j) for i, box in enumerate(boxes) for j, label in enumerate(labels)), reverse=True
    )
    matched = {}
    for share, i, j in overlaps:
        if share >= SAME_FACE and i not in matched.values() and j not in matched:
            matched[j] = i
    return matched


def turned(photos, degrees, folder):
    """{path: (labels that count, other labels)} of the turned photos."""
    import cv2

    pictures = {}
    for path, faces in photos.items():
        photo = cv2.imread(path)
        turn = Turn(photo.shape[1], photo.shape[0], degrees)
        copy = str(pathlib.Path(folder, pathlib.Path(path).stem + ".jpg"))
        cv2.imwrite(copy, turn.picture(photo), [cv2.IMWRITE_JPEG_QUALITY, 95])
        pictures[copy] = [[turn.box(face) for face in faces if face["counts"] == counts] for counts in (True, False)]
    return pictures


def score(pictures, found):
    """Faces that are found, and boxes on nothing."""
    right = wrong = 0
    for path, (labels, others) in pictures.items():
        boxes = [box_of(face) for face in found[path]]
        matched = pairs(boxes, labels)
        right += len(matched)
        rest = [box for i, box in enumerate(boxes) if i not in matched.values()]
        wrong += sum(all(overlap(box, other) < 0.2 for other in (*others, *labels)) for box in rest)
    return right, wrong


def compare(photos, options):
    labelled = sum(face["counts"] for faces in photos.values() for face in faces)
    print(
        f"{len(photos)} photos, {labelled} faces\n"
        + " " * 6
        + "".join(f"{f'recall, wrong: {mode}':>24}" for mode in MODES)
    )
    for degrees in range(0, 360, options.step):
        with tempfile.TemporaryDirectory() as folder:
            pictures = turned(photos, degrees, folder)
            line = f"{degrees:>5}°"
            for mode in MODES:
                flags = "--accuracy", options.accuracy, "--rotations", mode
                right, wrong = score(pictures, detect(options.engine, list(pictures), "--jobs", "1", *flags))
                line += f"{right / labelled:18.3f} {wrong / len(photos):5.2f}"
            print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--accuracy", choices=["low", "balanced", "high"], default="balanced")
    parser.add_argument("--photos", type=int, help="only the first ones of the file")
    parser.add_argument("--min-side", type=int, default=24)
    parser.add_argument("--step", type=int, default=15, help="degrees")
    options = parser.parse_args()
    environment.enter("rotations", PINS)

    photos = {}
    for item in json.loads(options.labels.read_text()):
        faces = [
            {**face, "counts": not face["ignore"] and min(face["w"], face["h"]) >= options.min_side}
            for face in item["faces"]
        ]
        if sum(face["counts"] for face in faces) >= 3:
            photos[str(options.labels.parent / item["image"])] = faces
    compare(dict(list(photos.items())[: options.photos]), options)


if __name__ == "__main__":
    main()
