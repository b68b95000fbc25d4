#!/usr/bin/env python3
"""Average precision on WIDER FACE by its official protocol, of face-engine beside OpenCV's FaceDetectorYN.

    Tests/Benchmarks/wider_face.py --images WIDER_val/images --ground-truth eval_tools/ground_truth
    Tests/Benchmarks/wider_face.py ... --accuracy low balanced high --events 0 1 2

WIDER FACE is for research and is not distributed with this project: bring your own copy of the validation photos and of
the evaluation tools, whose `ground_truth` folder has wider_face_val.mat and wider_{easy,medium,hard}_val.mat.

The protocol (S. Yang et al., "WIDER FACE: A Face Detection Benchmark", CVPR 2016, and its evaluation tools): a detection
matches the labelled face that it overlaps most, from 0.5 on; faces outside a subset are ignored, and so is what matches
them; confidences are stretched over the whole set to 0…1; precision and recall are taken at 1000 thresholds, and the area is
under the curve of the greatest precision from each recall on. Detections go down to a confidence of 0.02, as is usual.

Photos are searched once at their own size, as the engine's users would: tables of other projects often come from many sizes
and mirrored copies.

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside the
checkout.
"""

import argparse
import pathlib
import sys
import tempfile

import environment

PINS = ["opencv-python-headless==5.0.0.93", "numpy", "scipy==1.17.1"]
SUBSETS = ("easy", "medium", "hard")
THRESHOLDS = 1000
MIN_OVERLAP = 0.5
BATCH = 200  # photos a run of the command


def overlaps(boxes, faces):
    """Intersection over union of each of `boxes` [N, 4] with each of `faces` [M, 4]; sides count both end pixels."""
    import numpy
    low = numpy.maximum(boxes[:, None, :2], faces[None, :, :2])
    high = numpy.minimum((boxes[:, :2] + boxes[:, 2:])[:, None], (faces[:, :2] + faces[:, 2:])[None])
    both = numpy.clip(high - low + 1, 0, None).prod(axis=2)
    area = [(all[:, 2] + 1) * (all[:, 3] + 1) for all in (boxes, faces)]
    return both / (area[0][:, None] + area[1][None] - both)


def counts(found, faces, counted, scale):
    """Of one photo, at each threshold: detections that count, and labelled faces that are found. [THRESHOLDS, 2]

    found -- [N, 5], most confident first; counted -- which of `faces` the subset has; scale -- a confidence to 0…1.
    """
    import numpy
    result = numpy.zeros((THRESHOLDS, 2))
    nearest = overlaps(found[:, :4], faces)
    is_found = numpy.zeros(len(faces), bool)
    is_proposal = numpy.ones(len(found), bool)
    recalled = numpy.zeros(len(found))
    for index, row in enumerate(nearest):
        face = row.argmax()
        if row[face] >= MIN_OVERLAP:
            if counted[face]:
                is_found[face] = True
            else:
                is_proposal[index] = False
        recalled[index] = is_found.sum()
    proposals = is_proposal.cumsum()
    thresholds = 1 - (numpy.arange(THRESHOLDS) + 1) / THRESHOLDS
    # The last detection at or above each threshold.
    last = numpy.searchsorted(-scale(found[:, 4]), -thresholds, side="right") - 1
    some = last >= 0
    result[some, 0] = proposals[last[some]]
    result[some, 1] = recalled[last[some]]
    return result


def average_precision(curve, face_count):
    """Area under the precision over recall, where precision is the greatest from each recall on."""
    import numpy
    recall = curve[:, 1] / max(face_count, 1)
    precision = curve[:, 1] / numpy.maximum(curve[:, 0], 1)
    recall = numpy.concatenate(([0], recall, [1]))
    precision = numpy.maximum.accumulate(numpy.concatenate(([0], precision, [0]))[::-1])[::-1]
    return float((numpy.diff(recall) * precision[1:]).sum())


