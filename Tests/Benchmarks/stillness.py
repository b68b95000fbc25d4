#!/usr/bin/env python3
"""How still the boxes of a still picture are when it is tracked, and how far behind those of moving faces.

    python3 Tests/Benchmarks/stillness.py Examples/photos/*.png Examples/photos/*.jpg [--engine OLD --engine NEW] [--frames 40]

Still: each photo is every frame, as it is, with a camera's noise (a standard deviation of 3 levels), and with noise as a
JPEG file. What is told of a face is the largest distance between two of its boxes' centres, and the most by which a side
changes, both by the box's long side: the median and the largest over the faces found in nearly every frame. The same with
landmarks for the mean of all 478 points' distances from their own means, by the distance of the eyes, and for the angles of
the head, in degrees.

Moving: the head of the first photo, cut out, swings over its blurred photo from rest to rest at known places between
pixels. Its box is late by the number of frames by which the error of its centre follows the speed, fitted by least
squares; below zero it is early. The error's root mean square is by the long side.

Engines take turns at the same frames. Needs Pillow and numpy in the Python that runs it, and a release build of
face-engine with fetched models.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import numpy
from PIL import Image, ImageDraw, ImageFilter

from faces import ROOT

NOISE = 3
WAYS = {"tracked": [], "with landmarks": ["--landmarks", "--pose"], "every frame searched": ["--detection-interval", "1"]}
EYES = (33, 263)  # outer corners


def run(engine, paths, arguments):
    result = subprocess.run([engine, "detect", "--json", "--model", ROOT / "Models/yunet", "--track", *arguments, *paths],
                            check=True, capture_output=True, text=True)
    return [json.loads(line)["faces"] for line in result.stdout.splitlines()]


def overlap(one, other):
    sides = [min(a + s, b + t) - max(a, b) for a, s, b, t in zip(one[:2], one[2:], other[:2], other[2:])]
    shared = max(0, sides[0]) * max(0, sides[1])
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def box(face):
    value = face["box"]
    return [value[name] for name in ("x", "y", "width", "height")] if isinstance(value, dict) else value


def tracks(frames):
    """Faces by place rather than by id, so that a face counts before it has one."""
    found = []
    for faces in frames:
        for face in faces:
            track = max(found, key=lambda track: overlap(box(track[-1]), box(face)), default=None)
            if track and overlap(box(track[-1]), box(face)) > 0.3:
                track.append(face)
            else:
                found.append([face])
    return [track for track in found if len(track) >= 0.9 * len(frames)]


def still_frames(photo, count, kind, folder):
    random = numpy.random.default_rng(1)
    levels = numpy.asarray(photo, float)
    paths = []
    for number in range(count):
        frame = photo
        if kind != "as it is":
            noisy = levels + random.normal(0, NOISE, levels.shape)
            frame = Image.fromarray(numpy.clip(noisy, 0, 255).round().astype(numpy.uint8))
        if kind.endswith("JPEG"):
            paths.append(folder / f"{number:04}.jpg")
            frame.save(paths[-1], quality=85)
        else:
            paths.append(folder / f"{number:04}.png")
            frame.save(paths[-1], compress_level=1)
    return paths


def spread(track):
    boxes = numpy.array([box(face) for face in track])
    side = boxes[:, 2:].max(axis=1).mean()
    centres = boxes[:, :2] + boxes[:, 2:] / 2
    apart = numpy.linalg.norm(centres[:, None] - centres[None], axis=2).max()
    values = [apart / side, numpy.ptp(boxes[:, 2:], axis=0).max() / side]
    meshes = [face["regions"]["allPoints"] for face in track if "regions" in face]
    if len(meshes) == len(track):
        points = numpy.array([[[point["x"], point["y"]] if isinstance(point, dict) else point[:2] for point in mesh]
                              for mesh in meshes], float)
        middle = points.mean(axis=0)
        eyes = numpy.linalg.norm(middle[EYES[0]] - middle[EYES[1]])
        values.append(numpy.linalg.norm(points - middle, axis=2).mean() / eyes)
        angles = numpy.array([[face["pose"][name] for name in ("yaw", "pitch", "roll")] for face in track])
        values.append(angles.std(axis=0).max())
    return values


def still(engines, photos, count):
    for way, arguments in WAYS.items():
        for kind in ("as it is", "noise", "noise, JPEG"):
            values = {engine: [] for engine in engines}
            for photo in photos:
                with tempfile.TemporaryDirectory() as folder:
                    paths = still_frames(photo, count, kind, pathlib.Path(folder))
                    for engine in engines:
                        values[engine] += [spread(track) for track in tracks(run(engine, paths, arguments))]
            for engine in engines:
                # A face without a mesh has no more than its box.
                names = ("centre", "sides", "landmarks", "angles")
                columns = [[value[index] for value in values[engine] if len(value) > index] for index in range(4)]
                told = ", ".join(f"{name} {numpy.median(column):.4f} ({max(column):.4f})"
                                 for name, column in zip(names, columns) if column)
                print(f"{way}, {kind}: {len(values[engine])} faces: {told}  [{engine}]", flush=True)


def places(count, speed, side):
    """From rest to rest and back, at `speed` sides a frame at most."""
    steps = [speed * side * math.sin(2 * math.pi * frame / (count - 11)) if frame < count - 10 else 0
             for frame in range(-10, count - 10)]
    steps[:10] = [0] * 10
    return numpy.cumsum(steps)


def moving_frames(photo, head, shifts, folder):
    background = photo.filter(ImageFilter.GaussianBlur(40))
    x, y, width, height = head
    mask = Image.new("L", photo.size, 0)
    ImageDraw.Draw(mask).ellipse((x - 0.3 * width, y - 0.35 * height, x + 1.3 * width, y + 1.2 * height), fill=255)
    mask = mask.filter(ImageFilter.GaussianBlur(3))
    random = numpy.random.default_rng(2)
    paths = []
    for number, shift in enumerate(shifts):
        moved = [image.transform(photo.size, Image.Transform.AFFINE, (1, 0, -shift, 0, 1, -shift / 3),
                                 Image.Resampling.BICUBIC) for image in (photo, mask)]
        frame = numpy.asarray(Image.composite(moved[0], background, moved[1]), float)
        frame = numpy.clip(frame + random.normal(0, NOISE, frame.shape), 0, 255).round().astype(numpy.uint8)
        paths.append(folder / f"{number:04}.png")
        Image.fromarray(frame).save(paths[-1], compress_level=1)
    return paths


def moving(engines, photo, count):
    head = box(run(engines[0], [photo.filename], [])[0][0])
    side = max(head[2:])
    for way, arguments in WAYS.items():
        for speed in (0.002, 0.005, 0.01, 0.02, 0.05):
            shifts = places(count, speed, side)
            with tempfile.TemporaryDirectory() as folder:
                paths = moving_frames(photo.convert("RGB"), head, shifts, pathlib.Path(folder))
                for engine in engines:
                    track = max(tracks(run(engine, paths, arguments)), key=len, default=[])
                    if len(track) < len(shifts):
                        print(f"{way}, {speed:.3f} sides a frame: found in {len(track)} of {len(shifts)}  [{engine}]")
                        continue
                    boxes = numpy.array([box(face) for face in track])
                    errors = boxes[:, 0] + boxes[:, 2] / 2 - shifts
                    errors -= errors.mean()
                    speeds = numpy.diff(shifts, prepend=shifts[0])
                    late = -(errors * speeds).sum() / (speeds * speeds).sum()
                    print(f"{way}, {speed:.3f} sides a frame at most: late by {late:+.2f} frames, "
                          f"error {math.sqrt((errors ** 2).mean()) / side:.4f}  [{engine}]", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photos", nargs="+", type=pathlib.Path)
    parser.add_argument("--engine", action="append", help="of two or more, one after the other: old and new")
    parser.add_argument("--frames", type=int, default=40)
    options = parser.parse_args()

    engines = options.engine or [ROOT / ".build/release/face-engine"]
    moving(engines, Image.open(options.photos[0]), options.frames + 20)
    still(engines, [Image.open(path).convert("RGB") for path in options.photos], options.frames)


if __name__ == "__main__":
    main()
