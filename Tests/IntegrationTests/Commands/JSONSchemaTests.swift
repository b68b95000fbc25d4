import Foundation
import TestSupport
import Testing

/// Output for programs follows docs/face-engine.schema.json.
@Suite struct JSONSchemaTests {
  /// The errors of lines, by the reference implementation in Python.
  private func errors(_ lines: String) throws -> Command {
    try Command.run("Tests/json_lines.py".fromCheckout, [], input: Data(lines.utf8))
  }

  private func expectValid(_ arguments: [String], lines count: ClosedRange<Int>) throws {
    let said = try Command.faceEngine(arguments + ["--model", Checkout.model])
    #expect(count.contains(said.lines.count), "\(said)")
    let errors = try errors(said.output)
    #expect(errors.status == 0 && errors.output.isEmpty, "\(arguments): \(errors)")
  }

  @Test func outputOfPicturesFollowsTheSchema() throws {
    let (photo, other) = (Checkout.photo, Checkout.otherPhoto)
    try expectValid(["detect", "--json", photo, "/none.jpg", other], lines: 3...3)
    try expectValid(
      ["detect", "--json", "--all", "--constellation", "76", "--screen", "34x19.5", photo], lines: 1...1)
    try expectValid(
      [
        "detect", "--json", "--track", "--min-hits", "1", "--max-missed-frames", "0", "--mask", "10,10,5",
        "--space", "normalised", photo, photo, "Tests/Fixtures/images/quarters_large.jpg".fromCheckout,
      ], lines: 3...3)
    try expectValid(["quality", "--json", "--iso", photo, "/none.jpg"], lines: 2...2)
    let folder = try TemporaryFolder()
    try expectValid(["draw", "--json", photo, other, "-o", folder.path], lines: 2...2)
    try expectValid(["crop", "--json", photo, other, "/none.jpg", "-o", folder.path], lines: 3...3)
  }

  @Test func framesAndEventsAreAsDescribed() throws {
    let broken = try TemporaryFolder()
    let damaged = try broken.write("damaged.jpg", Data("no".utf8))
    try expectValid(
      ["watch", "--min-hits", "1", "--all", Checkout.photo, damaged, Checkout.photo], lines: 3...3)
    try expectValid(
      ["watch", "--min-hits", "1", "--analysis-rate", "3"] + Array(repeating: Checkout.photo, count: 12),
      lines: 12...12)
    try expectValid(["check", "--still", "--mask", "268,227,160", Checkout.photo], lines: 3...20)
    try expectValid(["check", Checkout.photo, Checkout.photo], lines: 2...20)
    try expectValid(["watch", "--check", Checkout.photo, damaged, Checkout.photo], lines: 3...40)
  }

  @Test(arguments: [
    #"{"schemaVersion": 2, "image": "a", "error": {"code": "NOT_FOUND", "message": "b"}}"#,
    #"{"schemaVersion": 1, "image": "a", "error": "b"}"#,
    #"{"schemaVersion": 1, "image": "a", "width": 16, "height": 16, "faces": [], "size": 3}"#,
    #"{"schemaVersion": 1, "image": "a", "width": 16, "height": 16, "faces": [{"confidence": 1}]}"#,
    #"{"image": "a", "width": 16, "height": 16, "faces": []}"#,
  ])
  func schemaRejectsOtherLines(line: String) throws {
    let errors = try errors(line)
    #expect(errors.status == 1 && !errors.output.isEmpty, "\(errors)")
  }
}
