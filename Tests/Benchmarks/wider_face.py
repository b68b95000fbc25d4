#!/usr/bin/env python3
"""Average precision on WIDER FACE by its official protocol, and milliseconds a photo, of face-engine beside OpenCV's
FaceDetectorYN.

    Tests/Benchmarks/wider_face.py FOLDER
    Tests/Benchmarks/wider_face.py FOLDER --accuracy balanced --events 0 1 2

WIDER FACE is for research and is not distributed with this project: bring your own copy. FOLDER has, unpacked and in any
folders, what the set's own page offers:

    WIDER_val.zip           the validation photos: WIDER_val/images/0--Parade/…
    eval_tools.zip          the evaluation tools: ground_truth/wider_face_val.mat and wider_{easy,medium,hard}_val.mat
    wider_face_split.zip    the labels: wider_face_split/wider_face_val_bbx_gt.txt; only if the tools are missing

Without the evaluation tools nothing says which faces are easy, medium or hard: there is one figure, of all faces that are
not marked invalid. --partial evaluates the photos that are there, for an incomplete copy. Only a run on all 3226 photos
with the evaluation tools is comparable to what others publish.

The protocol (S. Yang et al., "WIDER FACE: A Face Detection Benchmark", CVPR 2016, and its evaluation tools): a detection
matches the labelled face that it overlaps most, from 0.5 on; faces outside a subset are ignored, and so is what matches
them; confidences are stretched over the whole set to 0…1; precision and recall are taken at 1000 thresholds, and the area is
under the curve of the greatest precision from each recall on. Detections go down to a confidence of 0.02, as is usual.

Photos are searched once at their own size, as the engine's users would: tables of other projects often come from many sizes
and mirrored copies. Milliseconds are the processor time of the whole run over its photos, including decoding, for which the
command starts no processes of its own: a little more than at the usual confidence.

Needs a release build of face-engine with fetched models; makes itself a Python environment with pinned packages outside the
checkout.
"""

import argparse
import os
import pathlib
import re
import resource
import sys
import time

import environment

PINS = ["opencv-python-headless==5.0.0.93", "numpy", "scipy==1.17.1"]
SUBSETS = ("easy", "medium", "hard")
THRESHOLDS = 1000
MIN_OVERLAP = 0.5
BATCH = 200  # photos a run of the command
PHOTOS = 3226  # of the whole validation set
TOOLS = [f"wider_{name}_val.mat" for name in ("face", *SUBSETS)]
SPLIT = "wider_face_val_bbx_gt.txt"


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
    if not len(confidences):
        sys.exit("no face was found in any photo; see whether the photos are those of WIDER FACE")
    low, span = confidences.min(), numpy.ptp(confidences) or 1
    result = {}
    for subset in SUBSETS if SUBSETS[0] in photos[0] else ("all",):
        curve, total = numpy.zeros((THRESHOLDS, 2)), 0
        for photo in photos:
            total += photo[subset].sum()
            boxes = found[photo["path"]]
            if len(boxes) and len(photo["faces"]):
                ordered = boxes[numpy.argsort(-boxes[:, 4], kind="stable")]
                curve += counts(ordered, photo["faces"], photo[subset], lambda all: (all - low) / span)
        result[subset] = average_precision(curve, total), int(total)
    return result


def find_copy(folder):
    """(folder of the events' folders, folder of the evaluation tools' labels or `None`, file of the split or `None`)

    Ends the program with what is missing of a copy of WIDER FACE in `folder`, and what to do.
    """
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder}; give the one with your copy of WIDER FACE")
    events, tools, splits, seen = [], [], [], set()
    for place, folders, files in os.walk(folder, followlinks=True):
        here = pathlib.Path(place)
        if here.resolve() in seen:
            folders.clear()
            continue
        seen.add(here.resolve())
        # A copy of the whole set has the events three times.
        folders[:] = sorted(name for name in folders if name not in ("WIDER_train", "WIDER_test"))
        if any(re.match(r"\d+--", name) for name in folders):
            events.append(here)
            folders.clear()
        if set(TOOLS) <= set(files):
            tools.append(here)
        if SPLIT in files:
            splits.append(here / SPLIT)
    lacks = []
    if not events:
        lacks.append("the validation photos: unpack WIDER_val.zip there, so that it has WIDER_val/images/0--Parade")
    if not tools and not splits:
        lacks.append(
            f"the labels: unpack eval_tools.zip there, so that it has ground_truth/{TOOLS[0]} and "
            f"{', '.join(TOOLS[1:])}, or wider_face_split.zip, so that it has wider_face_split/{SPLIT}"
        )
    if lacks:
        sys.exit(f"{folder} lacks\n  " + "\n  ".join(lacks) + "\nThe page of WIDER FACE's authors offers these files.")
    return events[0], tools[0] if tools else None, splits[0] if splits else None


