#!/usr/bin/env python3
"""start.py SECTION [FOLDER]: runs a section of docs/start.md as it is written, in the current folder, and compares what its last
commands print with what the section says that one sees. With FOLDER nothing is run: there go the section's files and commands, as
1.sh, 2.sh, and what one sees, as seen.
start.py --installs RELEASE [SECTION...]: prints what the sections, or all of them, install on a release of Debian, a line for each.

A block of a language is a file, whose name is the last one before it, as in `photo.c`; files of all sections are written. Blocks
of sh are commands of one shell. The block without a language is what the commands before it print on standard output. What the
commands have started ends with them. photo.jpg is the page's photo. "On Debian 12" right before commands says
that they are for that release alone.
"""

import contextlib
import difflib
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/start.md"
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
# What runs in the background ends before the shell does.
TRAP = "trap 'status=$?; running=$(jobs -p); [ -z \"$running\" ] || kill $running; wait; exit $status' EXIT\n"
BLOCK = re.compile(
    r"(?:^On Debian (?P<release>\d+):\n\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
INSTALL = re.compile(r"(?:[Oo]n Debian (?P<release>\d+):?\s+)?`sudo apt install (?P<packages>[^`]+)`")


def sections():
    """The text of each section by its heading."""
    _, *parts = re.split(r"^## (.+)\n", PAGE.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2]))


def files(text):
    """The text of each file of a section by its name."""
    for block in BLOCK.finditer(text):
        if block["kind"] not in ("", "sh"):
            *_, name = re.findall(r"`([\w./]+)`:\n", text[: block.start()])
            yield name, block["text"]


def section(heading):
    known = sections()
    if heading not in known:
        sys.exit(f"start.py: {PAGE.name} has no section {heading}; it has {', '.join(known)}")
    return known[heading]


def for_release(matches, release):
    """Those that name this release of Debian, or none."""
    return [match for match in matches if match["release"] in (None, release)]


def installs(headings, release):
    """What sections install, each as the arguments of apt."""
    return [
        " ".join(match["packages"].split())
        for heading in headings
        for match in for_release(INSTALL.finditer(section(heading)), release)
    ]


def commands(heading):
    """The blocks of commands of a section, and what the last of them prints."""
    release = platform.freedesktop_os_release().get("VERSION_ID")
    blocks = [
        (block["kind"], block["text"])
        for block in for_release(BLOCK.finditer(section(heading)), release)
        if block["kind"] in ("", "sh")
    ]
    kinds = [kind for kind, _ in blocks]
    if kinds != ["sh"] * (len(kinds) - 1) + [""] or len(kinds) < 2 or not blocks[-1][1]:
        sys.exit(f"start.py: a section has blocks of commands, then one of what one sees; {heading} has {kinds}")
    return [text for _, text in blocks[:-1]], blocks[-1][1]


def write(folder):
    """The files of the page."""
    for text in sections().values():
        for name, content in files(text):
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    if not (folder / "photo.jpg").exists():
        shutil.copy(PHOTO, folder / "photo.jpg")


def run(heading):
    """Whether one sees what the section says."""
    (*before, last), seen = commands(heading)
    # Not pipes, which what runs in the background would keep open.
    with (
        tempfile.TemporaryFile("w+", errors="replace") as output,
        tempfile.TemporaryFile("w+", errors="replace") as log,
    ):
        script = "".join([TRAP, *before, f"exec >&{output.fileno()}\n", last])
        # The tests that run this block signals, and without SIGCHLD CMake waits for ever.
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=[output.fileno()],
            start_new_session=True,
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []),
        )
        try:
            status = shell.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
        output.seek(0)
        printed = output.read().rstrip("\n") + "\n"  # the gateway's answers do not end a line
        if status == 0 and printed == seen:
            return True
        log.seek(0)
        sys.stderr.writelines([*log, f"start.py: {heading} ended with {status}, and its last commands printed\n"])
        sys.stderr.writelines(
            difflib.unified_diff(seen.splitlines(True), printed.splitlines(True), f"{PAGE.name}: {heading}", "printed")
        )
    return False


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--installs":
        print("\n".join(installs(sys.argv[3:] or sections(), sys.argv[2])))
        return
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    heading, folder = sys.argv[1], pathlib.Path(*sys.argv[2:3])
    folder.mkdir(parents=True, exist_ok=True)
    write(folder)
    if len(sys.argv) == 3:
        parts, seen = commands(heading)
        for number, text in enumerate(parts, 1):
            (folder / f"{number}.sh").write_text(text)
        (folder / "seen").write_text(seen)
    elif not run(heading):
        sys.exit(1)


if __name__ == "__main__":
    main()
