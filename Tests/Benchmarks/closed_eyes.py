#!/usr/bin/env python3
"""How well the openness of eyes in single photos divides closed eyes from open ones at 0.5.

    python3 Tests/Benchmarks/closed_eyes.py --data ../shared/data

--data  a folder with the photos that closed_eyes.json names: WIDER FACE and GENKI-4K

closed_eyes.json says where, in pixels, faces are whose eyes we saw closed (or cast down until the lids hide the iris), and
those of whose eyes we were not sure, which do not count: dark ones, laughing ones, sunglasses, hands. All other faces
that are large, upright and clear count as open. We looked at all with a low openness and at samples of the others.

--fit also fits the constants of Sources/Vision/Analysis/Eyes+Openness.swift, an error of a closed eye counting as much as
one of an open eye: ten times a tenth of the photos is foretold by constants from the others. Needs a release build of
face-engine with fetched models, and numpy.
"""

import argparse
import json
import pathlib
import zlib

import numpy as np

from faces import ROOT, detect

LABELS = json.loads(pathlib.Path(__file__).with_name("closed_eyes.json").read_text())
SIDES = (("left", "Left", 386, 374, 263, 362), ("right", "Right", 159, 145, 33, 133))
MIN_EYES = 45  # pixels between the outer corners of the eyes
SPAN = 10.8  # of the regression's sum, from eyes that are shut to eyes wide open
LIMITS = (0.4, 0.45, 0.5, 0.55, 0.6)


def points_of(face):
    return np.c_[face["regions"]["allPoints"], face["depth"]]


def is_clear(face, points):
    return (np.linalg.norm(points[33] - points[263]) >= MIN_EYES and face["confidence"] > 0.8
            and max(abs(face["pose"]["yaw"]), abs(face["pose"]["pitch"])) < 30 and face["landmarksConfidence"] > 0.98)


def label(image, points):
    """True for closed eyes, False for open ones, None if unsure."""
    middle = (points[33] + points[263])[:2] / 2
    reach = np.linalg.norm(points[33] - points[263]) / 2
    for name, found in (("closed", True), ("unsure", None)):
        if any(image.endswith(path) and np.hypot(x - middle[0], y - middle[1]) < reach for path, x, y in LABELS[name]):
            return found
    return False


def eyes_of(face, points):
    """Per eye: openness, coefficient of a blink, gap of the lids by the eye's width."""
    def distance(one, other):
        return np.linalg.norm(points[one] - points[other])
    return [(face["eyesOpen"][side], face["blendshapes"]["eyeBlink" + name], distance(upper, lower) / distance(outer, inner))
            for side, name, upper, lower, outer, inner in SIDES]


def measured(engine, data):
    """(image, is closed, eyes) of every labelled face."""
    paths = sorted(str(path) for folder in ("wider_val_dev", "smile_pose", "crowds")
                   for path in (data / folder / "images").rglob("*.jpg"))
    flags = ("--landmarks", "--expressions", "--pose", "--min-face-size", "56")
    found = []
    for first in range(0, len(paths), 50):
        for image, faces in detect(engine, paths[first:first + 50], *flags).items():
            for face in faces:
                if "regions" not in face or "eyesOpen" not in face:
                    continue
                points = points_of(face)
                closed = label(image, points)
                if closed or closed is False and is_clear(face, points):
                    found.append((image, closed, eyes_of(face, points)))
    return found


def report(name, values, closed):
    area = (values[closed][:, None] < values[~closed]).mean()
    shares = ", ".join(f"{limit}: {(values[closed] >= limit).mean():.3f} {(values[~closed] < limit).mean():.3f}"
                       for limit in LIMITS)
    print(f"{name:13} area {area:.4f}; closed above and open below the limit: {shares}")


def balanced_regression(features, is_open, rounds=20):
    """Weights and bias of a logistic regression in which closed and open eyes count alike.

    The decay is that of the standardised columns. Source: Bishop, "Pattern Recognition", 4.3.3.
    """
    mean, scale = features.mean(0), features.std(0)
    columns = np.c_[(features - mean) / scale, np.ones(len(features))]
    counts = np.where(is_open, (~is_open).sum() / is_open.sum(), 1)
    decay = np.diag([1.0] * features.shape[1] + [0])
    weights = np.zeros(columns.shape[1])
    for _ in range(rounds):
        odds = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        bend = (columns.T * (counts * odds * (1 - odds))) @ columns + decay
        weights -= np.linalg.solve(bend, columns.T @ (counts * (odds - is_open)) + decay @ weights)
    weights[:-1] /= scale
    weights[-1] -= weights[:-1] @ mean
    return weights


def fit(images, eyes, closed, folds=10):
    features = np.stack([1 - eyes[..., 1], eyes[..., 2]], -1)
    weights = balanced_regression(features.reshape(-1, 2), np.repeat(~closed, 2))
    # As a probability, nearly all eyes would have 0 or 1.
    scaled = weights / SPAN
    print(f"openness {scaled[0]:.2f} (1 - blink) + {scaled[1]:.2f} gap {scaled[2] + 0.5:+.2f}")
    names = {image: number % folds for number, image in enumerate(np.random.default_rng(0).permutation(
        sorted(set(images[closed]))))}
    fold = np.array([names.get(image, zlib.crc32(image.encode()) % folds) for image in images])
    foretold = np.empty(closed.shape + (2,))
    for number in range(folds):
        known = fold != number
        of_others = balanced_regression(features[known].reshape(-1, 2), np.repeat(~closed[known], 2))
        foretold[~known] = features[~known] @ of_others[:2] + of_others[2]
    wrong = foretold >= 0
    print(f"cross-validated, each eye: closed above {wrong[closed].mean():.3f}, open below {1 - wrong[~closed].mean():.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()

    found = measured(options.engine, options.data)
    images = np.array([image for image, *_ in found])
    closed = np.array([is_closed for _, is_closed, _ in found])
    eyes = np.array([values for *_, values in found])
    print(f"{closed.sum()} faces with closed eyes of {len(LABELS['closed'])}, {(~closed).sum()} with open ones")
    told = eyes[..., 0]
    report("each eye", told.ravel(), np.repeat(closed, 2))
    for name, values in (("their mean", told.mean(1)), ("the more open", told.max(1)), ("the less open", told.min(1))):
        report(name, values, closed)
    if options.fit:
        fit(images, eyes, closed)


if __name__ == "__main__":
    main()
