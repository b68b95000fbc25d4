#!/usr/bin/env python3
"""The faces of a folder of pictures, with PySpark: mapInPandas gives each task an engine of its own.

    faces.py PICTURES FACES

FACES is a folder for Parquet: one row a face, and for a picture that cannot be read one row with `error` and no box. A picture
without faces has no row. Each node of the cluster needs the package faceengine.
Needs: pip install faceengine pyspark pandas pyarrow, and Java
"""

import os
import sys

import faceengine
import pandas as pd
from pyspark.sql import SparkSession

COLUMNS = {
    "image": "string",
    "face": "int",
    "confidence": "float",
    "x": "float",
    "y": "float",
    "width": "float",
    "height": "float",
    "points": "array<float>",
    "yaw": "float",
    "pitch": "float",
    "roll": "float",
    "quality": "float",
    "error": "string",
}


def rows_of(engine, image, data):
    """The rows of one picture."""
    try:
        return [
            {"image": image, "face": number, **face.row()}
            for number, face in enumerate(engine.detect(bytes(data), pose=True, quality=True))
        ]
    except faceengine.FaceEngineError as error:
        return [{"image": image, "error": str(error)}]


def search(batches):
    """The rows of a task's pictures."""
    engine = faceengine.load()
    for batch in batches:
        rows = [row for picture in batch.itertuples() for row in rows_of(engine, picture.path, picture.content)]
        yield pd.DataFrame([[row.get(name) for name in COLUMNS] for row in rows], columns=list(COLUMNS), dtype=object)


def find(spark, pictures, faces):
    schema = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    files = (
        spark.read.format("binaryFile")
        .option("recursiveFileLookup", True)
        .option("pathGlobFilter", "*.{jpg,jpeg,png,webp}")
    )
    files.load(pictures).select("path", "content").mapInPandas(search, schema).write.mode("overwrite").parquet(faces)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the workers' Python has the package, too
    # Batches of pictures, not of ten thousand rows, are held in memory.
    find(SparkSession.builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", 32).getOrCreate(), *sys.argv[1:])
