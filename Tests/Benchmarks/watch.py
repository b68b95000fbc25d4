#!/usr/bin/env python3
"""What watching a clip costs: processor time of `face-engine watch --landmarks` for each frame, on one core.

    python3 Tests/Benchmarks/watch.py --clip ../shared/data/video/head-pose-face-detection-female-and-male.gif

--clip     what ffmpeg reads, shown there and back over and over at --size and --rate; a film of faces
--size     pixels of a frame (1920x1080)
--rate     frames a second (30)
--seconds  of video (20)

Two runs of two ways to look: faces followed, and every whole frame searched (--detection-interval 1).

live     ffmpeg pipes the clip at its own pace into the engine, which runs on one core: was every frame answered, and how
         long after the clip's end did the last answer come?
stepped  frames go in one by one, each when the one before it was answered; the processor time of the engine's process in
         between, all of its threads, reading the pipe included, is that of the frame.

Processor times are those of /proc/PID/task/*/schedstat. Needs ffmpeg and taskset, and a release build of face-engine.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = {"followed": [], "detected": ["--detection-interval", "1"]}
# Frames that are not counted: models are loaded, memory is touched for the first time.
WARM_UP = 30


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def make_clip(options, folder):
    """A Y4M file as long as asked for."""
    path = folder / "clip.y4m"
    width, height = options.size.split("x")
    there_and_back = f"scale={width}:{height}:flags=bicubic,format=yuv420p,split[a][b];[b]reverse[r];[a][r]concat,fps={options.rate}"
    single = folder / "single.y4m"
    subprocess.run(["ffmpeg", "-v", "error", "-i", options.clip, "-filter_complex", there_and_back,
                    "-f", "yuv4mpegpipe", single], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", "-1", "-i", single, "-frames:v",
                    str(options.seconds * options.rate), "-f", "yuv4mpegpipe", path], check=True)
    single.unlink()
    return path


def engine_command(options, arguments):
    return ["taskset", "-c", str(options.core), options.engine, "watch", "--model", ROOT / "Models/yunet",
            "--landmarks", *arguments, "-"]


def processor_time(pid):
    """Nanoseconds that all threads of a process have run."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total


def live(options, arguments, clip):
    player = subprocess.Popen(["ffmpeg", "-v", "error", "-re", "-i", clip, "-f", "yuv4mpegpipe", "-"],
                              stdout=subprocess.PIPE)
    engine = subprocess.Popen(engine_command(options, arguments), stdin=player.stdout, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    player.stdout.close()
    start = time.monotonic()
    answers = [json.loads(line) for line in engine.stdout]
    seconds = time.monotonic() - start
    player.wait()
    engine.wait()
    return answers, seconds


def stepped(options, arguments, clip):
    width, height = map(int, options.size.split("x"))
    frame_bytes = width * height * 3 // 2
    engine = subprocess.Popen(engine_command(options, arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    times = []
    with open(clip, "rb") as stream:
        engine.stdin.write(stream.readline())
        while header := stream.readline():
            engine.stdin.write(header + stream.read(frame_bytes))
            engine.stdin.flush()
            engine.stdout.readline()
            times.append(processor_time(engine.pid))
    engine.stdin.close()
    engine.wait()
    return [(after - before) / 1e6 for before, after in zip(times[WARM_UP:], times[WARM_UP + 1:])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clip", type=pathlib.Path, required=True)
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--core", type=int, default=0, help="the engine's")
    parser.add_argument("--engine", default=ROOT / ".build/release/face-engine")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        clip = make_clip(options, pathlib.Path(temporary))
        frames = options.seconds * options.rate
        print(f"{options.clip.name} at {options.size}, {options.rate} frames a second, {frames} frames, one core")
        for name, arguments in WAYS.items():
            answers, seconds = live(options, arguments, clip)
            faces = sum(len(answer["faces"]) for answer in answers) / max(1, len(answers))
            print(f"{name}, live: {len(answers)} of {frames} frames answered in {seconds:.1f} s, {faces:.2f} faces a frame")
        for name, arguments in WAYS.items():
            times = stepped(options, arguments, clip)
            print(f"{name}, stepped: processor time a frame p50 {percentile(times, 0.5):.2f} ms, "
                  f"p99 {percentile(times, 0.99):.2f} ms, mean {sum(times) / len(times):.2f} ms")


if __name__ == "__main__":
    main()
