#!/usr/bin/env python3
"""Blinks found in video clips, and false ones, from the openness of the eyes that `face-engine detect --track` prints.

    python3 Tests/Benchmarks/blinks.py --videos ../shared/data/video [--engine OLD --engine NEW]

--videos  a folder of GIF files; TRUTH below has the blinks of those of Intel's sample videos

A blink is what the guided check takes for one: both eyes open, then closed, then open. An engine of before there was
`max_blink_open` is counted by its own rule, too: each eye below 0.5. Needs Pillow in the Python that runs it, and a
release build of face-engine with fetched models.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

from faces import ROOT
from tracking import frames

# Frames in which eyes are shut, by eye, for each person from the left; other clips have faces too small to see it.
TRUTH = {"head-pose-face-detection-female-and-male": [[8, 19, 28, 37, 49], [42]]}
# Frames by which a blink found may be beside its middle.
TOLERANCE = 3
CLOSED = 0.5


def closed_by_mean(eyes):
    return sum(eyes) / 2 < CLOSED and max(eyes) < CLOSED + 0.15


def closed_by_each(eyes):
    return max(eyes) < CLOSED


def blinks(track, is_closed):
    """The frames in which the eyes were first closed, of those after which they were open again."""
    found, since, was_open = [], None, False
    for number, eyes in track:
        if min(eyes) >= CLOSED + 0.1:
            if since is not None:
                found.append(since)
            was_open, since = True, None
        elif was_open and since is None and is_closed(eyes):
            since = number
    return found


def tracks(engine, paths):
    result = subprocess.run([engine, "detect", "--json", "--model", ROOT / "Models/yunet", "--track", "--expressions", *paths],
                            check=True, capture_output=True, text=True)
    people = {}
    for number, line in enumerate(result.stdout.splitlines()):
        for face in json.loads(line)["faces"]:
            if "eyesOpen" in face and "id" in face:
                eyes = [face["eyesOpen"][side] for side in ("left", "right")]
                people.setdefault(face["id"], []).append((number, eyes, face["box"]["x"]))
    ordered = sorted(people.values(), key=lambda person: person[0][2])
    return [[(number, eyes) for number, eyes, _ in person] for person in ordered]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=pathlib.Path, required=True)
    parser.add_argument("--engine", action="append", help="of two or more, one after the other: old and new")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        for video in sorted(options.videos.glob("*.gif")):
            paths = frames(video, pathlib.Path(temporary))
            for engine in options.engine or [ROOT / ".build/release/face-engine"]:
                people = tracks(engine, paths)
                truth = TRUTH.get(video.stem, [[] for _ in people])
                for rule, is_closed in (("each eye below 0.5", closed_by_each), ("the mean below 0.5", closed_by_mean)):
                    right = false = 0
                    for person, expected in zip(people, truth):
                        found = blinks(person, is_closed)
                        seen = [any(abs(frame - blink) <= TOLERANCE for blink in found) for frame in expected]
                        right += sum(seen)
                        false += len(found) - sum(seen)
                    print(f"{video.stem}, {rule}: {len(people)} people with landmarks, "
                          f"{right} of {sum(map(len, truth))} blinks found, {false} false  [{engine}]", flush=True)


if __name__ == "__main__":
    main()
