"""The Python package's docstrings as Markdown, for mkdocstrings."""

import pathlib
import sys

import griffe

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import columns  # noqa: E402


class AlignedColumns(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = columns.markdown(obj.docstring.value)
