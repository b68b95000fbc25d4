import FaceCore
import Testing

@Suite struct StatusTests {
  /// Source: gRPC core, "Status codes and their use in gRPC".
  private static let published = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
    "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
    "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  @Test func codesAndNamesAreThoseOfGRPC() throws {
    #expect(StatusCode.allCases.count == Self.published.count)
    for (value, name) in Self.published.enumerated() {
      let code = try #require(StatusCode(rawValue: Int32(value)))
      #expect(code.name.description == name)
    }
    #expect(StatusCode(rawValue: -1) == nil)
    #expect(StatusCode(rawValue: 17) == nil)
  }

  @Test func statusDescriptionIsCodeAndMessage() {
    #expect("\(Status(.notFound, "there is no such thing"))" == "NOT_FOUND: there is no such thing")
  }
}

@Suite struct QuotedTests {
  @Test func shortNamesAreQuotedUnchanged() {
    #expect("yunet".quoted == "\"yunet\"")
    #expect("".quoted == "\"\"")
    let hundred = String(repeating: "é", count: 50)
    #expect(hundred.quoted == "\"\(hundred)\"")
  }

  @Test func longNamesAreCutBetweenCharacters() {
    let long = String(repeating: "é", count: 49) + "abc" + String(repeating: "é", count: 1_000_000)
    #expect(long.quoted == "\"\(String(repeating: "é", count: 49))ab…\" (2000101 bytes)")
  }
}
