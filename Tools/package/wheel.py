#!/usr/bin/env python3
"""wheel.py BUILD_FOLDER OUTPUT_FOLDER: makes the wheel of Python/faceengine, with the C libraries, the command, the models and
every library that these need but those which each Linux with this glibc has. Two runs give the same bytes."""

import base64
import hashlib
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

REQUIREMENTS = pathlib.Path(__file__).with_name("wheel-requirements.txt")
GLIBC = "2_36"
# The aim is 25 MB. The command and the library hold the engine and ncnn once each, 15 MB of the wheel; 6.8 MB are CenterFace.
LIMIT = 34_000_000
# What a machine brings: the C library, the compiler's libraries, the kernel's own.
OF_THE_MACHINE = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
LICENCES = "faceengine-{version}.dist-info/licenses"


class Problem(Exception):
    """One sentence for the user: what is wrong and what to do."""


def run(*command):
    try:
        return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
    except subprocess.CalledProcessError as error:
        raise Problem(f"{pathlib.Path(command[0]).name} failed: {(error.stderr or error.stdout).strip()}") from None


def version():
    text = (ROOT / "Sources/FaceCore/EngineVersion.swift").read_text(encoding="utf-8")
    found = re.search(r'StaticString = "(.*)"', text)[1]
    own = re.search(r'^__version__ = "(.*)"', (ROOT / "Python/faceengine/__init__.py").read_text(encoding="utf-8"), re.M)[1]
    if own != found:
        raise Problem(f"Python/faceengine/__init__.py has the version {own}, EngineVersion.swift {found}: correct the first.")
    return found


# ---- Libraries


def tool(name):
    """A program of the environment that this runs in."""
    return pathlib.Path(sys.prefix) / "bin" / name


def needed(file):
    """{soname: where the loader finds it}, all that a file needs, in any number of steps."""
    found = {}
    for line in run("ldd", file).splitlines():
        name, _, place = line.strip().partition(" => ")
        if place:
            place = place.rsplit(" (", 1)[0]
            if place == "not found":
                raise Problem(f"{file} needs {name}, which is not installed: run make setup.")
            found[pathlib.PurePath(name).name] = pathlib.Path(place)
    return found


def sonames(file):
    return run(tool("patchelf"), "--print-needed", file).split()


def bundle(programs, folder):
    """Copies the libraries that the programs need to `folder`, under names of their own, and leads every file to them.

    A name with the file's hash keeps them apart from a library of the same name that another package brings.
    """
    sources = {}
    for program in programs:
        sources.update(needed(program))
    sources = {name: place for name, place in sorted(sources.items()) if not OF_THE_MACHINE.match(name)}
    folder.mkdir()
    names = {}
    for name, place in sources.items():
        digest = hashlib.sha256(place.read_bytes()).hexdigest()[:8]
        stem, _, rest = name.partition(".so")
        names[name] = f"{stem}-{digest}.so{rest}"
        shutil.copyfile(place, folder / names[name])
    for name in names.values():
        run("strip", "--strip-unneeded", folder / name)
        os.chmod(folder / name, 0o755)
    for file in [*programs, *(folder / name for name in names.values())]:
        options = ["--set-rpath", "$ORIGIN" if file.parent == folder else f"$ORIGIN/../../{folder.name}"]
        for name in sonames(file):
            if name in names:
                options += ["--replace-needed", name, names[name]]
        if file.parent == folder:
            options += ["--set-soname", file.name]
        run(tool("patchelf"), *options, file)
    return sources


