#!/usr/bin/env python3
"""make.py FOLDER: makes the documentation's site in FOLDER with MkDocs, Doxygen and javadoc, then tries it in Chromium.

Python's packages come from the package index, once, into the user's cache. Exits with 77 where Python can make no environment.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "Tools/site"
sys.dont_write_bytecode = True  # leave no files in the checkout
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))
from environment import enter  # noqa: E402


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True).returncode != 0:
        print("site: this Python has no venv: install python3-venv", file=sys.stderr)
        sys.exit(77)
    requirements = HERE / "requirements.txt"
    enter(
        "site",
        re.findall(r"^\w.*?==[\w.]+", requirements.read_text(encoding="utf-8"), re.M),
        lambda command: subprocess.run(
            [
                *command,
                "--disable-pip-version-check",
                "--no-deps",
                "--require-hashes",
                "--only-binary",
                ":all:",
                "-r",
                requirements,
            ],
            check=True,
        ),
    )
    output = pathlib.Path(sys.argv[1]).resolve()
    for command in (
        ["Tools/reference/make.sh", ".build/reference"],
        ["make", "--silent", "-C", "Bindings/Java", "javadoc", f"BUILD={ROOT}/.build"],
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--config-file",
            "Tools/site/mkdocs.yml",
            "--site-dir",
            output,
        ],
        [sys.executable, "Tools/site/test_site.py", output],
    ):
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        )
        if done.returncode != 0:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
