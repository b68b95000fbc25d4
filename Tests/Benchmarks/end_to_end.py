#!/usr/bin/env python3
"""A frame of 1920×1080 pixels to its faces: face-engine beside cv2.resize and FaceDetectorYN, same weights, one thread.

    Tests/Benchmarks/end_to_end.py [--turns 15] [--max-side 640] IMAGE...

Each image is cut to 16:9 and scaled to a frame. OpenCV is given it as BGR, ours also as BGRA, NV12 and JPEG. All take
turns on one processor; a turn is the median processor time of five searches. The table has medians over the turns and
the middle half, which part of ours the network is, and how near ours from BGR are to OpenCV's faces.

Needs swiftc and a release build of face-engine with fetched models; makes itself the environment of peers.py.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from peers import MIN_CONFIDENCE, ROOT, enter_environment, published, spread, versions
from faces import overlap
from release_objects import build

WIDTH, HEIGHT = 1920, 1080
WARM_UP, SEARCHES = 3, 5


def frame_of(path):
    import cv2
    image = cv2.imread(path)
    rows, columns = image.shape[:2]
    height, width = min(rows, columns * HEIGHT // WIDTH), min(columns, rows * WIDTH // HEIGHT)
    top, left = (rows - height) // 2, (columns - width) // 2
    image = image[top:top + height, left:left + width]
    return cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)


def nv12(frame):
    import cv2
    import numpy
    planes = cv2.cvtColor(frame, cv2.COLOR_BGR2YUV_I420).reshape(-1)
    luma, chroma = planes[:WIDTH * HEIGHT], planes[WIDTH * HEIGHT:].reshape(2, -1)
    return numpy.concatenate([luma, chroma.T.reshape(-1)]).tobytes()


def opencv(weights, frame, max_side):
    """A turn of OpenCV's: (milliseconds, faces)"""
    import cv2
    cv2.setNumThreads(1)
    detector = cv2.FaceDetectorYN.create(str(weights), "", (320, 320), MIN_CONFIDENCE, 0.3, 5000)
    size = max_side, round(max_side * HEIGHT / WIDTH)
    detector.setInputSize(size)

    def search():
        found = detector.detect(cv2.resize(frame, size, interpolation=cv2.INTER_AREA))[1]
        return [] if found is None else found

    def run():
        times = []
        for _ in range(WARM_UP + SEARCHES):
            start = time.process_time()
            faces = search()
            times.append(time.process_time() - start)
        scale = WIDTH / size[0]
        faces = [[*(float(side) * scale for side in face[:4]), float(face[14])] for face in faces]
        return 1e3 * statistics.median(times[WARM_UP:]), faces
    return run


def corners(face):
    return face[0], face[1], face[0] + face[2], face[1] + face[3]


def agreement(ours, theirs):
    """What the worst pair of faces has: (faces without a partner, overlap, difference of confidence)"""
    worst, difference, alone = 1, 0, abs(len(ours) - len(theirs))
    for face in theirs:
        partner = max(ours, key=lambda other: overlap(corners(face), corners(other)), default=None)
        both = overlap(corners(face), corners(partner)) if partner else 0
        if both < 0.5:
            alone += 1
            continue
        worst, difference = min(worst, both), max(difference, abs(face[4] - partner[4]))
    return alone, worst, difference


def compare(path, program, weights, options, folder):
    import cv2
    frame = frame_of(path)
    files = {"bgr": frame.tobytes(), "bgra": cv2.cvtColor(frame, cv2.COLOR_BGR2BGRA).tobytes(), "nv12": nv12(frame),
             "jpeg": cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes()}
    for name, content in files.items():
        (folder / name).write_bytes(content)

    def ours(name):
        line = subprocess.run([program, ROOT / "Models/yunet", name, str(WIDTH), str(HEIGHT), folder / name,
                               str(options.max_side), str(SEARCHES)], check=True, capture_output=True, text=True).stdout
        return json.loads(line)
    theirs = opencv(weights, frame, options.max_side)
    taken = {name: [] for name in files}
    others = []
    for _ in range(options.turns):
        others.append(theirs())
        for name in files:
            taken[name].append(ours(name))
    other = statistics.median(milliseconds for milliseconds, _ in others)
    print(f"\n{path}, milliseconds\n{'FaceDetectorYN, BGR':20}{spread([one for one, _ in others])}")
    for name, results in taken.items():
        times = [result["milliseconds"] for result in results]
        stages = {stage: statistics.median(result["stages"][stage] for result in results)
                  for stage in results[0]["stages"]}
        parts = ", ".join(f"{stage} {stages[stage]:.2f}" for stage in sorted(stages, key=stages.get, reverse=True))
        print(f"{'ours, ' + name.upper():20}{spread(times):24} {other / statistics.median(times):5.2f} times as fast; "
              f"network {stages['network'] / sum(stages.values()):.0%}; {parts}", flush=True)
    alone, worst, difference = agreement(taken["bgr"][0]["faces"], others[0][1])
    print(f"{len(others[0][1])} faces, {alone} found by one only; boxes overlap by {worst:.4f} at least, confidences "
          f"differ by {difference:.4f} at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", nargs="+", metavar="IMAGE")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--max-side", type=int, default=640, help="of the picture that the network sees, in pixels")
    options = parser.parse_args()
    if options.turns < 2:
        parser.error("--turns must be 2 or more")
    enter_environment()
    program = build(ROOT / "Tests/Benchmarks/end_to_end/search.swift")
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    versions(ROOT / ".build/release/face-engine")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        weights = folder / "yunet.onnx"
        weights.write_bytes(published("yunet", folder))
        for path in options.images:
            compare(path, program, weights, options, folder)


if __name__ == "__main__":
    main()
