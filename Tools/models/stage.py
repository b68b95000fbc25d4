#!/usr/bin/env python3
"""stage.py FOLDER: copies every model package, with its weights from the cache, to FOLDER, so that it needs neither."""

import pathlib
import shutil
import sys

sys.dont_write_bytecode = True  # leave no files in the checkout

from cache import Problem, default_cache  # noqa: E402
from package import packages  # noqa: E402

MODELS = pathlib.Path(__file__).resolve().parents[2] / "Models"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cache = default_cache()
    try:
        for package in packages(MODELS, []):
            if missing := package.missing_files(cache):
                raise Problem(f"{missing[0].name} of the model {package.name} is not in {cache}: run make models.")
            folder = pathlib.Path(sys.argv[1], package.name)
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(package.description, folder / "model.json")
            for file in package.files:
                shutil.copyfile(package.place_of(file, cache), folder / file.name)
    except Problem as problem:
        sys.exit(f"models: {problem}")


if __name__ == "__main__":
    main()
