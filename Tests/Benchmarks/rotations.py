#!/usr/bin/env python3
"""What --rotations any finds on photos that are turned, beside the search for upright heads.

    Tests/Benchmarks/rotations.py --labels crowds/labels.json [--photos 30] [--step 15] [--no-times]

--labels  a list of {"image", "faces": [{"x", "y", "w", "h", "ignore"}]}, images relative to the file

Of the labelled faces those count whose shorter side has --min-side pixels; what is found on the others is neither right nor wrong.
Crowds are photos with three or more that count, single faces are photos with one label. Each photo is turned about its middle
in a picture large enough for it, with black corners, and written as JPEG, at 0° too. A face is found where a box overlaps its label's
(intersection over union 0.4, each box for one face); the turned label is the bounding box of the ellipse in it.

recall  of the labelled faces, at the usual confidence
lost    faces that the search for upright heads has found and --rotations any has not
wrong   boxes where no label is, a photo
time    processor time beside the other search's on the same pictures, in turns; decoding is left out, and included
roll    of single faces: the difference from the same face's roll at 0° and the known turn, by the pose and by the five points

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside the
checkout.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile

import environment
from environment import ROOT
from faces import box_of, detect, overlap

PINS = ["opencv-python-headless==5.0.0.93", "numpy"]
SAME_FACE = 0.4
CLOSE = 5  # degrees of roll
MODES = ("upright", "any")


class Turn:
    """A turn of a photo clockwise about its middle."""

    def __init__(self, width, height, degrees):
        self.cosine, self.sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        # Rounded first, since a sine of 180° is not quite 0.
        self.size = [math.ceil(round(abs(a * self.cosine) + abs(b * self.sine), 6)) for a, b in ((width, height), (height, width))]
        self.old = width / 2, height / 2

    def point(self, x, y):
        x, y = x - self.old[0], y - self.old[1]
        return self.size[0] / 2 + self.cosine * x - self.sine * y, self.size[1] / 2 + self.sine * x + self.cosine * y

    def box(self, face):
        x, y = self.point(face["x"] + face["w"] / 2, face["y"] + face["h"] / 2)
        width = math.hypot(self.cosine * face["w"], self.sine * face["h"])
        height = math.hypot(self.sine * face["w"], self.cosine * face["h"])
        return x - width / 2, y - height / 2, x + width / 2, y + height / 2

    def picture(self, photo):
        import cv2
        import numpy
        # Places of pixels are those of their middles.
        corner = self.point(0.5, 0.5)
        matrix = numpy.array([[self.cosine, -self.sine, corner[0] - 0.5], [self.sine, self.cosine, corner[1] - 0.5]])
        return cv2.warpAffine(photo, matrix, self.size, flags=cv2.INTER_CUBIC)


def pairs(boxes, labels):
    """{label: box} by their indices, the best overlaps first."""
    overlaps = sorted(((overlap(box, label), i, j) for i, box in enumerate(boxes) for j, label in enumerate(labels)), reverse=True)
    matched = {}
    for share, i, j in overlaps:
        if share >= SAME_FACE and i not in matched.values() and j not in matched:
            matched[j] = i
    return matched


def milliseconds(engine, paths, arguments):
    """(without decoding, with) of all pictures."""
    command = [engine, "bench", "--json", "--model", ROOT / "Models/yunet", "--no-points", "--frames", "0", "--warm-up", "1",
               "--rounds", "3", "--processor-time", *arguments, *paths]
    images = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["images"]
    whole = sum(image["searched"]["whole"]["p50"] for image in images)
    return (whole - sum(image["searched"]["decode"]["p50"] for image in images)) / 1e6, whole / 1e6


def turned(photos, degrees, folder):
    """{path: (labels that count, other labels)} of the turned photos."""
    import cv2
    pictures = {}
    for path, faces in photos.items():
        photo = cv2.imread(path)
        turn = Turn(photo.shape[1], photo.shape[0], degrees)
        copy = str(pathlib.Path(folder, pathlib.Path(path).stem + ".jpg"))
        cv2.imwrite(copy, turn.picture(photo), [cv2.IMWRITE_JPEG_QUALITY, 95])
        pictures[copy] = [[turn.box(face) for face in faces if face["counts"] == counts] for counts in (True, False)]
    return pictures


def score(pictures, found):
    """Recall's numbers by mode, faces lost, and wrong boxes by mode."""
    right, wrong, lost = dict.fromkeys(MODES, 0), dict.fromkeys(MODES, 0), 0
    for path, (labels, others) in pictures.items():
        boxes = {mode: [box_of(face) for face in found[mode][path]] for mode in MODES}
        for mode in MODES:
            matched = pairs(boxes[mode], labels)
            right[mode] += len(matched)
            rest = [box for i, box in enumerate(boxes[mode]) if i not in matched.values()]
            wrong[mode] += sum(all(overlap(box, other) < 0.2 for other in (*others, *labels)) for box in rest)
        lost += len(boxes["upright"]) - len(pairs(boxes["any"], boxes["upright"]))
    return right, wrong, lost


