#!/usr/bin/env python3
"""How far the gaze is from the direction to the camera, on photos whose people look into the camera as a rule.

    python3 Tests/Benchmarks/gaze.py --labels smile_pose/labels.json

--labels  a list of {"image"}: crops of faces, to which a border of half their size is added
--fit     also fits Gaze.toCenter to three quarters of the photos at a time, and tells what it gives on the others

Nobody said where these people looked, so this bounds the error from above where they did look into the camera. Needs a
release build of face-engine with fetched models, numpy and opencv-python-headless; --fit needs scipy.
"""

import argparse
import json
import pathlib
import tempfile

import cv2
import numpy as np

from faces import ROOT, detect

# Outer corner, inner corner, iris, side; as in Sources/Vision/Analysis/Gaze+Fit.swift.
EYES = ((263, 362, 473, 1), (33, 133, 468, -1))
MIN_OPEN = 0.55


def degrees(direction, center):
    """Yaw and pitch of a direction, less those of the direction to the camera."""
    camera = -center / np.linalg.norm(center)
    yaw = np.arctan2(direction[0], direction[2]) - np.arctan2(camera[0], camera[2])
    return np.degrees([yaw, np.arcsin(direction[1]) - np.arcsin(camera[1])])


def fitted(face, size, to_center):
    """The gaze of both eyes as the engine computes it, with another place of the centre."""
    points, head = np.array(face["regions"]["allPoints"]), np.array(face["transform"]).reshape(4, 4)
    focal = size[1] / 2 / np.tan(np.radians(31.5))

    def ray(point):
        return np.array([(point[0] - size[0] / 2) / focal, (size[1] / 2 - point[1]) / focal, -1])

    for outer, inner, iris, side in EYES:
        depth = -(head[:3, :3] @ [side * 3.1, 0, 0.3] + head[:3, 3])[2]
        center = ray((points[outer] + points[inner]) / 2) * depth
        center = center + head[:3, :3] @ (np.array(to_center) * [side, 1, -1])
        line = ray(points[iris])
        a, b = line @ line, line @ center
        rest = b * b - a * (center @ center - 1)
        direction = line * (b - np.sqrt(max(rest, 0))) / a - center
        yield center, direction / np.linalg.norm(direction)


def angles(faces, to_center=None):
    """Of each face: yaw and pitch off the camera of the left eye, then of the right one."""
    told = []
    for face, size in faces:
        eyes = fitted(face, size, to_center) if to_center is not None else (
            (np.array(face["gaze"][eye]["centre"]), np.array(face["gaze"][eye]["direction"])) for eye in ("left", "right"))
        told.append(np.concatenate([degrees(direction, center) for center, direction in eyes]))
    return np.array(told)


def report(name, off, yaw):
    both = np.hypot((off[:, 0] + off[:, 2]) / 2, (off[:, 1] + off[:, 3]) / 2)
    frontal = np.abs(yaw) < 10
    print(f"{name}: {len(off)} faces, off the camera by a median of {np.median(both):.1f}°, "
          f"75% below {np.percentile(both, 75):.1f}°, 90% below {np.percentile(both, 90):.1f}°; "
          f"heads turned by less than 10° {np.median(both[frontal]):.1f}°, others {np.median(both[~frontal]):.1f}°")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()

    faces = []
    with tempfile.TemporaryDirectory() as folder:
        paths, sizes = [], {}
        for item in json.loads(options.labels.read_text()):
            image = cv2.imread(str(options.labels.parent / item["image"]))
            height, width = image.shape[:2]
            image = cv2.copyMakeBorder(image, height // 2, height // 2, width // 2, width // 2, cv2.BORDER_REPLICATE)
            paths.append(f"{folder}/{len(paths)}.png")
            sizes[paths[-1]] = (image.shape[1], image.shape[0])
            cv2.imwrite(paths[-1], image)
        flags = ("--landmarks", "--pose", "--transform", "--expressions", "--gaze")
        for path, found in detect(options.engine, paths, *flags).items():
            seen = [face for face in found if "gaze" in face and min(face["eyesOpen"].values()) >= MIN_OPEN]
            if seen:
                faces.append((max(seen, key=lambda face: face["box"]["width"]), sizes[path]))
    yaw = np.array([face["pose"]["yaw"] for face, _ in faces])
    report("as it is", angles(faces), yaw)
    if options.fit:
        from scipy.optimize import minimize

        left_out, order = np.empty((len(faces), 4)), np.random.default_rng(0).permutation(len(faces))
        for fold in np.array_split(order, 4):
            others = [face for index, face in enumerate(faces) if index not in set(fold)]
            best = minimize(lambda place: np.minimum(np.abs(angles(others, place)), 15).mean(), [0.145, 0.185, 0.35],
                            method="Nelder-Mead", options={"maxiter": 60})
            print("fitted:", ", ".join(f"{value:.3f}" for value in best.x), "cm")
            left_out[fold] = angles([faces[index] for index in fold], best.x)
        report("left out", left_out, yaw)


if __name__ == "__main__":
    main()
