import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

@Suite struct BatchTests {
  private func batch(_ stream: UInt32, _ files: [[UInt8]], timeout: TimeSpan = .zero) throws -> [UInt8] {
    let pool = files.map { file in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: file.count, alignment: 1)
      copy.copyBytes(from: file)
      return copy
    }
    defer { for copy in pool { copy.deallocate() } }
    return try DetectBatchCall.requestFrame(
      CallHeader(stream: stream, timeout: timeout),
      pool.map { MessageImage(.encoded(UnsafeRawBufferPointer($0))) }, DetectionOptions())
  }

  private func receive(_ peer: RawPeer) throws -> [ImageOutcome] {
    let frame = try #require(try peer.receive())
    let envelope = try ResponseEnvelope(decoding: frame.body.span)
    if let failure = envelope.failure { throw failure }
    return try DetectBatchCall.response(frame.body.span.extracting(envelope.payload))
  }

  @Test func resultsAreInOrderAndOneFailsAlone() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try batch(1, [[1], [UInt8]("bad".utf8), [], [2, 2]]))
    let outcomes = try receive(peer)
    #expect(outcomes.count == 4)
    #expect(try outcomes[0].get().faces[0].box.x == 1)
    #expect(throws: Status.self) { try outcomes[1].get() }
    #expect(throws: Status.self) { try outcomes[2].get() }
    #expect(try outcomes[3].get().imageSize.width == 2)
  }

  @Test func emptyBatchHasNoResults() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try batch(1, []))
    #expect(try receive(peer).isEmpty)
  }
}
