#!/usr/bin/env python3
"""Measure the constellation of 98 points against WFLW's labels, and with --fit make its table anew.

  python3 Tests/Benchmarks/constellations.py --wflw .../wflw98/labels.json [--fit .../landmarks68/labels.json]

Prints the mean distance of the points from their labels, in percent of the distance of the labelled outer eye corners, and its
bootstrap error.

--fit  places each point between two of the 16 points of the mesh nearest to it on the mean face, a + t(b - a) with t from 0 to
       1, so that the mean distance is least. Left and right share mirrored points and t. A face with 300-W's 68 labels counts
       twice: those are clear, WFLW's are not. Of the contour, only faces turned by less than 25 degrees are fitted:
       FaceOutline.swift has the others. Prints how each half fares with the fit to the other half, and rows of Points98.swift.
       "51 to 52" is the point halfway between two, which 76 points have.
"""

import argparse
import json
import pathlib

import numpy as np

from faces import ROOT, detect
from landmarks import OF_98, pairs

PARTS = {
    "contour": slice(0, 33),
    "eyebrows": slice(33, 51),
    "nose": slice(51, 60),
    "eyes": slice(60, 76),
    "lips": slice(76, 96),
    "pupils": slice(96, 98),
}
# The number that each of WFLW's has in a mirror image: how many have which sum with their own (0: none but themselves).
SUMS = np.repeat(
    [32, 79, 88, 79, 88, 0, 114, 132, 140, 132, 140, 158, 170, 180, 188, 193],
    [33, 5, 4, 5, 4, 4, 5, 5, 3, 5, 3, 7, 5, 5, 3, 2],
)
TWIN = np.where(SUMS, SUMS - np.arange(98), np.arange(98))
FITTED = [(place, place) for place in range(96)] + [(51, 52), (52, 53), (77, 78), (80, 81)]
# Mirrored points of the mesh, from which the others are found.
KNOWN = np.array([(33, 263), (133, 362), (61, 291), (70, 300), (234, 454), (10, 10), (152, 152), (4, 4), (168, 168)])
NEAREST, FEWER, SIDEWAYS = 16, 0.002, 25


class Faces:
    """The labelled faces that were found; lengths are relative to the distance of the labelled outer eye corners."""

    def __init__(self, labels, engine):
        paths = [str(labels.parent / item["image"]) for item in json.loads(labels.read_text())]
        answers = detect(engine, paths, "--landmarks", "--pose", "--constellation", "98", "--max-side", "native")
        given, self.mesh, self.images, found = zip(*pairs(labels, answers)[0])
        self.labels = np.full((len(given), 98, 2), np.nan)
        for row, points in zip(self.labels, given):
            # A label of 300-W names a pixel; our coordinates have that pixel's middle half a pixel further on.
            row[slice(98) if len(points) == 98 else OF_98] = points + (len(points) != 98) / 2
        scale = 1 / np.linalg.norm(self.labels[:, 60] - self.labels[:, 72], axis=1)[:, None, None]
        self.labels, self.mesh, self.images = self.labels * scale, np.array(self.mesh) * scale, np.array(self.images)
        self.ours = np.array([face["constellation"]["regions"]["allPoints"] for face in found]) * scale
        self.depth = np.array([face["depth"] for face in found]) * scale[:, 0]
        self.yaw = np.array([face["pose"]["yaw"] for face in found])
        self.large = np.array(["largepose" in face["attributes"] for face in found])

    def upright(self, points):
        # The right eye's outer corner comes to (0, 0), the left eye's to (1, 0).
        eyes = self.mesh[:, 263] - self.mesh[:, 33]
        turned = (points - self.mesh[:, 33:34]) @ np.stack([eyes, np.stack([-eyes[:, 1], eyes[:, 0]], 1)], 2)
        return turned / (eyes**2).sum(1)[:, None, None]


def mirror_of_mesh(shape):
    """The mirror image of each point, of a mean face that looks nearly straight ahead."""
    mirrored, pairs = shape * [-1, 1, 1], np.concatenate([KNOWN, KNOWN[:, ::-1]])
    for _ in range(6):
        one, other = mirrored[pairs[:, 0]], shape[pairs[:, 1]]
        left, _, right = np.linalg.svd((one - one.mean(0)).T @ (other - other.mean(0)))
        laid = (mirrored - one.mean(0)) @ left @ right + other.mean(0)
        nearest = np.linalg.norm(laid[:, None] - shape, axis=2).argmin(1)
        pairs = np.stack([np.arange(478), nearest], 1)[nearest[nearest] == np.arange(478)]
    assert len(pairs) == 478, "each point of the mesh is the mirror image of its own mirror image"
    return nearest


