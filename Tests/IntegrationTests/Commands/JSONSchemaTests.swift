import Foundation
import TestSupport
import Testing

/// Tools/swift_tests.py holds what all tests were told against docs/face-engine.schema.json; this is about the schema
/// itself.
@Suite struct JSONSchemaTests {
  @Test(arguments: [
    #"{"schemaVersion": 2, "image": "a", "error": {"code": "NOT_FOUND", "message": "b"}}"#,
    #"{"schemaVersion": 1, "image": "a", "error": "b"}"#,
    #"{"schemaVersion": 1, "image": "a", "width": 16, "height": 16, "faces": [], "size": 3}"#,
    #"{"schemaVersion": 1, "image": "a", "width": 16, "height": 16, "faces": [{"confidence": 1}]}"#,
    #"{"image": "a", "width": 16, "height": 16, "faces": []}"#,
  ])
  func schemaRejectsOtherLines(line: String) throws {
    let errors = try Command.run("Tests/json_lines.py".fromCheckout, [], input: Data(line.utf8))
    #expect(errors.status == 1 && !errors.output.isEmpty, "\(errors)")
  }
}
