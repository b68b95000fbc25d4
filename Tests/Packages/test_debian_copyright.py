#!/usr/bin/env python3
"""What Tools/package/debian_copyright.py reads from Debian's copyright files."""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tools/package"))
import debian_copyright  # noqa: E402

FORMAT = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: x\n\n"


def licences(*paragraphs):
    return debian_copyright.licences("libx1", FORMAT + "\n\n".join(paragraphs) + "\n")


def files(licence, which="*"):
    return f"Files: {which}\nCopyright: 2020 Somebody\nLicense: {licence}"


class LicenceTests(unittest.TestCase):
    def test_names_become_those_of_spdx(self):
        for name, expected in [
            ("Expat", "MIT"),
            ("BSD-3-Clause", "BSD-3-Clause"),
            ("GPL-2+", "GPL-2.0-or-later"),
            ("LGPL-2.1", "LGPL-2.1-only"),
            ("zlib", "Zlib"),
            ("GPL-3 or Expat", "GPL-3.0-only OR MIT"),
            ("ISC and Expat", "ISC AND MIT"),
            ("Expat, or MIT", "MIT"),
        ]:
            with self.subTest(name):
                self.assertEqual(licences(files(name)), (expected, {}))

    def test_all_files_but_the_packaging_count(self):
        self.assertEqual(
            licences(files("Expat"), files("GPL-2+ or Zlib", "contrib/*"), files("GPL-3+", "debian/*")),
            ("(GPL-2.0-or-later OR Zlib) AND MIT", {}),
        )

    def test_a_licence_of_its_own_has_its_text(self):
        text = "May be used.\n\nBy all."
        lines = "\n".join(f" {line or '.'}" for line in text.splitlines())
        for paragraphs in [(files("own_words"), f"License: own_words\n{lines}"), (files(f"own_words\n{lines}"),)]:
            self.assertEqual(
                licences(*paragraphs),
                ("LicenseRef-libx1-own-words", {"LicenseRef-libx1-own-words": ("own_words", text)}),
            )

    def test_what_is_open_is_not_told(self):
        for paragraph in [
            files("own"),
            files("GPL-2+ with exception"),
            files("Expat and ISC or Zlib"),
            files(""),
            "Comment: none",
            files("Expat", "debian/*"),
        ]:
            with self.subTest(paragraph):
                self.assertIsNone(licences(paragraph))
        for text in ["", "This package was made by somebody.\n\nLicense: Expat\n", files("Expat")]:
            self.assertIsNone(debian_copyright.licences("libx1", text))


if __name__ == "__main__":
    unittest.main()
