"""Finds and opens the C libraries, when they are first needed."""

from __future__ import annotations

import ctypes
import os
import re
import threading
import warnings
from typing import Any, Dict, Optional, Tuple

from . import _abi

HERE = os.path.dirname(os.path.abspath(__file__))

# Names a folder with the two libraries, instead of those in the package or of the system.
ENVIRONMENT = "FACE_ENGINE_LIBRARIES"


def bundled_models() -> Optional[str]:
    """The folder with the models that came with this package; None where a system's package has them."""
    folder = os.path.join(HERE, "Models")
    return folder if os.path.isdir(folder) else None


def path_of(file_name: str) -> str:
    """Where a library is: what the environment names, what came with this package, or what the loader finds."""
    folder = os.environ.get(ENVIRONMENT)
    if folder:
        return os.path.join(folder, file_name)
    bundled = os.path.join(HERE, "lib", file_name)
    return bundled if os.path.exists(bundled) else file_name


def _numbers(version: str) -> Tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


class Library:
    """The functions of a C library, opened once. Every call releases Python's global lock while it runs."""

    def __init__(self, file_name: str, functions: Dict[str, Tuple[Any, Tuple[Any, ...]]]) -> None:
        self._file_name = file_name
        self._functions = functions
        self._lock = threading.Lock()
        self._opened = False

    def __getattr__(self, name: str) -> Any:
        # Only names that were not set yet come here. Another thread may have opened the library since.
        if not name.startswith("_"):
            self._open()
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(name)

    def _open(self) -> None:
        with self._lock:
            if self._opened:
                return
            path = path_of(self._file_name)
            try:
                library = ctypes.CDLL(path)
            except OSError as error:
                raise ImportError(
                    f"{error}: install the package faceengine as a wheel, or libfaceengine, or set {ENVIRONMENT} to the "
                    "folder with the libraries",
                    path=path,
                ) from None
            for name, (result, arguments) in self._functions.items():
                try:
                    function = getattr(library, name)
                except AttributeError:
                    raise ImportError(
                        f"{path} has no {name}, so it is older than this package: install the same version of both",
                        path=path,
                    ) from None
                function.restype = result
                function.argtypes = arguments
                setattr(self, name, function)
            if "face_abi_version" in self._functions:
                found = self.face_abi_version()
                if found != _abi.FACE_ABI_VERSION:
                    raise ImportError(
                        f"{path} has ABI {found}, this package is for {_abi.FACE_ABI_VERSION}: install the same version of both",
                        path=path,
                    )
                self._warn_of_an_older_one(path)
            self._opened = True

    def _warn_of_an_older_one(self, path: str) -> None:
        found = self.face_version_string().decode()
        if _numbers(found) < _numbers(_abi.VERSION):
            warnings.warn(
                f"{path} is version {found}, this package {_abi.VERSION}: options that the library lacks are refused; install the "
                "same version of both",
                RuntimeWarning,
            )


face = Library("libfaceengine.so.1", _abi.FACE_FUNCTIONS)
draw = Library("libfaceengine-draw.so.1", _abi.DRAW_FUNCTIONS)


def fresh(struct: Any, library: Library = face) -> Any:
    """A struct with its defaults, as its function face_..._init_sized fills it."""
    value = struct()
    getattr(library, struct.__name__ + "_init_sized")(ctypes.byref(value), ctypes.sizeof(value))
    return value
