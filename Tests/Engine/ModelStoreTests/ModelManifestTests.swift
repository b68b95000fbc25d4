import CJansson
import FaceCore
import Glibc
import ModelStore
import TestSupport
import Testing

@Suite struct ModelManifestTests {
  private let whole = ManifestText.whole

  private func problem(_ text: String) -> Status? {
    failure { () throws(Status) in _ = try ModelManifest(json: Array(text.utf8)) }
  }

  @Test func everyFieldIsRead() throws {
    let manifest = try ModelManifest(json: Array(whole.utf8))
    #expect(manifest.name == "tiny" && manifest.title == "A tiny model" && manifest.role == "detector")
    #expect(manifest.family == "yunet" && manifest.licence == "MIT")
    #expect(manifest.input.blob == "in0" && manifest.input.colour == "rgb" && manifest.input.multiple == 32)
    #expect(manifest.input.mean == [1, 2.5, 3] && manifest.input.scale == [0.5, 1, 2])
    #expect(manifest.strides == [8, 16])
    #expect(manifest.outputs == ["cls": ["a", "b"], "box": ["c", "d"]])
    #expect(manifest.graph.name == "tiny.param" && manifest.weights.name == "tiny.bin")
    #expect(manifest.graph.size == 5 && manifest.weights.size == 7)
    #expect(manifest.graph.sha256 == ManifestText.hash("graph"))
    #expect(manifest.weights.sha256 == ManifestText.hash("weights"))
  }