def compare(name, photos, options):
    labelled = sum(face["counts"] for faces in photos.values() for face in faces)
    print(f"{name}: {len(photos)} photos, {labelled} faces\n{'':>6}  recall upright    any   lost   wrong upright    any   "
          "time (with decoding)", flush=True)
    recalls = []
    for degrees in range(0, 360, options.step):
        with tempfile.TemporaryDirectory() as folder:
            pictures = turned(photos, degrees, folder)
            flags = {mode: ["--accuracy", options.accuracy, "--rotations", mode] for mode in MODES}
            found = {mode: detect(options.engine, list(pictures), "--jobs", "1", *flags[mode]) for mode in MODES}
            right, wrong, lost = score(pictures, found)
            recalls.append(right["any"] / labelled)
            line = f"{degrees:>5}°  {right['upright'] / labelled:14.3f} {recalls[-1]:6.3f} {lost:6}"
            line += f"  {wrong['upright'] / len(photos):14.2f} {wrong['any'] / len(photos):6.2f}"
            if options.times:
                times = [milliseconds(options.engine, pictures, flags[mode]) for mode in MODES]
                line += "   {:4.2f} ({:4.2f})".format(*(turned / upright for upright, turned in zip(*times)))
            print(line, flush=True)
    print(f"recall of any: {min(recalls):.3f} to {max(recalls):.3f}\n")


def rolls(photos, options):
    """How far the told roll is from the known one."""
    def seen(degrees):
        with tempfile.TemporaryDirectory() as folder:
            pictures = turned(photos, degrees, folder)
            found = detect(options.engine, list(pictures), "--jobs", "1", "--rotations", "any", "--pose", "--landmarks")
            for path, (labels, _) in pictures.items():
                best = pairs([box_of(face) for face in found[path]], labels).get(0)
                face = found[path][best] if best is not None else {}
                if "pose" in face:
                    left, right = face["points"]["leftEye"], face["points"]["rightEye"]
                    line = math.degrees(math.atan2(left[1] - right[1], left[0] - right[0]))
                    yield pathlib.Path(path).name, {"pose": face["pose"]["roll"], "five points": line}

    upright = dict(seen(0))
    errors = {"pose": [], "five points": []}
    for degrees in range(options.step, 360, options.step):
        for photo, told in seen(degrees):
            for kind in errors if photo in upright else ():
                errors[kind].append(abs(math.remainder(told[kind] - upright[photo][kind] - degrees, 360)))
    for kind, values in errors.items():
        values.sort()
        print(f"roll by {kind}: {len(values)} faces, within {CLOSE}° {sum(v <= CLOSE for v in values) / len(values):.3f}, median "
              f"{values[len(values) // 2]:.2f}°, nineteen in twenty {values[len(values) * 19 // 20]:.2f}°")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    parser.add_argument("--accuracy", choices=["low", "balanced", "high"], default="balanced")
    parser.add_argument("--photos", type=int, default=30, help="of each kind; the first ones of the file")
    parser.add_argument("--min-side", type=int, default=24)
    parser.add_argument("--step", type=int, default=15, help="degrees")
    parser.add_argument("--no-times", dest="times", action="store_false")
    options = parser.parse_args()
    environment.enter("rotations", PINS)

    crowds, single = {}, {}
    for item in json.loads(options.labels.read_text()):
        faces = [{**face, "counts": not face["ignore"] and min(face["w"], face["h"]) >= options.min_side}
                 for face in item["faces"]]
        count = sum(face["counts"] for face in faces)
        kind = crowds if count >= 3 else single if count == len(faces) == 1 else {}
        kind[str(options.labels.parent / item["image"])] = faces
    crowds, single = (dict(list(kind.items())[:options.photos]) for kind in (crowds, single))
    compare("crowds", crowds, options)
    compare("single faces", single, options)
    rolls(single, options)


if __name__ == "__main__":
    main()
