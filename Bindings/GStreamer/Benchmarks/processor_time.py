#!/usr/bin/env python3
"""processor_time.py BUILD_FOLDER [SECONDS [ROUNDS]]: the processor time that an element adds to a pipeline of 1080p frames with a face at
30 a second, in milliseconds a frame: faceengine in each mode, with a model and through an engine (its time included), and OpenCV's
facedetect where gstreamer1.0-opencv is installed. Then 16 streams of 720p at five analyses a second. One interleaved run; the medians
of the rounds."""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
RATE = 30


def source(form, width, height, frames, rate=RATE):
    """Converted once, before it is repeated."""
    return (
        f"filesrc location={PHOTO} ! jpegdec ! videoconvert ! videoscale add-borders=true ! "
        f"video/x-raw,format={form},width={width},height={height},pixel-aspect-ratio=1/1 ! "
        f"imagefreeze num-buffers={frames} ! video/x-raw,framerate={rate}/1"
    )


def spent(line, env, engine=None):
    """Seconds of processor time of a pipeline, and of the engine meanwhile."""

    def ticks():
        if engine is None:
            return 0
        fields = pathlib.Path(f"/proc/{engine.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    before, engine_before = resource.getrusage(resource.RUSAGE_CHILDREN), ticks()
    subprocess.run(["gst-launch-1.0", "-q", *line.split()], env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return own + (ticks() - engine_before) / os.sysconf("SC_CLK_TCK")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    frames = seconds * RATE
    env = dict(os.environ, GST_PLUGIN_PATH=str(build / "gstreamer"))
    model = f"model={ROOT / 'Models/yunet'}"
    with tempfile.TemporaryDirectory() as folder:
        env["GST_REGISTRY"] = f"{folder}/registry"
        socket = f"{folder}/socket"
        engine = subprocess.Popen(
            [str(build / "face-engine"), "serve", "--socket", socket, "--model", str(ROOT / "Models/yunet")],
            stderr=subprocess.DEVNULL,
        )
        while not os.path.exists(socket):
            time.sleep(0.05)
        elements = {
            "newest": ("NV12", f"faceengine {model} !"),
            "newest, analysis-rate=5": ("NV12", f"faceengine {model} analysis-rate=5 !"),
            "newest, draw": ("NV12", f"faceengine {model} draw=true !"),
            "every": ("NV12", f"faceengine {model} mode=every !"),
            "every, detection-interval=1": ("NV12", f"faceengine {model} mode=every detection-interval=1 !"),
            "every, landmarks": ("NV12", f"faceengine {model} mode=every landmarks=true !"),
            "newest, an engine": ("NV12", f"faceengine socket={socket} !"),
            "every, an engine": ("NV12", f"faceengine socket={socket} mode=every !"),
        }
        if subprocess.run(["gst-inspect-1.0", "--exists", "facedetect"], env=env).returncode == 0:
            elements["OpenCV's facedetect"] = ("RGB", "facedetect display=false !")
        times = {name: [] for name in elements}
        for _ in range(rounds):
            bare = {
                form: spent(f"{source(form, 1920, 1080, frames)} ! fakesink sync=true", env) for form in ("NV12", "RGB")
            }
            for name, (form, element) in elements.items():
                own = spent(
                    f"{source(form, 1920, 1080, frames)} ! {element} fakesink sync=true",
                    env,
                    engine if "engine" in element and "socket" in element else None,
                )
                times[name].append((own - bare[form]) / frames * 1000)
        for name, values in times.items():
            print(f"{name:30} {statistics.median(values):7.2f} ms a frame", flush=True)
        streams = " ".join(
            f"{source('NV12', 1280, 720, seconds * 15, 15)} ! faceengine {model} analysis-rate=5 ! fakesink sync=true"
            for _ in range(16)
        )
        started = time.monotonic()
        whole = spent(streams, env)
        print(
            f"16 x 720p, analysis-rate=5: {whole / (time.monotonic() - started) * 100:.0f} % of a processor, "
            f"{time.monotonic() - started:.1f} s for {seconds} s"
        )
        engine.terminate()
        engine.wait()


if __name__ == "__main__":
    main()
