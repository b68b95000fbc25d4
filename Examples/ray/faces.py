#!/usr/bin/env python3
"""The faces of millions of pictures, with Ray Data: each actor of a pool holds one loaded engine.

    faces.py PICTURES FACES [--actors N] [--column image --id path]

PICTURES  a folder of JPEG, PNG and WebP files, or with --column a folder or file of Parquet whose column has their bytes
FACES     a folder for Parquet: one row a face, and for a picture that cannot be read one row with `error` and no box. A picture
          without faces has no row

Ray starts on this machine, or joins the cluster that RAY_ADDRESS names; there each node needs the package faceengine and sees
the same folders. A worker that dies is replaced, and what it had is searched again.
Needs: pip install faceengine "ray[data]"
"""

import argparse

import faceengine
import pyarrow as pa
import ray

COLUMNS = pa.schema(
    [
        ("image", pa.string()),
        ("face", pa.int32()),
        ("confidence", pa.float32()),
        *((name, pa.float32()) for name in ("x", "y", "width", "height")),
        (
            "points",
            pa.list_(pa.float32()),
        ),  # x and y of left eye, right eye, nose tip, left and right corner of the mouth
        *((name, pa.float32()) for name in ("yaw", "pitch", "roll", "quality")),
        ("error", pa.string()),
    ]
)


def rows_of(engine, image, data):
    """The rows of one picture."""
    try:
        faces = engine.detect(bytes(data), pose=True, quality=True)
    except faceengine.FaceEngineError as error:
        return [{"image": image, "error": str(error)}]
    return [{"image": image, "face": number, **face.row()} for number, face in enumerate(faces)]


class Finder:
    """An actor: loads the engine once, then searches batches."""

    def __init__(self, identity="path", column="bytes"):
        self.engine, self.identity, self.column = faceengine.load(), identity, column

    def __call__(self, batch):
        rows = [
            row
            for image, data in zip(batch[self.identity].to_pylist(), batch[self.column].to_pylist())
            for row in rows_of(self.engine, image, data)
        ]
        return pa.Table.from_pylist(rows, COLUMNS)


# What a task takes of a processor. One that searches takes nearly all; without a rest for those that read and write,
# which mostly wait, they would never start where there is an engine for each processor.
SEARCHING, WAITING = 0.8, {"num_cpus": 0.1}

# An engine takes a block of pictures at a time, in bytes. With Ray's own 128 MiB, a smaller file of Parquet would be
# one block, which one engine searches while the others have nothing to do; repartition() would need a whole processor
# for itself.
BLOCK = 16 * 1024 * 1024


def find(pictures, faces, actors=None, column=None, identity="path"):
    pool = actors or max(1, int(ray.cluster_resources()["CPU"]))
    # No more of each kind than engines: every task that runs at once is a process with a Python of its own.
    waiting = {"ray_remote_args": WAITING, "concurrency": pool}
    ray.data.DataContext.get_current().target_max_block_size = BLOCK
    if column:
        source = ray.data.read_parquet(pictures, columns=[identity, column], **waiting)
    else:
        source = ray.data.read_binary_files(
            pictures, include_paths=True, file_extensions=["jpg", "jpeg", "png", "webp"], **waiting
        )
    source.map_batches(
        Finder,
        fn_constructor_kwargs={"identity": identity, "column": column or "bytes"},
        batch_format="pyarrow",
        batch_size=32,
        # A worker may die as often as it likes; a picture that kills it each time would be a fault of the engine.
        num_cpus=SEARCHING,
        compute=ray.data.ActorPoolStrategy(size=pool),
        max_restarts=-1,
        max_task_retries=3,
    ).write_parquet(faces, mode=ray.data.SaveMode.OVERWRITE, **waiting)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pictures")
    arguments.add_argument("faces")
    arguments.add_argument("--actors", type=int, help="engines in all; by default one for each processor")
    arguments.add_argument("--column", help="the column of the pictures' bytes")
    arguments.add_argument("--id", default="path", help="the column that names a picture")
    given = arguments.parse_args()
    ray.init()
    find(given.pictures, given.faces, given.actors, given.column, given.id)


if __name__ == "__main__":
    main()
