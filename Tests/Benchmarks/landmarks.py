#!/usr/bin/env python3
"""How far landmarks are from labels, in distances of the outer eye corners, and how well their expected errors predict it.

    python3 Tests/Benchmarks/landmarks.py --labels landmarks68/labels.json

--labels  a list of {"image", "faces": [{"landmarks": [[x, y] x 68]}]}, points in the order of 300-W, whole numbers

Needs a release build of face-engine with fetched models, and numpy. The constellation of 98 points has all 68 of 300-W among its
own; these labels took part in fitting it (constellations.py). The constants of Sources/Vision/Analysis/ExpectedPointError.swift were
fitted to these faces; "left out" replaces the usual error of each kind of point by that of the other photos, so that no photo takes
part in its own prediction. The rank correlation is Spearman's, over all points of all faces.
"""

import argparse
import json
import pathlib
import re

import numpy as np

from faces import ROOT, box_of, detect, overlap

# The mesh's points of 300-W's 68, in its order.
ALL_68 = [
    162,
    234,
    93,
    58,
    172,
    136,
    149,
    148,
    152,
    377,
    378,
    365,
    397,
    288,
    323,
    454,
    389,
    71,
    63,
    105,
    66,
    107,
    336,
    296,
    334,
    293,
    301,
    168,
    197,
    5,
    4,
    75,
    97,
    2,
    326,
    305,
    33,
    160,
    158,
    133,
    153,
    144,
    362,
    385,
    387,
    263,
    373,
    380,
    61,
    39,
    37,
    0,
    267,
    269,
    291,
    405,
    314,
    17,
    84,
    181,
    78,
    82,
    13,
    312,
    308,
    317,
    14,
    87,
]
# The places of 300-W's 68 points among WFLW's 98, in its order.
OF_98 = [
    *range(0, 33, 2),
    *range(33, 38),
    *range(42, 47),
    *range(51, 60),
    60,
    61,
    63,
    64,
    65,
    67,
    68,
    69,
    71,
    72,
    73,
    75,
    *range(76, 96),
]
PARTS = {
    "contour": slice(0, 17),
    "eyebrows": slice(17, 27),
    "nose": slice(27, 36),
    "eyes": slice(36, 48),
    "lips": slice(48, 68),
}
SAME_FACE = 0.3  # overlap of the box with the box around the labels


def pairs(labels, found):
    """(labelled points, mesh points, image, face) of each labelled face that was found, and how many were labelled."""
    matched, count = [], 0
    for item in json.loads(labels.read_text()):
        faces = found[str(labels.parent / item["image"])]
        for labelled in item["faces"]:
            count += 1
            points = np.array(labelled.get("landmarks") or labelled["points"], float)
            around = (*points.min(0), *points.max(0))
            best = max(faces, key=lambda face: overlap(box_of(face), around), default=None)
            if best and overlap(box_of(best), around) >= SAME_FACE and "regions" in best:
                best = best | {"attributes": labelled.get("attributes", [])}
                matched.append((points, np.array(best["regions"]["allPoints"]), item["image"], best))
    return matched, count


def report_98(matched):
    """The mean error of the points that the constellation of 98 shares with 300-W, labels as the middles of pixels."""
    found = np.array(
        [
            np.linalg.norm(np.array(face["constellation"]["regions"]["allPoints"])[OF_98] - labelled - 0.5, axis=1)
            / np.linalg.norm(labelled[45] - labelled[36])
            for labelled, _, _, face in matched
        ]
    )
    parts = ", ".join(f"{name} {found[:, places].mean():.4f}" for name, places in PARTS.items())
    print(
        f"68 of the 98 points: mean error {found.mean():.4f} ± {found.mean(1).std() / len(found) ** 0.5:.4f} ({parts})"
    )


def ranks(values):
    order = np.empty(values.size)
    order[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size)
    return order


def usual_errors():
    """{point of the mesh: its usual error} from the source, and each point's mirror image."""
    source = (ROOT / "Sources/Vision/Analysis/ExpectedPointError.swift").read_text()
    pairs = [(int(a), int(b), float(c)) for a, b, c in re.findall(r"\((\d+), (\d+), ([\d.]+)\)", source)]
    return (
        {a: c for a, b, c in pairs} | {b: c for a, b, c in pairs},
        {a: b for a, b, _ in pairs} | {b: a for a, b, _ in pairs},
    )


def precision(matched):
    eyes = np.array([np.linalg.norm(labelled[45] - labelled[36]) for labelled, *_ in matched])[:, None]
    real = np.array([np.linalg.norm(mesh[ALL_68] - labelled - 0.5, axis=1) for labelled, mesh, *_ in matched])
    told = np.array([np.array(face["precision"])[ALL_68] for *_, face in matched])
    images = np.array([image for *_, image, _ in matched])
    usual, mirror = usual_errors()
    rest = told / np.array([usual[index] for index in ALL_68])
    twin = [ALL_68.index(mirror[index]) for index in ALL_68]
    left_out = np.empty_like(told)
    for image in set(images):
        others = np.log(real[images != image] / eyes[images != image] + 0.01).mean(0)
        left_out[images == image] = rest[images == image] * np.exp((others + others[twin]) / 2)
    for name, guess in (("as it is", told), ("left out", left_out)):
        pixels, relative = (np.corrcoef(ranks(guess / unit), ranks(real / unit))[0, 1] for unit in (1, eyes))
        within = np.mean([np.corrcoef(ranks(a), ranks(b))[0, 1] for a, b in zip(guess, real)])
        print(
            f"precision, {name}: rank correlation {pixels:.3f} in pixels, {relative:.3f} by the distance of the eyes, "
            f"{within:.3f} within a face; real by expected: median {np.median(real / guess):.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    paths = [str(options.labels.parent / item["image"]) for item in json.loads(options.labels.read_text())]
    flags = ["--landmarks", "--constellation", "98", "--point-precision", "--max-side", "native"]
    matched, count = pairs(options.labels, detect(options.engine, paths, *flags))
    print(f"{len(matched)} of {count} faces found")
    report_98(matched)
    precision(matched)


if __name__ == "__main__":
    main()
