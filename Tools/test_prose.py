"""Tools/prose.py finds the sentences that it was made for, and passes their rewrites."""

import pathlib
import unittest

import prose

BEFORE_AND_AFTER = [
    (
        "By which part of itself an overstepped limit must be kept again.",
        "Margin, as a fraction of the limit, by which a value must recover before the limit counts as met again.",
    ),
    (
        "each user who calls has a worker of its own, and of more calls than processors the long ones pause",
        "Each calling user gets a worker. When more calls run than there are processors, the longest ones pause.",
    ),
    (
        "so that what it stands on (SwiftNIO) is built and shipped for those alone who want a network",
        "so that only users who need a network build and ship SwiftNIO",
    ),
    (
        "What is long by nature has a short form in `make test`, which asserts the same on less.",
        "Slow tests have a short form in `make test` that checks the same property on less data.",
    ),
    ("Pages are the Markdown files where they are.", "The site is built from the Markdown files in place."),
    (
        "the plug-ins with which they run networks that their own kernels do not; builds ncnn, once, in some minutes",
        "plug-ins for networks our kernels cannot run; builds ncnn once (a few minutes)",
    ),
    (
        "Nothing that hangs does so for ever; what the tests have started ends with them.",
        "Hung tests are killed, with everything they started.",
    ),
    (
        "Supported is the newest release; before the first one, the main branch.",
        "Only the latest release is supported (until the first one, main).",
    ),
    (
        "As far as the kernel can, the process gives up, for good:",
        "Where the kernel supports it, the process permanently gives up:",
    ),
    (
        "there listens the engine that runs as a system service, as the Debian package's does",
        "where a system-wide engine, such as the one from the Debian package, listens",
    ),
    (
        "One that accepts calls and answers none, as under a debugger or a stopped one, is noticed within three seconds",
        "An engine that accepts calls but never answers (stopped, or in a debugger) is detected within three seconds",
    ),
    ("how many faces nothing was measured of although it was asked for", "how many faces were not measured"),
    (
        "pixels between the eyes' centres, by the cosine of yaw",
        "pixels between the eyes' centres, divided by the cosine of yaw",
    ),
    ("Set it if you take HEIC or AVIF files of strangers.", "Set it for untrusted HEIC or AVIF files."),
    (
        "Pictures of strangers. The libraries for HEIC cannot be stopped.",
        "Untrusted pictures. The libraries for HEIC cannot be interrupted.",
    ),
    (
        "C++ code that is written for it compiles as it stands, but for Objective-C blocks, which become lambdas",
        "Existing C++ code compiles unchanged, except that Objective-C blocks become lambdas",
    ),
    (
        "A library for ONNX would be larger than the engine; who has one can choose it (108).",
        "An ONNX runtime is larger than the engine. Users who have one can select it.",
    ),
    (
        "Each is complete, and tests run it as it stands here; that of the container with a stand-in for podman.",
        "Each one is complete and tested as written (the container one against a stub podman).",
    ),
    (
        "With several cameras there is a choice, which the tab keeps.",
        "If there are several cameras you can choose one; the tab remembers it.",
    ),
    (
        "That it left was reported by on_left; that it is back is told by nothing but its id in on_faces",
        "on_left reported its departure. Its return is visible only as the same id in on_faces.",
    ),
    (
        "the number of jobs beyond `capacity` that run for users of whom no other runs",
        "how many extra jobs may run for users with nothing else running",
    ),
    (
        "In ticks, of which none comes while this program itself is held: the engine was not waited for then.",
        "Counted in timer ticks, so time during which this process was stopped does not count against the engine.",
    ),
    (
        "a session has frames, restart, picture and crop, and not this",
        "unknown session resource; use frames, restart, picture or crop",
    ),
    ("the file is not a file; give the path of one", "not a regular file; pass a path, or - for standard input"),
]


class Prose(unittest.TestCase):
    def found(self, source, name="page.md"):
        return list(prose.findings(pathlib.Path(name), source))

    def test_each_before_is_found_and_each_after_passes(self):
        for before, after in BEFORE_AND_AFTER:
            for shape, name in (
                ("{}", "a.md"),
                ("/// {}", "a.swift"),
                ("/* {} */", "a.h"),
                ('  help: "{}"', "a.swift"),
                ("# {}", "a.py"),
            ):
                with self.subTest(before, name=name):
                    self.assertTrue(self.found(shape.format(before), name))
                    self.assertFalse(self.found(shape.format(after), name))

    def test_a_wrapped_comment_is_read_as_one(self):
        for source, name in (
            ("line\nthe path\nof one", "a.md"),
            ("- item of\n  which", "a.md"),
            ("/* A comment.\n * the path\n * of one */", "a.h"),
            ("/* Reads.\n *\n * path  the path\n *       of one */", "a.h"),
            ("  int member; /* the path\n                 of one */", "a.h"),
            ("  int32 field = 1;  // the path\n                    // of one", "a.proto"),
            ("  /// text\n  /// the path\n  /// of one\n  int x;", "a.hpp"),
            ("# the path\n# of one", "a.py"),
            ('"the path "\n    + "of one"', "a.swift"),
            ('"""Text.\n\nthe path\nof one"""', "a.py"),
        ):
            with self.subTest(source):
                expected = 1 + source[: source.index(" path")].count("\n") if " path" in source else 1
                self.assertEqual([number for number, _ in self.found(source, name)], [expected])

    def test_what_is_apart_is_not_joined(self):
        for source, name in (
            ("the path\n\nof one", "a.md"),
            ("the path\n- of one", "a.md"),
            ("int a; /* the path */\nint b; /* of one */", "a.h"),
            ("int32 a = 1;  // the path\n// of one", "a.proto"),
            ("/// the path\n///\n/// of one", "a.swift"),
            ('"the path", "of one"', "a.swift"),
            ("/* The path. of one */", "a.h"),
        ):
            with self.subTest(source):
                self.assertFalse(self.found(source, name))

    def test_a_sentence_inside_a_comment_is_read_from_its_beginning(self):
        self.assertTrue(self.found("/* It runs. What calls\n * took, an engine returns. */", "a.h"))

    def test_a_line_can_be_allowed(self):
        self.assertFalse(self.found("the path of one <!-- prose: allow -->\n"))
        self.assertFalse(self.found("// prose: allow\n/// the path of one\n", "a.swift"))
        self.assertTrue(self.found("// prose: allow\n\n/// the path of one\n", "a.swift"))
        self.assertFalse(self.found("/* the path\n * of one (prose: allow) */\n", "a.h"))

    def test_a_long_line_of_markdown_is_found_outside_code(self):
        self.assertFalse(self.found("x" * 130))
        self.assertEqual(self.found("\n" + "x" * 131), [(2, "131 characters: 130 at most")])
        self.assertFalse(self.found("```\n" + "x" * 131 + "\n```\n"))
        self.assertFalse(self.found("x" * 131, "a.swift"))

    def test_code_is_no_prose(self):
        self.assertFalse(self.found("```\nthe path of one\n```\n    the path of one\n`the path of one`\n"))
        self.assertFalse(self.found("/* Use:\n *\n *     the path of one\n */", "a.h"))
        self.assertFalse(self.found("let likewise = none\n", "a.swift"))


if __name__ == "__main__":
    unittest.main()
