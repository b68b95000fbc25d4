#!/usr/bin/env python3
"""Tests of what makes and tries the site, on little pages: python3 Tools/site/test_site.py, which needs no packages."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browse  # noqa: E402
import columns  # noqa: E402
import pages  # noqa: E402


class Links(unittest.TestCase):
    def faults(self, *links):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            folder.joinpath("other.html").touch()
            base = folder.as_uri()
            pages = {f"{base}/index.html": ([link.format(base=base) for link in links], ["top"]),
                     f"{base}/other.html": ([], ["here", "an anchor"])}
            return list(browse.link_faults(folder, pages))

    def test_what_is_there_is_found(self):
        self.assertEqual(self.faults("{base}/other.html#here", "{base}/other.html#an%20anchor", "{base}/other.html#",
                                     "https://example.org/gone", "mailto:a@example.org"), [])

    def test_each_fault_is_told(self):
        for link, told in {"{base}/gone.html": "no file", "{base}/other.html#gone": "no such anchor", "file:///etc/passwd": "no file",
                           "gopher://example.org": "links to gopher"}.items():
            with self.subTest(link=link):
                (found,) = self.faults(link)
                self.assertIn(told, found)


class Pages(unittest.TestCase):
    def linked(self, text, source="docs/install.md"):
        with tempfile.TemporaryDirectory() as folder:
            return pages.Stage(pathlib.Path(folder)).linked(text, source)

    def test_links_lead_to_pages(self):
        for text, expected in {
            "[a](python.md#images)": "[a](python.md#images)",
            "[a](../README.md)": "[a](../index.md)",
            "[a](../Proto/face_engine.proto)": "[a](../reference/messages.md)",
            "[a](../include/face_engine.h)": "[a](../reference/c.md)",
            "[a](../Examples/c/detect.c)": "[a](../Examples/c/detect.c.md)",
            "[a](../Examples/cpp)": "[a](../Examples/cpp/index.md)",
            "![a](detected.png)": "![a](detected.png)",
            "[a](https://example.org/x.md) [b](#here)": "[a](https://example.org/x.md) [b](#here)",
            "`[a](gone.md)`": "`[a](gone.md)`",
            "```\n[a](gone.md)\n```": "```\n[a](gone.md)\n```",
        }.items():
            with self.subTest(text=text):
                self.assertEqual(self.linked(text), expected)

    def test_a_link_to_nothing_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "docs/install.md links to docs/gone.md"):
            self.linked("[a](gone.md)")

    def test_anchors_are_those_of_git_hosts(self):
        self.assertEqual(pages.slug("On `file://`, C & C++: what's new?"), "on-file-c--c-whats-new")

    def test_every_document_is_in_a_chapter(self):
        chapters = dict(pages.contents())
        self.assertEqual(list(chapters), ["Use", "Operate", "Understand", "Reference", "Contribute"])


class Columns(unittest.TestCase):
    def test_columns_become_lists(self):
        text = "Finds.\n\nimage        a path, or\n             bytes\npixel_aspect the width\na, b         both\n\nRows may\nbe long."
        self.assertEqual(columns.markdown(text), "Finds.\n\n- `image`: a path, or bytes\n- `pixel_aspect`: the width\n- `a`, `b`: both"
                         "\n\nRows may\nbe long.")

    def test_text_and_code_stay(self):
        text = "Finds. It is so.\n\n    for x  in y:\n        z()"
        self.assertEqual(columns.markdown(text), text)


if __name__ == "__main__":
    unittest.main()
