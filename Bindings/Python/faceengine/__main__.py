"""python -m faceengine, and the wheel's script face-engine: the command, which comes with the wheel."""

from __future__ import annotations

import os
import shutil
import sys

from . import _library


def main() -> None:
    """Becomes the command; its arguments and exit code are those of face-engine."""
    bundled = os.path.join(_library.HERE, "bin", "face-engine")
    program = bundled if os.access(bundled, os.X_OK) else shutil.which("face-engine")
    if program is not None and os.path.exists(sys.argv[0]) and os.path.samefile(program, sys.argv[0]):
        program = None  # this very script, which would start itself again and again
    if program is None:
        sys.exit(
            "faceengine: there is no face-engine in this package or in PATH: install the wheel, or face-engine itself"
        )
    models = _library.bundled_models()
    if models is not None:
        os.environ.setdefault("FACE_ENGINE_MODELS", models)
    os.execv(program, ["face-engine", *sys.argv[1:]])


if __name__ == "__main__":
    main()
