"""Shows results in notebooks: the picture with its faces, and a table."""

from __future__ import annotations

import base64
import html as _html
from typing import Any, List, Optional, Tuple
from weakref import ref

from ._errors import FaceEngineError
from ._faces import Faces, _round

_MOST_ROWS = 50


def png(faces: Faces) -> Optional[bytes]:
    """A PNG file of the picture with the faces; None if the picture or the drawing library is not there any more."""
    image, format, orientation, mirrored = faces._source or (None, None, None, False)
    if isinstance(image, ref):
        image = image()
    if image is None:
        return None
    try:
        return _drawn(faces, image, format, orientation, mirrored)
    # the file is gone, a PIL image closed, the library missing
    except (FaceEngineError, ImportError, OSError, ValueError):
        return None


def _drawn(faces: Faces, image: Any, format: Any, orientation: Any, mirrored: bool) -> Optional[bytes]:
    from . import draw
    from ._spaces import Space

    picture = draw.Picture(image, format=format, orientation=orientation, mirrored=mirrored)
    if picture.size != (faces.width, faces.height):  # another picture by now
        return None
    small = picture._for_notebook()
    placed = faces if small is picture else Space("view", view=small.size, fit="stretch").faces(faces)
    return small.faces(placed, scale_to_faces=1).to_bytes()


def html(faces: Faces) -> str:
    """The picture, if there is one, above a table with a row for each face."""
    parts = []
    picture = png(faces)
    if picture is not None:  # a notebook shows either HTML or a PNG file
        parts.append(f'<img alt="" src="data:image/png;base64,{base64.b64encode(picture).decode()}">')
    if faces.error is not None:
        parts.append(f"<p>{_html.escape(str(faces.error))}</p>")
    else:
        count = "1 face" if len(faces) == 1 else f"{len(faces)} faces"
        parts.append(f"<p>{count} in {_text(faces.width)} × {_text(faces.height)} pixels</p>")
    if len(faces) > 0:
        parts.append(_table(faces))
    return "<div>" + "".join(parts) + "</div>"


def _table(faces: Faces) -> str:
    columns: List[Tuple[str, Any]] = [
        ("x", lambda face: _text(face.box.x, 1)),
        ("y", lambda face: _text(face.box.y, 1)),
        ("width", lambda face: _text(face.box.width, 1)),
        ("height", lambda face: _text(face.box.height, 1)),
        ("confidence", lambda face: _text(face.confidence, 3)),
    ]
    if any(face.id is not None for face in faces):
        columns.insert(0, ("id", lambda face: _text(face.id)))
    if any(face.pose is not None for face in faces):
        columns += [
            (name, lambda face, name=name: _text(getattr(face.pose, name, None), 1))
            for name in ("yaw", "pitch", "roll")
        ]
    if any(face.quality is not None for face in faces):
        columns.append(("quality", lambda face: _text(getattr(face.quality, "quality", None), 3)))
    rows = ["<tr>" + "".join(f"<th>{name}</th>" for name, _ in columns) + "</tr>"]
    rows += ["<tr>" + "".join(f"<td>{cell(face)}</td>" for _, cell in columns) + "</tr>" for face in faces[:_MOST_ROWS]]
    more = len(faces) - _MOST_ROWS
    return f"<table>{''.join(rows)}</table>" + (f"<p>and {more} more</p>" if more > 0 else "")


def _text(value: Any, digits: int = 0) -> str:
    return "" if value is None else _html.escape(_round(value, digits))
