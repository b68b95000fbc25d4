#!/usr/bin/env python3
"""test.py: Examples/ray on a real cluster of two nodes on this machine, with a folder of pictures and with one file of Parquet.
Every hundredth picture is damaged, and one worker is killed in the middle; the rows have to be those of one process. Both engines
have to search the file of Parquet. Status 77 without Ray, pyarrow or NumPy.

The package faceengine and its libraries are found as usual (PYTHONPATH, FACE_ENGINE_LIBRARIES, FACE_ENGINE_MODELS).
"""

import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Examples/ray"), str(ROOT / "Bindings/Python")]
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])  # for the workers
os.environ["RAY_DEDUP_LOGS"], os.environ["RAY_USAGE_STATS_ENABLED"] = "1", "0"
os.environ["RAY_raylet_start_wait_time_s"] = "300"  # the machine may be busy

try:
    import numpy  # noqa: F401
    import pyarrow as pa
    import pyarrow.parquet as pq
    import ray
    from ray.cluster_utils import Cluster
except ImportError as error:
    print(f"SKIPPED: Ray is not here ({error}): pip install 'ray[data]' numpy", file=sys.stderr)
    sys.exit(77)

import faces  # noqa: E402
import faceengine  # noqa: E402

PICTURES = 200
ENGINES = 2


def make_pictures(folder):
    good = [(ROOT / "Examples/photos" / name) for name in ("grace_hopper.jpg", "astronaut.png")]
    for number in range(PICTURES):
        source = good[number % 2]
        picture = folder / f"{number:04}{source.suffix}"
        if number % 100 == 57:
            picture.write_bytes(source.read_bytes()[:300])
        else:
            shutil.copyfile(source, picture)


class SharingFinder(faces.Finder):
    """Searches its first batch once each engine has one, and notes the batches. Without that, the engine that is ready first could
    search all of them while the other one loads."""

    def __call__(self, batch):
        notes = pathlib.Path(os.environ["FACES_RAY_TEST"], "batches")
        notes.mkdir(exist_ok=True)
        own = notes / str(os.getpid())
        deadline = time.monotonic() + (0 if own.exists() else 120)
        with open(own, "a") as note:
            note.write(f"{len(batch)}\n")
        while len(list(notes.iterdir())) < ENGINES and time.monotonic() < deadline:
            time.sleep(0.05)
        return super().__call__(batch)


def searched_by_all(folder):
    """Fails unless each engine had several batches of the file."""
    batches = [list(map(int, note.read_text().split())) for note in pathlib.Path(folder, "batches").iterdir()]
    assert sum(map(sum, batches)) == PICTURES, batches
    assert len(batches) == ENGINES and min(map(len, batches)) > 1, (
        f"one of {ENGINES} engines searched nearly all: {batches}"
    )


def write_parquet(pictures, path):
    """The pictures as the rows of one file."""
    files = sorted(pictures.iterdir())
    table = pa.table(
        {
            "name": [str(file) for file in files],
            "picture": [file.read_bytes() for file in files],
            "unused": list(range(len(files))),
        }
    )
    pq.write_table(table, path)


def expected(folder):
    engine = faceengine.load()
    return [row for path in sorted(folder.iterdir()) for row in faces.rows_of(engine, str(path), path.read_bytes())]


def workers(mark):
    """The processes of our cluster that search: by the names from setproctitle and the environment that they inherited."""
    for process in pathlib.Path("/proc").iterdir():
        try:
            if (process / "cmdline").read_bytes().startswith(b"ray::MapWorker") and mark.encode() in (
                process / "environ"
            ).read_bytes():
                yield int(process.name)
        except OSError:
            pass  # no process, or one that has ended


def kill_one(mark, found, finished, killed):
    """Kills one worker, once the first faces are written."""
    while not finished.is_set() and not killed:
        alive = list(workers(mark))
        if alive and next(found.rglob("*.parquet"), None):
            os.kill(alive[0], signal.SIGKILL)
            killed.append(alive[0])
        time.sleep(0.02)


def key(row):
    return row["image"], row.get("face") or 0


def same(rows, wanted):
    rows, wanted = sorted(rows, key=key), sorted(wanted, key=key)
    assert len(rows) == len(wanted), f"{len(rows)} rows instead of {len(wanted)}"
    for row, other in zip(rows, wanted):
        for name in faces.COLUMNS.names:
            a, b = row[name], other.get(name)
            assert (
                a == b
                or (isinstance(b, float) and numpy.float32(b) == numpy.float32(a))
                or (isinstance(b, list) and numpy.array_equal(numpy.float32(a), numpy.float32(b)))
            ), f"{name} of {row['image']}: {a}, {b}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        pictures, found = pathlib.Path(folder, "pictures"), pathlib.Path(folder, "faces")
        pictures.mkdir()
        make_pictures(pictures)
        wanted = expected(pictures)
        assert sum(row.get("error") is not None for row in wanted) == 2 and len(wanted) == PICTURES
        os.environ["FACES_RAY_TEST"] = folder
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
        cluster.add_node(num_cpus=2)
        try:
            cluster.wait_for_nodes()
            ray.init(address=cluster.address, log_to_driver=False)
            assert len([node for node in ray.nodes() if node["Alive"]]) == 2
            finished, killed = threading.Event(), []
            killer = threading.Thread(target=kill_one, args=(folder, found, finished, killed))
            killer.start()
            faces.find(str(pictures), str(found), actors=ENGINES)
            finished.set()
            killer.join()
            assert killed, "no worker was killed while it ran"
            same(pq.read_table(found).to_pylist(), wanted)
            write_parquet(pictures, pathlib.Path(folder, "pictures.parquet"))
            faces.Finder = SharingFinder
            faces.find(
                str(pathlib.Path(folder, "pictures.parquet")),
                str(found),
                actors=ENGINES,
                column="picture",
                identity="name",
            )
            same(pq.read_table(found).to_pylist(), wanted)
            searched_by_all(folder)
            print(
                f"ray: {PICTURES} pictures of a folder and of one file of Parquet on two nodes, worker {killed[0]} killed: the "
                f"{len(wanted)} rows of one process, by {ENGINES} engines"
            )
        finally:
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    main()
