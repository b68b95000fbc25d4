#!/usr/bin/env python3
"""Tests of what makes and tries the site, on little pages: python3 Tools/site/test_site.py, which needs no packages."""

import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import columns  # noqa: E402
import links  # noqa: E402
import pages  # noqa: E402


class Links(unittest.TestCase):
    def problems(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"other.html": '<a href="index.html">back</a><p id="here">', **files}.items():
                path = pathlib.Path(folder, name.replace("__", "."))
                path.write_text(text, encoding="utf-8")
            return links.problems(folder)

    def test_what_is_there_is_found(self):
        page = ('<a href="other.html#here">1</a><a href="#top">2</a><h1 id="top"></h1><a href="https://example.org/">3</a>'
                '<img src="a.svg">')
        self.assertEqual(self.problems(index__html=page, a__svg="<svg/>"), [])

    def test_each_fault_is_told(self):
        for page, told in {
            '<a href="gone.html">x</a>': "which is no file",
            '<a href="other.html#gone">x</a>': "which has no such place",
            '<a href="#gone">x</a>': "which has no such place",
            '<a href="/other.html">x</a>': "from the top of a server",
            '<a href="other.html"><img src="gone.png"></a>': "which is no file",
            '<img srcset="other.html 1x, gone.png 2x">': "which is no file",
            '<script src="https://example.org/a.js"></script>': "fetches",
            '<link rel="stylesheet" href="//example.org/a.css">': "fetches",
            '<img src="http://example.org/a.png">': "fetches",
            '<style>@import "https://example.org/a.css";</style>': "fetches",
            '<p style="background: url(https://example.org/a.png)">': "fetches",
        }.items():
            with self.subTest(page=page):
                found = self.problems(index__html=page)
                self.assertEqual(len(found), 1, found)
                self.assertIn(told, found[0])

    def test_styles_and_scripts_fetch_nothing(self):
        page = '<a href="other.html">x</a>'
        for name, text in {
            "a__css": "@font-face { src: url('https://example.org/a.woff2') }",
            "b__css": "p { background: url(gone.png) }",
            "a__js": 'load("https://example.org/a.min.js")',
            "a__svg": '<svg><image href="https://example.org/a.png"/></svg>',
        }.items():
            with self.subTest(name=name):
                self.assertEqual(len(self.problems(index__html=page, **{name: text})), 1)

    def test_a_folder_without_pages_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(ValueError):
            links.problems(folder)


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
