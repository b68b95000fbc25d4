"""Builds a benchmark's own Swift program out of the objects of the release build, so that it can call what is inside.

release_objects.py MODULE...: prints the objects, for those that are built by other means.
"""

import subprocess
import sys

from faces import ROOT

RELEASE = ROOT / ".build/release"
MODULES = ("FaceCore", "Posix", "CPosixShims", "CSandbox", "CPixelKernels", "CPictureDecoders", "COptionalCodecs", "Imaging",
           "CEnginePlugins", "CFusedKernels", "Inference", "ONNX", "Detection", "Analysis", "Tracking", "GuidedCheck",
           "ModelStore", "Engine")
LIBRARIES = ("libjpeg", "libpng", "libexif", "libwebp", "jansson", "libmd")


def objects(modules):
    """Those whose sources are still there: a build leaves what it made of sources that were renamed or removed since."""
    for module in modules:
        folder, sources = (RELEASE / f"{module}.build").resolve(), next(ROOT.glob(f"Sources/*/{module}"))
        swift = {path.name for path in sources.rglob("*.swift")}
        for path in folder.rglob("*.o"):
            # Those of C lie as their sources do, those of Swift all in one folder.
            source = path.relative_to(folder).with_suffix("")
            if source.name in swift or (sources / source).is_file():
                yield path


def build(source):
    """The program of one Swift file."""
    target = ROOT / ".build-benchmarks" / source.stem
    target.parent.mkdir(exist_ok=True)

    def flags(kind):
        return subprocess.run(["pkg-config", kind, *LIBRARIES], check=True, capture_output=True, text=True).stdout.split()
    maps = [*ROOT.glob("Sources/Native/SystemLibraries/*/module.modulemap"), *RELEASE.glob("C*.build/module.modulemap")]
    seen = [f"-fmodule-map-file={path}" for path in maps] + flags("--cflags")
    subprocess.run(["swiftc", "-O", "-swift-version", "5", "-static-stdlib", "-I", RELEASE / "Modules",
                    *(word for flag in seen for word in ("-Xcc", flag)), source, *objects(MODULES), *flags("--libs"), "-lyuv",
                    "-lstdc++", "-lm", "-o", target], check=True)
    return target


if __name__ == "__main__":
    print(*objects(sys.argv[1:]), sep="\n")
