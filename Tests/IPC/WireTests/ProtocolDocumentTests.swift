import FaceCore
import Foundation
import TestSupport
import Testing
import Wire

/// The bytes that PROTOCOL.md shows are those on the socket, and the tables of FACES.md match the engine.
@Suite struct ProtocolDocumentTests {
  static func text(_ page: String = "PROTOCOL") throws -> String {
    String(decoding: try Fixture.bytes("Proto/\(page).md"), as: UTF8.self)
  }

  /// The cells of each row below the head of a section's table.
  static func rows(_ section: String) throws -> [[String]] {
    let part = try #require(try text("FACES").components(separatedBy: "\n### \(section)\n").dropFirst().first)
    let lines = part.components(separatedBy: "\n#")[0].split(separator: "\n").filter { $0.hasPrefix("|") }
    return lines.dropFirst(2).map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The bytes of each dump, in order.
  static func dumps() throws -> [[UInt8]] {
    try text().components(separatedBy: "```hex\n").dropFirst().map { block in
      block.components(separatedBy: "\n```")[0].split(separator: "\n").flatMap { line in
        // Notes on the bytes begin after two spaces.
        line.components(separatedBy: "  ")[0].split(separator: " ").compactMap { UInt8($0, radix: 16) }
      }
    }
  }

  @Test func documentedBytesAreThoseSent() throws {
    let dumps = try Self.dumps()
    try #require(dumps.count == 3)
    let call = CallHeader(stream: 1, timeout: 1_000_000_000)
    let request = try HealthCall.requestFrame(call, "faceengine.v1.Detector")
    #expect(dumps[0] == request)
    let response = try HealthCall.responseFrame(stream: 1, .serving)
    #expect(dumps[1] == response)
    // The document's order: a call, then streams.
    let report = CheckReport(
      attempt: 1, state: .checking, tip: .noFace, progress: 0, actionsDone: 0, actionCount: 0,
      circle: Circle(center: Point(x: 320, y: 240), radius: 192), events: [.tip(.noFace), .clear])
    let result = DetectionResult(imageSize: PixelSize(width: 640, height: 480), faces: [])
    let answer = try WatchCall.responseFrame(
      stream: 3, FrameEvent(frame: FrameInfo(number: 1), outcome: .faces(result), check: report))
    #expect(dumps[2] == Array(answer.dropFirst(FrameHeader.size)))
  }

  @Test func documentedRegionsAreTheEngines() throws {
    var told: [String: [String]] = [:]
    for row in try Self.rows("Regions") {
      try #require(row.count == 3)
      told[row[0]] = Array(row[1...])
    }
    #expect(told.count == LandmarkRegion.allCases.count - 1)
    for region in LandmarkRegion.allCases where region != .allPoints {
      let row = try #require(told["`\(region)`"])
      #expect(row[0] == (region.indices.count == 1 ? "a point" : region.isClosed ? "closed" : "open"))
      #expect(row[1].split(separator: " ").map { Int($0) } == region.indices)
    }
  }

  @Test func documentedConstellationsAreTheEngines() throws {
    var rows = try Self.rows("Constellations")
    for constellation in [LandmarkConstellation.points65, .points76, .points98] {
      for region in LandmarkRegion.allCases where region != .allPoints {
        let path = constellation.path(of: region)
        let expected = [
          "\(constellation.count)", "`\(region)`", path == .disconnected ? "a point" : "\(path)",
          constellation.indices(of: region).map { "\($0)" }.joined(separator: " "),
        ]
        #expect(rows.count { $0 == expected } == 1, "\(expected)")
        rows.removeAll { $0 == expected }
      }
    }
    #expect(rows.isEmpty)
  }

  @Test func documentedExpressionsAreTheEngines() throws {
    let told = try Self.rows("Expressions").flatMap { $0 }
    #expect(told == Expressions.names.enumerated().map { "\($0.offset) `\($0.element)`" })
  }
}
