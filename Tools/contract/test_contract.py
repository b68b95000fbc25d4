"""The contract's own tests, on a tiny one: python3 Tools/contract/test_contract.py"""

import importlib.util
import pathlib
import tempfile
import unittest

import printers
from contract import ROOT, Contract, Output, Problem
from regions import filled

PROTO = """
syntax = "proto3";
message DetectOptions {
  // Leave out faces with a lower confidence. They cost nothing.
  // Range: 0 to 1. Default: 0.6. Title: least confidence.
  oneof optional_min_confidence { float min_confidence = 1; }
  // How long to wait; 0 for ever.
  // Range: 0 s or more. Default: 1.5 s. Flag: patience.
  oneof optional_wait_ns { uint64 wait_ns = 2; }
  // The rotation of the head.
  // Flag: pose.
  bool pose = 3;
  bool all_of_it = 4;
}
message FaceModel {
  string name = 1;
  uint32 revision = 2;
  DetectOptions options = 3;
  repeated FaceModel parts = 4;
  bool loaded = 5;
}
service Faces { rpc FindFaces(FaceModel) returns (FaceModel); }
service Models { rpc FindFaces(FaceModel) returns (FaceModel); }
enum Tip {
  // Nothing in particular.
  // Text: Hold still: do not move.
  TIP_PROMPT = 0;
  TIP_NO_FACE = 1;
}
"""


def contract(text=PROTO):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "tiny.proto"
        path.write_text(text)
        return Contract(path)


class ReaderTests(unittest.TestCase):
    def test_options_have_range_default_title_and_flag(self):
        confidence, wait = contract().options["DetectOptions"]
        self.assertEqual((confidence.kind, confidence.least, confidence.most, confidence.default), ("number", 0, 1, 0.6))
        self.assertEqual((confidence.title, confidence.flag), ("least confidence", "min-confidence"))
        self.assertEqual(confidence.sentence, "Leave out faces with a lower confidence.")
        self.assertEqual((wait.kind, wait.default, wait.most, wait.flag), ("nanoseconds", 1.5e9, float("inf"), "patience"))
        self.assertEqual((wait.range, wait.default_text, wait.title), ("0 or more", "1.5 s", "wait"))

    def test_only_switches_with_a_flag_are_outputs(self):
        self.assertEqual([(output.name, output.flag) for output in contract().outputs], [("pose", "pose")])

    def test_values_lose_their_prefix_and_keep_a_text_with_a_colon(self):
        prompt, none = contract().enumerations["Tip"]
        self.assertEqual((prompt.name, prompt.text, prompt.shown), ("prompt", "Nothing in particular.", "Hold still: do not move"))
        self.assertEqual((none.name, none.number, none.shown), ("no_face", 1, ""))

    def test_what_is_wrong_is_named(self):
        for before, after, named in (
                ("Range: 0 to 1. ", "", "DetectOptions.min_confidence"), ("Default: 0.6", "Default: 1.6", "outside its range"),
                ("Range: 0 to 1", "Range: few", "write it as in 0 to 1"), ("Title:", "Tilte:", "has the word Tilte"),
                ("Default: 1.5 s", "Default: 1.5", "durations have s or ns"), ("TIP_NO_FACE", "NO_FACE", "does not begin with TIP_")):
            with self.subTest(after), self.assertRaisesRegex(Problem, named):
                contract(PROTO.replace(before, after))


