"""The contract's own tests, on a tiny one: python3 Tools/contract/test_contract.py"""

import copy
import ctypes
import dataclasses
import json
import pathlib
import re
import runpy
import shutil
import tempfile
import unittest

import baseline
import document
import doors
import headers
import java
import printers
import python
import swift
from contract import ROOT, Contract, Output, Problem, described
from regions import filled

PROTO = """
syntax = "proto3";
message DetectOptions {
  // Leave out faces with a lower confidence. They cost nothing.
  // Range: 0 to 1. Default: 0.6.
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
    def test_options_have_range_default_and_flag(self):
        confidence, wait = contract().options["DetectOptions"]
        self.assertEqual(
            (confidence.kind, confidence.least, confidence.most, confidence.default), ("number", 0, 1, 0.6)
        )
        self.assertEqual(confidence.flag, "min-confidence")
        self.assertEqual(confidence.sentence, "Leave out faces with a lower confidence.")
        self.assertEqual(
            (wait.kind, wait.default, wait.most, wait.flag), ("nanoseconds", 1.5e9, float("inf"), "patience")
        )
        self.assertEqual((wait.range, wait.default_text), ("0 or more", "1.5 s"))

    def test_only_switches_with_a_flag_are_outputs(self):
        self.assertEqual([(output.name, output.flag) for output in contract().outputs], [("pose", "pose")])

    def test_values_lose_their_prefix_and_keep_a_text_with_a_colon(self):
        prompt, none = contract().enumerations["Tip"]
        self.assertEqual(
            (prompt.name, prompt.text, prompt.shown), ("prompt", "Nothing in particular.", "Hold still: do not move")
        )
        self.assertEqual((none.name, none.number, none.shown), ("no_face", 1, ""))

    def test_what_is_wrong_is_named(self):
        for before, after, named in (
            ("Range: 0 to 1. ", "", "DetectOptions.min_confidence"),
            ("Default: 0.6", "Default: 1.6", "outside its range"),
            ("Range: 0 to 1", "Range: few", "write it as in 0 to 1"),
            ("Flag: patience", "Since: next. Flag: patience", "write major and minor version"),
            ("Flag: patience", "Falg: patience", "has the word Falg"),
            ("Default: 1.5 s", "Default: 1.5", "durations have s or ns"),
            ("TIP_NO_FACE", "NO_FACE", "does not begin with TIP_"),
        ):
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
        for line in (
            "message.name = arena.string(name)",
            "message.revision = UInt32(clamping: revision)",
            "message.options = arena.optional(options)",
            "message.loaded = isLoaded ? 1 : 0",
            'name: try Decoder.text(message.name, "face_model.name"),',
            "isLoaded: message.loaded != 0)",
        ):
            self.assertIn(line, text)
        self.assertNotIn("parts", text)
        text = "\n".join(printers.swift_coding(contract(), ["Model", "FaceModel", "assigned", "name=label.text"], ""))
        self.assertIn("    self.init()\n    label.text = try Decoder.text(message.name", text)
        self.assertIn("(message.n_parts, message.parts) = arena.list(parts)", text)
        with self.assertRaisesRegex(ValueError, "has no field nothing"):
            printers.swift_coding(contract(), ["Model", "FaceModel", "nothing=x"], "")

    def test_members_of_c_have_their_comments(self):
        lines = printers.c_options(contract(), ["DetectOptions", "0.2"], "")
        self.assertEqual(
            lines[0],
            "float min_confidence; /* 0 to 1, default 0.6. Leave out faces with a lower confidence. They cost nothing. */",
        )

    def test_texts_of_other_languages_lack_what_only_c_has(self):
        comment = """ The boxes. In C, `box_count` is their
                                number. At most 1000. In C, the array is borrowed. """
        self.assertEqual(headers.plain_comment(comment), "The boxes. At most 1000.")
        drawing = "The state.\n *\n *     WAITING ---> START\n *        ^--------|\n *\n * FINISH ends it. "
        self.assertEqual(headers.plain_comment(drawing), "The state. FINISH ends it.")
        listed = "Loads.\n *\n * path  a folder\n *       or a file. "
        self.assertEqual(headers.plain_comment(listed), "Loads. path a folder or a file.")

    def test_the_last_value_of_an_enum_has_no_comma(self):
        lines = printers.c_values(contract(), ["Tip", "TIP_"], "")
        self.assertEqual(
            lines, ['TIP_PROMPT = 0, /* Nothing in particular. "Hold still: do not move" */', "TIP_NO_FACE = 1"]
        )

    def test_every_door_gets_one_line_for_each_option(self):
        for name, printer in printers.PRINTERS.items():
            arguments = {
                "swift-options": ["T", "DetectOptions"],
                "swift-members": ["t", "DetectOptions"],
                "c-options": ["DetectOptions", "0.2"],
            }.get(name)
            if arguments:
                with self.subTest(name):
                    text = "\n".join(printer(contract(), arguments, ""))
                    self.assertIn("min_confidence", text)
                    self.assertIn("wait_ns", text)

    def test_a_region_of_c_has_what_came_with_its_version(self):
        later = contract(
            PROTO.replace(
                "  // How long to wait; 0 for ever.\n  // Range: 0 s",
                "  // How long to wait; 0 for ever.\n  // Since: 0.3. Range: 0 s",
            ).replace("TIP_NO_FACE = 1;", "// Since: 0.3.\n  TIP_NO_FACE = 1;")
        )
        first, second = (printers.c_options(later, ["DetectOptions", version], "") for version in ("0.2", "0.3"))
        self.assertEqual([line.split()[1] for line in first], ["min_confidence;"])
        self.assertEqual(second, ["uint64_t wait_ns; /* default 1.5 s. How long to wait; 0 for ever. Since 0.3. */"])
        self.assertEqual(printers.c_values(later, ["Tip", "TIP_"], "")[1], "TIP_NO_FACE = 1 /* Since 0.3. */")


class RegionTests(unittest.TestCase):
    def test_only_the_region_changes(self):
        text = "before\n  // generated: swift-members t DetectOptions\nold\n  // end of generated\nafter\n"
        new = filled(text, contract(), "file")
        self.assertEqual(new.split("\n")[0], "before")
        self.assertNotIn("old", new)
        self.assertIn('  CMember("min_confidence", \\t.min_confidence),', new)
        self.assertEqual(filled(new, contract(), "file"), new)

    def test_a_region_without_an_end_or_a_printer_is_named(self):
        for text, named in (
            ("// generated: c-options DetectOptions 0.2\n", "has no end"),
            ("// generated: what\n", "no printer what"),
            ("// generated: c-options Nothing 0.2\n// end of generated\n", "cannot be printed"),
        ):
            with self.subTest(text), self.assertRaisesRegex(Problem, named):
                filled(text, contract(), "file")


class DoorTests(unittest.TestCase):
    """What a printer may rely on: what is added to the headers and the contract is in contract.json, and from there in Python and
    Java without a line by hand."""

    ADDED = (
        (
            "  face_rotations rotations;",
            "  uint64_t glow_ns; /* default 2 s: how long it glows */\n  uint32_t spins; /* default 0: none; 1: all */\n"
            "  double weight;\n  uint32_t more[3];\n  float level; /* 2 to 3.5 */\n  uint32_t reserved_2;\n"
            "  const face_box *areas;\n  uint32_t area_count;\n  face_rotations rotations;",
        ),
        ("FACE_ACTION_SMILE = 4,", "FACE_ACTION_SMILE = 4, /* With `teeth`. */\n  FACE_ACTION_WINK = 9,"),
        (
            "/* ---- Engine -",
            "typedef uint32_t face_set;\nenum { FACE_SET_ALL = 0, FACE_SET_65 };\n#define FACE_SHARE 0.5f\n"
            "#define FACE_BOTH (1u | 2)\ntypedef struct face_thing {\n  uint32_t struct_size;\n  char name[64];\n"
            "  float a[3], b[3]; /* both */\n  void (*on_end)(face_set set, void *user_data);\n} face_thing;\n"
            "FACE_API face_set face_new(const char *const *names, const face_thing *things);\n/* ---- Engine -",
        ),
    )

    @classmethod
    def setUpClass(cls):
        whole = Contract()
        whole.outputs.append(Output("shine", 99, "How much it shines.", "shine"))
        cls.whole = document.document(whole, cls.headers_with(cls.ADDED, whole))
        cls.files = {path.name: text for path, text in java.files(cls.whole).items()}
        cls.python = {}
        exec(python.files(cls.whole)[python.OUTPUT], cls.python)

    @staticmethod
    def headers_with(changes, whole):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "include", folder, dirs_exist_ok=True)
            for header in pathlib.Path(folder, "face_engine").glob("*.h"):
                text = header.read_text()
                for old, new in changes:
                    text = text.replace(old, new)
                header.write_text(text)
            return headers.read(whole, pathlib.Path(folder))

    def test_a_member_of_a_struct_has_place_kind_range_and_default(self):
        members = {member["name"]: member for member in self.whole["c"]["structs"]["face_options"]["members"]}
        self.assertEqual(
            members["glow_ns"],
            {
                "name": "glow_ns",
                "type": "uint64_t",
                "text": "default 2 s: how long it glows",
                "offset": 88,
                "kind": "seconds",
                "default": 2,
            },
        )
        self.assertEqual((members["spins"]["kind"], members["spins"]["default"]), ("switch", 0))
        self.assertEqual((members["level"]["least"], members["level"]["most"]), (2, 3.5))
        self.assertEqual((members["areas"]["kind"], members["areas"]["count"]), ("structs", "area_count"))
        self.assertEqual(
            [name for name in ("more", "reserved_2", "area_count", "struct_size") if "kind" in members[name]], []
        )
        self.assertEqual(members["min_confidence"]["option"], "DetectOptions.min_confidence")
        self.assertEqual(members["max_side"]["special"], "FACE_OWN_SIZE")

    def test_an_option_without_a_member_is_named_with_its_region(self):
        whole = Contract()
        whole.options["Tracking"].append(dataclasses.replace(whole.options["Tracking"][0], name="glow", since="0.3"))
        with self.assertRaisesRegex(
            Problem, "face_session_options has no member glow: add the region c-options Tracking 0.3 at its end"
        ):
            headers.read(whole)

    def test_types_constants_and_functions_are_the_compilers(self):
        c = self.whole["c"]
        self.assertEqual(
            [(value["short"], value["number"]) for value in c["enumerations"]["face_set"]["values"]],
            [("SET_ALL", 0), ("SET_65", 1)],
        )
        self.assertEqual((c["constants"]["FACE_SHARE"], c["constants"]["FACE_BOTH"]), (0.5, 3))
        thing = {member["name"]: member for member in c["structs"]["face_thing"]["members"]}
        self.assertEqual((thing["b"]["type"], thing["b"]["offset"], thing["b"]["text"]), ("float[3]", 80, "both"))
        self.assertEqual(thing["on_end"]["type"], ["void", "face_set", "void*"])
        self.assertEqual(c["functions"]["face"]["face_new"], ["face_set", "char**", "face_thing*"])
        self.assertEqual(document.type_parts("face_thing**"), ("face_thing", 2, 0))

    def test_the_contract_is_one_entry_a_line(self):
        text = document.printed(self.whole, whole=document.is_entry)
        self.assertEqual(sum('"glow_ns"' in line for line in text.split("\n")), 1)
        self.assertEqual(json.loads(text), self.whole)

    def test_python_has_keywords_structs_and_functions(self):
        options, abi = self.python["OPTIONS"]["face_options"], self.python
        self.assertEqual(options["spins"], ("uint32", "int", 0, "Default 0: none; 1: all"))
        self.assertEqual((options["glow"][:3], options["weight"].code), (("seconds:glow_ns", "float", 2), "double"))
        self.assertEqual((options["areas"].code, options["shine"].code), ("structs:face_box:area_count", "output:1024"))
        self.assertEqual((abi["face_options"].weight.size, abi["face_thing"].b.offset, abi["Set"].SET_65), (8, 80, 1))
        self.assertIs(abi["FACE_FUNCTIONS"]["face_new"][1][0], ctypes.POINTER(ctypes.c_char_p))

    def test_a_type_that_python_does_not_know_is_named(self):
        whole = Contract()
        new = "typedef int8_t face_sign;\nFACE_API face_status face_new(const face_sign *signs);\n/* ---- Engine -"
        with self.assertRaisesRegex(Problem, "face_sign"):
            python.files(document.document(whole, self.headers_with([("/* ---- Engine -", new)], whole)))

    def test_an_output_is_an_option_and_a_component_of_java(self):
        self.assertIn('return withBit("shine", value, 36, 1024);', self.files["DetectOptions.java"])
        self.assertIn("    Numbers shine) {", self.files["Face.java"])
        self.assertIn("@param shine How much it shines. Null unless requested and known.", self.files["Face.java"])

    def test_a_member_is_an_option_of_java_at_its_offset(self):
        self.assertIn(
            'public DetectOptions glow(Duration value) {\n    return with("glow", value, 88);',
            self.files["DetectOptions.java"],
        )
        self.assertIn(
            'public DetectOptions spins(boolean value) {\n    return with("spins", value, 96);',
            self.files["DetectOptions.java"],
        )
        self.assertRegex(self.files["layout.h"], r"AT\(offsetof\(struct face_options, glow_ns\) == 88, \d+\);")

    def test_swift_has_options_values_and_outputs(self):
        made = {path.name: text for path, text in swift.files(self.whole).items() if "FaceEngineDraw" not in path.parts}
        options = made["Options.swift"]
        self.assertIn("  public var glow: Duration\n", options)
        self.assertIn("glow: Duration = .seconds(2)", options)
        self.assertIn('    c.glow_ns = try nanoseconds(glow, "glow")\n', options)
        self.assertIn("  public var spins: Bool\n", options)
        self.assertIn("    c.spins = spins ? 1 : 0\n", options)
        self.assertIn(
            "  /// How much it shines.\n  public static let shine = Outputs(rawValue: 0x400)\n", made["Face.swift"]
        )
        self.assertIn(
            "  /// With teeth.\n  case smile = 4\n  /// `FACE_ACTION_WINK` of C.\n  case wink = 9\n",
            made["Enumerations.swift"],
        )

    def test_swift_converts_and_copies_what_c_does(self):
        made = {path.name: text for path, text in swift.files(self.whole).items() if "FaceEngineDraw" not in path.parts}
        geometry, records = made["Geometry.swift"], made["Records.swift"]
        self.assertIn("    Box(try space.convert(c, size, face_box_from_space))\n", geometry)
        self.assertIn("    Point(try space.convert(c, size, { face_points_to_space($0, $1, $2, $3, 1) }))\n", geometry)
        self.assertIn("      case .normalisedBottomLeft: 2\n", geometry)
        self.assertIn("  public var region: Box?\n", records)
        self.assertIn("    c.mirrored = isMirrored ? 1 : 0\n", records)
        self.assertIn("    actionsDone = Int(c.actions_done)\n", records)
        self.assertIn("    case (.points98, .allPoints): [\n", made["Regions.swift"])

    def test_a_value_is_a_constant_of_java_with_its_comment(self):
        self.assertIn(
            "  /** With teeth. */\n  SMILE(4),\n  /** {@code FACE_ACTION_WINK} of C. */\n  WINK(9),",
            self.files["Action.java"],
        )


class BaselineTests(unittest.TestCase):
    """A contract before and after a change: what is added passes, and everything else is named."""

    @classmethod
    def setUpClass(cls):
        cls.before = baseline.kept(document.read())

    @staticmethod
    def descriptor(text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tiny.proto"
            path.write_text(text)
            return described(path)

    def broken(self, change, version="0.3.0"):
        """The sentences about a change of the document that this repository has."""
        after = copy.deepcopy(self.before)
        after["version"] = version
        change(after)
        return baseline.contract(self.before, after)

    def test_the_sources_keep_what_the_last_release_had(self):
        self.assertEqual(baseline.problems(), [])
        self.assertEqual(self.broken(lambda after: None), [])

    def test_a_change_of_the_wire_is_named(self):
        text = (
            PROTO
            + "message Choice { enum Kind { NONE = 0; } oneof one { uint32 a = 1; string b = 2; } Kind kind = 3; }"
        )
        before = self.descriptor(text)
        for old, new, named in (
            ("string name = 1;", "", "FaceModel.name is gone"),
            ("string name = 1;", "string title = 1;", "FaceModel.name, number 1, is now title"),
            ("string name = 1;", "string name = 9;", "FaceModel.name has the number 9, and had 1"),
            ("uint32 revision", "int32 revision", "FaceModel.revision has another type"),
            ("repeated FaceModel parts", "FaceModel parts", "FaceModel.parts has another type"),
            ("DetectOptions options = 3", "FaceModel options = 3", "FaceModel.options has another type"),
            (
                "oneof one { uint32 a = 1; string b = 2; }",
                "uint32 a = 1; oneof one { string b = 2; }",
                "Choice.a has moved",
            ),
            ("enum Kind { NONE = 0; }", "enum Kind { NO = 0; }", "Choice.Kind has no NONE = 0"),
            ("TIP_NO_FACE = 1;", "TIP_NO_FACE = 2;", "Tip has no TIP_NO_FACE = 1"),
            (
                "service Models { rpc FindFaces(FaceModel) returns (FaceModel); }",
                "",
                "the method Models/FindFaces is gone",
            ),
            (
                "rpc FindFaces(FaceModel) returns (FaceModel)",
                "rpc FindFaces(stream FaceModel) returns (FaceModel)",
                "the method Faces/FindFaces has other messages",
            ),
            ('syntax = "proto3";', 'syntax = "proto3";\npackage other;', "the package is other"),
        ):
            with self.subTest(new or old):
                self.assertTrue(text.count(old))
                self.assertRegex("\n".join(baseline.wire(before, self.descriptor(text.replace(old, new)))), named)
        self.assertRegex("\n".join(baseline.wire(before, self.descriptor(PROTO))), "the message Choice is gone")
        added = text.replace("bool loaded = 5;", "bool loaded = 5;\n  uint32 more = 6;").replace(
            "TIP_NO_FACE = 1;", "TIP_NO_FACE = 1;\n  TIP_MORE = 2;"
        )
        self.assertEqual(
            baseline.wire(
                before, self.descriptor(added + "message More {} service Mores { rpc Do(More) returns (More); }")
            ),
            [],
        )

    def test_every_proto_is_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path in baseline.PROTOS:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(baseline.FOLDER / pathlib.Path(path).name, root / path)
            self.assertEqual(baseline.wires(root), [])
            for path, old, new, named in (
                ("Proto/ttrpc.proto", "bytes payload = 3;", "", "ttrpc.proto: Request.payload is gone"),
                (
                    "Proto/ttrpc.proto",
                    "int64 timeout_nano = 4;",
                    "int64 timeout_nano = 6;",
                    "Request.timeout_nano has the number 6, and had 4",
                ),
                ("Proto/ttrpc.proto", "int32 code = 1;", "uint32 code = 1;", "Status.code has another type"),
                (
                    "Gateway/Proto/health.proto",
                    "SERVICE_UNKNOWN = 3;",
                    "SERVICE_LATER = 3;",
                    "ServingStatus has no SERVICE_UNKNOWN = 3",
                ),
                (
                    "Gateway/Proto/health.proto",
                    "returns (stream Health",
                    "returns (Health",
                    "the method Health/Watch has other messages",
                ),
                (
                    "Gateway/Proto/reflection.proto",
                    "string list_services = 7;",
                    "",
                    "ServerReflectionRequest.list_services is gone",
                ),
                ("Gateway/Proto/open_inference.proto", "package inference;", "package other;", "the package is other"),
            ):
                with self.subTest(named):
                    text = (root / path).read_text()
                    self.assertIn(old, text)
                    (root / path).write_text(text.replace(old, new))
                    self.assertRegex("\n".join(baseline.wires(root)), named)
                    (root / path).write_text(text)
            (root / "Gateway/Proto/reflection.proto").unlink()
            (root / "Proto/later.proto").touch()
            self.assertEqual(
                baseline.wires(root),
                [
                    "baseline.py does not know Proto/later.proto; add it to PROTOS",
                    "Gateway/Proto/reflection.proto is gone; keep it",
                ],
            )

    def test_a_new_field_says_since_when(self):
        def fields(line):
            return baseline.undated(
                contract().messages,
                contract(PROTO.replace("bool loaded = 5;", f"bool loaded = 5;\n{line}")).messages,
                "0.3.1",
            )

        self.assertEqual(fields("// Whether it is more.\n// Since: 0.3.\nbool more = 6;"), [])
        self.assertEqual(
            fields("bool more = 6;"), ["FaceModel.more is new, and says since 0.2; write Since: 0.3. in its comment"]
        )
        self.assertRegex(fields("// Since: 0.4.\nbool more = 6;")[0], "says since 0.4")

    def test_a_change_of_options_and_outputs_is_named(self):
        def option(after):
            return after["options"]["DetectOptions"][0]

        for change, named in (
            (lambda after: after["options"]["DetectOptions"].pop(0), "DetectOptions.min_confidence is no option"),
            (lambda after: option(after).update(default=0.5), "min_confidence has the default 0.5, and had 0.6"),
            (lambda after: option(after).update(most=0.9), "min_confidence has a smaller range"),
            (lambda after: option(after).update(flag="confidence"), "has the flag confidence"),
            (lambda after: option(after).update(since="0.3"), "has the since 0.3, and had None"),
            (lambda after: after["switches"]["Tracking"].pop(), "Tracking: reidentify is gone"),
            (lambda after: after["outputs"][0].update(bit=1024), "landmarks has bit 1024, and had 1"),
            (lambda after: after["outputs"].append({"name": "shine"}), "outputs: shine is new, and says since 0.2"),
            (lambda after: after["enumerations"]["Tip"][3].update(number=99), "Tip: move_left has number 99"),
            (lambda after: after["expressions"].reverse(), "the expressions are others"),
        ):
            with self.subTest(named):
                self.assertRegex("\n".join(self.broken(change)), named)
        self.assertEqual(self.broken(lambda after: option(after).update(least=-1, most=2)), [])
        self.assertEqual(self.broken(lambda after: after["outputs"].append({"name": "shine", "since": "0.3"})), [])

    def test_a_change_of_c_is_named(self):
        def struct(after, name="face_options"):
            return after["c"]["structs"][name]

        late = {"name": "glow", "type": "float", "since": "0.3"}
        for change, named in (
            (lambda after: struct(after)["members"].pop(2), "face_options: overlap_threshold is gone"),
            (
                lambda after: struct(after)["members"][2].update(type="double"),
                "overlap_threshold has type double, and had float",
            ),
            (lambda after: struct(after)["members"][2].update(offset=4), "overlap_threshold has offset 4, and had 8"),
            (
                lambda after: struct(after)["members"].insert(2, {**late, "offset": 92}),
                "face_options.glow is at byte 92, inside what was 96",
            ),
            (
                lambda after: struct(after, "face_point")["members"].append({**late, "offset": 8}),
                "face_point has other members",
            ),
            (lambda after: after["c"]["structs"].pop("face_space"), "the struct face_space is gone"),
            (
                lambda after: struct(after).update(size=104),
                "face_options ends with 8 unused bytes; add a uint32_t reserved",
            ),
            (
                lambda after: struct(after)["members"].append({**late, "type": "face_image", "offset": 96}),
                "face_options.glow is a struct that grows",
            ),
            (lambda after: after["c"]["constants"].update(FACE_MAX_MODELS=8), "FACE_MAX_MODELS is 8, and was 16"),
            (lambda after: after["c"]["constants"].update(FACE_OUTPUT_ALL=1), "FACE_OUTPUT_ALL is 1"),
            (
                lambda after: after["c"]["aliases"].update(face_status="int64_t"),
                "the type face_status is int64_t, and was int32_t",
            ),
            (lambda after: after["c"]["opaque"].remove("face_engine"), "the type face_engine is gone"),
            (lambda after: after["c"]["functions"]["face"].pop("face_detect"), "face_detect is None"),
            (
                lambda after: after["c"]["functions"]["draw"]["face_draw_text"].pop(),
                "face_draw_text is .*; add a function",
            ),
            (
                lambda after: after["c"]["enumerations"]["face_format"]["values"][1].update(number=2),
                "FACE_FORMAT_RGBA has number 2",
            ),
        ):
            with self.subTest(named):
                self.assertRegex("\n".join(self.broken(change)), named)

    def test_a_member_at_the_end_passes_with_its_version(self):
        def grown(after, since):
            after["c"]["structs"]["face_options"]["members"] += [
                {"name": "glow", "type": "float", "offset": 96, "since": since},
                {"name": "reserved_2", "type": "uint32_t", "offset": 100, "since": since},
            ]
            after["c"]["structs"]["face_options"]["size"] = 104
            after["c"]["constants"]["FACE_OUTPUT_ALL"] = 0x7FF
            after["c"]["functions"]["face"]["face_glow"] = ["float"]

        self.assertEqual(self.broken(lambda after: grown(after, "0.3")), [])
        self.assertEqual(len(self.broken(lambda after: grown(after, "0.4"))), 2)

    def test_a_member_in_the_middle_of_a_header_is_refused(self):
        whole = Contract()
        after = document.document(
            whole,
            DoorTests.headers_with(
                [("  face_accuracy accuracy;", "  float glow; /* Since 0.3. */\n  face_accuracy accuracy;")], whole
            ),
        )
        self.assertRegex(
            "\n".join(baseline.contract(self.before, baseline.kept(after))), "accuracy has offset .*, and had"
        )


class ParityTests(unittest.TestCase):
    """Each door has every name of the contract, or doors.json lists it with a reason."""

    @classmethod
    def setUpClass(cls):
        cls.contract, cls.data = document.read(), json.loads(doors.DATA.read_text(encoding="utf-8"))

    def test_doors_have_what_is_not_listed(self):
        self.assertEqual(doors.problems(), [])

    def test_a_name_that_doors_lack_is_named(self):
        whole = copy.deepcopy(self.contract)
        whole["outputs"].append({"name": "shine", "flag": "shine"})
        whole["options"]["CheckOptions"].append({"name": "glow_ns", "flag": "glow"})
        whole["c"]["enumerations"]["face_action"]["values"].append({"name": "FACE_ACTION_WINK", "short": "WINK"})
        whole["c"]["structs"]["face_check"]["members"].append({"name": "mood"})
        whole["c"]["functions"]["face"]["face_result_mood"] = ["float"]
        wrong = "\n".join(doors.compared(whole, self.data)[1])
        for name, group, lacking in (
            ("shine", "outputs", ["C", "command", "HTTP", "Python", "Java", "Swift"]),
            ("glow_ns", "CheckOptions: numbers, switches", ["C", "command", "HTTP", "Python", "Java", "Swift"]),
            ("wink", "face_action", ["C", "command", "HTTP", "Python", "Java", "Swift", "page"]),
            ("mood", "face_check", ["C", "command", "HTTP", "Python", "Java", "Swift", "Qt Quick", "GStreamer"]),
            ("face_result_mood", "calls", ["C", "command", "HTTP", "Python", "Java", "Swift", "Qt Quick", "GStreamer"]),
        ):
            # The doors left out ask the library for all names, or list "*".
            found = re.findall(rf"^(.*) lacks {name} of {group}; add it", wrong, re.M)
            self.assertEqual(found, lacking, name)

    def test_a_listed_name_that_exists_is_named(self):
        data = copy.deepcopy(self.data)
        data["left out"].append(
            {
                "door": "Java",
                "reason": "none",
                "names": {"face_action": ["blink"], "outputs": ["*"], "face_tip": ["gone"]},
            }
        )
        self.assertEqual(
            doors.compared(self.contract, data)[1],
            [
                "Java has blink of face_action, which doors.json lists as left out; remove it there",
                "doors.json leaves out * of outputs at Java, where nothing is missing; remove it",
                "doors.json leaves out gone of face_tip at Java, where nothing is missing; remove it",
            ],
        )

    def test_the_table_counts_names_and_has_the_reasons(self):
        every = self.data["doors"]
        found = {
            ("face_action", "blink"): dict.fromkeys(every, True),
            ("face_action", "wink"): dict.fromkeys(every, "too new"),
        }
        self.assertIn("| actions | 1 of 2 | 1 of 2 |", doors.table(found, self.data))
        self.assertIn("- limits of the engine: whoever starts the engine", doors.table(found, self.data))
        self.assertIn("\nactions,wink,no,no,", doors.listed(found, self.data))


class GenerateTests(unittest.TestCase):
    def test_check_names_what_differs_and_writes_nothing(self):
        generate = runpy.run_path(str(ROOT / "Tools/generate"))
        with tempfile.TemporaryDirectory(dir=ROOT / "Tools/contract") as folder:
            path = pathlib.Path(folder, "made")
            self.assertEqual(generate["stale_files"]({path: "new"}, True), [path.relative_to(ROOT)])
            self.assertFalse(path.exists())
            self.assertEqual(generate["stale_files"]({path: b"new"}, False), [path.relative_to(ROOT)])
            self.assertEqual((path.read_text(), generate["stale_files"]({path: "new"}, True)), ("new", []))


if __name__ == "__main__":
    unittest.main()
