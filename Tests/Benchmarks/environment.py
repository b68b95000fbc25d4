"""A Python environment with pinned packages for a benchmark, in the user's cache folder."""

import fcntl
import os
import pathlib
import subprocess
import sys

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