def evaluate(photos, found):
    """{subset: (average precision, faces)}; `photos` as of `read_labels`, `found` {path: [N, 5]}."""
    import numpy
    confidences = numpy.concatenate([boxes[:, 4] for boxes in found.values()])
    low, span = confidences.min(), numpy.ptp(confidences) or 1
    result = {}
    for subset in SUBSETS:
        curve, total = numpy.zeros((THRESHOLDS, 2)), 0
        for photo in photos:
            total += photo[subset].sum()
            boxes = found[photo["path"]]
            if len(boxes) and len(photo["faces"]):
                ordered = boxes[numpy.argsort(-boxes[:, 4], kind="stable")]
                curve += counts(ordered, photo["faces"], photo[subset], lambda all: (all - low) / span)
        result[subset] = average_precision(curve, total), int(total)
    return result


def read_labels(folder, images, events):
    """[{"path", "faces": [M, 4] (x, y, width, height), subset: [M] whether the face is in it}]"""
    import numpy
    from scipy.io import loadmat

    def cells(name, key):
        path = folder / name
        if not path.is_file():
            sys.exit(f"there is no {path}; give the ground_truth folder of WIDER FACE's evaluation tools")
        return loadmat(path)[key].ravel()

    whole = "wider_face_val.mat"
    names = [str(cell.ravel()[0]) for cell in cells(whole, "event_list")]
    files, boxes = cells(whole, "file_list"), cells(whole, "face_bbx_list")
    subsets = {subset: cells(f"wider_{subset}_val.mat", "gt_list") for subset in SUBSETS}
    photos = []
    for event in events or range(len(names)):
        if not 0 <= event < len(names):
            sys.exit(f"there is no event {event}; give 0 to {len(names) - 1}")
        for index, file in enumerate(files[event].ravel()):
            path = images / names[event] / f"{file.ravel()[0]}.jpg"
            if not path.is_file():
                sys.exit(f"there is no {path}; give the folder that has one folder for each event")
            faces = boxes[event].ravel()[index].astype(float).reshape(-1, 4)
            photo = {"path": str(path), "faces": faces}
            for subset, lists in subsets.items():
                photo[subset] = numpy.zeros(len(faces), bool)
                photo[subset][lists[event].ravel()[index].astype(int).ravel() - 1] = True
            photos.append(photo)
    return photos


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--ground-truth", type=pathlib.Path, required=True)
    parser.add_argument("--accuracy", nargs="+", choices=["low", "balanced", "high"], default=["balanced"])
    parser.add_argument("--events", nargs="+", type=int, help="numbers of the events to take, from 0; else all")
    parser.add_argument("--engine", default=environment.ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    environment.enter("wider-face", PINS)
    import accuracy
    import numpy

    photos = read_labels(options.ground_truth, options.images, options.events)
    paths = [photo["path"] for photo in photos]
    print(f"{len(photos)} photos, {sum(len(photo['faces']) for photo in photos)} faces", flush=True)

    def show(name, find):
        found = {}
        for start in range(0, len(paths), BATCH):
            found |= find(paths[start:start + BATCH])
            print(f"\r{name}: {len(found)} of {len(paths)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        result = evaluate(photos, {path: numpy.array(boxes, float).reshape(-1, 5) for path, boxes in found.items()})
        print(f"{name:24}", "  ".join(f"{subset} {ap:.4f} ({faces} faces)" for subset, (ap, faces) in result.items()),
              flush=True)

    with tempfile.TemporaryDirectory() as folder:
        weights = accuracy.published_weights(pathlib.Path(folder))
        show("FaceDetectorYN", lambda some: accuracy.peers(weights, some, None))
    engine = options.engine
    for mode in options.accuracy:
        show(f"face-engine, {mode}", lambda some: accuracy.ours(engine, some, ["--accuracy", mode]))


if __name__ == "__main__":
    main()
