#!/usr/bin/env python3
"""What a session costs that searches 5 of 25 frames a second, beside one that searches all, and how far off the faces of the
frames between are.

    python3 Tests/Benchmarks/analysis_rate.py --videos ../shared/data/video [--rate 5] [--outputs landmarks] [--rounds 3]

--videos  a folder of GIF files

The frames are raw RGB pixels at 25 a second by their timestamps. Both sessions take turns in one process, and what is told is
the processor's time of all its threads for each frame. A predicted face is compared with the face of the same place that the
session which searches all frames has in that frame: the distance of their centres by the long side, beside that of the face of
the last frame searched, as if it had stayed where it was.

Needs NumPy and Pillow in the Python that runs it, and a release build with fetched models.
"""

import argparse
import os
import pathlib
import statistics
import sys
import time

import numpy
from PIL import Image, ImageSequence

from faces import ROOT

os.environ.setdefault("FACE_ENGINE_LIBRARIES", str(ROOT / ".build/release"))
sys.path.insert(0, str(ROOT / "Python"))

import faceengine  # noqa: E402

STEP = 40_000_000


def run(engine, frames, options):
    """Processor time of each frame in milliseconds, and the faces of each."""
    found = []
    with engine.session(mode="every", **options) as session:
        start = time.process_time()
        for number, frame in enumerate(frames):
            session.submit(frame, timestamp_ns=(number + 1) * STEP)
            session.flush()
            while event := session.next_event(0):
                if isinstance(event, faceengine.FrameFaces):
                    found.append(list(event.faces))
                if isinstance(event, faceengine.FrameFailed):
                    raise event.error
        spent = time.process_time() - start
    return 1000 * spent / len(frames), found


def centre(face):
    return face.box.x + face.box.width / 2, face.box.y + face.box.height / 2


def distance(face, others):
    """To the nearest of the other faces, by its own long side; None where none is near."""
    x, y = centre(face)
    side = max(face.box.width, face.box.height)
    distances = [numpy.hypot(x - a, y - b) / side for a, b in map(centre, others)]
    return min((d for d in distances if d < 1), default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=pathlib.Path, required=True)
    parser.add_argument("--rate", type=float, default=5)
    parser.add_argument("--outputs", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    engine = faceengine.load(ROOT / "Models/yunet")
    every = {name: True for name in arguments.outputs}
    rated = {**every, "analysis_rate": arguments.rate}
    for path in sorted(arguments.videos.glob("*.gif")):
        frames = [numpy.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(Image.open(path))]
        times, errors, stayed = ([], []), [], []
        for _ in range(arguments.rounds):
            all_time, all_faces = run(engine, frames, every)
            rate_time, rate_faces = run(engine, frames, rated)
            times[0].append(all_time)
            times[1].append(rate_time)
        last = []
        for expected, faces in zip(all_faces, rate_faces):
            if not faces or not faces[0].predicted:
                last = faces
                continue
            for face, before in zip(faces, last):
                error, stay = distance(face, expected), distance(before, expected)
                if error is not None and stay is not None:
                    errors.append(error)
                    stayed.append(stay)
        predicted = sum(bool(faces) and faces[0].predicted for faces in rate_faces)
        one, other = (statistics.median(values) for values in times)
        print(f"{path.name}: {len(frames)} frames of {frames[0].shape[1]}x{frames[0].shape[0]}, {predicted} predicted; "
              f"{one:.2f} ms a frame, at {arguments.rate:g} a second {other:.2f}: {other / one:.2f}")
        if errors:
            def told(values):
                return f"{statistics.median(values):.3f}, 9 of 10 below {numpy.quantile(values, 0.9):.3f}"
            print(f"  centres off by {told(errors)}; if they stayed: {told(stayed)}")


if __name__ == "__main__":
    main()
