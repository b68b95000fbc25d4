#!/usr/bin/env python3
"""How well smiles and head poses agree with labels.

    python3 Tests/Benchmarks/smile_pose.py --labels smile_pose/labels.json

--labels  a list of {"image", "smile", "yaw", "pitch", "roll"}: photos of one face each, angles in radians

Needs a release build of face-engine with fetched models, and numpy. The labels' signs are ours: yaw is positive when the
head turns to the picture's right edge, pitch when the chin is up, roll when the head tilts clockwise in the picture.

What pitch 0 is (Sources/Vision/Analysis/CanonicalFace.swift), we learnt from every second photo, beginning with the first; the
pose's errors are given for those ("fitted on"), for the others ("held out") and for all. The smile's seven weights
(Sources/Vision/Analysis/Mouth+Smile.swift) were fitted on all photos.
"""

import argparse
import json
import pathlib

import numpy as np

from faces import ROOT, detect

ANGLES = ("yaw", "pitch", "roll")


def report(name, faces, labels):
    errors = np.array(
        [[face["pose"][angle] - np.degrees(label[angle]) for angle in ANGLES] for face, label in zip(faces, labels)]
    )
    means = ", ".join(
        f"{angle} {np.abs(error).mean():.2f}° (bias {error.mean():+.2f}°)" for angle, error in zip(ANGLES, errors.T)
    )
    print(f"{name:9} {len(faces):3} faces: mean absolute error of {means}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()

    labels = json.loads(options.labels.read_text())
    paths = [str(options.labels.parent / label["image"]) for label in labels]
    found = detect(options.engine, paths, "--pose", "--expressions")
    known = [
        (faces[0], label, index % 2 == 0)
        for index, (faces, label) in enumerate(zip(found.values(), labels))
        if faces and "pose" in faces[0]
    ]
    print(f"{len(known)} of {len(labels)} found")
    smiles = [(face["smile"] >= 0.5) == bool(label["smile"]) for face, label, _half in known]
    print(f"smile accuracy {np.mean(smiles):.4f}, on the photos it was fitted on")
    for name, halves in (("fitted on", (True,)), ("held out", (False,)), ("all", (True, False))):
        chosen = [(face, label) for face, label, half in known if half in halves]
        report(name, *zip(*chosen))


if __name__ == "__main__":
    main()
