#!/usr/bin/env python3
"""How many identities `face-engine detect --track` gives the people of video clips, and to what is no face.

    python3 Tests/Benchmarks/tracking.py --videos ../shared/data/video [--engine OLD --engine NEW]
    python3 Tests/Benchmarks/tracking.py --crowds ../shared/data/crowds

--videos  a folder of GIF files; TRUTH below says who is in those of Intel's sample videos
--crowds  a folder with labels.json, a list of {"image", "faces": [{"x", "y", "w", "h"}]}: of each photo a video is made in
          which a camera moves over it, with noise. Counted are the ids, those of one frame, and those that never are on a
          labelled face

Arguments after -- are passed on, as in `-- --min-hits 1`. Also told are the frames from the first in which a face is found
to that in which it has its id. What following costs is live_video.py's to say. Needs Pillow and numpy in the Python that
runs it, and a release build of face-engine.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy
from PIL import Image, ImageSequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
# People whose faces are in view, counted by eye; nobody leaves a clip and comes back.
TRUTH = {"classroom": 4, "face-demographics-walking": 2, "head-pose-face-detection-female-and-male": 2}


def frames(video, folder):
    paths = []
    with Image.open(video) as clip:
        for number, frame in enumerate(ImageSequence.Iterator(clip)):
            paths.append(str(folder / f"{video.stem}-{number:04}.png"))
            frame.convert("RGB").save(paths[-1], compress_level=1)
    return paths


def run(engine, paths, arguments):
    result = subprocess.run([engine, "detect", "--json", "--model", ROOT / "Models/yunet", "--track", *arguments, *paths],
                            check=True, capture_output=True, text=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def identities(answers):
    """{id: [the numbers of the frames it is in]}"""
    found = {}
    for number, answer in enumerate(answers):
        for face in answer["faces"]:
            if "id" in face:
                found.setdefault(face["id"], []).append(number)
    return found


def delays(answers):
    """For each id the frames in which its face was told without one."""
    first = {}
    for number, answer in enumerate(answers):
        for face in answer["faces"]:
            if "id" in face:
                first.setdefault(face["id"], face["frameCount"] - 1)
    return list(first.values())


def one_frame(found, last):
    """Ids of one frame only, that of a face which came with the last one left out."""
    return sum(len(numbers) == 1 and numbers[0] < last for numbers in found.values())


def videos(options):
    with tempfile.TemporaryDirectory() as temporary:
        for video in sorted(options.videos.glob("*.gif")):
            paths = frames(video, pathlib.Path(temporary))
            for engine in options.engine:
                answers = run(engine, paths, options.arguments)
                found = identities(answers)
                print(f"{video.stem}: {len(paths)} frames, {len(found)} ids, {TRUTH.get(video.stem, 'unknown')} people, "
                      f"{one_frame(found, len(paths) - 1)} ids of one frame, each told {max(delays(answers), default=0)} "
                      f"frames late at most  [{engine}]")
                for identity, numbers in sorted(found.items()):
                    print(f"  id {identity}: in {len(numbers)} frames from {numbers[0]} to {numbers[-1]}")


def overlap(face, label, shift):
    x, y, width, height = (face["box"][name] for name in ("x", "y", "width", "height"))
    across = min(x + width, label["x"] - shift + label["w"]) - max(x, label["x"] - shift)
    down = min(y + height, label["y"] + label["h"]) - max(y, label["y"])
    shared = max(0, across) * max(0, down)
    return shared / (width * height + label["w"] * label["h"] - shared)


def pan(photo, shifts, folder):
    random = numpy.random.default_rng(3)
    width = photo.width - max(shifts)
    for number, shift in enumerate(shifts):
        view = numpy.asarray(photo.crop((shift, 0, shift + width, photo.height)), float)
        noisy = numpy.clip(view + random.normal(0, 3, view.shape), 0, 255).round().astype(numpy.uint8)
        Image.fromarray(noisy).save(folder / f"{number:04}.png", compress_level=1)
        yield folder / f"{number:04}.png"


def crowds(options):
    totals = {engine: [0, 0, 0, 0] for engine in options.engine}
    shifts = [3 * number for number in range(options.frames)]
    with tempfile.TemporaryDirectory() as temporary:
        for entry in json.loads((options.crowds / "labels.json").read_text())[:options.photos]:
            photo = Image.open(next(options.crowds.rglob(pathlib.Path(entry["image"]).name))).convert("RGB")
            paths = list(pan(photo, shifts, pathlib.Path(temporary)))
            for engine in options.engine:
                answers = run(engine, paths, options.arguments)
                found = identities(answers)
                right = {face["id"] for shift, answer in zip(shifts, answers) for face in answer["faces"]
                         if "id" in face and any(overlap(face, label, shift) > 0.3 for label in entry["faces"])}
                counts = len(found), one_frame(found, len(shifts) - 1), len(found.keys() - right), len(entry["faces"])
                totals[engine] = [total + count for total, count in zip(totals[engine], counts)]
    for engine, (ids, single, wrong, labelled) in totals.items():
        print(f"{options.photos} photos, {labelled} labelled faces: {ids} ids, {single} of one frame, {wrong} never on a "
              f"labelled face  [{engine}]")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=pathlib.Path)
    parser.add_argument("--crowds", type=pathlib.Path)
    parser.add_argument("--photos", type=int, default=40, help="of the crowds")
    parser.add_argument("--frames", type=int, default=30, help="of each photo")
    parser.add_argument("--engine", action="append", help="of two or more, one after the other: old and new")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    options.engine = options.engine or [ROOT / ".build/release/face-engine"]
    if options.videos:
        videos(options)
    if options.crowds:
        crowds(options)


if __name__ == "__main__":
    main()
