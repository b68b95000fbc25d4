#!/usr/bin/env python3
"""wheel.py BUILD_FOLDER OUTPUT_FOLDER: makes the wheel of Python/faceengine, with the C libraries, the command, the models and
every library that these need but those which each Linux with this glibc has. Two runs give the same bytes."""

import base64
import contextlib
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile

sys.dont_write_bytecode = True  # leave no files in the checkout

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Benchmarks"))
from environment import enter  # noqa: E402
import system  # noqa: E402

REQUIREMENTS = pathlib.Path(__file__).with_name("wheel-requirements.txt")
GLIBC = "2_36"
LIMIT = 25_000_000
# What a machine brings: the C library, the compiler's libraries, the kernel's own.
OF_THE_MACHINE = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+))\.so")
LICENCES = "faceengine-{version}.dist-info/licenses"


Problem = system.Problem


def run(*command):
    try:
        return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    except subprocess.CalledProcessError as error:
        raise Problem(f"{pathlib.Path(command[0]).name} failed: {(error.stderr or error.stdout).strip()}") from None


def version():
    text = (ROOT / "Sources/Core/FaceCore/EngineVersion.swift").read_text(encoding="utf-8")
    found = re.search(r'StaticString = "(.*)"', text)[1]
    own = re.search(r'^__version__ = "(.*)"', (ROOT / "Python/faceengine/__init__.py").read_text(encoding="utf-8"), re.M)[1]
    if own != found:
        raise Problem(f"Python/faceengine/__init__.py has the version {own}, EngineVersion.swift {found}: correct the first.")
    return found


# ---- Programs

# What main calls is named by SwiftPM, after the command's module.
LAUNCHER = "int face_engine_main(int, char **); int main(int argc, char **argv) { return face_engine_main(argc, argv); }"


def exports():
    """One map of the functions of both libraries, and the command's main."""
    maps = [re.sub(r"local:\s*\*;", "", (ROOT / f"Sources/Bindings/{name}/exports.map").read_text(encoding="utf-8"))
            for name in ("FaceEngineLibrary", "FaceDrawLibrary")]
    return "".join([*maps, "FACEENGINE_COMMAND_1 { global: face_engine_main; local: *; };\n"])


def cairo(folder):
    """What links cairo in, instead of bundling its shared library, which brings nine of X11: over 1 MB less.

    Debian's static library is not made for shared ones. What stands in the way is one function for debugging, which writes to
    stderr and which nothing calls; that gets a variable of our own.
    """
    archive = next((folder / "libcairo.a" for folder in system.FOLDERS if (folder / "libcairo.a").exists()), system.FOLDERS[0] / "libcairo.a")
    if not archive.exists():
        raise Problem(f"there is no {archive}: install libcairo2-dev.")
    run(system.tool("objcopy"), "--redefine-sym", "stderr=faceengine_no_stderr", archive, folder / "libcairo.a")
    (folder / "stderr.c").write_text("void *faceengine_no_stderr;\n", encoding="utf-8")
    run(*compiler(), "-O2", "-fPIC", "-c", folder / "stderr.c", "-o", folder / "stderr.o")
    return ["stderr.o", "libcairo.a", "-lpixman-1", "-lfreetype", "-lfontconfig"]


def compiler():
    """Of C."""
    if not system.ROOT:
        return ["cc"]
    clang = pathlib.Path(shutil.which("swift")).resolve().with_name("clang")
    return [clang, f"--target={system.TRIPLE}", f"--sysroot={system.ROOT}", "-fuse-ld=lld"]


def swiftc(folder, *words):
    """Links in `folder`, which the words name files of."""
    if not system.ROOT:
        run("env", "-C", folder, "swiftc", *words)
        return
    cross = ["-target", "aarch64-unknown-linux-gnu", "-sdk", "/sysroot", "-resource-dir", "/swift-arm64/swift_static", "/build/glibc_2_38.o"]
    run("Tools/arm64/inside.sh", shlex.join(["env", "-C", f"/build/{folder.name}", "swiftc", *cross, *map(str, words)]))


