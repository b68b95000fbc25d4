#!/usr/bin/env python3
"""Write Sources/Vision/Analysis/CanonicalFace.swift: the mean shape of neutral faces, which head poses are fitted with.

    python3 Tools/models/canonical_face.py --labels smile_pose/labels.json

--labels  a list of {"image", "smile", "yaw", "pitch", "roll"}: photos of one face each, angles in radians

The mesh network gives the faces of every second photo; those that do not smile are laid over each other (generalised
Procrustes analysis: Gower, "Generalized Procrustes analysis", Psychometrika 40, 1975), averaged, and averaged with
their mirror image. Of the points above the tip of the nose, some 60 are kept that lie far apart, in mirrored pairs.

The pose counts each point by the inverse of its variance about the mean face fitted to the same photos, smiling or not:
that takes no labels. Points below the middle of the nose do not count at all. What pitch 0 is no face says by itself: the
median of the same photos' labels does. Tests/Benchmarks/smile_pose.py reports on the other photos. Needs numpy and a
release build of face-engine with fetched models.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))
from faces import detect  # noqa: E402

TARGET = ROOT / "Sources/Vision/Analysis/CanonicalFace.swift"
POINTS = 468  # the irises after them move with the gaze
NOSE_TIP, BRIDGE = 4, 168
RIGHT_EYE, LEFT_EYE = [33, 133], [362, 263]  # the corners
KEPT = 60
# How far a point may agree with the mean face, in its unit: the mesh network is no more exact than that.
EXACTNESS = 0.01
# To begin with: corners of the eyes and of the mouth, ears, forehead, chin, nose.
MIRRORED = [(33, 263), (263, 33), (133, 362), (362, 133), (61, 291), (291, 61), (234, 454), (454, 234), (10, 10),
            (152, 152), (4, 4), (168, 168)]


def turn(source, target, weights=1):
    """The rotation that brings centred points closest to others (Kabsch, 1976), and the scale."""
    weighted = source * np.reshape(weights, (-1, 1))
    u, values, v = np.linalg.svd(target.T @ weighted)
    signs = np.array([1, 1, np.sign(np.linalg.det(u @ v))])
    return u @ np.diag(signs) @ v, (values * signs).sum() / (source * weighted).sum()


def fit_picture(model, seen, weights):
    """The rotation of `model` whose picture fits `seen` best, as HeadPose.swift finds it, and what it leaves."""
    model, seen = (points - np.average(points, axis=0, weights=weights) for points in (model, seen))
    column = weights[:, None]
    for _ in range(10):
        rotation, _scale = turn(model, seen, weights)
        turned = model @ rotation.T
        scale = (column * turned[:, :2] * seen[:, :2]).sum() / (column * turned[:, :2] ** 2).sum()
        seen = np.c_[seen[:, :2], scale * turned[:, 2]]
    return rotation, seen[:, :2] / scale - turned[:, :2]


def pitch(rotation, mesh):
    """Degrees, positive for chin up, as HeadPose.swift finds them: relative to the line through the eyes."""
    x, y = (mesh[LEFT_EYE] - mesh[RIGHT_EYE]).sum(0)[:2]
    return np.degrees(np.arcsin((x * rotation[1, 2] - y * rotation[0, 2]) / np.hypot(x, y)))


def mean_shape(shapes):
    shapes = [shape - shape.mean(0) for shape in shapes]
    mean = shapes[0]
    for _ in range(10):
        laid = []
        for shape in shapes:
            rotation, scale = turn(shape, mean)
            laid.append(scale * shape @ rotation.T)
        mean = np.mean(laid, 0)
        mean /= np.sqrt((mean ** 2).sum(1).mean())
    return mean


def symmetric(shape):
    """The mean of a shape and its mirror image, and for each point the number of its mirrored one."""
    numbers, mirrored = np.array(MIRRORED).T
    for _ in range(10):
        flipped = shape * [-1, 1, 1]
        rotation, _scale = turn(flipped[mirrored], shape[numbers])
        flipped = flipped @ rotation.T
        mirrored = np.linalg.norm(shape[:, None] - flipped[None], axis=2).argmin(1)
        numbers = np.arange(len(shape))
        shape = (shape + flipped[mirrored]) / 2
    mirror = mirrored
    if not (mirror[mirror] == np.arange(len(shape))).all():
        sys.exit("The mean face has no clear mirror image: give more photos.")
    shape = (shape + shape[mirror] * [-1, 1, 1]) / 2  # exactly, about x = 0
    return shape - shape.mean(0), mirror


def spread_out(shape, mirror):
    """Points above the tip of the nose, each far from those taken before."""
    candidates = np.flatnonzero(shape[:, 1] < shape[NOSE_TIP, 1])
    kept = [BRIDGE]
    while len(kept) < KEPT:
        distances = np.linalg.norm(shape[candidates][:, None] - shape[kept][None], axis=2).min(1)
        furthest = int(candidates[distances.argmax()])
        kept += sorted({furthest, int(mirror[furthest])})
    return sorted(kept)


def nod(degrees):
    angle = np.radians(degrees)
    return np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])


def agreement(shape, mirror, kept, meshes):
    """The weights of the points kept, 1 in the mean."""
    counting = shape[kept, 1] < (shape[NOSE_TIP, 1] + shape[BRIDGE, 1]) / 2
    chosen = np.array(kept)[counting]
    mirrored = [int(np.flatnonzero(chosen == mirror[index])[0]) for index in chosen]
    weights = np.ones(len(chosen))
    for _ in range(20):
        left = np.array([fit_picture(shape[chosen], mesh[chosen], weights)[1] for mesh in meshes])
        variance = (left ** 2).mean((0, 2))
        weights = 1 / ((variance + variance[mirrored]) / 2 + EXACTNESS ** 2)
    every = np.zeros(len(kept))
    every[counting] = weights
    return every / every.mean()


def level(shape, kept, weights, meshes, labels):
    """The shape nodded so that fitting it gives the labels' pitch, by the median of the differences."""
    for _ in range(3):
        fitted = [pitch(fit_picture(shape[kept], mesh[kept], weights)[0], mesh) for mesh in meshes]
        error = np.median([ours - np.degrees(label["pitch"]) for ours, label in zip(fitted, labels)])
        shape = shape @ nod(-error).T
    return shape


