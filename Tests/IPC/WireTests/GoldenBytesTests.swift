import FaceCore
import Foundation
import Testing
import Wire

/// Every kind of frame as it is on the wire, compared with the bytes recorded in Tests/Fixtures/wire.
///
/// Released clients and engines speak these bytes, so a difference is a break of the protocol. After an
/// intended addition:
///
///     FACE_ENGINE_RENEW_WIRE=1 swift test -c release --filter GoldenBytesTests
@Suite struct GoldenBytesTests {
  @Test(arguments: GoldenMessages.all.filter { $0.encode != nil })
  func encodesToTheRecordedBytes(message: GoldenMessage) throws {
    let encoded = try #require(try message.encode?())
    if ProcessInfo.processInfo.environment["FACE_ENGINE_RENEW_WIRE"] != nil {
      try Data(encoded).write(to: message.file)
    }
    let recorded = [UInt8](try Data(contentsOf: message.file))
    let place = zip(encoded, recorded).enumerated().first { $1.0 != $1.1 }?.offset
    #expect(
      encoded == recorded,
      "\(encoded.count) bytes, recorded \(recorded.count); other from byte \(place ?? min(encoded.count, recorded.count)) on"
    )
  }

  @Test(arguments: GoldenMessages.all)
  func decodesFromTheRecordedBytes(message: GoldenMessage) throws {
    let recorded = [UInt8](try Data(contentsOf: message.file))
    var parser = FrameParser(limit: FrameHeader.maxLength)
    var offset = 0
    guard case .frame(let frame)? = parser.next(recorded.span, &offset) else {
      Issue.record("the file is not a whole frame")
      return
    }
    #expect(offset == recorded.count)
    try message.verify(frame.header, frame.body)
  }

  @Test func everyFileIsCompared() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: GoldenMessage.folder.path)
    #expect(Set(files) == Set(GoldenMessages.all.map(\.file.lastPathComponent)))
    #expect(GoldenMessages.all.count == files.count)
  }

  @Test func everyMethodIsRecorded() throws {
    let methods = try GoldenMessages.requests.map { message in
      let body = Array(try Data(contentsOf: message.file).dropFirst(FrameHeader.size))
      let envelope = try RequestEnvelope(decoding: body.span)
      return "\(envelope.service)/\(envelope.method)"
    }
    #expect(Set(methods) == Set(Method.allCases.map(\.fullName)))
  }
}
