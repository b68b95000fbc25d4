import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import TestSupport
import Testing
import Wire

@Suite struct HealthTests {
  @Test func errorMessagesCutLongServiceNames() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let long = String(repeating: "x", count: 1_000_000)
    let status = #expect(throws: Status.self) { try client.health(of: long) }
    #expect(status?.code == .notFound)
    #expect(status?.message.utf8.count ?? .max < 500)
  }

  private static let broken = Status(.failedPrecondition, "the network gives nothing")

  /// A server that tests its models continually.
  private func restless(_ adjust: (inout ServerConfiguration) -> Void = { _ in }) throws -> TestServer {
    try TestServer {
      $0.selfTestInterval = .milliseconds(1)
      adjust(&$0)
    }
  }

  /// The next state that a watch reports.
  private func state(_ peer: RawPeer, _ stream: UInt32) throws -> ServingStatus {
    let frame = try #require(try peer.receive())
    #expect(frame.header.stream == stream)
    #expect(frame.header.type == FrameType.data.rawValue)
    let body = frame.body
    return try HealthCall.response(body.span)
  }

  @Test func failedSelfTestIsNotServing() throws {
    let engine = try restless()
    let client = try Client(socket: engine.socket)
    #expect(try client.health() == .serving)
    engine.detector.fail(with: Self.broken)
    while try client.health() != .notServing {}
    let reason = Self.broken.message
    while !engine.log.lines.contains(where: { $0.contains("self-test failed") && $0.contains(reason) }) {}
    engine.detector.fail(with: nil)
    while try client.health() != .serving {}
  }

  /// Memory that is kept for calls is freed once in each pause between them, and not while one runs.
  @Test func memoryIsFreedWhenCallsPause() throws {
    let engine = try restless { $0.pause = .milliseconds(1) }
    #expect(engine.detector.waitForFrees(1))
    let peer = try RawPeer(engine.socket)
    for call in 1...2 {
      engine.detector.hold()
      let before = engine.detector.frees
      try peer.send(try Frames.detect(UInt32(call * 2 - 1)))
      engine.detector.waitUntilRunning(1)
      engine.detector.waitForSelfTests(3)
      #expect(engine.detector.frees == before)
      engine.detector.release()
      _ = try peer.receive()
      #expect(engine.detector.waitForFrees(before + 1))
      engine.detector.waitForSelfTests(3)
      #expect(engine.detector.frees == before + 1)
    }
  }

  /// Not only pauses free memory: an engine that is always called would keep what a burst took.
  @Test func memoryIsFreedWhileCallsGoOn() throws {
    let engine = try restless { $0.pause = .milliseconds(1) }
    let peer = try RawPeer(engine.socket)
    engine.detector.hold()
    try peer.send(try Frames.detect(1))
    engine.detector.waitUntilRunning(1)
    let before = engine.detector.frees
    #expect(engine.detector.waitForPartialFrees(3))
    #expect(engine.detector.frees == before)
    engine.detector.release()
    _ = try peer.receive()
  }

  /// Only a load far below its highest leaves memory that the next calls do not need.
  @Test func loadFallsOnceAfterABurst() {
    var record = LoadRecord()
    var (runTime, second) = (TimeSpan.zero, Int64(0))
    /// A second with that much work.
    func pass(_ work: TimeSpan) -> Bool? {
      (runTime, second) = (runTime + work, second + 1)
      return record.record(
        runTime, at: MonotonicTime(nanoseconds: second * 1_000_000_000), every: .seconds(1))
    }
    #expect(pass(0) == nil)
    #expect([5, 9, 8, 3].map { pass(.milliseconds($0 * 100)) } == [false, false, false, false])
    #expect([1, 1, 2, 0].map { pass(.milliseconds($0 * 100)) } == [true, false, false, true])
    #expect(
      record.record(runTime, at: MonotonicTime(nanoseconds: second * 1_000_000_000), every: .nanoseconds(1))
        == nil)
  }

  /// The self-test passes all the time.
  @Test func engineWhoseWorkersAreStuckIsNotServing() throws {
    let engine = try restless {
      $0.workers = 2
      $0.stuckTime = .milliseconds(1)
    }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1))
    engine.detector.waitUntilRunning(1)
    engine.detector.waitForSelfTests(3)
    #expect(try client.health() == .serving)
    try peer.send(try Frames.detect(3))
    engine.detector.waitUntilRunning(2)
    while try client.health() != .notServing {}
    while !engine.log.lines.contains(where: { $0.contains("could not be interrupted") }) {}
    engine.detector.release()
    while try client.health() != .serving {}
  }

  /// Decoders that fail on request.
  fileprivate final class FakeDecoders: FileDecoders {
    struct State {
      var failure: Status?
      var handler: @Sendable (DecoderEvent) -> Void = { _ in }
    }

    let state = Monitor(State())
    var counts: DecoderCounts { DecoderCounts() }
    var failure: Status? { state.withLock { $0.failure } }

    func decoder(for _: UInt32) -> any FileDecoder { self }
    func probe() {}
    func watch(_ handler: @escaping @Sendable (DecoderEvent) -> Void) {
      state.withLock { $0.handler = handler }
    }

    func fail(with failure: Status?, _ events: [DecoderEvent]) {
      let handler = state.withLock { state in
        state.failure = failure
        return state.handler
      }
      events.forEach(handler)
    }
  }

  /// No self-test runs meanwhile.
  @Test func engineThatDecodesNoPicturesIsNotServing() throws {
    let decoders = FakeDecoders()
    let engine = try TestServer { $0.decoders = decoders }
    let watch = try RawPeer(engine.socket)
    try watch.send(try HealthCall.watchRequestFrame(stream: 1))
    #expect(try state(watch, 1) == .serving)
    let client = try Client(socket: engine.socket)
    decoders.fail(with: Self.broken, [.failureChanged])
    #expect(try client.health() == .notServing)
    #expect(try state(watch, 1) == .notServing)
    decoders.fail(with: nil, [.failureChanged])
    #expect(try state(watch, 1) == .serving)
    #expect(try client.health() == .serving)
  }

  @Test func engineThatWillNeverDecodeAgainEnds() throws {
    let decoders = FakeDecoders()
    let engine = try TestServer { $0.decoders = decoders }
    #expect(try Client(socket: engine.socket).health() == .serving)
    engine.detector.hold()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.detect(1))
    engine.detector.waitUntilRunning(1)
    decoders.fail(with: Self.broken, [.failureChanged, .ended])
    // A call that runs is answered, and not waited for.
    #expect(try peer.receiveStatus().failure?.code == .unavailable)
    #expect(engine.wait() == nil)
    #expect(engine.answeredAll == false)
    engine.detector.release()
  }

  @Test func watchReportsAnUnknownService() throws {
    let peer = try RawPeer(TestServer())
    try peer.send(try HealthCall.watchRequestFrame(stream: 1, service: "nope"))
    #expect(try state(peer, 1) == .serviceUnknown)
    try peer.send(try HealthCall.watchRequestFrame(stream: 3, service: "faceengine.v1.Detector"))
    #expect(try state(peer, 3) == .serving)
  }
}

extension HealthTests.FakeDecoders: FileDecoder {
  var takesAllKinds: Bool { true }

  func open(
    _: UnsafeRawBufferPointer, _: PictureKind, _: CancellationToken?
  ) throws(Status) -> any OpenedFile {
    throw Status(.unavailable, "it opens no file")
  }
}