def link(build, package, folder):
    """Makes the libraries and the command. As three files each would hold the engine and Swift's libraries: twice as much of the
    wheel. So one library has it all, and two small files stand for the others. The plug-ins are as they were built."""
    objects = set()
    for product in ("faceengine", "faceengine-draw", "face-engine"):
        listed = build / f"{product}.product/Objects.LinkFileList"
        if not listed.exists():
            raise Problem(f"there is no {listed}: run make first.")
        objects.update(listed.read_text(encoding="utf-8").split("\n"))
    # Cairo itself is linked in, instead of what loads it.
    objects = {name for name in objects if name and "/CCairoOnDemand.build/" not in name}
    (folder / "objects").write_text("\n".join(sorted(objects)) + "\n", encoding="utf-8")
    (folder / "exports.map").write_text(exports(), encoding="utf-8")
    library, drawing, command = package / "lib/libfaceengine.so.1", package / "lib/libfaceengine-draw.so.1", package / "bin/face-engine"
    for file in (library, command):
        file.parent.mkdir()
    libraries = run("pkg-config", "--libs", "libexif", "libwebp", "libpng", "libjpeg", "libmd", "jansson", "libprotobuf-c").split()
    # As Package.swift has it of the libraries.
    options = ["--icf=all", "--gc-sections", "-z", "pack-relative-relocs", "-z", "now", "-z", "nodelete",
               "-soname=libfaceengine.so.1", "--version-script=exports.map"]
    swiftc(folder, "-emit-library", "@objects", *cairo(folder), *libraries, "-static-stdlib", "-use-ld=lld", "-l_FoundationCollections",
        "-l_FoundationCShims", *(word for option in options for word in ("-Xlinker", option)), "-o", "linked.so")
    run(sys.executable, ROOT / "Tools/package/finish.py", folder / "linked.so", library)
    plug_ins = [library.with_name(f"libfaceengine-{name}.so.1") for name in ("ncnn", "onnxruntime")]
    for plug_in in plug_ins:
        built = build / plug_in.name
        if not built.exists():
            raise Problem(f"there is no {built}: run make plug-ins first.")
        run(sys.executable, ROOT / "Tools/package/finish.py", built, plug_in)
    small = [*compiler(), "-O2", "-Wl,--build-id=none", "-Wl,--no-as-needed", "-Wl,-z,now", "-s", "-xc"]
    for source, options in ((LAUNCHER, ["-o", command, "-Wl,-rpath,$ORIGIN/../lib"]),
                            ("", ["-o", drawing, "-shared", "-Wl,-z,nodelete", "-Wl,-soname,libfaceengine-draw.so.1",
                                  "-Wl,-rpath,$ORIGIN"])):
        (folder / "small.c").write_text(source, encoding="utf-8")
        run(*small, folder / "small.c", "-xnone", library, *options)
    for file in (library, *plug_ins, drawing, command):
        os.chmod(file, 0o755)
    return library


# ---- Libraries


def tool(name):
    """A program of the environment that this runs in."""
    return pathlib.Path(sys.prefix) / "bin" / name


def needed(file):
    """{soname: where the loader finds it}, all that a file needs, in any number of steps."""
    found = system.libraries(file)
    for name, place in found.items():
        if not place:
            raise Problem(f"{file} needs {name}, which is not installed: run make setup.")
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
        run(system.tool("strip"), "--strip-unneeded", folder / name)
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
    """The licences of the project, of what is linked in, and of each Debian library from its package."""
    folder.mkdir(parents=True)
    for name in ("LICENSE", "NOTICE"):
        shutil.copyfile(ROOT / name, folder / name)
    packages = {"libcairo2": ["libcairo.a (linked in)"]}
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


def project():
    """The table of pyproject.toml that describes the package."""
    return tomllib.loads((ROOT / "Python/pyproject.toml").read_text(encoding="utf-8"))["project"]


