#!/usr/bin/env python3
"""How many faces that come back have their id again with `--reidentify`, and how many faces have the id of somebody else.

    python3 Tests/Benchmarks/returning.py --crowds ../shared/data/crowds/images [--pairs 3000]
    python3 Tests/Benchmarks/returning.py --videos ../shared/data/video
    python3 Tests/Benchmarks/returning.py --videos ../shared/data/video --time

--crowds  a folder of photos. A head is seen in one frame, then nobody, and 8 seconds later a head: of the same person, turned, as
          another size, in other light and at another place; of another one in the same photo, or in another photo; and of
          another one whose face is put between the hair and clothes of the first, before the same background
--videos  a folder of GIF files, at 12.5 frames a second. Each clip as it is; with one person covered for 18 of its frames; a
          part of it, 2 or 8 seconds without anybody, and another part, which is also moved and smaller, darker, or mirrored, so
          that people have changed their places; only one person, who leaves, and another one at the same place. Who is who is
          told by the ids of the clip as it is
--time    the processor time of a frame of the first clip with and without

An id counts as false if it was another person's. Needs Pillow and numpy in the Python that runs it, and a release build of
face-engine. Arguments after -- are passed on.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile

import numpy
from PIL import Image, ImageSequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
RATE = 12.5


def run(options, paths, *arguments):
    lines = "\n".join(map(str, paths)).encode()
    result = subprocess.run(
        [options.engine, "detect", "--json", "--model", ROOT / "Models/yunet", *arguments, *options.arguments, "--files-from", "-"],
        input=lines, check=True, capture_output=True)
    return [json.loads(line) for line in result.stdout.splitlines()]


def box(face):
    return [face["box"][name] for name in ("x", "y", "width", "height")]


def overlap(one, other):
    across = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    down = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    shared = max(0, across) * max(0, down)
    return shared / (one[2] * one[3] + other[2] * other[3] - shared)


def nearest(faces, place, least=0.3):
    """The face of these that is at `place`."""
    found = max(faces, key=lambda face: overlap(box(face), place), default=None)
    return found if found and overlap(box(found), place) > least else None


# Photos

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
    shown = photo.transform((SIDE, SIDE), Image.Transform.AFFINE, (
        cosine, -sine, place[0] - (cosine - sine) * middle, sine, cosine, place[1] - (sine + cosine) * middle),
        Image.Resampling.BILINEAR)
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
    together = [together[index] for index in random.permutation(len(together))[:options.pairs]]
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
        for name, pairs in ("the same person, changed", same), ("another one, same photo", together), (
                "another one, other photo", apart), ("another face, same place", together):
            returned = seen = 0
            for start in range(0, len(pairs), 500):
                sequence, places = [], []
                for number, (one, other) in enumerate(pairs[start:start + 500]):
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
                answers = run(options, sequence, "--track", "--reidentify", "--min-hits", "1", "--max-missed-frames", "0",
                              "--detection-interval", "1", "--frame-rate", "0.25")
                for number, (place, later) in enumerate(places):
                    before, after = (nearest(answers[6 * number + frame]["faces"], where)
                                     for frame, where in ((0, place), (2, later)))
                    if before and after:
                        seen += 1
                        returned += before["id"] == after["id"]
            print(f"{name}: {returned} of {seen} have the id of before, {100 * returned / max(seen, 1):.2f}%", flush=True)


# Clips

class Change:
    """What is done to the pictures of a part of a clip."""

    def __init__(self, name, scale=1.0, shift=0, light=1.0, mirrored=False):
        self.name, self.scale, self.shift, self.light, self.mirrored = name, scale, shift, light, mirrored

    def picture(self, frame):
        size = frame.size
        if self.mirrored:
            frame = frame.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        smaller = frame.resize((round(size[0] * self.scale), round(size[1] * self.scale)), Image.Resampling.BICUBIC)
        shown = Image.new("RGB", size, (110, 110, 110))
        shown.paste(smaller, (self.shift, self.shift // 2))
        return shown.point(lambda value: round(value * self.light))

    def place(self, place, size):
        x, y, width, height = place
        x = size[0] - x - width if self.mirrored else x
        return [x * self.scale + self.shift, y * self.scale + self.shift // 2, width * self.scale, height * self.scale]


CHANGES = [Change("as it was"), Change("smaller, moved", 0.75, 60), Change("darker", light=0.6),
           Change("mirrored", mirrored=True)]


class Clip:
    def __init__(self, path, options, folder):
        self.name, self.folder = path.stem, folder
        with Image.open(path) as clip:
            self.frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(clip)]
        self.size = self.frames[0].size
        self.plain = [self.save(frame, f"{number:03}") for number, frame in enumerate(self.frames)]
        self.nobody = self.save(Image.new("RGB", self.size, (110, 110, 110)), "nobody")
        answers = run(options, self.plain, "--track", "--min-hits", "1")
        self.people = [{face["id"]: box(face) for face in answer["faces"] if "id" in face} for answer in answers]

    def save(self, picture, name):
        path = self.folder / f"{self.name}-{name}.png"
        picture.save(path, compress_level=1)
        return path

    def part(self, name, start, length, change=None, hidden=None):
        """The files of a part, and who is where in them. `hidden` is somebody who is covered."""
        change = change or Change("")
        files, people = [], []
        for number in range(start, min(start + length, len(self.frames))):
            frame = self.frames[number].copy()
            for person in hidden or []:
                if person in self.people[number]:
                    x, y, width, height = self.people[number][person]
                    frame.paste((110, 110, 110), tuple(map(round, (
                        x - width / 2, y - height / 2, x + 1.5 * width, y + 1.5 * height))))
            files.append(self.save(change.picture(frame), f"{name}-{number:03}"))
            people.append({person: change.place(place, self.size) for person, place in self.people[number].items()
                           if person not in (hidden or [])})
        return files, people


def owners(answers, people):
    """{id: {the people who had it}}, and {person: {their ids}}"""
    ids, persons = {}, {}
    for answer, there in zip(answers, people):
        for person, place in there.items():
            face = nearest(answer["faces"], place)
            if face and "id" in face:
                ids.setdefault(face["id"], set()).add(person)
                persons.setdefault(person, set()).add(face["id"])
    return ids, persons


def judged(options, files, people, *arguments):
    """The number of people seen, how many of them have one id throughout, and the number of ids that two people had."""
    answers = run(options, files, "--track", "--frame-rate", str(RATE), *arguments)
    ids, persons = owners(answers, people)
    return len(persons), sum(len(known) == 1 for known in persons.values()), sum(len(known) > 1 for known in ids.values())


def videos(options):
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(options.videos.glob("*.gif")):
            clip = Clip(path, options, pathlib.Path(temporary))
            last = len(clip.frames) - 12
            print(clip.name)
            for arguments in [], ["--reidentify"]:
                answers = run(options, clip.plain, "--track", "--frame-rate", str(RATE), *arguments)
                ids = {face["id"] for answer in answers for face in answer["faces"] if "id" in face}
                print(f"  the clip as it is {' '.join(arguments)}: {len(ids)} ids")
            covered(options, clip)
            for change in CHANGES:
                totals = {"": [0, 0, 0], "--reidentify": [0, 0, 0]}
                for start, end in (0, last), (last, 0), (0, 12), (last // 2, 0):
                    for seconds in 2, 8:
                        first, there = clip.part("a", start, 12)
                        second, later = clip.part("b", end, 12, change)
                        pause = round(RATE * seconds)
                        for flag, total in totals.items():
                            counts = judged(options, [*first, *[clip.nobody] * pause, *second],
                                            [*there, *[{}] * pause, *later], *flag.split())
                            totals[flag] = [one + other for one, other in zip(total, counts)]
                for flag, (seen, kept, false) in totals.items():
                    print(f"  away, back {change.name} {flag}: {kept} of {seen} people have one id, {false} ids of two people")
            taken(options, clip)


def covered(options, clip):
    """One is covered for some frames while the others stay in view."""
    for flag in [], ["--reidentify"]:
        totals = [0, 0, 0]
        for person in sorted(set().union(*clip.people)):
            parts = (clip.part("a", 0, 8), clip.part("b", 8, 18, hidden=[person]), clip.part("c", 26, len(clip.frames)))
            files, people = ([item for part in parts for item in part[which]] for which in (0, 1))
            totals = [one + other for one, other in zip(totals, judged(options, files, people, *flag))]
        print(f"  one is covered {' '.join(flag)}: {totals[1]} of {totals[0]} people have one id, {totals[2]} ids of two people")


def taken(options, clip):
    """One leaves, and another one comes at the same place."""
    everyone = sorted(set().union(*clip.people))
    pairs = false = 0
    for one in everyone:
        for other in everyone:
            for start, end in (0, 0), (0, len(clip.frames) - 12), (len(clip.frames) - 12, 0):
                if one == other or one not in clip.people[start] or other not in clip.people[end]:
                    continue
                here, there = clip.people[start][one], clip.people[end][other]
                scale = here[3] / there[3]
                first, people = clip.part("a", start, 12, hidden=[person for person in everyone if person != one])
                second, later = [], []
                for number in range(end, min(end + 12, len(clip.frames))):
                    frame = clip.frames[number]
                    # The other one's head and shoulders, moved and scaled to the place.
                    x, y, width, height = there
                    part = frame.crop(tuple(map(round, (x - width, y - height, x + 2 * width, y + 2.5 * height))))
                    part = part.resize((round(part.width * scale), round(part.height * scale)), Image.Resampling.BICUBIC)
                    shown = Image.new("RGB", clip.size, (110, 110, 110))
                    shown.paste(part, (round(here[0] - width * scale), round(here[1] - height * scale)))
                    second.append(clip.save(shown, f"b-{number:03}"))
                    later.append({other: here})
                pause = round(RATE * 2)
                answers = run(options, [*first, *[clip.nobody] * pause, *second], "--track", "--reidentify", "--frame-rate",
                              str(RATE))
                ids, _ = owners(answers, [*people, *[{}] * pause, *later])
                pairs += 1
                false += any(len(known) > 1 for known in ids.values())
    print(f"  another one at the same place: {false} of {pairs} have the id of the one who left")


def time(options):
    path = sorted(options.videos.glob("*.gif"))[-1]
    with tempfile.TemporaryDirectory() as temporary:
        clip = Clip(path, options, pathlib.Path(temporary))
        raw = {}
        for path, picture in [*zip(clip.plain, clip.frames), (clip.nobody, Image.open(clip.nobody))]:
            raw[path] = path.with_suffix(".rgb")
            raw[path].write_bytes(picture.tobytes())
        # Half a minute, and a break in which everybody is away.
        frames = [raw[path] for path in [*clip.plain * 6, *[clip.nobody] * 30] * 3]
        layout = f"rgb:{clip.size[0]}x{clip.size[1]}"
        spent = {"": [], "--reidentify": []}
        for _ in range(15):
            for flag, times in spent.items():
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                run(options, frames, "--track", "--raw", layout, "--frame-rate", str(RATE), *flag.split())
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        for flag, times in spent.items():
            print(f"{clip.name} {flag}: median {1000 * statistics.median(times) / len(frames):.3f} ms a frame, least "
                  f"{1000 * min(times) / len(frames):.3f}, with starting and reading the files")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowds", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=3000, help="pairs of different people of each kind")
    parser.add_argument("--videos", type=pathlib.Path)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    if options.crowds:
        crowds(options)
    if options.videos:
        (time if options.time else videos)(options)


if __name__ == "__main__":
    main()
