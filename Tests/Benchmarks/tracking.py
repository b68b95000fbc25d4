#!/usr/bin/env python3
"""How many identities `face-engine detect --track` gives the people of video clips, and what following them costs.

    python3 Tests/Benchmarks/tracking.py --videos ../shared/data/video

--videos  a folder of GIF files; TRUTH below says who is in those of Intel's sample videos

Costs are processor time a frame in the engine alone: what the same command takes with --max-side 16, where all that is
left is start, reading and decoding, is taken off. Each clip is run forwards and backwards over and over for them, so
that faces go on from where they were. Needs Pillow in the Python that runs it, and a release build of face-engine.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile

from PIL import Image, ImageSequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
# People whose faces are in view, counted by eye; none of them leaves a clip and comes back.
TRUTH = {"classroom": 4, "face-demographics-walking": 2, "head-pose-face-detection-female-and-male": 2}
COST_FRAMES = 600


def frames(video, folder):
    paths = []
    with Image.open(video) as clip:
        for number, frame in enumerate(ImageSequence.Iterator(clip)):
            paths.append(str(folder / f"{video.stem}-{number:04}.png"))
            frame.convert("RGB").save(paths[-1], compress_level=1)
    return paths


def run(engine, arguments, paths):
    """The answers, and the processor seconds they took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run([engine, "detect", "--json", "--model", ROOT / "Models/yunet", *arguments, *paths],
                            check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return [json.loads(line) for line in result.stdout.splitlines()], seconds


def identities(answers):
    """{id: [the numbers of the frames it is in]}"""
    found = {}
    for number, answer in enumerate(answers):
        for face in answer["faces"]:
            found.setdefault(face["id"], []).append(number)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        for video in sorted(options.videos.glob("*.gif")):
            paths = frames(video, pathlib.Path(temporary))
            found = identities(run(options.engine, ["--track"], paths)[0])
            print(f"{video.stem}: {len(paths)} frames, {len(found)} ids, {TRUTH.get(video.stem, 'unknown')} people")
            for identity, numbers in sorted(found.items()):
                print(f"  id {identity}: in {len(numbers)} frames from {numbers[0]} to {numbers[-1]}")
            there_and_back = paths + paths[-2:0:-1]
            many = (there_and_back * (COST_FRAMES // len(there_and_back) + 1))[:COST_FRAMES]
            decoding = run(options.engine, ["--max-side", "16"], many)[1]
            detected, tracked = (run(options.engine, arguments, many)[1] - decoding for arguments in ([], ["--track"]))
            print(f"  a frame: {1e3 * detected / COST_FRAMES:.2f} ms detected, {1e3 * tracked / COST_FRAMES:.2f} ms "
                  f"tracked, {tracked / detected:.2f} of it")


if __name__ == "__main__":
    main()
