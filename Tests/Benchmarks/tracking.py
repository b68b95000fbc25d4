#!/usr/bin/env python3
"""How many identities `face-engine detect --track` gives the people of video clips.

    python3 Tests/Benchmarks/tracking.py --videos ../shared/data/video

--videos  a folder of GIF files; TRUTH below says who is in those of Intel's sample videos

What following costs is live_video.py's to say. Needs Pillow in the Python that runs it, and a release build of face-engine.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

from PIL import Image, ImageSequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
# People whose faces are in view, counted by eye; none of them leaves a clip and comes back.
TRUTH = {"classroom": 4, "face-demographics-walking": 2, "head-pose-face-detection-female-and-male": 2}


def frames(video, folder):
    paths = []
    with Image.open(video) as clip:
        for number, frame in enumerate(ImageSequence.Iterator(clip)):
            paths.append(str(folder / f"{video.stem}-{number:04}.png"))
            frame.convert("RGB").save(paths[-1], compress_level=1)
    return paths


def run(engine, paths):
    result = subprocess.run([engine, "detect", "--json", "--model", ROOT / "Models/yunet", "--track", *paths], check=True,
                            capture_output=True, text=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


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
            found = identities(run(options.engine, paths))
            print(f"{video.stem}: {len(paths)} frames, {len(found)} ids, {TRUTH.get(video.stem, 'unknown')} people")
            for identity, numbers in sorted(found.items()):
                print(f"  id {identity}: in {len(numbers)} frames from {numbers[0]} to {numbers[-1]}")


if __name__ == "__main__":
    main()
