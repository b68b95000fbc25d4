#!/usr/bin/env python3
"""How often a face of each confidence is a labelled face, for each accuracy and size: the reliability diagram.

    Tests/Benchmarks/reliability.py --labels wider_val_dev/labels.json --svg docs/reliability.svg

--labels  a list of {"image", "faces": [{"x", "y", "w", "h"}]}, images relative to the file; all faces must be labelled
--svg     where the diagram is written

A box counts as right if it overlaps a labelled face (intersection over union 0.3), since it need not be exact to be a face.
Sizes are mean sides of boxes in pixels of the picture, scaled to a long side of at most 1024. The spread is the standard
deviation over events (or else photos) drawn again with replacement. Confidences are in tenths.

Needs a release build of face-engine with fetched models.
"""

import argparse
import json
import pathlib
import random
import statistics

from environment import ROOT
from faces import box_of, detect, overlap

ACCURACIES = {"low": "#888888", "balanced": "#1f6fb4", "high": "#d2691e"}
SIZES = {"below 20 pixels": (0, 20), "20 to 40": (20, 40), "from 40 on": (40, 1e9)}
SAME_FACE = 0.3
DRAWS = 100
BINS = 10
LONG_SIDE = 1024


def judged(engine, items, folder, accuracy):
    """[(event, side, confidence, whether it is right)] of all boxes"""
    paths = [str(folder / item["image"]) for item in items]
    found = detect(engine, paths, "--accuracy", accuracy, "--min-confidence", "0.02")
    boxes = []
    for item, path in zip(items, paths):
        labels = [(face["x"], face["y"], face["x"] + face["w"], face["y"] + face["h"]) for face in item["faces"]]
        scale = min(1, LONG_SIDE / max(item["width"], item["height"]))
        for face in found[path]:
            box = box_of(face)
            side = scale * ((box[2] - box[0]) * (box[3] - box[1])) ** 0.5
            is_right = any(overlap(box, label) >= SAME_FACE for label in labels)
            boxes.append((item.get("event", path), side, face["confidence"], is_right))
    return boxes


def shares(boxes):
    """[(mean confidence, share that is right, boxes)] by tenths of confidence"""
    bins = [[] for _ in range(BINS)]
    for _, _, confidence, is_right in boxes:
        bins[min(int(confidence * BINS), BINS - 1)].append((confidence, is_right))
    return [tuple(statistics.fmean(row) for row in zip(*some)) + (len(some),) if some else None for some in bins]


def spread(boxes):
    """The standard deviation of each tenth's share, over events."""
    events = {}
    for box in boxes:
        events.setdefault(box[0], []).append(box)
    generator, draws = random.Random(1), []
    for _ in range(DRAWS):
        chosen = generator.choices(sorted(events), k=len(events))
        draws.append(shares([box for event in chosen for box in events[event]]))
    return [statistics.pstdev([row[1] for row in column if row]) if any(column) else 0 for column in zip(*draws)]


def diagram(results):
    """An SVG with a panel for each size. results -- {size: {accuracy: (shares, spread)}}"""
    side, gap = 220, 46
    width = (side + gap) * len(results) + 20
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {side + 96}" font-family="sans-serif" font-size="12">',
        f'<title>Share of boxes that are faces, over their confidence</title><rect width="{width}" height="{side + 96}" fill="white"/>',
    ]
    for index, (size, rows) in enumerate(results.items()):
        left, top = gap + index * (side + gap), 28
        lines.append(
            f'<text x="{left}" y="18">{size}</text><rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="#ccc"/>'
        )
        lines.append(f'<path d="M{left} {top + side}l{side} -{side}" stroke="#ccc" stroke-dasharray="4"/>')
        for value in (0, 0.6, 1):
            lines.append(
                f'<text x="{left + value * side - 6:.0f}" y="{top + side + 16}">{value}</text>'
                f'<text x="{left - 24}" y="{top + side - value * side + 4:.0f}">{value}</text>'
            )
        for accuracy, (bins, deviations) in rows.items():
            points = [
                (left + row[0] * side, top + side - row[1] * side, deviation * side)
                for row, deviation in zip(bins, deviations)
                if row
            ]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
            lines.append(f'<polyline points="{path}" fill="none" stroke="{ACCURACIES[accuracy]}" stroke-width="2"/>')
            lines += [
                f'<path d="M{x:.1f} {y - d:.1f}v{2 * d:.1f}" stroke="{ACCURACIES[accuracy]}"/>' for x, y, d in points
            ]
    for index, (accuracy, colour) in enumerate(ACCURACIES.items()):
        lines.append(f'<text x="{gap + 100 * index}" y="{side + 84}" fill="{colour}">{accuracy}</text>')
    lines.append(
        f'<text x="{gap + 320}" y="{side + 84}">across: confidence; up: share of boxes that are faces</text></svg>'
    )
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=pathlib.Path, required=True)
    parser.add_argument("--svg", type=pathlib.Path)
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()
    items = json.loads(options.labels.read_text())
    results = {size: {} for size in SIZES}
    for accuracy in ACCURACIES:
        boxes = judged(options.engine, items, options.labels.parent, accuracy)
        for size, (least, most) in SIZES.items():
            some = [box for box in boxes if least <= box[1] < most]
            results[size][accuracy] = shares(some), spread(some)
            row = "  ".join(
                f"{row[1]:.2f}±{deviation:.2f}" if row else "    -    "
                for row, deviation in zip(*results[size][accuracy])
            )
            print(f"{accuracy:9} {size:16} {row}", flush=True)
    if options.svg:
        options.svg.write_text(diagram(results))


if __name__ == "__main__":
    main()