class Fit:
    def __init__(self, faces):
        front = np.abs(faces.yaw) < SIDEWAYS
        mesh, labels = faces.upright(faces.mesh)[front].mean(0), faces.upright(faces.labels)[front].mean(0)
        self.mirror = mirror_of_mesh(np.c_[mesh, faces.depth[front].mean(0)])
        self.shape = (mesh + [1, 0] + mesh[self.mirror] * [-1, 1]) / 2 - [0.5, 0]
        self.mean = (labels + [1, 0] + labels[TWIN] * [-1, 1]) / 2 - [0.5, 0]

    def place(self, one, other, samples):
        # The best (a, b, t) for the point halfway between two labels, which may be the same.
        near = np.argsort(np.linalg.norm(self.shape - (self.mean[one] + self.mean[other]) / 2, axis=1))[:NEAREST]
        mirror, is_middle = self.mirror, TWIN[one] == one
        a, b = np.array(
            [
                (a, b)
                for a in near
                for b in near
                if a < b and (not is_middle or mirror[a] == b or (mirror[a] == a and mirror[b] == b))
            ]
        ).T
        parts = []
        for faces, chosen, weight in samples:
            chosen = (
                chosen
                & ((np.abs(faces.yaw) < SIDEWAYS) | (one > 32))
                & ~np.isnan(faces.labels[:, [one, other], 0]).any(1)
            )
            labels, mesh = faces.labels[chosen], faces.mesh[chosen]
            for sides, start, end in (((one, other), a, b), ((TWIN[one], TWIN[other]), mirror[a], mirror[b])):
                parts.append((labels[:, sides].mean(1), mesh[:, start], mesh[:, end], np.full(len(mesh), weight)))
        targets, starts, ends, weights = map(np.concatenate, zip(*parts))
        along, wanted, counts = ends - starts, targets[:, None] - starts, weights[:, None]
        for _ in range(10):
            t = np.clip((counts * (along * wanted).sum(2)).sum(0) / (counts * (along**2).sum(2)).sum(0), 0, 1)
            t = np.where(mirror[a] == b, 0.5, t) if is_middle else t
            away = np.linalg.norm(t[:, None] * along - wanted, axis=2)
            counts = weights[:, None] / np.maximum(away, 0.01)
        mean = (weights[:, None] * away).sum(0) / weights.sum()
        best = np.argmin(mean + FEWER * np.linalg.norm(self.shape[a] - self.shape[b], axis=1))
        a, b, t = (a[best], b[best], t[best]) if t[best] <= 0.5 else (b[best], a[best], 1 - t[best])
        return (a, b, round(t, 2)) if t >= 0.005 else (a, a, 0)

    def table(self, samples, places=FITTED):
        """{(label, label): (a, b, t)}; a is the nearer of the two."""
        rows = {}
        for one, other in places:
            twin = (TWIN[one], TWIN[other]) if (TWIN[one], TWIN[other]) in rows else (TWIN[other], TWIN[one])
            a, b, t = rows.get(twin) or self.place(one, other, samples)
            rows[one, other] = (self.mirror[a], self.mirror[b], t) if twin in rows else (a, b, t)
        return rows


def report(name, faces, found):
    error = 100 * np.linalg.norm(found - faces.labels, axis=2)
    photos, drawn = np.unique(faces.images, return_inverse=True)[1], np.random.default_rng(1)
    count = photos.max() + 1
    counts = [np.bincount(drawn.choice(count, count), minlength=count)[photos] for _ in range(1000)]
    for kind, chosen in (
        ("all", faces.large | True),
        ("without large pose", ~faces.large),
        ("large pose", faces.large),
    ):
        spread = np.std([np.average(error.mean(1), weights=count * chosen) for count in counts])
        parts = ", ".join(f"{part} {error[chosen][:, places].mean():.2f}" for part, places in PARTS.items())
        print(f"{name}, {kind}: {error[chosen].mean():.2f} ± {spread:.2f} ({parts})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wflw", type=pathlib.Path, required=True, metavar="LABELS")
    parser.add_argument("--fit", type=pathlib.Path, metavar="LABELS")
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    faces = Faces(options.wflw, options.engine)
    report(f"{len(faces.labels)} faces", faces, faces.ours)
    if not options.fit:
        return
    clear, fit = Faces(options.fit, options.engine), Fit(faces)
    everyone = (clear, clear.yaw < np.inf, 2)
    for seed in range(5):
        found = faces.ours.copy()
        half = np.isin(faces.images, np.random.default_rng(seed).permutation(np.unique(faces.images))[::2])
        for known in (half, ~half):
            # Half as many faces count twice, as the clear ones do not become fewer.
            for (place, _), (a, b, t) in fit.table([(faces, known, 2), everyone], FITTED[33:96]).items():
                found[~known, place] = (faces.mesh[:, a] + t * (faces.mesh[:, b] - faces.mesh[:, a]))[~known]
        report(f"halves {seed}", faces, found)
    for (one, other), (a, b, t) in fit.table([(faces, faces.yaw < np.inf, 1), everyone]).items():
        print(f"{one if one == other else f'{one} to {other}'}: ({a}, {b}, {t:.2f})")


if __name__ == "__main__":
    main()
