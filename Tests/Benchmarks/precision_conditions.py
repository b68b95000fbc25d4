"""landmarks.py --conditions: the expected beside the real errors on photos that are made worse, and the fit of the constants.

The labelled faces keep their labels. A face of --unlabelled is labelled by the mesh on the untouched photo, moved by what
such points were off on an untouched labelled face drawn at random: without that a clear photo would have no error.
"left out" is as in landmarks.py; the fit leaves out the photo of the labels or of the drawn face, too.
"""

import json
import os
import re
import sys

import numpy as np

import degraded
from faces import ROOT, overlap
from landmarks import ALL_68, PARTS, SAME_FACE, ranks, usual_errors

SOURCE = ROOT / "Sources/Vision/Analysis/ExpectedPointError.swift"
VARIANTS = 4  # of each labelled face and condition
RESAMPLED = 200
LEAST_YAW = 20  # degrees, of faces that count as turned


def constants():
    """The formula's numbers by their names in the source."""
    return {name: float(value) for name, value in re.findall(r"static let (\w+): Float = ([\d.]+)", SOURCE.read_text())}


class Sample:
    """A face that was found: its real and expected errors at the 68 points, by the distance of the mesh's outer eye corners."""

    def __init__(self, face, five, labels, kind, condition, owner, fold):
        points, told = np.array(face.landmarks, float), np.array(face.other["precision"], float)[ALL_68]
        self.kind, self.condition, self.owner, self.fold = kind, condition, owner, fold
        self.points, self.labels = points[ALL_68, :2], labels
        self.yaw = face.pose.yaw if face.pose else 0
        self.unit = np.linalg.norm(points[33] - points[263])  # in three dimensions, as in the engine
        found = np.array([(points[263] + points[362]) / 2, (points[33] + points[133]) / 2, points[4], points[291], points[61]])
        self.contradiction = np.sqrt((np.linalg.norm(found[:, :2] - five, axis=1) ** 2).mean()) / self.unit
        self.told = told / self.unit
        self.scale = self.unit / np.linalg.norm(labels[45] - labels[36])

    def real(self):
        return np.linalg.norm(self.points - self.labels, axis=1) / self.unit


def best(faces, labels):
    around = (*labels.min(0), *labels.max(0))
    corners = lambda face: (face.box.x, face.box.y, face.box.x + face.box.width, face.box.y + face.box.height)
    found = max(faces, key=lambda face: overlap(corners(face), around), default=None)
    return found if found is not None and overlap(corners(found), around) >= SAME_FACE else None


def search(engine, image, labels, *about):
    """A Sample; None where the engine does not find the face. The detector's own points need a search without landmarks."""
    size = {"format": "bgr", "max_side": 8192}
    face = best(engine.detect(image, landmarks=True, pose=True, precision=True, **size), labels)
    plain = best(engine.detect(image, **size), labels)
    if face is None or plain is None or face.landmarks is None or "precision" not in face.other:
        return None
    return Sample(face, np.array(plain.points), labels, *about)


def photos(path):
    import cv2
    for item in json.loads(path.read_text()):
        yield item, cv2.imread(str(path.parent / item["image"]))


def labelled(engine, path):
    """Samples, and how many were tried of each condition."""
    samples, tried, number = [], dict.fromkeys(degraded.CONDITIONS, 0), 0
    for item, image in photos(path):
        for face in item["faces"]:
            labels = np.array(face["landmarks"], float) + 0.5  # the middles of pixels
            for index, condition in enumerate(degraded.CONDITIONS):
                for variant in range(1 if condition == "clean" else VARIANTS):
                    random = np.random.default_rng([number, index, variant])
                    picture, points = degraded.degraded(image, labels, condition, random)
                    tried[condition] += 1
                    samples.append(search(engine, picture, points, "labelled", condition, number, item["image"]))
            number += 1
    return [sample for sample in samples if sample], tried


def in_face(labels):
    """Rows of unit vectors along the eyes and across, and the eyes' distance."""
    along = labels[45] - labels[36]
    eyes = np.linalg.norm(along)
    cosine, sine = along / eyes
    return np.array([[cosine, sine], [-sine, cosine]]), eyes


