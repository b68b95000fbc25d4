#!/usr/bin/env python3
"""lines.py BUILD_FOLDER|installed [NUMBER...]: runs the commands of docs/gstreamer.md as they are written, with what was built or
with the packages that are installed, each block of sh by itself, in a folder with clip.mp4 and with a network camera at the address
that the page names. Each must find the photo's face and end well. A block of python is a file, whose name is the last one before it.
Without a camera at /dev/video0 that line is SKIPPED. PipeWire's camera is a test picture, without a face."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRAMES = 40
# No line takes as long on a machine that is busy.
SECONDS = 180


def environment(build, folder):
    """Programs and element as they were built, the system's Python, which has GStreamer, and no other plug-ins' cache. Without
    `build` those of the system."""
    env = dict(os.environ, GST_REGISTRY=str(folder / "registry"))
    if build is None:
        return env
    bin = folder / "bin"
    bin.mkdir()
    (bin / "face-engine").symlink_to(build / "face-engine")
    (bin / "python3").symlink_to("/usr/bin/python3")
    return dict(
        env,
        PATH=f"{bin}:{os.environ['PATH']}",
        GST_PLUGIN_PATH=str(build / "gstreamer"),
        FACE_ENGINE_MODELS=str(model_folder(build)),
    )


def model_folder(build):
    staged = build / "staged/share/face-engine/Models"
    return staged if staged.exists() else ROOT / "Models"


def make_clip(work, env):
    line = (
        f"filesrc location={PHOTO} ! jpegdec ! imagefreeze num-buffers={FRAMES} ! videoconvert ! videoscale ! "
        "video/x-raw,width=640,height=480,framerate=30/1 ! jpegenc ! qtmux ! filesink location=clip.mp4"
    )
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], cwd=work, env=env, check=True, timeout=SECONDS)


@contextlib.contextmanager
def network_camera(env):
    with subprocess.Popen(
        ["/usr/bin/python3", str(ROOT / "Bindings/GStreamer/Tests/rtsp_server.py"), str(PHOTO), str(FRAMES)],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            if server.stdout.readline() != "listens\n":
                raise SystemExit("lines: FAILED: the network camera does not start")
            yield
        finally:
            server.kill()


@contextlib.contextmanager
def screen(env):
    """For windows."""
    with subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "1280x960x24"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            env["DISPLAY"] = ":" + server.stdout.readline().strip()
            yield
        finally:
            server.terminate()


PIPEWIRE = """
context.spa-libs = { videotestsrc = videotestsrc/libspa-videotestsrc }
context.objects = [ { factory = spa-node-factory args = { factory.name = videotestsrc node.name = camera media.class = Video/Source } } ]
"""


@contextlib.contextmanager
def shared_camera(folder, env):
    """PipeWire with a camera, in the environment that this yields."""
    config, runtime = folder / "pipewire/pipewire.conf.d", folder / "runtime"
    config.mkdir(parents=True)
    runtime.mkdir(mode=0o700)
    (config / "camera.conf").write_text(PIPEWIRE)
    env = dict(env, XDG_RUNTIME_DIR=str(runtime), XDG_CONFIG_HOME=str(folder), XDG_STATE_HOME=str(folder / "state"))
    bus = subprocess.run(
        ["dbus-daemon", "--session", "--fork", "--print-address=1", "--print-pid=1"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout.split()
    env["DBUS_SESSION_BUS_ADDRESS"] = bus[0]
    programs = []
    try:
        for name in ("pipewire", "wireplumber"):
            programs.append(subprocess.Popen([name], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            for _ in range(600):
                if list(runtime.glob("pipewire-0")):
                    break
                time.sleep(0.1)
        for _ in range(600):
            if (
                "Video/Source"
                in subprocess.run(["pw-cli", "ls", "Node"], env=env, capture_output=True, text=True, check=False).stdout
            ):
                break
            time.sleep(0.1)
        yield env
    finally:
        for program in programs:
            program.kill()
            program.wait()
        os.kill(int(bus[1]), signal.SIGTERM)


def run(number, block, work, env):
    """What is wrong with a block, or None."""
    debug = work / f"{number}.debug"
    env = dict(env, GST_DEBUG="faceengine:6", GST_DEBUG_FILE=str(debug), GST_DEBUG_NO_COLOR="1")
    with open(work / f"{number}.log", "w") as log:
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", block],
            cwd=work,
            env=env,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f"it does not end in {SECONDS} seconds"
    said = (work / f"{number}.log").read_text(errors="replace")
    expected = ": 0 faces" if "pipewiresrc" in block else ": 1 faces"
    found = debug.read_text(errors="replace").count(expected) if debug.exists() else 0
    # GStreamer 1.22 ends a pipeline of rtspsrc by itself at its end.
    if status != 0:
        return f"status {status}: {said[-2000:]}"
    return None if found > 0 else f"it finds not{expected}: {said[-2000:]}"


def outcome(block, work):
    """What a block leaves."""
    if "faces.jsonl" in block and (work / "faces.jsonl").read_text().count('"yaw"') < 2:
        return "it writes no faces"
    if "record.py" in block and (work / "faces.mkv").stat().st_size < 20000:
        return "it records nothing"
    return None


def main():
    build = None if sys.argv[1] == "installed" else pathlib.Path(sys.argv[1]).resolve()
    only = [int(number) for number in sys.argv[2:]]
    failed = 0
    blocks = []
    text = (ROOT / "docs/gstreamer.md").read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        work = folder / "work"
        work.mkdir()
        env = environment(build, folder)
        make_clip(work, env)
        for block in BLOCK.finditer(text):
            if block[1] == "python":
                (work / re.findall(r"`(\w+\.py)`", text[: block.start()])[-1]).write_text(block[2])
            elif block[1] == "sh":
                blocks.append(block[2])
        if len(blocks) < 9:
            raise SystemExit(f"lines: FAILED: docs/gstreamer.md has only {len(blocks)} blocks")
        with network_camera(env), screen(env), shared_camera(folder, env) as env:
            for number, block in enumerate(blocks, 1):
                if only and number not in only:
                    continue
                if "v4l2src" in block and not os.path.exists("/dev/video0"):
                    print(f"lines: SKIPPED: {number}, since there is no camera", flush=True)
                    continue
                wrong = run(number, block, work, env) or outcome(block, work)
                print(f"lines: {number}: " + (f"FAILED: {wrong}" if wrong else "ok"), flush=True)
                failed += wrong is not None
    return failed != 0


if __name__ == "__main__":
    if shutil.which("gst-launch-1.0") is None:
        raise SystemExit("lines: FAILED: there is no gst-launch-1.0")
    sys.exit(main())
