import FaceCore
import Glibc
import Posix
import Service
import ServiceTestSupport
import Synchronization
import Testing
import Wire

@Suite struct LifecycleTests {
  @Test func stopFinishesRunningAndWaitingCalls() throws {
    let engine = try TestServer { $0.workers = 1 }
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1) + Frames.detect(3))
    engine.detector.waitUntilRunning(1)
    engine.server.stop()
    // Once connecting is refused, the engine knows that it is stopping.
    while (try? RawPeer(engine.socket)) != nil {}
    try peer.send(try Frames.detect(5))
    let late = try peer.receiveStatus()
    #expect(late.stream == 5)
    #expect(late.failure?.code == .unavailable)
    engine.detector.release()
    #expect(try peer.receiveStatus().failure == nil)
    #expect(try peer.receiveStatus().failure == nil)
    #expect(try peer.receive() == nil)
    #expect(engine.stop() == nil)
    #expect(access(engine.socket, F_OK) != 0)
  }

  @Test func stopDoesNotWaitForEverForAPeer() throws {
    let engine = try TestServer {
      $0.drainTimeout = .milliseconds(1)
      $0.limits.unreadBytes = 1 << 30
    }
    let peer = try RawPeer(engine.socket)
    let many = [UInt8]((0..<20_000).flatMap { _ in Frames.header(1, 5) + [0x0a] })
    try peer.send(many)
    #expect(engine.stop() == nil)
  }

  /// Neither calls whose callers wait nor those that were given up hold a stopping engine past its time.
  @Test(arguments: [false, true])
  func stopDoesNotWaitForEverForACall(isAbandoned: Bool) throws {
    let held = try PausedServer { $0.drainTimeout = .milliseconds(1) }
    let peer = try RawPeer(held.engine.socket)
    if isAbandoned { try held.abandon() }
    held.engine.server.stop()
    #expect(held.engine.wait() == nil)
    #expect(held.engine.answeredAll == false)
    #expect(held.engine.log.lines.contains { $0.contains("stopped") && $0.contains("busy_workers=1") })
    #expect(try peer.receive() == nil)
  }

  @Test func stopWaitsForAbandonedCallsThatEnd() throws {
    let held = try PausedServer()
    try held.abandon()
    held.engine.server.stop()
    #expect(held.engine.stop() == nil)
    #expect(held.engine.answeredAll == true)
  }

  @Test func secondEngineAtTheSameSocketIsRefused() throws {
    let engine = try TestServer()
    let status = #expect(throws: Status.self) { _ = try TestServer { $0.socket = engine.socket } }
    #expect(status?.code == .alreadyExists)
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.health(1))
    #expect(try peer.receiveStatus().failure == nil)
  }

  @Test func serverRunsOnlyOnce() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.health(1))
    #expect(try peer.receiveStatus().failure == nil)
    let status = #expect(throws: Status.self) { try engine.server.run() }
    #expect(status?.code == .failedPrecondition)
  }

  /// Calls and streams are answered as far as they were sent, then the connection ends; a watch of health
  /// lasts as long as the peer reads.
  @Test func peerThatSendsNoMoreIsAnswered() throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    try peer.send(
      try Frames.detect(1, [1]) + Frames.watch(3) + Frames.frame(3, 1, [2]) + Frames.detect(5, [3]))
    try peer.finishWriting()
    try held.release()
    var ended: Set<UInt32> = []
    var frames = 0
    while let frame = try peer.receive() {
      if frame.header.type == FrameType.data.rawValue {
        frames += 1
      } else {
        ended.insert(frame.header.stream)
      }
    }
    #expect(ended == [1, 3, 5] && frames == 1)
    #expect(held.engine.stop() == nil)
    #expect(Set(held.engine.detector.marks) == [99, 1, 2, 3])
  }

  @Test func peerThatSendsNothingAndNoMoreIsClosed() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.finishWriting()
    #expect(try peer.receive() == nil)
  }

  @Test(arguments: [false, true])
  func peerThatGoesTakesItsWorkWithIt(streams: Bool) throws {
    let held = try PausedServer()
    let peer = try RawPeer(held.engine.socket)
    for stream in [3, 5] as [UInt32] {
      try peer.send(
        streams
          ? try Frames.watch(stream) + Frames.frame(stream, 1, [1]) : try Frames.detect(stream, [1]))
    }
    try peer.send(try Frames.health(7))
    #expect(try peer.receiveStatus().stream == 7)
    peer.close()
    try held.waitUntilOthersAreGone()
    try held.release()
    #expect(held.engine.stop() == nil)
    #expect(held.engine.detector.marks == [99])
  }

  @Test(arguments: 0...3)
  func peersThatGoAtAnyPointLeaveNothing(point: Int) throws {
    let engine = try TestServer()
    let steady = try RawPeer(engine.socket)
    try steady.send(try Frames.health(1))
    _ = try steady.receive()
    let before = try openSockets(engine)
    #expect(before == 2)
    for _ in 0..<50 {
      let peer = try RawPeer(engine.socket)
      let frame = try Frames.detect(1)
      switch point {
      case 0: break
      case 1: try peer.send(Array(frame.prefix(5)))
      case 2: try peer.send(Array(frame.dropLast()))
      default: try peer.send(frame)
      }
      peer.close()
    }
    // Peers are handled in turn: when this one was answered often enough, the server has seen the others go.
    var after = 0
    for attempt in 0..<10_000 where after != before {
      try steady.send(try Frames.health(UInt32(2 * attempt + 3)))
      #expect(try steady.receiveStatus().failure == nil)
      after = try openSockets(engine)
    }
    #expect(after == before)
  }

  /// Sockets that the kernel lists under the engine's path: the listening one and those that it accepted.
  private func openSockets(_ engine: TestServer) throws -> Int {
    let table = String(decoding: try File.read("/proc/net/unix", limit: 16 << 20), as: UTF8.self)
    return table.split(separator: "\n").count { $0.hasSuffix(engine.socket) }
  }

  @Test func startingAndStoppingLeavesNothing() throws {
    let rounds = 100
    let before = openDescriptors()
    for _ in 0..<rounds {
      let engine = try TestServer()
      let peer = try RawPeer(engine.socket)
      try peer.send(try Frames.detect(1))
      #expect(try peer.receiveStatus().failure == nil)
      engine.stop()
      // A program that another test is starting has copies until its exec.
      var open = Int.max
      for _ in 0..<10_000 where open != 0 { open = try openSockets(engine) }
      #expect(open == 0)
    }
    // Other tests open and close sockets at the same time, but not one per round, and not for long.
    var after = Int.max
    for _ in 0..<100_000 where after >= before + rounds { after = openDescriptors() }
    #expect(after < before + rounds)
  }

  private func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
  }
}
