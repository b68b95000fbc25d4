import FaceCore
import Service
import ServiceTestSupport
import Testing

/// A server whose only worker is held in another peer's call, marked 99: every further call has to wait.
struct PausedServer {
  let engine: TestServer
  private let holder: RawPeer

  init(_ adjust: (inout ServerConfiguration) -> Void = { _ in }) throws {
    engine = try TestServer {
      $0.workers = 1
      adjust(&$0)
    }
    engine.detector.hold()
    holder = try RawPeer(engine.socket)
    try holder.send(try Frames.detect(1, [99]))
    engine.detector.waitUntilRunning(1)
  }

  /// Closes the connection of the worker's call, and returns when the server has seen that.
  func abandon() throws {
    holder.close()
    let peer = try RawPeer(engine.socket)
    for stream in [1, 3] as [UInt32] {
      try peer.send(try Frames.health(stream))
      #expect(try peer.receiveStatus().stream == stream)
    }
  }

  /// Lets the worker continue, and waits until it has answered that call.
  func release() throws {
    engine.detector.release()
    let answer = try holder.receiveStatus()
    #expect(answer.stream == 1)
    #expect(answer.failure == nil)
  }
}
