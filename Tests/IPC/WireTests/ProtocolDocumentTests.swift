import FaceCore
import Foundation
import TestSupport
import Testing
import Wire

/// The bytes that PROTOCOL.md shows are those on the socket.
@Suite struct ProtocolDocumentTests {
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
}