def unlabelled(engine, path, known):
    import cv2
    clean = [sample for sample in known if sample.condition == "clean"]
    samples, tried, random = [], dict.fromkeys(degraded.CONDITIONS, 0), np.random.default_rng(0)
    for number, (item, image) in enumerate(photos(path)):
        image = cv2.copyMakeBorder(image, *[max(image.shape[:2]) // 3] * 4, cv2.BORDER_REPLICATE)  # crops are tight
        faces = engine.detect(image, format="bgr", max_side=8192, landmarks=True)
        donor = clean[random.integers(len(clean))]
        if not faces or faces[0].landmarks is None:
            continue
        points = np.array(faces[0].landmarks, float)[ALL_68, :2]
        turn, eyes = in_face(donor.labels)
        off = (donor.labels - donor.points) @ turn.T / eyes
        for index, condition in enumerate(degraded.CONDITIONS):
            picture, placed = degraded.degraded(image, points, condition, np.random.default_rng([1000 + number, index]))
            tried[condition] += 1
            turn, eyes = in_face(placed)
            placed = placed + off @ turn * eyes
            samples.append(search(engine, picture, placed, "by the mesh", condition, 1000 + number, donor.fold))
    return [sample for sample in samples if sample], tried


class Table:
    """What the samples have, as arrays of a row for each."""

    def __init__(self, samples):
        of = lambda name: np.array([getattr(sample, name) for sample in samples])
        self.kind, self.condition, self.owner, self.fold = of("kind"), of("condition"), of("owner"), of("fold")
        self.real, self.told = np.array([sample.real() for sample in samples]), of("told")
        self.scale = of("scale")[:, None]  # what is reported is by the distance of the labelled corners
        self.contradiction, self.turned = of("contradiction"), np.abs(of("yaw")) >= LEAST_YAW
        usual, self.mirror = usual_errors()
        self.usual = np.array([usual[index] for index in ALL_68])
        self.spread = self.spreads(constants())

    def spreads(self, known):
        """How far the points moved between crops: what was told, less the rest, by the inverse of the formula."""
        steps = np.linspace(0, known["maxUsualSpread"], 4000)  # beyond, own spreads add nothing
        shared = known["contradictionWeight"] * np.maximum(0, self.contradiction - known["usualContradiction"])
        spread = np.empty_like(self.told)
        for name, part in PARTS.items():
            # The larger the mean, the less is left for the points' own: it is the mean of what is left.
            least, most = np.zeros(len(self.told)), np.full(len(self.told), steps[-1])
            for _ in range(40):
                mean = (least + most) / 2
                rest = self.told[:, part] - (shared + hidden(mean, name, known))[:, None]
                spread[:, part] = np.stack([np.interp(rest[:, place], usual_part(usual, steps, known), steps)
                                            for place, usual in enumerate(self.usual[part])], 1)
                larger = spread[:, part].mean(1) > mean
                least, most = np.where(larger, mean, least), np.where(larger, most, mean)
        return spread

    def left_out(self, photo):
        """The usual errors by the labels of the other photos."""
        rows = (self.kind == "labelled") & np.isin(self.condition, ("clean", "small")) & (self.fold != photo)
        others = np.log(self.real[rows] + 0.01).mean(0)
        twin = [ALL_68.index(self.mirror[index]) for index in ALL_68]
        return np.exp((others + others[twin]) / 2)


def usual_part(usual, spread, known):
    return usual * known["scale"] * (np.minimum(spread, known["maxUsualSpread"]) + 0.001) ** known["exponent"]


def hidden(mean, part, known):
    """What the mean spread of a part of the face adds to each of its points."""
    weight = known["spreadWeight"] * (known["lipsWeight"] if part == "lips" else 1)
    return weight * np.maximum(0, mean - known["usualSpread"])


def predicted(table, rows, usual, known):
    told = usual_part(usual, table.spread[rows], known)
    for name, part in PARTS.items():
        told[:, part] += hidden(table.spread[rows][:, part].mean(1), name, known)[:, None]
    return told + known["contradictionWeight"] * np.maximum(0, table.contradiction[rows] - known["usualContradiction"])[:, None]


def correlation(one, other):
    return np.corrcoef(ranks(one), ranks(other))[0, 1]


def rows_of(table, condition, kind):
    if condition == "turned":
        return np.flatnonzero(table.turned & np.isin(table.condition, ("clean", "small")) & (table.kind == kind))
    return np.flatnonzero((table.condition == condition) & (table.kind == kind))


def report(name, table, told, tried):
    print(f"{name}: faces found of those drawn, real error, rank correlation, expected / real; ± is the spread over faces drawn anew")
    random, real, told = np.random.default_rng(0), table.real * table.scale, told * table.scale
    for kind in dict.fromkeys(table.kind):
        for condition in (*degraded.CONDITIONS, "turned"):
            rows = rows_of(table, condition, kind)
            if len(rows) < 5:
                continue
            by_owner = [rows[table.owner[rows] == owner] for owner in np.unique(table.owner[rows])]
            drawn = [np.concatenate([by_owner[index] for index in random.integers(len(by_owner), size=len(by_owner))])
                     for _ in range(RESAMPLED)]
            ranked = lambda rows: correlation(told[rows], real[rows])
            ratio = lambda rows: told[rows].mean() / real[rows].mean()
            print(f"  {kind:11} {condition:18} {len(rows):4} of {tried[kind].get(condition, len(rows)):4}  {real[rows].mean():.3f}  "
                  f"{ranked(rows):.3f} ± {np.std([ranked(some) for some in drawn]):.3f}  "
                  f"{ratio(rows):.2f} ± {np.std([ratio(some) for some in drawn]):.2f}", flush=True)


def deviance(table, rows, usual, weights, known):
    """Of the gamma distribution: least where the mean of the expected errors is the mean of the real ones."""
    guess = predicted(table, rows, usual, known)
    return ((np.log(guess) + np.maximum(table.real[rows], 0.003) / guess).mean(1) * weights[rows]).sum()


def fit(table, rows, usual, known):
    """The two weights; every condition counts the same."""
    weights = np.zeros(len(table.kind))
    for kind in set(table.kind):
        for condition in degraded.CONDITIONS:
            some = rows_of(table, condition, kind)
            weights[some] = 1 / max(1, len(some))
    known, step = dict(known), 1.5
    least = deviance(table, rows, usual, weights, known)
    while step > 1.01:
        better = False
        for name in ("spreadWeight", "contradictionWeight"):
            for factor in (step, 1 / step):
                other = known | {name: known[name] * factor}
                value = deviance(table, rows, usual, weights, other)
                if value < least:
                    known, least, better = other, value, True
        if not better:
            step = step ** 0.5
    return known, least


def measure(labels, more, libraries, fitting):
    os.environ["FACE_ENGINE_LIBRARIES"] = str(libraries.resolve())
    sys.path.insert(0, str(ROOT / "Python"))
    import faceengine
    engine = faceengine.load(str(ROOT / "Models/yunet"))
    samples, tried = labelled(engine, labels)
    tried = {"labelled": tried}
    if more:
        added, tried["by the mesh"] = unlabelled(engine, more, samples)
        samples += added
    table, known = Table(samples), constants()
    report("as it is", table, table.told, tried)
    told, refitted = np.empty_like(table.told), np.empty_like(table.told)
    for photo in dict.fromkeys(table.fold):
        rows, others, usual = np.flatnonzero(table.fold == photo), np.flatnonzero(table.fold != photo), table.left_out(photo)
        told[rows] = predicted(table, rows, usual, known)
        if fitting:
            refitted[rows] = predicted(table, rows, usual, fit(table, others, usual, known)[0])
    report("left out", table, told, tried)
    if fitting:
        report("left out, weights too", table, refitted, tried)
        for spread in (0.008, 0.012, 0.02):
            for contradiction in (0.2, 0.3, 0.4):
                start = known | {"usualSpread": spread, "usualContradiction": contradiction}
                found, least = fit(table, np.arange(len(table.kind)), table.usual, start)
                print(f"usualSpread {spread}, usualContradiction {contradiction}: spreadWeight {found['spreadWeight']:.2f}, "
                      f"contradictionWeight {found['contradictionWeight']:.2f}, deviance {least:.4f}")
