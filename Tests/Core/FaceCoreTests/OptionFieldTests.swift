import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct OptionFieldTests {
  @Test func fieldReadsAndWritesItsMember() {
    var options = CheckOptions()
    for (number, field) in CheckOptions.fields.enumerated() {
      switch field.kind {
      case .number: options[field] = .number(Float(number))
      case .count: options[field] = .count(number)
      case .nanoseconds: options[field] = .nanoseconds(Int64(number))
      }
    }
    for (number, field) in CheckOptions.fields.enumerated() {
      switch options[field] {
      case .number(let value): #expect(value == Float(number))
      case .count(let value): #expect(value == number)
      case .nanoseconds(let value): #expect(value == Int64(number))
      }
    }
    #expect(options.hysteresis == 0)
    #expect(options.cropMargin == Float(CheckOptions.fields.count - 1))
  }

  @Test(arguments: [(0, 50), (1, 1), (50, 50), (51, 50)])
  func analysedFacesAreBoundedByTheEngine(asked: Int, expected: Int) {
    var (limits, options) = (EngineLimits(), DetectionOptions())
    limits.analysedFacesPerImage = 50
    options.maxAnalysedFaces = asked
    #expect(limits.bounding(options).maxAnalysedFaces == expected)
  }

  @Test func valueOutsideItsRangeIsNamed() {
    var options = CheckOptions()
    options.minSharpness = 1.5
    let problem = failure { () throws(Status) in try options.validate() }
    #expect(problem == Status(.invalidArgument, "min sharpness is 1.5; give 0 to 1"))
    options = CheckOptions()
    options.waitTimeout = -1
    let other = failure { () throws(Status) in try options.validate() }
    #expect(other == Status(.invalidArgument, "wait timeout is -1 ns; give 0 or more"))
  }

  /// Each option and limit is in the header, in the messages and in the documentation.
  @Test func everyFieldIsDocumented() throws {
    let header = try text("include/face_engine.h")
    let messages = try text("Proto/face_engine.proto")
    for field in CheckOptions.fields + DetectionOptions.fields {
      #expect(header.contains(" \(field.name);"), "\(field.name) is not in face_engine.h")
      #expect(messages.contains(" \(field.name) = "), "\(field.name) is not in face_engine.proto")
    }
    let limits = try #require(messages.components(separatedBy: "message Limits {").last)
    for line in limits.split(separator: "\n") where line.hasPrefix("  uint") {
      let name = line.split(separator: " ")[1]
      #expect(EngineLimits.fields.contains { "\($0.name)" == name }, "\(name) is not in EngineLimits.fields")
    }
  }

  /// docs/guided-check.md has this table; when it differs, replace it by the one that this test prints.
  @Test func theGuideHasTheTableOfOptions() throws {
    let options = CheckOptions()
    let rows = CheckOptions.fields.map { field in
      let standard =
        switch options[field] {
        case .number(let value): "\(value)"
        case .count(let value): "\(value)"
        case .nanoseconds(let value): "\(Double(value) / 1e9) s"
        }
      return "| `\(field.name)` | \(standard) | \(field.range) | \(field.meaning) |"
    }
    let table = rows.joined(separator: "\n")
    #expect(try text("docs/guided-check.md").contains(table), "the table is:\n\(table)")
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(Fixture.repository)/\(path)", encoding: .utf8)
  }
}
