#!/usr/bin/env python3
"""What following the faces of a video costs beside searching every frame of it, and how much later faces are found.

    python3 Tests/Benchmarks/live_video.py --videos ../shared/data/video [--interval 10] [--outputs landmarks]

--videos  a folder of GIF files

The frames are raw BGR pixels, as from a camera, so that nothing is decoded; both ways take turns in one process, and
what is told is the processor's time. A face is late by the number of frames in which a search of that frame finds it
and following does not, one after the other. Two more clips are cut together from each: nobody, then everybody; and
those on the left, then everybody. Nobody is a frame without any detail. They are repeated so that people come after
every number of frames since the last search.

Needs Pillow in the Python that runs it, swiftc, and a release build of face-engine with fetched models.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image, ImageFilter, ImageSequence

from faces import ROOT, overlap
from release_objects import build

SAME = 0.3
FRAMES_IN_VIEW = 14


def cut_together(frames, before, interval):
    """Scenes before and after people come, once for every number of frames since a search."""
    cut = []
    for phase in range(interval):
        # Long enough for all to have left; the last is forgotten after 15 frames.
        cut += [before] * (16 + phase) + frames[:FRAMES_IN_VIEW]
    return cut


def run(program, frames, options, times):
    """The faces of each frame both ways, and the seconds a frame took."""
    size = frames[0].size
    with tempfile.NamedTemporaryFile(suffix=".bgr") as file:
        for frame in frames:
            file.write(frame.tobytes("raw", "BGR"))
        file.flush()
        lines = subprocess.run([program, ROOT / "Models/yunet", file.name, *map(str, size), str(options.interval),
                                options.outputs, str(times)], check=True, capture_output=True, text=True).stdout
    *answers, taken = map(json.loads, lines.splitlines())
    return answers, *(taken[way] / max(1, taken["frames"]) for way in ("detecting", "following"))


def box(face):
    x, y, width, height = face[1:5]
    return x, y, x + width, y + height


def lateness(answers):
    """(frames that the latest face was late, faces found late, overlap of the others with what a search finds)"""
    late = []  # of the frame before: each face's box, and for how many frames it has been missing
    longest, count, overlaps = 0, 0, []
    for answer in answers:
        now = []
        for face in answer["detected"]:
            there = max((overlap(box(face), box(other)) for other in answer["followed"]), default=0)
            if there >= SAME:
                overlaps.append(there)
                continue
            missing = 1 + max((frames for place, frames in late if overlap(place, box(face)) >= SAME), default=0)
            count += missing == 1
            longest = max(longest, missing)
            now.append((box(face), missing))
        late = now
    return longest, count, sum(overlaps) / max(1, len(overlaps))


def report(name, answers, interval):
    longest, count, mean = lateness(answers)
    ids = {face[0] for answer in answers for face in answer["followed"]}
    print(f"{name}: {len(answers)} frames, {len(ids)} ids; faces found late {count}, by {longest} frames at most; "
          f"boxes overlap those of a search by {mean:.2f}", flush=True)
    return longest < interval


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--videos", type=pathlib.Path, required=True)
    parser.add_argument("--interval", type=int, default=10)
    parser.add_argument("--outputs", choices=("boxes", "landmarks"), default="boxes")
    parser.add_argument("--times", type=int, default=10, help="how often a clip is timed, to its end and back")
    options = parser.parse_args()

    program = build(ROOT / "Tests/Benchmarks/following/follow.swift")
    in_time = True
    for video in sorted(options.videos.glob("*.gif")):
        with Image.open(video) as clip:
            frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(clip)]
        answers, detecting, following = run(program, frames, options, options.times)
        in_time &= report(video.stem, answers, options.interval)
        print(f"  a frame: {1e3 * detecting:.2f} ms searched, {1e3 * following:.2f} ms followed, "
              f"{following / detecting:.3f} of it")
        nobody = frames[0].filter(ImageFilter.GaussianBlur(60))
        some = frames[0].copy()
        half = some.width // 2
        some.paste(nobody.crop((half, 0, *nobody.size)), (half, 0))
        for what, before in (("nobody, then everybody", nobody), ("those on the left, then everybody", some)):
            answers, *_ = run(program, cut_together(frames, before, options.interval), options, 0)
            in_time &= report(f"  {what}", answers, options.interval)
    if not in_time:
        sys.exit("a face was found later than an interval")


if __name__ == "__main__":
    main()