  @Test(arguments: ["int8", "int16"]) func weightsInIntegersAreOptional(key: String) throws {
    #expect(try ModelManifest(json: Array(whole.utf8)).quantised == nil)
    let file =
      "\"\(key)\": {\"name\": \"tiny.\(key)\", \"size\": 3, \"sha256\": \"\(ManifestText.hash(key))\"}, "
    let manifest = try ModelManifest(
      json: Array(whole.replacing("\"param\":", with: "\(file)\"param\":").utf8))
    #expect(manifest.quantised?.name == "tiny.\(key)" && manifest.quantised?.size == 3)
    #expect(manifest.files.map(\.name) == ["tiny.param", "tiny.bin", "tiny.\(key)"])
    #expect(
      problem(whole.replacing("\"param\":", with: "\"\(key)\": 3, \"param\":"))?.code == .failedPrecondition)
  }

  /// Each line that has a field is left out, or has a value of another kind.
  @Test(arguments: [
    "name", "title", "role", "family", "licence", "strides", "outputs", "input", "files", "blob", "colour",
    "mean", "scale", "multiple", "param", "bin", "size", "sha256",
  ])
  func aFieldThatIsMissingOrOfAnotherKindIsNamed(field: String) throws {
    let key = "\"\(field)\":"
    let renamed = whole.replacing(key, with: "\"no\(field)\":", maxReplacements: 1)
    let changed = whole.replacing(key, with: "\(key) true, \"other\(field)\":", maxReplacements: 1)
    #expect(renamed != whole)
    for text in [renamed, changed] {
      let problem = try #require(self.problem(text))
      #expect(problem.code == .failedPrecondition)
      #expect(problem.message.contains("\"\(field)\""), "\(problem)")
    }
  }

  @Test(arguments: [
    ("\"rgb\"", "\"grb\"", "input.colour"), ("[1, 2.5, 3]", "[1, 2.5]", "input.mean"),
    ("[0.5, 1, 2]", "[0.5, 1, 2, 4]", "input.scale"), ("[0.5, 1, 2]", "[0.5, 1, \"2\"]", "scale"),
    ("[0.5, 1, 2]", "[0.5, 1, 1e300]", "scale"), ("\"multiple\": 32", "\"multiple\": 0", "input.multiple"),
    ("\"multiple\": 32", "\"multiple\": 257", "input.multiple"), ("[8, 16]", "[]", "strides"),
    ("\"multiple\": 32", "\"multiple\": 24", "input.multiple"),
    ("[8, 16]", "[8, 0]", "strides"), ("[8, 16]", "[8, 16.5]", "strides"), ("[8, 16]", "[8]", "outputs."),
    ("[\"c\", \"d\"]", "[\"c\", 4]", "box"), ("[\"c\", \"d\"]", "\"c\"", "box"),
    ("\"size\": 5", "\"size\": 0", "size"), ("\"size\": 5", "\"size\": -5", "size"),
    ("\"size\": 5", "\"size\": 999999999999", "size"),
  ])
  func aValueOutsideItsRangeIsNamed(original: String, replacement: String, name: String) throws {
    let text = whole.replacing(original, with: replacement, maxReplacements: 1)
    #expect(text != whole)
    let problem = try #require(self.problem(text))
    #expect(problem.code == .failedPrecondition)
    #expect(problem.message.contains(name), "\(problem)")
  }

  @Test(arguments: [
    "../tiny.param", "/etc/passwd", "a/b", "..", ".", "", "tiny\\u0000.param", "../../x",
  ])
  func filesOutsideTheFolderAreRefused(name: String) {
    let problem = problem(whole.replacing("tiny.param", with: name))
    #expect(problem?.code == .failedPrecondition)
  }

  @Test func hashesAreLowerCaseHexadecimal() {
    let hash = ManifestText.hash("graph")
    for wrong in [
      hash.uppercased(), String(hash.dropLast()), hash + "0", "../" + hash.dropFirst(3),
      "g" + hash.dropFirst(),
      "０" + hash.dropFirst(3),
    ] {
      let problem = problem(whole.replacing(hash, with: wrong))
      #expect(problem?.message.contains("sha256 of tiny.param") == true, "\(wrong)")
    }
  }

  @Test(arguments: ["", "{", "[]", "7", "null", "{\"name\": \"a\", \"name\": \"b\"}", "\u{FEFF}", "{} {}"])
  func jsonThatIsNotAnObjectIsRefused(text: String) {
    #expect(problem(text)?.code == .failedPrecondition)
    #expect(problem(text)?.message.contains("model.json") == true)
  }

  @Test func invalidJSONIsRefusedWithItsLine() {
    #expect(problem("{\n\n  oops\n}")?.message.contains("line 3") == true)
    let deep = String(repeating: "[", count: 100_000)
    #expect(problem(deep)?.code == .failedPrecondition)
  }

  /// jansson calls a text that it cannot copy an invalid token.
  @Test func noMemoryIsNoFaultOfTheFile() {
    json_set_alloc_funcs(
      { size in
        allocationsLeft -= 1
        if allocationsLeft >= 0 { return malloc(size) }
        errno = ENOMEM
        return nil
      }, { free($0) })
    defer { json_set_alloc_funcs({ malloc($0) }, { free($0) }) }
    var codes: [StatusCode?] = []
    repeat {
      allocationsLeft = codes.count
      codes.append(problem(whole)?.code)
    } while codes.last != .some(nil) && codes.count < 10_000
    #expect(codes.count > 50 && codes.dropLast().allSatisfy { $0 == .resourceExhausted })
  }

  /// The package that is shipped with the engine.
  @Test func theManifestOfTheStandardModelIsWhole() throws {
    let manifest = try ModelFolder(path: RealModel.folder).manifest()
    #expect(manifest.name == "yunet" && manifest.family == "yunet")
    #expect(manifest.strides == [8, 16, 32])
  }
}

/// How many allocations of jansson succeed.
nonisolated(unsafe) private var allocationsLeft = 0

/// A valid `model.json`.
enum ManifestText {
  static func hash(_ text: String) -> String { SHA256.hexadecimal(Array(text.utf8)) }

  static let whole = """
    {
      "name": "tiny", "title": "A tiny model", "role": "detector", "family": "yunet", "licence": "MIT",
      "strides": [8, 16],
      "outputs": {"cls": ["a", "b"], "box": ["c", "d"]},
      "input": {"blob": "in0", "colour": "rgb", "mean": [1, 2.5, 3], "scale": [0.5, 1, 2], "multiple": 32},
      "files": {
        "param": {"name": "tiny.param", "size": 5, "sha256": "\(hash("graph"))"},
        "bin": {"name": "tiny.bin", "size": 7, "sha256": "\(hash("weights"))"}
      }
    }
    """
}
