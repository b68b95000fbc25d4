#!/usr/bin/env python3
"""How many faces that come back have their id again with `--reidentify`, and how many faces have the id of somebody else.

    python3 Tests/Benchmarks/returning.py --crowds ../shared/data/crowds/images [--pairs 3000]

--crowds  a folder of photos. A head is seen in one frame, then nobody, and 8 seconds later a head: of the same person, turned, as
          another size, in other light and at another place; of another one in the same photo, or in another photo; and of
          another one whose face is put between the hair and clothes of the first, before the same background

An id counts as false if it was another person's. Needs Pillow and numpy in the Python that runs it, and a release build of
face-engine. Arguments after -- are passed on.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy
from PIL import Image

from faces import ROOT, box_of, overlap


def run(options, paths, *arguments):
    lines = "\n".join(map(str, paths)).encode()
    result = subprocess.run(
        [
            options.engine,
            "detect",
            "--json",
            "--model",
            ROOT / "Models/yunet",
            *arguments,
            *options.arguments,
            "--files-from",
            "-",
        ],
        input=lines,
        check=True,
        capture_output=True,
    )
    return [json.loads(line) for line in result.stdout.splitlines()]


def box(face):
    return [face["box"][name] for name in ("x", "y", "width", "height")]


def nearest(faces, place, least=0.3):
    """The face of these that is at `place`."""
    x, y, width, height = place
    corners = x, y, x + width, y + height
    found = max(faces, key=lambda face: overlap(box_of(face), corners), default=None)
    return found if found and overlap(box_of(found), corners) > least else None


SIDE = 240


def head(photo, face, random=None):
    """A square around a head, with the face on 96 pixels, and the face's place in it; with `random`, changed."""
    x, y, width, height = box(face)
    side = max(width, height) * SIDE / 96
    place = numpy.array([x + width / 2, y + height / 2])
    long, turn, light, colour, slope = 96, 0, 1, numpy.ones(3), 0
    if random is not None:
        long, turn = 96 * random.uniform(0.6, 1.3), numpy.radians(random.uniform(-12, 12))
        place = place + random.uniform(-0.3, 0.3, 2) * max(width, height)
        light, colour, slope = random.uniform(0.6, 1.3), 1 + random.uniform(-0.08, 0.08, 3), random.uniform(-0.25, 0.25)
        side *= 96 / long
    step = side / SIDE
    cosine, sine = step * numpy.cos(turn), step * numpy.sin(turn)
    middle = SIDE / 2
    shown = photo.transform(
        (SIDE, SIDE),
        Image.Transform.AFFINE,
        (cosine, -sine, place[0] - (cosine - sine) * middle, sine, cosine, place[1] - (sine + cosine) * middle),
        Image.Resampling.BILINEAR,
    )
    pixels = numpy.asarray(shown, float) * light * colour * (1 + slope * numpy.linspace(-1, 1, SIDE)[None, :, None])
    there = numpy.array([x + width / 2, y + height / 2]) - place
    there = middle + numpy.array([cosine * there[0] + sine * there[1], -sine * there[0] + cosine * there[1]]) / step**2
    sides = numpy.array([width, height]) / step
    return numpy.clip(pixels, 0, 255).astype(numpy.uint8), [*(there - sides / 2), *sides]


def exchanged(one, other):
    """The picture `one` with the face of `other` in it."""
    y, x = (numpy.mgrid[:SIDE, :SIDE] + 0.5) / SIDE - 0.5
    distance = numpy.hypot(x / 0.17, y / 0.24)
    share = numpy.clip((1.15 - distance) / 0.3, 0, 1)[..., None]
    return (one * (1 - share) + other * share).astype(numpy.uint8)


def crowds(options):
    random = numpy.random.default_rng(7)
    paths = sorted(path for path in options.crowds.rglob("*") if path.suffix.lower() in {".jpg", ".png"})
    people = []
    for number, (path, answer) in enumerate(zip(paths, run(options, paths))):
        for face in answer.get("faces", []):
            if max(face["box"]["width"], face["box"]["height"]) >= 40:
                people.append((number, path, face))
    groups = {}
    for person in people:
        groups.setdefault(person[0], []).append(person)
    together = [(one, other) for group in groups.values() for one in group for other in group if one is not other]
    together = [together[index] for index in random.permutation(len(together))[: options.pairs]]
    apart = []
    while len(apart) < options.pairs:
        one, other = (people[index] for index in random.integers(len(people), size=2))
        if one[0] != other[0]:
            apart.append((one, other))
    photos = {}

    def photo(person):
        if person[0] not in photos:
            photos[person[0]] = Image.open(person[1]).convert("RGB")
        return photos[person[0]]

    same = [(person, person) for person in people]
    with tempfile.TemporaryDirectory() as folder:
        nobody = pathlib.Path(folder, "nobody.png")
        Image.new("RGB", (SIDE, SIDE), (110, 110, 110)).save(nobody)
        for name, pairs in (
            ("the same person, changed", same),
            ("another one, same photo", together),
            ("another one, other photo", apart),
            ("another face, same place", together),
        ):
            returned = seen = 0
            for start in range(0, len(pairs), 500):
                sequence, places = [], []
                for number, (one, other) in enumerate(pairs[start : start + 500]):
                    first, place = head(photo(one), one[2])
                    second, later = head(photo(other), other[2], random if one is other else None)
                    if name.endswith("place"):
                        second, later = exchanged(first, second), place
                    files = [pathlib.Path(folder, f"{number}-{part}.png") for part in (1, 2)]
                    for pixels, file in zip((first, second), files):
                        Image.fromarray(pixels).save(file, compress_level=1)
                    # Four seconds a frame: after the second face, everything is forgotten before the next pair.
                    sequence += [files[0], nobody, files[1], nobody, nobody, nobody]
                    places.append((place, later))
                answers = run(
                    options,
                    sequence,
                    "--track",
                    "--reidentify",
                    "--min-hits",
                    "1",
                    "--max-missed-frames",
                    "0",
                    "--detection-interval",
                    "1",
                    "--frame-rate",
                    "0.25",
                )
                for number, (place, later) in enumerate(places):
                    before, after = (
                        nearest(answers[6 * number + frame]["faces"], where)
                        for frame, where in ((0, place), (2, later))
                    )
                    if before and after:
                        seen += 1
                        returned += before["id"] == after["id"]
            print(
                f"{name}: {returned} of {seen} have the id of before, {100 * returned / max(seen, 1):.2f}%", flush=True
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowds", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=int, default=3000, help="pairs of different people of each kind")
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    crowds(options)


if __name__ == "__main__":
    main()
