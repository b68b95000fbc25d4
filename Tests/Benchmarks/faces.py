"""What the benchmarks of a face's points and measurements share: running face-engine and pairing faces with labels."""

import json
import subprocess

from environment import ROOT


def detect(engine, paths, *flags):
    """{path: faces} as `face-engine detect --json` prints them."""
    command = [engine, "detect", "--json", "--model", ROOT / "Models/yunet", *flags, *paths]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {answer["image"]: answer["faces"] for answer in map(json.loads, lines)}


def overlap(box, other):
    """Intersection over union of (left, top, right, bottom)."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    if width <= 0 or height <= 0:
        return 0
    both = width * height
    return both / (area(box) + area(other) - both)


def area(box):
    return (box[2] - box[0]) * (box[3] - box[1])


def box_of(face):
    box = face["box"]
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]
