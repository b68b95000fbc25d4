import FaceCore
import Posix
import Service
import ServiceTestSupport
import Testing
import Wire

/// Streams whose faces have ids.
@Suite struct TrackingStreamTests {
  private func watch(_ stream: UInt32, _ tracking: TrackingOptions) throws -> [UInt8] {
    let start = WatchStart(options: DetectionOptions(), mode: .newest, tracking: tracking)
    return try WatchCall.openFrame(CallHeader(stream: stream)) + WatchCall.startFrame(stream: stream, start)
  }

  /// Two streams of one connection do not share faces, whichever workers have their frames.
  @Test func eachStreamHasItsOwnIds() throws {
    let engine = try TestServer { $0.workers = 4 }
    let peer = try RawPeer(engine.socket)
    try peer.send(try watch(3, TrackingOptions()) + watch(5, TrackingOptions()))
    var ids: [[UInt64]] = []
    var left: [[UInt64]] = []
    for (index, mark) in ([7, 7, 8, 0, 7] as [UInt8]).enumerated() {
      for stream in [3, 5] as [UInt32] {
        try peer.send(try Frames.frame(stream, UInt64(index), [mark]))
        let answer = try peer.receiveWatch()
        let result = try #require(answer.result)
        ids.append(result.faces.compactMap(\.track?.id))
        left.append(answer.left)
      }
    }
    #expect(ids == [[1], [1], [1], [1], [2], [2], [], [], [3], [3]])
    #expect(left == [[], [], [], [], [1], [1], [2], [2], [], []])
  }

  @Test func framesThatFailLeaveTheTrackerUsable() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try watch(3, TrackingOptions()))
    for file in [[7], [UInt8]("bad".utf8), [7]] as [[UInt8]] {
      try peer.send(try Frames.frame(3, 1, file))
      if let result = try peer.receiveWatch().result { #expect(result.faces[0].track?.id == 1) }
    }
  }

  @Test func wrongTrackingEndsTheStream() throws {
    let peer = try RawPeer(TestServer())
    var tracking = TrackingOptions()
    tracking.detectionInterval = 2000
    try peer.send(try watch(3, tracking))
    let end = #expect(throws: Status.self) { _ = try peer.receiveWatch() }
    #expect(end?.code == .invalidArgument)
    #expect(end?.message.contains("2000") == true)
  }
}
