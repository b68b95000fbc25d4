import Foundation
import Testing
import Wire

/// The bytes that PROTOCOL.md shows are those on the socket.
@Suite struct ProtocolDocumentTests {
  /// The bytes of each dump, in order.
  static func dumps() throws -> [[UInt8]] {
    let document = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Proto/PROTOCOL.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    return text.components(separatedBy: "```hex\n").dropFirst().map { block in
      block.components(separatedBy: "\n```")[0].split(separator: "\n").flatMap { line in
        // What is said about the bytes begins after two spaces.
        line.components(separatedBy: "  ")[0].split(separator: " ").compactMap { UInt8($0, radix: 16) }
      }
    }
  }

  @Test func dumpIsWhatIsSent() throws {
    let dumps = try Self.dumps()
    try #require(dumps.count == 2)
    let call = CallHeader(stream: 1, timeout: 1_000_000_000)
    let request = try HealthCall.requestFrame(call, service: "faceengine.v1.Detector")
    #expect(dumps[0] == request)
    let response = try HealthCall.responseFrame(stream: 1, .serving)
    #expect(dumps[1] == response)
  }
}
