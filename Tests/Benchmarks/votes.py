#!/usr/bin/env python3
"""Average precision of votes of several searches, to choose the passes of `balanced` and `high` and the size prior.

    Tests/Benchmarks/votes.py --labels crowds/labels.json

Each photo is searched as it is, mirrored, and at half its size both ways, by YuNet and CenterFace alone at the sizes of
the passes; then the votes are counted as `WeightedBoxesFusion` and `DetectionEnsemble` do, without means of neighbouring
boxes and without the second look of `balanced`. CenterFace has learned many public photos by heart, less so mirrored: a
gain counts that is there in both. Photos at half their size stand for the small faces of crowds, their small passes for
parts of a larger photo.

Subsets are by the height of a face, as WIDER FACE's nearly are: near from 50 pixels, middle from 30, all from 10. What
matches a face outside the subset is ignored. The spread is that of the difference to the first rule, over photos drawn
again with replacement.

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside the
checkout. Takes ten minutes.
"""

import argparse
import json
import pathlib
import tempfile

import environment

PINS = ["opencv-python-headless==5.0.0.93", "numpy"]
OWN = "8192"
SUBSETS = {"near": 50, "middle": 30, "all": 10}
DRAWS = 200
GOOD = (20, 213)  # DetectionEnsemble.goodSizes
MARGIN = 1.5  # FaceSizes.margin
CALIBRATION = (1.2, 0.7)  # HighAccuracy.helperCalibration
# Network and scale of each pass.
PASSES = {"yunet": ("yunet", 1), "centerface": ("centerface", 1), "centerface 0.625": ("centerface", 0.625),
          "yunet 0.625": ("yunet", 0.625), "yunet 0.625 large": ("yunet", 0.625), "yunet 1.5": ("yunet", 1.5), "centerface 1.5": ("centerface", 1.5),
          "yunet 2": ("yunet", 2)}
BALANCED = {"yunet": 1, "yunet 1.5": 1}
LARGE = "yunet 0.625 large"
HIGH = {"yunet": 1, "centerface": 1, "centerface 0.625": 1, LARGE: 1, "centerface 1.5": 1, "yunet 2": 0.5}
# HighAccuracy.sizePrior and lightSizePrior: side, logit and doubt per halving.
PRIOR = (40, 0.42, 0)
LIGHT_PRIOR = (40, 0.1, 0.6)
THRESHOLD = 0.6  # DetectionOptions.minConfidence
RULES = {
    "balanced, one search": ({"yunet": 1}, None), "balanced, no prior": (BALANCED, None), "balanced": (BALANCED, LIGHT_PRIOR),
    "balanced, YuNet at 2": ({"yunet": 1, "yunet 2": 1}, LIGHT_PRIOR),
    "high, YuNet at 0.625 for all": ({**{k: v for k, v in HIGH.items() if k != LARGE}, "yunet 0.625": 0.5}, None),
    "high, no YuNet at 0.625": ({k: v for k, v in HIGH.items() if k != LARGE}, PRIOR), "high, no prior": (HIGH, None), "high": (HIGH, PRIOR),
    **{f"high, prior {side} {slope}": (HIGH, (side, slope, 0)) for side in (24, 32, 40, 48) for slope in (0.25, 0.5, 1)},
    "high, YuNet at 1.5": ({**{k: v for k, v in HIGH.items() if k != "yunet 2"}, "yunet 1.5": 0.5}, PRIOR),
    "high, YuNet counts half": ({**HIGH, "yunet": 0.5}, PRIOR),
}


def logit(score):
    import numpy
    score = numpy.clip(score, 1e-6, 1 - 1e-6)
    return numpy.log(score / (1 - score))


def sigmoid(value):
    import numpy
    return 1 / (1 + numpy.exp(-value))


def overlaps(one, other):
    import numpy
    low = numpy.maximum(one[:, None, :2], other[None, :, :2])
    high = numpy.minimum((one[:, :2] + one[:, 2:4])[:, None], (other[:, :2] + other[:, 2:4])[None])
    both = numpy.clip(high - low, 0, None).prod(axis=2)
    return both / (one[:, 2:4].prod(axis=1)[:, None] + other[:, 2:4].prod(axis=1)[None] - both + 1e-9)


