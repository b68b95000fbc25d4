#!/usr/bin/env python3
"""How well the openness of eyes in single photos divides closed eyes from open ones at 0.5.

    python3 Tests/Benchmarks/closed_eyes.py --data ../shared/data

--data  a folder with the photos that closed_eyes.json names: WIDER FACE and GENKI-4K

closed_eyes.json says where, in pixels, faces are whose eyes we saw closed (or cast down until the lids hide the iris), and
those of whose eyes we were not sure, which do not count: dark ones, laughing ones, sunglasses, hands. All other faces
that are large, upright and clear count as open. We looked at all with a low openness and at samples of the others.

The constants of Sources/Vision/Analysis/Eyes+Openness.swift were fitted to these faces. Needs a release build of face-engine with
fetched models, and numpy.
"""

import argparse
import json
import pathlib

import numpy as np

from faces import ROOT, detect

LABELS = json.loads(pathlib.Path(__file__).with_name("closed_eyes.json").read_text())
MIN_EYES = 45  # pixels between the outer corners of the eyes
LIMITS = (0.4, 0.45, 0.5, 0.55, 0.6)


def points_of(face):
    return np.c_[face["regions"]["allPoints"], face["depth"]]


def is_clear(face, points):
    return (
        np.linalg.norm(points[33] - points[263]) >= MIN_EYES
        and face["confidence"] > 0.8
        and max(abs(face["pose"]["yaw"]), abs(face["pose"]["pitch"])) < 30
        and face["landmarksConfidence"] > 0.98
    )


def label(image, points):
    """True for closed eyes, False for open ones, None if unsure."""
    middle = (points[33] + points[263])[:2] / 2
    reach = np.linalg.norm(points[33] - points[263]) / 2
    for name, found in (("closed", True), ("unsure", None)):
        if any(image.endswith(path) and np.hypot(x - middle[0], y - middle[1]) < reach for path, x, y in LABELS[name]):
            return found
    return False


def measured(engine, data):
    """(is closed, openness of both eyes) of every labelled face."""
    paths = sorted(
        str(path)
        for folder in ("wider_val_dev", "smile_pose", "crowds")
        for path in (data / folder / "images").rglob("*.jpg")
    )
    flags = ("--landmarks", "--expressions", "--pose", "--min-face-size", "56")
    found = []
    for first in range(0, len(paths), 50):
        for image, faces in detect(engine, paths[first : first + 50], *flags).items():
            for face in faces:
                if "regions" not in face or "eyesOpen" not in face:
                    continue
                points = points_of(face)
                closed = label(image, points)
                if closed or closed is False and is_clear(face, points):
                    found.append((closed, [face["eyesOpen"][side] for side in ("left", "right")]))
    return found


def report(name, values, closed):
    area = (values[closed][:, None] < values[~closed]).mean()
    shares = ", ".join(
        f"{limit}: {(values[closed] >= limit).mean():.3f} {(values[~closed] < limit).mean():.3f}" for limit in LIMITS
    )
    print(f"{name:13} area {area:.4f}; closed above and open below the limit: {shares}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()

    found = measured(options.engine, options.data)
    closed = np.array([is_closed for is_closed, _ in found])
    told = np.array([eyes for _, eyes in found])
    print(f"{closed.sum()} faces with closed eyes of {len(LABELS['closed'])}, {(~closed).sum()} with open ones")
    report("each eye", told.ravel(), np.repeat(closed, 2))
    for name, values in (("their mean", told.mean(1)), ("the more open", told.max(1)), ("the less open", told.min(1))):
        report(name, values, closed)


if __name__ == "__main__":
    main()
