#!/usr/bin/env python3
"""run.py [ARGUMENT OF PYTEST...]: runs the tests of the page, or of the files that are named, in an environment of their own in
the user's cache.

Exits with 77 where Python cannot make one.
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True  # leave no files in the checkout
sys.path[:0] = [str(ROOT / "Tests/Benchmarks"), str(ROOT / "Tests")]
from durations import PytestTimes  # noqa: E402
from environment import enter  # noqa: E402

PINS = ["pytest==9.2.0", "playwright==1.65.2", "axe-playwright-python==0.1.8", "pillow==13.0.0"]


def main():
    for module in ("venv", "ensurepip"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode != 0:
            print(f"this Python has no {module}: install python3-venv", file=sys.stderr)
            sys.exit(77)
    enter("page-tests", PINS)
    import pytest

    here = pathlib.Path(__file__).resolve().parent
    arguments = sys.argv[1:]
    what = [] if any(".py" in name for name in arguments) else [here]
    sys.exit(pytest.main(["-p", "no:cacheprovider", "--rootdir", str(here), "-rsf", "--tb=short", *map(str, what), *arguments],
                         [PytestTimes("page/")]))


if __name__ == "__main__":
    main()
