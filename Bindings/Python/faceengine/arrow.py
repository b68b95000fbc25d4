"""Arrow and Parquet tables of the lines that `face-engine detect --json` writes: a row for each face.

    python -m faceengine.arrow faces.jsonl faces.parquet

A picture without faces has one row with its size and no face, a picture that failed one with `error`. The columns are those of
`Face.row`, and the 52 expressions in the order of `expression_names()`. Values that were not measured are null. Landmarks stay in
the JSON lines. Needs pyarrow: pip install "faceengine[arrow]"
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Dict, Iterable, Iterator, List, Union

import pyarrow as _pa  # type: ignore[import-untyped, import-not-found, unused-ignore]

from ._faces import Eyes as _Eyes, Pose as _Pose, Quality as _Quality

__all__ = ["SCHEMA", "batches", "write_parquet"]

SCHEMA = _pa.schema(
    [
        ("image", _pa.string()),
        ("image_width", _pa.int32()),
        ("image_height", _pa.int32()),
        ("face", _pa.int32()),
        ("id", _pa.int64()),
        ("confidence", _pa.float32()),
        *((name, _pa.float32()) for name in ("x", "y", "width", "height")),
        ("points", _pa.list_(_pa.float32())),
        *(
            (name, _pa.float32())
            for name in (*_Pose._fields, "left_eye_open", "right_eye_open", "smile", "mouth_open", *_Quality._fields)
        ),
        ("expressions", _pa.list_(_pa.float32())),
        ("error", _pa.string()),
    ]
)
"""The columns. `face` counts from 0 in each picture; `points` has x and y of both eyes, the nose tip and both corners of the mouth."""

_POINTS = ("leftEye", "rightEye", "noseTip", "mouthLeft", "mouthRight")
_QUALITY = dict(zip(_Quality._fields, ("overall", "sharpness", "exposure", "size", "pose", "framing")))


def batches(lines: Iterable[Union[str, bytes]], rows: int = 10_000) -> Iterator[Any]:
    """Record batches of about `rows` rows from lines of JSON, such as an open file. A last line that is not whole yet is left out.

    Fails with ValueError, which has the line's number, for any other line.
    """
    batch: List[Dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        if not (line.endswith(b"\n") if isinstance(line, bytes) else line.endswith("\n")):
            break
        try:
            batch.extend(_rows_of(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"line {number} is no line of face-engine detect --json: {error!r}") from error
        if len(batch) >= rows:
            yield _pa.RecordBatch.from_pylist(batch, SCHEMA)
            batch = []
    if batch:
        yield _pa.RecordBatch.from_pylist(batch, SCHEMA)


def write_parquet(lines: Union[str, os.PathLike[str]], parquet: Union[str, os.PathLike[str]]) -> int:
    """Writes the file of JSON lines as a Parquet file, which appears when it is whole. Returns the number of its rows."""
    import pyarrow.parquet as pq

    unfinished, count = f"{os.fspath(parquet)}.part", 0
    try:
        with open(lines, "rb") as file, pq.ParquetWriter(unfinished, SCHEMA) as writer:
            for batch in batches(file):
                writer.write_batch(batch)
                count += batch.num_rows
        os.replace(unfinished, parquet)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
    return count


def __dir__() -> List[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


def _rows_of(line: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
    """The rows of one picture."""
    if "error" in line:
        yield {"image": line["image"], "error": line["error"]["message"]}
        return
    picture = {"image": line["image"], "image_width": line["width"], "image_height": line["height"]}
    if not line["faces"]:
        yield picture
    for number, face in enumerate(line["faces"]):
        yield {**picture, "face": number, **_numbers_of(face)}


def _numbers_of(face: Dict[str, Any]) -> Dict[str, Any]:
    """The numbers of one face by column."""
    numbers = {"id": face.get("id"), "confidence": face["confidence"], **face["box"], **face.get("pose", {})}
    if "points" in face:
        numbers["points"] = [number for name in _POINTS for number in face["points"][name]]
    if "eyesOpen" in face:
        numbers.update({f"{eye}_eye_open": face["eyesOpen"][eye] for eye in _Eyes._fields})
    numbers["smile"], numbers["mouth_open"] = face.get("smile"), face.get("mouthOpen")
    if "quality" in face:
        numbers.update({name: face["quality"][member] for name, member in _QUALITY.items()})
    if "blendshapes" in face:
        numbers["expressions"] = list(face["blendshapes"].values())
    return numbers


def _main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: python -m faceengine.arrow LINES.jsonl TABLE.parquet")
    try:
        print(f"{sys.argv[2]}: {write_parquet(*sys.argv[1:])} rows")
    except (OSError, ValueError) as error:
        sys.exit(f"faceengine.arrow: {error}")


if __name__ == "__main__":
    _main()