def copy_licences(sources, folder):
    """The licences of the project, of what is linked in, and of each bundled library from its Debian package."""
    folder.mkdir(parents=True)
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, folder / name)
    packages = {}
    for name, place in sources.items():
        place = place.resolve()
        for path in (place, pathlib.Path("/usr", place.relative_to("/")), pathlib.Path("/", *place.parts[2:])):
            done = subprocess.run(["dpkg-query", "--search", str(path)], capture_output=True, text=True)
            if done.returncode == 0:
                packages.setdefault(done.stdout.split(":")[0], []).append(name)
                break
        else:
            raise Problem(f"no Debian package has {place}, so its licence is unknown: install the one that has {name}.")
    lines = ["Libraries in faceengine.libs, each as Debian built it, with the licence in the file beside this one:", ""]
    for package, names in sorted(packages.items()):
        source = pathlib.Path("/usr/share/doc", package, "copyright")
        if not source.exists():
            raise Problem(f"{source} is not there: install {package} with its documentation.")
        shutil.copyfile(source, folder / f"{package}.txt")
        found = run("dpkg-query", "--show", "--showformat", "${Version}\n", package).splitlines()[0]
        lines.append(f"{', '.join(sorted(names))}: {package} {found}")
    (folder / "BUNDLED.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def copy_staged_licences(build, folder):
    """Those that an installation has of what is linked into the binaries: ncnn, the Swift runtime."""
    staged = build / "staged/share/doc/face-engine/licences"
    if not staged.is_dir():
        raise Problem(f"there is no {staged}: run make, which gathers the licences of what is linked in.")
    for file in sorted(staged.iterdir()):
        shutil.copyfile(file, folder / file.name)


# ---- The archive


def metadata(release):
    readme = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    # Links to other pages of the checkout lead nowhere in the wheel.
    readme = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", readme)
    return "\n".join([
        "Metadata-Version: 2.4", "Name: faceengine", f"Version: {release}",
        "Summary: Finds faces in photos and video: boxes, landmarks, head pose, expression and quality",
        "License-File: LICENSE", "License-File: NOTICE", "License-File: BUNDLED.txt",
        "Classifier: Operating System :: POSIX :: Linux", "Classifier: Programming Language :: Python :: 3",
        "Classifier: Typing :: Typed", "Requires-Python: >=3.9", "Requires-Dist: numpy", "Description-Content-Type: text/markdown",
        "", readme])


def write_archive(tree, release, destination):
    info = tree / f"faceengine-{release}.dist-info"
    (info / "METADATA").write_text(metadata(release), encoding="utf-8")
    (info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: faceengine\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-manylinux_{GLIBC}_x86_64\n", encoding="utf-8")
    record = info / "RECORD"
    files = sorted(path for path in tree.rglob("*") if path.is_file() and path != record)
    rows = []
    for path in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
        rows.append(f"{path.relative_to(tree)},sha256={digest},{path.stat().st_size}")
    record.write_text("\n".join([*rows, f"{record.relative_to(tree)},,"]) + "\n", encoding="utf-8")
    with zipfile.ZipFile(destination, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in [*files, record]:
            entry = zipfile.ZipInfo(str(path.relative_to(tree)), (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())


def check(wheel):
    """auditwheel finds what would not run on another machine with this glibc."""
    said = run(tool("auditwheel"), "show", wheel)
    tags = re.findall(r'manylinux_(\d+)_(\d+)_x86_64', said.split("This constrains the platform tag to")[-1])
    if not tags or tuple(map(int, tags[0])) > tuple(map(int, GLIBC.split("_"))):
        raise Problem(f"{wheel.name} needs more than manylinux_{GLIBC}; auditwheel says: {' '.join(said.split())}")
    size = wheel.stat().st_size
    if size >= LIMIT:
        raise Problem(f"{wheel.name} has {size} bytes, {LIMIT} are allowed: see what grew with unzip -v.")
    return size


def make(build, output):
    release = version()
    for name in ("libfaceengine.so", "libfaceengine-draw.so", "face-engine"):
        if not (build / name).exists():
            raise Problem(f"there is no {build / name}: run make first.")
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        package = tree / "faceengine"
        shutil.copytree(ROOT / "Python/faceengine", package, ignore=shutil.ignore_patterns("__pycache__"))
        programs = []
        for source, place in (("libfaceengine.so", "lib/libfaceengine.so.1"), ("libfaceengine-draw.so", "lib/libfaceengine-draw.so.1"),
                              ("face-engine", "bin/face-engine")):
            target = package / place
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(build / source, target)
            run("strip", target)
            os.chmod(target, 0o755)
            programs.append(target)
        run(sys.executable, ROOT / "Tools/models/stage.py", package / "Models")
        sources = bundle(programs, tree / "faceengine.libs")
        licences = tree / LICENCES.format(version=release)
        copy_licences(sources, licences)
        copy_staged_licences(build, licences)
        wheel = pathlib.Path(folder, f"faceengine-{release}-py3-none-manylinux_{GLIBC}_x86_64.whl")
        write_archive(tree, release, wheel)
        size = check(wheel)
        output.mkdir(parents=True, exist_ok=True)
        shutil.move(wheel, output / wheel.name)
    print(f"{output / wheel.name}: {size / 1e6:.1f} MB")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines = REQUIREMENTS.read_text(encoding="utf-8")
    try:
        enter("wheel-tools", re.findall(r"^\w.*?==[\w.]+", lines, re.M),
              lambda command: run(*command, "--no-deps", "--require-hashes", "-r", REQUIREMENTS))
        make(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    except Problem as problem:
        sys.exit(f"wheel: {problem}")


if __name__ == "__main__":
    main()