class PrinterTests(unittest.TestCase):
    def test_members_and_tables_of_swift(self):
        lines = printers.swift_options(contract(), ["Options", "DetectOptions"], "  ")
        self.assertIn("  public var minConfidence: Float = 0.6", lines)
        self.assertIn("  public var patience: TimeSpan = .milliseconds(1500)", lines)
        self.assertIn('      "wait_ns", flag: "patience", \\Options.patience, 0...(.infinity),', lines)

    def test_messages_have_the_names_of_protobuf_c(self):
        lines = printers.swift_messages(contract(), [], "")
        self.assertIn("extension Faceengine__V1__FaceModel: Message {", lines)
        self.assertIn("    faceengine__v1__face_model__init(message)", lines)

    def test_methods_of_several_services_are_told_apart(self):
        lines = printers.swift_methods(contract(), [], "")
        self.assertEqual(lines[:2], ["case findFaces", "case modelsFindFaces"])
        self.assertIn('case .modelsFindFaces: "FindFaces"', "\n".join(lines))

    def test_a_struct_is_coded_by_the_names_of_its_message(self):
        coding = ["Model", "FaceModel", "loaded=isLoaded", "options=options?", "parts="]
        text = "\n".join(printers.swift_coding(contract(), coding, ""))
        for line in ("message.name = arena.string(name)", "message.revision = UInt32(clamping: revision)",
                     "message.options = arena.optional(options)", "message.loaded = isLoaded ? 1 : 0",
                     'name: try Decoder.text(message.name, "face_model.name"),', "isLoaded: message.loaded != 0)"):
            self.assertIn(line, text)
        self.assertNotIn("parts", text)
        text = "\n".join(printers.swift_coding(contract(), ["Model", "FaceModel", "assigned", "name=label.text"], ""))
        self.assertIn("    self.init()\n    label.text = try Decoder.text(message.name", text)
        self.assertIn("(message.n_parts, message.parts) = arena.list(parts)", text)
        with self.assertRaisesRegex(ValueError, "has no field nothing"):
            printers.swift_coding(contract(), ["Model", "FaceModel", "nothing=x"], "")

    def test_members_of_c_have_their_comments(self):
        lines = printers.c_options(contract(), ["DetectOptions"], "")
        self.assertEqual(
            lines[0], "float min_confidence; /* 0 to 1, default 0.6. Leave out faces with a lower confidence. They cost nothing. */")

    def test_the_last_value_of_an_enum_has_no_comma(self):
        lines = printers.c_values(contract(), ["Tip", "TIP_"], "")
        self.assertEqual(lines, ['TIP_PROMPT = 0, /* Nothing in particular. "Hold still: do not move" */', "TIP_NO_FACE = 1"])

    def test_every_door_gets_one_line_for_each_option(self):
        for name, printer in printers.PRINTERS.items():
            arguments = {"swift-options": ["T", "DetectOptions"], "swift-members": ["t", "DetectOptions"],
                         "c-options": ["DetectOptions"]}.get(name)
            if arguments:
                with self.subTest(name):
                    text = "\n".join(printer(contract(), arguments, ""))
                    self.assertIn("min_confidence", text)
                    self.assertIn("wait_ns", text)


class RegionTests(unittest.TestCase):
    def test_only_the_region_changes(self):
        text = "before\n  // generated: swift-members t DetectOptions\nold\n  // end of generated\nafter\n"
        new = filled(text, contract(), "file")
        self.assertEqual(new.split("\n")[0], "before")
        self.assertNotIn("old", new)
        self.assertIn('  CMember("min_confidence", \\t.min_confidence),', new)
        self.assertEqual(filled(new, contract(), "file"), new)

    def test_a_region_without_an_end_or_a_printer_is_named(self):
        for text, named in (("// generated: c-options DetectOptions\n", "has no end"), ("// generated: what\n", "no printer what"),
                            ("// generated: c-options Nothing\n// end of generated\n", "cannot be printed")):
            with self.subTest(text), self.assertRaisesRegex(Problem, named):
                filled(text, contract(), "file")


class JavaTests(unittest.TestCase):
    """What is added to the headers and the contract is in Java without a line by hand."""

    @classmethod
    def setUpClass(cls):
        place = importlib.util.spec_from_file_location("generate_java", ROOT / "Tools/generate-java.py")
        java = importlib.util.module_from_spec(place)
        place.loader.exec_module(java)
        text = java.python.with_parts(ROOT / "include", "face_engine.h")
        text = text.replace("  face_rotations rotations;", "  uint64_t glow_ns; /* default 2 s: how long it glows */\n  face_rotations rotations;")
        text = text.replace("FACE_ACTION_SMILE = 4,", "FACE_ACTION_SMILE = 4, /* With `teeth`. */\n  FACE_ACTION_WINK = 9,")
        whole = Contract()
        whole.outputs.append(Output("shine", 99, "How much it shines.", "shine"))
        writer = java.python.Writer({"face": java.python.Header(text)}, {}, whole)
        cls.files = {path.name: text.decode() for path, text in java.Printer(writer, text).files().items()}

    def test_an_output_is_an_option_and_a_component(self):
        self.assertIn('return withBit("shine", value, 36, 1024);', self.files["DetectOptions.java"])
        self.assertIn("    Numbers shine) {", self.files["Face.java"])
        self.assertIn("@param shine How much it shines. Null unless requested and known.", self.files["Face.java"])

    def test_a_member_is_an_option_at_its_offset(self):
        self.assertIn('public DetectOptions glow(Duration value) {\n    return with("glow", value, 88);', self.files["DetectOptions.java"])
        self.assertIn("super(2, 104);", self.files["DetectOptions.java"])
        self.assertRegex(self.files["layout.h"], r"AT\(offsetof\(struct face_options, glow_ns\) == 88, \d+\);")

    def test_a_value_is_a_constant_with_its_comment(self):
        self.assertIn("  /** With teeth. */\n  SMILE(4),\n  /** {@code FACE_ACTION_WINK} of C. */\n  WINK(9),", self.files["Action.java"])


if __name__ == "__main__":
    unittest.main()
