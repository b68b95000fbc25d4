#!/usr/bin/env python3
"""test.py: Examples/spark on a local Spark with two workers. One picture is damaged; the rows have to be those of one process.
Status 77 without PySpark, pandas, pyarrow or Java.

The package faceengine and its libraries are found as usual (PYTHONPATH, FACE_ENGINE_LIBRARIES, FACE_ENGINE_MODELS).
"""

import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path[:0] = [str(ROOT / "Examples/spark"), str(ROOT / "Bindings/Python")]
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])  # for the workers
os.environ["PYSPARK_PYTHON"] = sys.executable

try:
    import numpy
    import pandas  # noqa: F401
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession
except ImportError as error:
    print(f"SKIPPED: PySpark is not here ({error}): pip install pyspark pandas pyarrow numpy", file=sys.stderr)
    sys.exit(77)
if not shutil.which("java"):
    print("SKIPPED: PySpark, because there is no Java: apt-get install default-jre-headless", file=sys.stderr)
    sys.exit(77)

import faces  # noqa: E402
import faceengine  # noqa: E402

PICTURES = 40


def main():
    with tempfile.TemporaryDirectory() as folder:
        pictures, found = pathlib.Path(folder, "pictures"), pathlib.Path(folder, "faces")
        (pictures / "more").mkdir(parents=True)
        sources = [ROOT / "Examples/photos" / name for name in ("grace_hopper.jpg", "astronaut.png")]
        for number in range(PICTURES):
            source = sources[number % 2]
            shutil.copyfile(source, pictures / ("more" if number % 3 else "") / f"{number:04}{source.suffix}")
        (pictures / "damaged.jpg").write_bytes(sources[0].read_bytes()[:300])
        engine = faceengine.load()
        wanted = {
            path.as_uri(): faces.rows_of(engine, path.as_uri(), path.read_bytes()) for path in pictures.rglob("*.*")
        }
        spark = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", False)
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", 16)
            .getOrCreate()
        )
        try:
            faces.find(spark, str(pictures), str(found))
        finally:
            spark.stop()
        rows = pq.read_table(found).to_pylist()
        assert len(rows) == sum(map(len, wanted.values())) == PICTURES + 1, len(rows)
        for row in rows:
            image = row["image"].replace("file:/", "file:///", 1) if "file:///" not in row["image"] else row["image"]
            other = wanted[image][row["face"] or 0]
            assert row["error"] == other.get("error")
            for name in faces.COLUMNS.keys() - {"image", "error"}:
                expected = other.get(name)
                assert row[name] == expected or numpy.array_equal(numpy.float32(row[name]), numpy.float32(expected)), (
                    f"{name} of {image}"
                )
        assert sum(row["error"] is not None for row in rows) == 1
        print(f"spark: {PICTURES + 1} pictures, one of them damaged: the rows of one process")


if __name__ == "__main__":
    main()