def suppressed(boxes, threshold):
    import numpy
    boxes = boxes[numpy.argsort(-boxes[:, 4], kind="stable")]
    both, kept = overlaps(boxes, boxes), numpy.ones(len(boxes), bool)
    for index in range(len(boxes)):
        if kept[index]:
            kept[index + 1:] &= both[index, index + 1:] <= threshold
    return boxes[kept]


def searched(engine, photos, folder):
    """{pass: [N, 5] for each of `photos`, (path, image)}, in pixels of the photo"""
    import accuracy
    import cv2
    import numpy
    found = {}
    for name, (network, scale) in PASSES.items():
        if name == LARGE:
            found[name] = found["yunet 0.625"]
            continue
        paths, scales = [], []
        for index, image in enumerate(photos):
            size = max(1, int(image.shape[1] * scale)), max(1, int(image.shape[0] * scale))
            kind = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
            paths.append(str(folder / f"{index}.png"))
            cv2.imwrite(paths[-1], cv2.resize(image, size, interpolation=kind) if scale != 1 else image)
            scales.append(numpy.array([image.shape[1] / size[0], image.shape[0] / size[1]]))
        boxes = accuracy.ours(engine, paths, ["--max-side", OWN], environment.ROOT / "Models" / network)
        found[name] = []
        for path, factor in zip(paths, scales):
            faces = numpy.array(boxes[path], float).reshape(-1, 5)
            faces[:, :4] *= numpy.tile(factor, 2)
            if network == "centerface":
                faces[:, 4] = sigmoid(CALIBRATION[0] * logit(faces[:, 4]) + CALIBRATION[1])
            found[name].append(faces[faces[:, 4] >= 0.05])
    return found


def share(side, low, high):
    import numpy
    beyond = numpy.maximum(low / numpy.maximum(side, 1e-9), side / high)
    return numpy.clip(1 - numpy.log(numpy.maximum(beyond, 1)) / numpy.log(MARGIN), 0, 1)


def doubted(score, halvings, slope, doubt):
    """SizePrior.applied"""
    evidence = logit(score) - logit(THRESHOLD)
    factor = 1 + doubt * halvings
    return sigmoid(logit(THRESHOLD) + (evidence / factor if evidence > 0 else evidence * factor) - slope * halvings)


def voted(found, weights, prior):
    """Faces of one photo. found -- {pass: [N, 5]}; weights -- of the passes that vote."""
    import numpy
    seen = found["yunet"]
    is_small = ((numpy.sqrt(seen[:, 2] * seen[:, 3]) < 32) & (seen[:, 4] >= 0.3)).any()
    names = [name for name in weights if PASSES[name][1] <= 1 or is_small]
    scales = [PASSES[name][1] for name in names]
    low = numpy.array([0.0 if scale == max(scales) or scale > 1 else GOOD[0] / scale for scale in scales])
    low[[name == LARGE for name in names]] = GOOD[1]
    high = numpy.array([numpy.inf if scale == min(scales) else GOOD[1] / scale for scale in scales])
    weight = numpy.array([weights[name] for name in names], float)
    boxes = numpy.concatenate([found[name] for name in names])
    origin = numpy.concatenate([numpy.full(len(found[name]), index) for index, name in enumerate(names)])
    rank = boxes[:, 4] * share(numpy.sqrt(boxes[:, 2] * boxes[:, 3]), low[origin], high[origin])
    order = numpy.argsort(-rank, kind="stable")
    boxes, origin, rank = boxes[order], origin[order], rank[order]
    same, is_used, faces = overlaps(boxes, boxes) >= 0.5, numpy.zeros(len(boxes), bool), []
    for first in range(len(boxes)):
        if is_used[first] or rank[first] <= 0:
            continue
        group = numpy.flatnonzero(same[first] & ~is_used)
        is_used[group] = True
        group = group[numpy.sort(numpy.unique(origin[group], return_index=True)[1])]
        parts = rank[group] * weight[origin[group]]
        box = (boxes[group, :4] * parts[:, None]).sum(axis=0) / parts.sum()
        side = numpy.sqrt(box[2] * box[3])
        votes = weight * share(side, low, high)
        score = (boxes[group, 4] * votes[origin[group]]).sum() / votes.sum() if votes.sum() > 0 else 0
        if prior and side < prior[0]:
            score = doubted(score, numpy.log2(prior[0] / side), *prior[1:])
        faces.append([*box, score])
    return suppressed(numpy.array(faces, float).reshape(-1, 5), 0.45)