def read_labels(tools, images, events, partial=False):
    """[{"path", "faces": [M, 4] (x, y, width, height), subset: [M] whether the face is in it}], of the evaluation tools"""
    import numpy
    from scipy.io import loadmat

    def cells(name, key):
        return loadmat(tools / name)[key].ravel()

    names = [str(cell.ravel()[0]) for cell in cells(TOOLS[0], "event_list")]
    files, boxes = cells(TOOLS[0], "file_list"), cells(TOOLS[0], "face_bbx_list")
    subsets = {subset: cells(f"wider_{subset}_val.mat", "gt_list") for subset in SUBSETS}
    photos = []
    for event in events or range(len(names)):
        if not 0 <= event < len(names):
            sys.exit(f"there is no event {event}; give 0 to {len(names) - 1}")
        for index, file in enumerate(files[event].ravel()):
            path = images / names[event] / f"{file.ravel()[0]}.jpg"
            faces = boxes[event].ravel()[index].astype(float).reshape(-1, 4)
            photo = {"path": str(path), "faces": faces}
            for subset, lists in subsets.items():
                photo[subset] = numpy.zeros(len(faces), bool)
                photo[subset][lists[event].ravel()[index].astype(int).ravel() - 1] = True
            photos.append(photo)
    return present(photos, partial)


def read_split(file, images, events, partial=False):
    """The same of the labels that come with the photos, with one subset: all faces that are not marked invalid."""
    import numpy

    lines = iter(file.read_text().splitlines())
    photos = []
    for name in lines:
        count = int(next(lines))
        # x, y, width, height, blur, expression, illumination, invalid, occlusion, pose; a photo without has a line of
        # zeros.
        rows = numpy.array([next(lines).split()[:10] for _ in range(max(count, 1))], float)[:count].reshape(-1, 10)
        if not events or int(name.split("--")[0]) in events:
            photos.append({"path": str(images / name), "faces": rows[:, :4], "all": rows[:, 7] == 0})
    return present(photos, partial)


def present(photos, partial):
    """The photos that are there: all, or with `partial` some."""
    there = [photo for photo in photos if pathlib.Path(photo["path"]).is_file()]
    lacking = len(photos) - len(there)
    if not there:
        sys.exit(
            f"the {len(photos)} labelled photos are missing; the first would be {photos[0]['path']}"
            if photos
            else "no photo is labelled; give other --events"
        )
    if lacking and not partial:
        first = next(photo["path"] for photo in photos if photo not in there)
        sys.exit(
            f"{lacking} of {len(photos)} labelled photos are missing, the first is {first}; unpack WIDER_val.zip again, "
            "or give --partial to evaluate those that are there"
        )
    return there


def processor_time():
    """Seconds that this process and those that it waited for had a processor."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="your copy of WIDER FACE")
    parser.add_argument(
        "--accuracy", nargs="+", choices=["low", "balanced", "high"], default=["low", "balanced", "high"]
    )
    parser.add_argument("--events", nargs="+", type=int, help="numbers of the events to take, from 0; else all")
    parser.add_argument("--partial", action="store_true", help="evaluate the photos that are there")
    parser.add_argument("--engine", default=environment.ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    images, tools, split = find_copy(options.folder)
    environment.enter("wider-face", PINS)
    import accuracy
    import cv2
    import numpy

    read = (read_labels, tools) if tools else (read_split, split)
    photos = read[0](read[1], images, options.events, options.partial)
    paths = [photo["path"] for photo in photos]
    subsets = SUBSETS if tools else ("all",)
    print(f"{len(photos)} photos, {sum(len(photo['faces']) for photo in photos)} faces")
    if not tools:
        print(
            f"There is no {TOOLS[1]}: unpack eval_tools.zip for easy, medium and hard. NOT comparable to published tables."
        )
    elif len(photos) != PHOTOS:
        print(f"These are {len(photos)} of {PHOTOS} photos. NOT comparable to published tables.")
    else:
        print("The whole validation set, each photo searched once at its own size.")
    print(f"\n{'':24}" + "".join(f"{subset:>9}" for subset in subsets) + f"{'ms a photo':>13}", flush=True)

    def show(name, find):
        found, start = {}, processor_time()
        for first in range(0, len(paths), BATCH):
            found |= find(paths[first : first + BATCH])
            print(f"\r{name}: {len(found)} of {len(paths)}", end="", file=sys.stderr, flush=True)
        took = 1e3 * (processor_time() - start) / len(paths)
        print(file=sys.stderr)
        result = evaluate(photos, {path: numpy.array(boxes, float).reshape(-1, 5) for path, boxes in found.items()})
        print(f"{name:24}" + "".join(f"{result[subset][0]:9.4f}" for subset in subsets) + f"{took:13.1f}", flush=True)
        return result

    cv2.setNumThreads(1)
    weights = environment.published_weights()
    show("FaceDetectorYN", lambda some: accuracy.peers(weights, some, None))
    engine = options.engine
    for mode in options.accuracy:
        result = show(
            f"face-engine, {mode}", lambda some: accuracy.ours(engine, some, [*accuracy.COUNTED, "--accuracy", mode])
        )
    print(f"{'faces':24}" + "".join(f"{result[subset][1]:9}" for subset in subsets))


if __name__ == "__main__":
    main()