def swift(shape, kept, weights):
    lines = [f"    ({index}, SIMD3({', '.join(f'{value:.4f}' for value in shape[index])}), {weight:.2f}),"
             for index, weight in zip(kept, weights)]
    return "\n".join([
        "/// The mean shape of neutral faces, looking straight into the camera: x to the picture's right, y down, z",
        "/// away.",
        "///",
        "/// Made by Tools/models/canonical_face.py, which says how. Points of the mesh above the tip of the nose, in",
        "/// no particular unit.",
        "package enum CanonicalFace {",
        "  /// The weights are those with which `HeadPose` counts the points; their mean is 1.",
        "  package static let points: [(index: Int, position: SIMD3<Float>, weight: Float)] = [",
        *lines, "  ]", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()

    labels = json.loads(options.labels.read_text())[::2]
    found = detect(options.engine, [str(options.labels.parent / label["image"]) for label in labels], "--landmarks")
    known = [(np.c_[faces[0]["regions"]["allPoints"], faces[0]["depth"]][:POINTS], label)
             for faces, label in zip(found.values(), labels) if faces and "regions" in faces[0]]
    shape, mirror = symmetric(mean_shape([mesh for mesh, label in known if not label["smile"]]))
    kept = spread_out(shape, mirror)
    meshes, labels = zip(*known)
    weights = agreement(shape, mirror, kept, meshes)
    shape = level(shape, kept, weights, meshes, labels)
    TARGET.write_text(swift(shape, kept, weights))
    subprocess.run(["swift", "format", "--in-place", TARGET], check=True)


if __name__ == "__main__":
    main()
