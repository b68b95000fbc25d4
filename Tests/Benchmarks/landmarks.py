#!/usr/bin/env python3
"""How far eye corners, tip of the nose and mouth corners are from labels, by the distance of the outer eye corners.

    python3 Tests/Benchmarks/landmarks.py --labels landmarks68/labels.json

--labels  a list of {"image", "faces": [{"landmarks": [[x, y] x 68]}]}, points in the order of 300-W, whole numbers

Needs a release build of face-engine with fetched models, and numpy. Of the mesh's points the one compared with 300-W's
tip of the nose (30) is 4, where the nose stands out furthest; --choose shows that no other is nearer.
"""

import argparse
import json
import pathlib

import numpy as np

from faces import ROOT, box_of, detect, overlap

# 300-W's number, the mesh's number. Right is the subject's right.
POINTS = {"right eye, outer corner": (36, 33), "right eye, inner corner": (39, 133), "left eye, inner corner": (42, 362),
          "left eye, outer corner": (45, 263), "mouth, right corner": (48, 61), "mouth, left corner": (54, 291),
          "tip of the nose": (30, 4)}
SAME_FACE = 0.3  # overlap of the box with the box around the labels


def pairs(labels, found):
    """(labelled points, mesh points) of each labelled face that was found, and how many were labelled."""
    matched, count = [], 0
    for item in json.loads(labels.read_text()):
        faces = found[str(labels.parent / item["image"])]
        for labelled in item["faces"]:
            count += 1
            points = np.array(labelled["landmarks"], float)
            around = (*points.min(0), *points.max(0))
            best = max(faces, key=lambda face: overlap(box_of(face), around), default=None)
            if best and overlap(box_of(best), around) >= SAME_FACE and "regions" in best:
                matched.append((points, np.array(best["regions"]["allPoints"])))
    return matched, count


def errors(matched, theirs, ours, shift):
    return np.array([np.linalg.norm(mesh[ours] - labelled[theirs] - shift) / np.linalg.norm(labelled[45] - labelled[36])
                     for labelled, mesh in matched])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--choose", action="store_true", help="show the mesh's points nearest to 300-W's tip of the nose")
    options = parser.parse_args()

    paths = [str(options.labels.parent / item["image"]) for item in json.loads(options.labels.read_text())]
    matched, count = pairs(options.labels, detect(options.engine, paths, "--landmarks", "--max-side", "native"))
    print(f"{len(matched)} of {count} faces found")
    for name, (theirs, ours) in POINTS.items():
        print(f"  {name:24} {errors(matched, theirs, ours, 0).mean():.4f}")
    # A label names a pixel; our coordinates have that pixel's middle half a pixel further on.
    for name, shift in (("labels as they are", 0), ("labels as the middles of pixels", 0.5)):
        mean = np.mean([errors(matched, theirs, ours, shift) for theirs, ours in POINTS.values()])
        print(f"mean error {mean:.4f} ({name})")
    if options.choose:
        nearest = sorted((errors(matched, 30, index, 0).mean(), index) for index in range(478))[:4]
        print("nearest to the tip of the nose:", ", ".join(f"{index} ({error:.4f})" for error, index in nearest))


if __name__ == "__main__":
    main()
