"""Builds a benchmark's own Swift program out of the objects of the release build, so that it can call what is inside."""

import os
import pathlib
import subprocess

from faces import ROOT

RELEASE = ROOT / ".build/release"
MODULES = ("FaceCore", "Posix", "CPosixShims", "Imaging", "CFusedKernels", "Inference", "Detection", "Analysis", "Tracking",
           "GuidedCheck", "ModelStore", "Engine")
LIBRARIES = ("libturbojpeg", "libpng", "libexif", "libwebp", "jansson", "libmd", "ncnn")


def build(source):
    """The program of one Swift file."""
    target = ROOT / ".build-benchmarks" / source.stem
    target.parent.mkdir(exist_ok=True)
    packages = sorted(pathlib.Path.home().glob(".cache/face-engine/ncnn/*/lib/pkgconfig"))
    paths = os.pathsep.join([*map(str, packages[:1]), os.environ.get("PKG_CONFIG_PATH", "")])

    def flags(kind):
        return subprocess.run(["pkg-config", kind, *LIBRARIES], check=True, capture_output=True, text=True,
                              env=os.environ | {"PKG_CONFIG_PATH": paths}).stdout.split()
    objects = [path for module in MODULES for path in (RELEASE / f"{module}.build").resolve().rglob("*.o")]
    maps = [*ROOT.glob("Sources/SystemLibraries/*/module.modulemap"), *RELEASE.glob("C*.build/module.modulemap")]
    seen = [f"-fmodule-map-file={path}" for path in maps] + flags("--cflags")
    subprocess.run(["swiftc", "-O", "-swift-version", "5", "-static-stdlib", "-I", RELEASE / "Modules",
                    *(word for flag in seen for word in ("-Xcc", flag)), source, *objects, *flags("--libs"), "-lyuv",
                    "-lstdc++", "-lm", "-o", target], check=True)
    return target
