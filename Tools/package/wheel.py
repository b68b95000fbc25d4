#!/usr/bin/env python3
"""wheel.py BUILD_FOLDER OUTPUT_FOLDER: makes the wheel of Bindings/Python/faceengine, with the C libraries, the command, the models and
every library that these need but those which each Linux with this glibc has. Two runs give the same bytes."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True  # leave no files in the checkout

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))
from environment import enter  # noqa: E402
import system  # noqa: E402

REQUIREMENTS = pathlib.Path(__file__).with_name("wheel-requirements.txt")
GLIBC = "2_36"
LIMIT = 40_000_000
# Libraries of the machine: the C library, the compiler's libraries, the kernel's own.
OF_THE_MACHINE = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
# What auditwheel leaves to the machine, since every desktop has it. A bare Debian does not, and Cairo needs them.
OF_A_DESKTOP = re.compile(r"^lib(X11|Xext|Xrender|expat|z)\.so")
PROGRAMS = {
    "libfaceengine.so": "lib/libfaceengine.so.1",
    "libfaceengine-draw.so": "lib/libfaceengine-draw.so.1",
    "libfaceengine-ncnn.so.1": "lib/libfaceengine-ncnn.so.1",
    "libfaceengine-onnxruntime.so.1": "lib/libfaceengine-onnxruntime.so.1",
    "face-engine": "bin/face-engine",
}


Problem = system.Problem


def run(*command):
    # 1980, as zip begins
    environment = {**os.environ, "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}", "SOURCE_DATE_EPOCH": "315532800"}
    try:
        return subprocess.run(
            [str(word) for word in command], check=True, capture_output=True, text=True, cwd=ROOT, env=environment
        ).stdout
    except subprocess.CalledProcessError as error:
        raise Problem(f"{pathlib.Path(command[0]).name} failed: {(error.stderr or error.stdout).strip()}") from None


def version():
    text = (ROOT / "Sources/Core/FaceCore/EngineVersion.swift").read_text(encoding="utf-8")
    return re.search(r'StaticString = "(.*)"', text)[1]


# ---- Programs and libraries


def copy_programs(build, package):
    """Copies what was built, as it is installed."""
    for source, target in PROGRAMS.items():
        if not (build / source).exists():
            raise Problem(f"there is no {build / source}: run make first.")
        (package / target).parent.mkdir(exist_ok=True)
        run(sys.executable, ROOT / "Tools/package/finish.py", build / source, package / target)
        os.chmod(package / target, 0o755)
    # Loaded on demand elsewhere, and found under its own name, which auditwheel changes.
    run("patchelf", "--add-needed", "libcairo.so.2", package / "bin/face-engine")


def libraries_of(package):
    """{soname: where the loader finds it} of the libraries that the programs need and the wheel has to bring."""
    found = {}
    for target in PROGRAMS.values():
        found.update(system.libraries(package / target))
    for name, place in found.items():
        if not place:
            raise Problem(f"{name} is not installed: run make setup.")
    return {name: place for name, place in sorted(found.items()) if not OF_THE_MACHINE.match(name)}


def copy_licences(sources, folder):
    """The licences of the project, of what is linked in, and of each Debian library from its package."""
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, folder / name)
    packages = {}
    for name, place in sources.items():
        package = system.package_of(place)
        if not package:
            raise Problem(f"no Debian package has {place}, so its licence is unknown: install the one that has {name}.")
        packages.setdefault(package, []).append(name)
    lines = ["Libraries in faceengine.libs, each as Debian built it, with the licence in the file beside this one:", ""]
    for package, names in sorted(packages.items()):
        source = system.copyright_of(package)
        if not source.exists():
            raise Problem(f"{source} is not there: install {package} with its documentation.")
        shutil.copyfile(source, folder / f"{package}.txt")
        lines.append(f"{', '.join(sorted(names))}: {package} {system.version_of(package)[0]}")
    (folder / "BUNDLED.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def copy_staged_licences(build, folder):
    """Those that an installation has of what is linked into the binaries: ncnn in the plug-in, the Swift runtime."""
    staged = build / "staged/share/doc/face-engine/licences"
    if not staged.is_dir():
        raise Problem(f"there is no {staged}: run make, which gathers the licences of what is linked in.")
    for file in sorted(staged.iterdir()):
        shutil.copyfile(file, folder / file.name)


# ---- The archive


def readme():
    """The guide; links to other pages of the checkout lead nowhere in the wheel."""
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    return re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def pack(tree, release, sources, output):
    """The wheel of the tree, which flit packs, with the libraries that its programs need."""
    plain = tree.parent / f"faceengine-{release}-py3-none-any.whl"
    (tree / "README.md").write_text(readme(), encoding="utf-8")
    shutil.copyfile(ROOT / "Bindings/Python/pyproject.toml", tree / "pyproject.toml")
    run(sys.executable, "-m", "flit_core.wheel", "--outdir", tree.parent, tree)
    # Where auditwheel puts the others, and leads all programs to.
    with zipfile.ZipFile(plain, "a") as archive:
        for name, place in sources.items():
            if OF_A_DESKTOP.match(name):
                archive.write(place, f"faceengine.libs/{name}")
    places = ["--ldpaths", ":".join(map(str, system.FOLDERS))] if system.ROOT else []
    run(
        "auditwheel",
        "repair",
        "--plat",
        f"manylinux_{GLIBC}_{system.MACHINE}",
        "--only-plat",
        "--zip-compression-level",
        "9",
        *places,
        "--wheel-dir",
        output,
        plain,
    )
    return output / f"faceengine-{release}-py3-none-manylinux_{GLIBC}_{system.MACHINE}.whl"


def make(build, output):
    release = version()
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        package = tree / "faceengine"
        shutil.copytree(ROOT / "Bindings/Python/faceengine", package, ignore=shutil.ignore_patterns("__pycache__"))
        copy_programs(build, package)
        run(
            sys.executable, ROOT / "Tools/models/fetch.py", "--models", ROOT / "Models", "--copy-to", package / "Models"
        )
        sources = libraries_of(package)
        copy_licences(sources, tree)
        copy_staged_licences(build, tree)
        output.mkdir(parents=True, exist_ok=True)
        wheel = pack(tree, release, sources, output)
    size = wheel.stat().st_size
    if size >= LIMIT:
        raise Problem(f"{wheel.name} has {size} bytes, {LIMIT} are allowed: see what grew with unzip -v.")
    print(f"{wheel}: {size / 1e6:.1f} MB")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines = REQUIREMENTS.read_text(encoding="utf-8")
    try:
        enter(
            "wheel-tools",
            re.findall(r"^\w.*?==[\w.]+", lines, re.M),
            lambda command: run(*command, "--no-deps", "--require-hashes", "-r", REQUIREMENTS),
        )
        make(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    except Problem as problem:
        sys.exit(f"wheel: {problem}")


if __name__ == "__main__":
    main()
