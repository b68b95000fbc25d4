#!/usr/bin/env python3
"""What an idle engine holds, and how soon it finds the next face.

    idle.py [BUILD_FOLDER] [--times 10] [--idle 1]

Starts `face-engine serve --idle-unload IDLE` and, time after time, has the landmarks of a photo found, waits until the engine says that it
has released its models, reads its resident memory (VmRSS of proc_pid_status(5)) and times the next call: a photo of 640×480
pixels in the message, with the file decoded, on a socket of the script's own. `warm` is the same call once more. Needs
python3-protobuf and protoc.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PHOTO = ROOT / "Examples/photos/grace_hopper.jpg"
sys.dont_write_bytecode = True


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=ROOT / ".build/release")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--idle", type=float, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--python_out={folder}", "-I", ROOT / "Proto", "face_engine.proto", "ttrpc.proto"], check=True)
        sys.path[:0] = [folder, str(ROOT / "Examples/python")]
        engine = subprocess.Popen([
            options.build / "face-engine", "serve", "--socket", f"{folder}/socket", "--model", ROOT / "Models/yunet",
            "--idle-unload", str(options.idle), "--log-level", "error"])
        try:
            measure(engine, f"{folder}/socket", options)
        finally:
            engine.terminate()
            engine.wait()


def measure(engine, path, options):
    from face_client import Connection, EngineError, fe

    def connect():
        while True:
            try:
                return Connection(path)
            except EngineError:
                assert engine.poll() is None, "the engine has ended"
                time.sleep(0.05)

    with connect() as client:
        photo = fe.Image(encoded=PHOTO.read_bytes())

        def timed(**options):
            begin = time.perf_counter()
            assert len(client.detect(photo, **options).faces) == 1
            return (time.perf_counter() - begin) * 1e3

        def processor_time():
            """Milliseconds of all threads so far."""
            tasks = pathlib.Path(f"/proc/{engine.pid}/task").glob("*/schedstat")
            return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

        def info():
            return client.call("Admin", "Info", fe.InfoRequest(), fe.InfoResponse())

        columns = {name: [] for name in [
            "resident, working (MB)", "resident, idle (MB)", "first face (ms)", "warm face (ms)",
            "first landmarks (ms)", "warm landmarks (ms)", "processor time, first face (ms)", "processor time, warm face (ms)"]}
        working, idle, first, warm, first_points, warm_points, first_work, warm_work = columns.values()
        for turn in range(2 * options.times):
            timed(landmarks=True)
            working.append(resident(engine))
            while not info().models_released:
                time.sleep(options.idle)
            time.sleep(2 * options.idle)
            idle.append(resident(engine))
            for times, work in ((first_points if turn % 2 else first, first_work), (warm_points if turn % 2 else warm, warm_work)):
                before = processor_time()
                times.append(timed(landmarks=bool(turn % 2)))
                if turn % 2 == 0:
                    work.append(processor_time() - before)
        for name, values in columns.items():
            print(f"{name}: median {statistics.median(values):.1f}, largest {max(values):.1f} of {len(values)}")
        releases = client.call("Admin", "Stats", fe.StatsRequest(), fe.StatsResponse()).model_releases
        print(f"{releases} releases")


if __name__ == "__main__":
    main()
