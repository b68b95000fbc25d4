import FaceCore
import Foundation
import TestSupport
import Testing
import Wire

/// The bytes that PROTOCOL.md shows are those on the socket, and faces.json has the engine's points and names.
@Suite struct ProtocolDocumentTests {
  /// Proto/faces.json, which clients read.
  struct Faces: Decodable {
    struct Path: Decodable, Equatable {
      let line: String
      let points: [Int]
    }

    let regions: [String: Path]
    let constellations: [String: [String: Path]]
    let expressions: [String]

    static func document() throws -> Faces {
      try JSONDecoder().decode(Faces.self, from: Data(try Fixture.bytes("Proto/faces.json")))
    }
  }

  static let regions = LandmarkRegion.allCases.filter { $0 != .allPoints }

  /// The bytes of each dump, in order.
  static func dumps() throws -> [[UInt8]] {
    let page = String(decoding: try Fixture.bytes("Proto/PROTOCOL.md"), as: UTF8.self)
    return page.components(separatedBy: "```hex\n").dropFirst().map { block in
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
    let documented = try Faces.document().regions
    #expect(documented.count == Self.regions.count)
    for region in Self.regions {
      let line = region.indices.count == 1 ? "a point" : region.isClosed ? "closed" : "open"
      #expect(documented["\(region)"] == Faces.Path(line: line, points: region.indices))
    }
  }

  @Test func documentedConstellationsAreTheEngines() throws {
    let documented = try Faces.document().constellations
    #expect(documented.count == 3)
    for constellation in [LandmarkConstellation.points65, .points76, .points98] {
      let regions = try #require(documented["\(constellation.count)"])
      #expect(regions.count == Self.regions.count)
      for region in Self.regions {
        let path = constellation.path(of: region)
        let line = path == .disconnected ? "a point" : "\(path)"
        #expect(regions["\(region)"] == Faces.Path(line: line, points: constellation.indices(of: region)))
      }
    }
  }

  @Test func documentedExpressionsAreTheEngines() throws {
    #expect(try Faces.document().expressions == Expressions.names.map { "\($0)" })
  }
}
