#!/usr/bin/env python3
"""Make the numbers in eight bits of a network of your own, from pictures of your own, and say what they lose.

FOLDER has a detector's NAME.param and NAME.bin. Its activations' ranges are measured on the pictures, NAME.int8 is made of them
and put beside the two, and the faces of the same pictures are found with floats and in eight bits. `face-engine models quantise`
runs this. Prints one line of JSON. Needs numpy, opencv-python-headless and ncnn in the Python that runs it.
"""

import argparse
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # leave no files in the checkout

from cache import Problem, place  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ENDINGS = (".jpg", ".jpeg", ".png", ".webp")
FEWEST_PICTURES = 8
NEEDED = ("numpy", "cv2", "ncnn")
USUAL_CONFIDENCE = 0.5


def log(text):
    print(f"models: {text}", file=sys.stderr, flush=True)


def pictures_in(places):
    """The files, and those of folders in order of their names."""
    found = []
    for place_ in map(pathlib.Path, places):
        files = sorted(place_.iterdir()) if place_.is_dir() else [place_]
        found += [file.absolute() for file in files if not place_.is_dir() or file.suffix.lower() in ENDINGS]
    if len(found) < FEWEST_PICTURES:
        raise Problem(
            f"{len(found)} pictures are too few to measure ranges on: give {FEWEST_PICTURES} or more, better 40, "
            "with faces of all sizes."
        )
    return found


def run(program, *arguments):
    done = subprocess.run([*map(str, program), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise Problem((done.stderr.strip().splitlines() or ["no reason was given"])[-1])
    return done.stdout


def make(options, graph, pictures, folder):
    """The numbers in eight bits, in `folder`."""
    log(f"measuring ranges on {len(pictures)} pictures")
    weights, ranges, result = graph.with_suffix(".bin"), folder / "ranges.json", folder / f"{graph.stem}.int8"
    run(
        [sys.executable, "-B", HERE / "calibrate.py"],
        *["--rgb"] * options.rgb,
        "--input",
        options.input,
        graph,
        weights,
        ranges,
        *pictures,
    )
    run([sys.executable, "-B", HERE / "quantise.py"], graph, weights, ranges, result)
    return result


def runs_in_eight_bits(engine, graph, made, folder):
    """Whether the engine's kernels do that."""
    model = folder / "models" / graph.stem
    model.mkdir(parents=True)
    for file in (graph, graph.with_suffix(".bin"), made):
        (model / file.name).symlink_to(file.absolute())
    listed = run([engine, "models", "--models", model.parent]).splitlines()
    return any(line.startswith("  runs on  ") and line.endswith("8 bits") for line in listed), model


def faces(engine, model, precision, pictures):
    """By picture, [[x, y, width, height, confidence], ...]."""
    lines = run(
        [engine, "detect", "--json", "--model", model, "--precision", precision, "--min-confidence", "0.3"], *pictures
    )
    return [
        [[*(face["box"][key] for key in ("x", "y", "width", "height")), face["confidence"]] for face in answer["faces"]]
        for answer in map(json.loads, lines.splitlines())
    ]


def overlap(one, other):
    width = min(one[0] + one[2], other[0] + other[2]) - max(one[0], other[0])
    height = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    both = max(0, width) * max(0, height)
    return both / (one[2] * one[3] + other[2] * other[3] - both)


def matches(some, others):
    """For each of the faces that are found at the usual confidence, the one of the others that it overlaps most with, or
    None."""
    for one in some:
        if one[4] >= USUAL_CONFIDENCE:
            best = max(others, key=lambda other: overlap(one, other), default=None)
            yield one, best if best and overlap(one, best) >= 0.5 else None


def loss(floats, whole):
    """How the faces in eight bits differ from those with floats."""
    pairs = [pair for one, other in zip(floats, whole) for pair in matches(one, other)]
    found = [(one, other) for one, other in pairs if other]
    differences = [abs(one[4] - other[4]) for one, other in found]
    only = sum(other is None for one, others in zip(whole, floats) for _, other in matches(one, others))
    return {
        "faces": len(pairs),
        "foundInEightBits": len(found),
        "onlyInEightBits": only,
        "meanOverlap": round(sum(overlap(*pair) for pair in found) / len(found), 4) if found else None,
        "meanConfidenceDifference": round(sum(differences) / len(found), 4) if found else None,
        "maxConfidenceDifference": round(max(differences), 4) if found else None,
    }


def quantise(options):
    graphs = sorted(options.folder.glob("*.param"))
    if len(graphs) != 1 or (options.folder / "model.json").exists():
        raise Problem(f"{options.folder} is not a folder with one .param, its .bin and no model.json: give one.")
    pictures = pictures_in(options.pictures)
    if lacking := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise Problem(
            f"Python has no {', '.join(lacking)}: make an environment (python3 -m venv FOLDER), run "
            "`FOLDER/bin/pip install numpy opencv-python-headless ncnn`, and put FOLDER/bin first in PATH."
        )
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        folder = pathlib.Path(temporary)
        made = make(options, graphs[0], pictures, folder)
        is_run, model = runs_in_eight_bits(options.engine, graphs[0], made, folder)
        if not is_run:
            raise Problem("The kernels do not run this network in eight bits, but only such as YuNet and CenterFace.")
        log("finding their faces with floats and in eight bits")
        report = loss(*(faces(options.engine, model, precision, pictures) for precision in ("float", "best")))
        result = options.folder / made.name
        place(made, result)
    print(json.dumps({"file": str(result), "bytes": result.stat().st_size, "pictures": len(pictures), **report}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("pictures", nargs="+", help="files, or folders with them")
    parser.add_argument("--engine", required=True, help="the face-engine command")
    parser.add_argument("--input", default="in0", help="the network's input blob")
    parser.add_argument("--rgb", action="store_true", help="the network's first channel is red, not blue")
    try:
        quantise(parser.parse_args())
    except Problem as problem:
        sys.exit(f"models: {problem}")
    except OSError as error:
        sys.exit(f"models: {error}: check the free disk space and the rights on the folder, then run this again.")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
