#!/usr/bin/env python3
"""run.py [ARGUMENT OF PYTEST...]: runs these tests in an environment of their own in the user's cache.

Exits with 77 where Python cannot make one.
"""

import pathlib
import signal
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True  # leave no files in the checkout
sys.path[:0] = [str(ROOT / "Tests/Benchmarks"), str(ROOT / "Tests")]
from durations import PytestTimes  # noqa: E402
from environment import enter  # noqa: E402

PINS = [
    "numpy==2.4.6",
    "pytest==9.2.0",
    "pillow==13.0.0",
    "mypy==2.4.1",
    "pyarrow==26.0.1",
    "opencv-python-headless==5.0.0.93",
    "matplotlib==3.11.2",
]

# What has wheels for the free-threaded build of CPython 3.13. Tests that need more are skipped.
FREE_THREADED_PINS = ["numpy==2.4.6", "pytest==9.2.0", "pillow==12.2.0"]


def main():
    for module in ("venv", "ensurepip"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode != 0:
            print(f"this Python has no {module}: install python3-venv", file=sys.stderr)
            sys.exit(77)
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        enter("python-tests-free-threaded", FREE_THREADED_PINS)
    else:
        enter("python-tests", PINS)
    # One that blocks or ignores SIGINT may have started this, as a shell does in its background.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import pytest

    sys.exit(
        pytest.main(
            [
                "-p",
                "no:cacheprovider",
                "-rs",
                "-c",
                str(ROOT / "Bindings/Python/pyproject.toml"),
                str(ROOT / "Bindings/Python/tests"),
                *sys.argv[1:],
            ],
            [PytestTimes("Python/")],
        )
    )


if __name__ == "__main__":
    main()