class Curve:
    """Which detections of a set of photos count, and which are right."""

    def __init__(self, found, labels, least):
        import numpy
        rows, self.faces = [], numpy.array([(faces[:, 3] >= least).sum() for faces in labels])
        for photo, (boxes, faces) in enumerate(zip(found, labels)):
            taken = set()
            both = overlaps(boxes, faces) if len(faces) else numpy.zeros((len(boxes), 1))
            for box, row in zip(boxes, both):
                face = row.argmax()
                if row[face] < 0.5:
                    rows.append((box[4], 0, photo))
                elif faces[face, 3] >= least:
                    rows.append((box[4], face not in taken, photo))
                    taken.add(face)
        rows = numpy.array(sorted(rows, key=lambda row: -row[0]))
        self.is_right, self.photo = rows[:, 1], rows[:, 2].astype(int)

    def precision(self, times):
        """Average precision with each photo so many times."""
        import numpy
        counted = times[self.photo]
        right = (self.is_right * counted).cumsum()
        precision = right / numpy.maximum(counted.cumsum(), 1e-9)
        precision = numpy.maximum.accumulate(precision[::-1])[::-1]
        return float((numpy.diff(right, prepend=0) * precision).sum() / (self.faces * times).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--engine", default=environment.ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    environment.enter("accuracy", PINS)
    import cv2
    import numpy

    items = json.loads(options.labels.read_text())
    photos = [cv2.imread(str(options.labels.parent / item["image"])) for item in items]
    faces = [numpy.array([[face[key] for key in "xywh"] for face in item["faces"]], float).reshape(-1, 4) for item in items]
    halves = [cv2.resize(photo, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA) for photo in photos]
    generator = numpy.random.default_rng(5)
    draws = [numpy.bincount(generator.integers(0, len(items), len(items)), minlength=len(items)) for _ in range(DRAWS)]
    labels = faces + [boxes / 2 for boxes in faces]
    for title, step in (("as they are", 1), ("mirrored", -1)):
        print(f"photos {title}:", flush=True)
        mirrored = [photo[:, ::step].copy() for photo in photos + halves]
        of_labels = [boxes.copy() for boxes in labels]
        for boxes, photo in zip(of_labels, mirrored):
            if step < 0:
                boxes[:, 0] = photo.shape[1] - boxes[:, 0] - boxes[:, 2]
        with tempfile.TemporaryDirectory() as folder:
            found = searched(options.engine, mirrored, pathlib.Path(folder))
        first = {}
        for name, (weights, prior) in RULES.items():
            result = [voted({key: boxes[index] for key, boxes in found.items()}, weights, prior)
                      for index in range(len(mirrored))]
            line = f"  {name:28}"
            for subset, least in SUBSETS.items():
                curve = Curve(result, of_labels, least)
                base = first.setdefault((name.split(",")[0], subset), curve)
                gains = [curve.precision(twice) - base.precision(twice) for twice in (numpy.tile(draw, 2) for draw in draws)]
                everyone = numpy.ones(len(mirrored))
                gain = curve.precision(everyone) - base.precision(everyone)
                line += f"  {subset} {curve.precision(everyone):.4f} ({gain:+.4f} ± {numpy.std(gains):.4f})"
            print(line, flush=True)


if __name__ == "__main__":
    main()