def metadata(release, licences):
    """METADATA, version 2.4 (packaging.python.org/en/latest/specifications/core-metadata); `licences` are the files' names.

    The licence expression is the project's own: what is bundled is under the licences that BUNDLED.txt names.
    """
    about = project()
    readme = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    # Links to other pages of the checkout lead nowhere in the wheel.
    readme = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", readme)
    return "\n".join([
        "Metadata-Version: 2.4", f"Name: {about['name']}", f"Version: {release}", f"Summary: {about['description']}",
        f"Author: {', '.join(author['name'] for author in about['authors'])}", f"License-Expression: {about['license']}",
        *(f"License-File: {name}" for name in sorted(licences)),
        *(f"Project-URL: {label}, {url}" for label, url in about.get("urls", {}).items()),
        f"Keywords: {','.join(about['keywords'])}", *(f"Classifier: {name}" for name in about["classifiers"]),
        f"Requires-Python: {about['requires-python']}", *(f"Requires-Dist: {name}" for name in about["dependencies"]),
        "Description-Content-Type: text/markdown", "", readme])


def scripts():
    """entry_points.txt, of which an installer makes the scripts."""
    return "\n".join(["[console_scripts]", *(f"{name} = {target}" for name, target in project()["scripts"].items())]) + "\n"


def write_archive(tree, release, destination):
    info = tree / f"faceengine-{release}.dist-info"
    licences = [path.name for path in (tree / LICENCES.format(version=release)).iterdir()]
    (info / "METADATA").write_text(metadata(release, licences), encoding="utf-8")
    (info / "entry_points.txt").write_text(scripts(), encoding="utf-8")
    (info / "WHEEL").write_text(
        "Wheel-Version: 1.0\nGenerator: faceengine\nRoot-Is-Purelib: false\n"
        f"Tag: py3-none-manylinux_{GLIBC}_{system.MACHINE}\n", encoding="utf-8")
    record = info / "RECORD"
    files = sorted(path for path in tree.rglob("*") if path.is_file() and path != record)
    rows = []
    for path in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
        rows.append(f"{path.relative_to(tree)},sha256={digest},{path.stat().st_size}")
    record.write_text("\n".join([*rows, f"{record.relative_to(tree)},,"]) + "\n", encoding="utf-8")
    with zipfile.ZipFile(destination, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in [*files, record]:
            entry = zipfile.ZipInfo(str(path.relative_to(tree)), (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    if not shutil.which("advzip"):
        raise Problem("there is no advzip: install advancecomp.")
    # By libdeflate, which takes 3 % off what zlib makes.
    run("advzip", "--recompress", "--shrink-normal", destination)


def check(wheel):
    """auditwheel finds what would not run on another machine with this glibc."""
    said = run(tool("auditwheel"), "show", wheel)
    tags = re.findall(r'manylinux_(\d+)_(\d+)_(?:x86_64|aarch64)', said.split("This constrains the platform tag to")[-1])
    if not tags or tuple(map(int, tags[0])) > tuple(map(int, GLIBC.split("_"))):
        raise Problem(f"{wheel.name} needs more than manylinux_{GLIBC}; auditwheel says: {' '.join(said.split())}")
    size = wheel.stat().st_size
    if size >= LIMIT:
        raise Problem(f"{wheel.name} has {size} bytes, {LIMIT} are allowed: see what grew with unzip -v.")
    return size


def make(build, output):
    release = version()
    with contextlib.ExitStack() as links, tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder, "tree")
        package = tree / "faceengine"
        shutil.copytree(ROOT / "Python/faceengine", package, ignore=shutil.ignore_patterns("__pycache__"))
        # Where the machine that links for ARM64 sees it.
        work = pathlib.Path(links.enter_context(tempfile.TemporaryDirectory(dir=build.parent if system.ROOT else folder)))
        programs = [link(build, package, work)]
        run(sys.executable, ROOT / "Tools/models/stage.py", package / "Models")
        sources = bundle(programs, tree / "faceengine.libs")
        licences = tree / LICENCES.format(version=release)
        copy_licences(sources, licences)
        copy_staged_licences(build, licences)
        wheel = pathlib.Path(folder, f"faceengine-{release}-py3-none-manylinux_{GLIBC}_{system.MACHINE}.whl")
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
        make(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
    except Problem as problem:
        sys.exit(f"wheel: {problem}")


if __name__ == "__main__":
    main()
