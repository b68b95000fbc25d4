import Client
import FaceCore
import Glibc
import Posix
import Service
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing
import Wire

/// A server that takes over the socket of another one.
@Suite struct TakeOverTests {
  /// The outcomes that callers saw.
  private final class Record: Sendable {
    let failures = Mutex<[String]>([])
    let calls = Atomic(0)
    let isOver = Atomic(false)
  }

  /// Calls and streams continue while one engine after the other takes over: none fails, no frame is answered
  /// twice, ids and counts continue, and each engine ends by itself.
  @Test func callsAndStreamsContinueThroughTakeOvers() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    var engine = try TestServer { $0.socket = path }
    let client = try Client(socket: path)
    let record = Record()
    let logs = (0..<4).map { _ in EventLog() }
    let callers = try (0..<3).map { caller in
      try Posix.Thread(name: "caller-\(caller)") {
        while !record.isOver.load(ordering: .relaxed) {
          do {
            let bytes = [UInt8](repeating: UInt8(caller + 1), count: caller == 0 ? 100_000 : 10)
            _ = try bytes.withUnsafeBytes { bytes in
              try client.detect(ImageInput(.encoded(bytes)), options: DetectionOptions())
            }
            record.calls.wrappingAdd(1, ordering: .relaxed)
          } catch {
            record.failures.withLock { $0.append("call: \(error)") }
          }
        }
      }
    }
    let submitted = Mutex([UInt64](repeating: 0, count: logs.count))
    let streams = try logs.enumerated().map { index, log in
      var options = StreamOptions()
      options.mode = index % 2 == 0 ? .every : .newest
      options.tracking = TrackingOptions()
      let stream = try client.openStream(options, deliver: log.deliver)
      return try Posix.Thread(name: "camera-\(index)") {
        while !record.isOver.load(ordering: .relaxed) {
          do throws(Status) {
            let number = try stream.submit(heldImage(6, index < 2 ? 200_000 : 100), timestamp: 0)
            submitted.withLock { $0[index] = number }
          } catch {
            record.failures.withLock { $0.append("stream \(index): \(error)") }
          }
          CurrentProcess.sleep(for: .milliseconds(1))
        }
        stream.close()
      }
    }
    for _ in 0..<6 {
      CurrentProcess.sleep(for: .milliseconds(50))
      let next = try TestServer(takingOver: path)
      #expect(engine.wait() == nil)
      engine = next
    }
    record.isOver.store(true, ordering: .relaxed)
    for thread in callers + streams { thread.join() }
    #expect(record.failures.withLock { $0 } == [])
    var answered = 0
    for (index, log) in logs.enumerated() {
      let last = submitted.withLock { $0[index] }
      #expect(log.numbers == Array(1...last))
      // Frames that are submitted before the stream is closed may end with it.
      #expect(log.failures.allSatisfy { $0 == .cancelled }, "\(log.events.suffix(20))")
      let ids = log.events.flatMap { event -> [UInt64] in
        guard case .faces(let result) = event.outcome else { return [] }
        return result.faces.compactMap(\.track?.id)
      }
      // One face gets a new id from each engine that saw it.
      #expect(ids == ids.sorted() && Set(ids).count > 1)
      answered += log.events.count { if case .faces = $0.outcome { true } else { false } }
    }
    let stats = try client.stats()
    let counted = { (name: String) in stats.methods.first { $0.method == "faceengine.v1.Detector/\(name)" } }
    #expect(counted("Detect")?.calls == record.calls.load(ordering: .relaxed))
    #expect(counted("Detect")?.failures == [:])
    #expect(counted("Watch")?.calls == answered)
    #expect(
      counted("Detect")?.runBuckets?.counts.reduce(0, +) == counted("Detect").map { UInt64($0.runTime.count) }
    )
    engine.stop()
    #expect((try? Client(socket: path)) == nil)
  }

  /// A process that has the socket and exits before it has served leaves the old engine serving.
  @Test func oldEngineServesOnIfItsSuccessorFails() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    #expect(try client.health() == .serving)
    for _ in 0..<3 {
      let predecessor = try Predecessor(socket: engine.socket, user: nil)
      var counters = EngineCounters()
      let file = try predecessor.prepare(&counters)
      #expect(counters.connectionsTotal >= 2)
      try predecessor.begin(&counters)
      _ = consume file
      // The connection ends with it.
      withExtendedLifetime(predecessor) {}
    }
    #expect(try client.health() == .serving)
    let other = try Client(socket: engine.socket)
    #expect(try other.health() == .serving)
    let second = #expect(throws: Status.self) { _ = try TestServer { $0.socket = engine.socket } }
    #expect(second?.code == .alreadyExists)
    #expect(engine.stop() == nil)
    #expect((try? Client(socket: engine.socket)) == nil)
  }

  /// Steps are allowed one at a time, in the right order, and only to permitted users.
  @Test func takeOverStepsMustComeInOrder() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    for (stream, step) in [(1, TakeOverCall.Step.end), (3, .begin)] {
      try peer.send(try TakeOverCall.requestFrame(CallHeader(stream: UInt32(stream)), step))
      #expect(try peer.receiveStatus().failure?.code == .failedPrecondition)
    }
    do {
      let first = try Predecessor(socket: engine.socket, user: nil)
      var counters = EngineCounters()
      let file = try first.prepare(&counters)
      // Two processes with the socket would both serve when the engine ends.
      for (stream, code) in [(5, StatusCode.failedPrecondition), (7, .unavailable)] {
        try peer.send(
          try TakeOverCall.requestFrame(CallHeader(stream: UInt32(stream)), .prepare),
          passing: try SocketFile.openFolder(of: try SocketPath(engine.socket)))
        #expect(try peer.receiveStatus().failure?.code == code)
        if stream == 5 { try first.begin(&counters) }
      }
      _ = consume file
      withExtendedLifetime(first) {}
    }
    #expect(Peer(process: 1, user: 0, group: 0).mayAdminister(processOf: 1000))
    #expect(!Peer(process: 1, user: 1001, group: 0).mayAdminister(processOf: 1000))
    // A peer that does not know GOAWAY would be served until the time to drain is over.
    try peer.finishWriting()
    #expect(try peer.receive() == nil)
    #expect(engine.stop() == nil)
  }

  /// A process that has prepared has the socket, with connections that wait and its file, however the engine ends: when it
  /// was told to stop, or after that process has begun.
  @Test(arguments: [false, true]) func preparedProcessHasTheSocketAfterTheEngine(hasBegun: Bool) throws {
    let engine = try TestServer()
    _ = try Client(socket: engine.socket)
    do {
      let predecessor = try Predecessor(socket: engine.socket, user: nil)
      var counters = EngineCounters()
      var file = try predecessor.prepare(&counters)
      if hasBegun { try predecessor.begin(&counters) }
      #expect(counters.connectionsTotal >= 2)
      #expect(engine.stop() == nil)
      if hasBegun {
        #expect(try predecessor.waitForEnd() == nil)
      } else {
        #expect(throws: Status.self) { try predecessor.begin(&counters) }
      }
      file.setOwned(true)
      let peer = try RawPeer(engine.socket)
      guard case .connection = try file.accept() else { throw Status(.internal, "nobody connects") }
      withExtendedLifetime(peer) {}
      let second = #expect(throws: Status.self) { _ = try SocketFile.claim(try SocketPath(engine.socket)) }
      #expect(second?.code == .alreadyExists)
    }
    for file in [engine.socket, "\(engine.socket).lock"] { #expect(access(file, F_OK) != 0) }
  }

  /// Decoders that are lost at once, or when the test says so.
  private final class LostDecoders: FileDecoders, FileDecoder {
    private let isLate: Bool
    private let handler = Mutex<@Sendable (DecoderEvent) -> Void> { _ in }
    let counts = DecoderCounts()
    let takesAllKinds = true

    init(isLate: Bool) { self.isLate = isLate }

    var failure: Status? { isLate ? nil : Status(.unavailable, "they are lost") }
    func lose() { handler.withLock { $0 }(.ended) }
    func decoder(for user: UInt32) -> any FileDecoder { self }
    func probe() {}
    func watch(_ handler: @escaping @Sendable (DecoderEvent) -> Void) {
      self.handler.withLock { $0 = handler }
    }
    func open(
      _ file: UnsafeRawBufferPointer, _ kind: PictureKind, _ token: CancellationToken?
    ) throws(Status) -> any OpenedFile { throw Status(.unavailable, "they are lost") }
  }

  /// One that cannot decode, as soon as it has the socket or before the old engine has ended, ends, and the old engine
  /// resumes.
  @Test(arguments: [false, true]) func engineWithoutDecodersGivesTheSocketBack(isLate: Bool) throws {
    let engine = try TestServer()
    // The engine waits for its end.
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.health(1))
    #expect(try peer.receiveStatus().failure == nil)
    let decoders = LostDecoders(isLate: isLate)
    let next = try TestServer(takingOver: engine.socket) { $0.decoders = decoders }
    if isLate {
      #expect(try Client(socket: engine.socket).health() == .serving)
      decoders.lose()
    }
    #expect(next.wait() == nil)
    #expect(next.answeredAll == false)
    #expect(try Client(socket: engine.socket).health() == .serving)
    try peer.finishWriting()
    #expect(engine.stop() == nil)
    #expect(access(engine.socket, F_OK) != 0)
  }

  /// One whose END is refused, since the old engine has resumed, ends.
  @Test func engineThatWasTooSlowEnds() throws {
    let folder = try TemporaryFolder()
    let releases = Mutex(0)
    let succession = Succession(
      counters: EngineCounters(),
      predecessor: Succession.Predecessor(
        awaitEnd: { () throws(Status) in throw Status(.failedPrecondition, "it serves") },
        release: { releases.withLock { $0 += 1 } }))
    let log = LogRecord()
    let server = try Server(
      ServerConfiguration(socket: folder.path("s"), version: "1.2.3"), detector: FakeDetector(),
      models: FakeDetector(), logger: log.logger, succession: succession)
    #expect(try server.run() == false)
    #expect(releases.withLock { $0 } == 1)
    #expect(log.lines.contains { $0.contains("keeps serving: it serves") })
  }

  /// PREPARE needs a descriptor of the socket's folder, which no caller behind the gateway can pass.
  @Test func onlyACallerWithTheSocketsFolderTakesOver() throws {
    let engine = try TestServer()
    let other = try TemporaryFolder()
    let refused = { (frame: [UInt8], path: String?) throws -> Status? in
      let peer = try RawPeer(engine.socket)
      if let path {
        try peer.send(frame, passing: try SocketFile.openFolder(of: try SocketPath(path)))
      } else {
        try peer.send(frame)
      }
      return try peer.receiveStatus().failure
    }
    let prepare = try TakeOverCall.requestFrame(CallHeader(stream: 1), .prepare)
    for path in [nil, other.path("engine.sock"), "/engine.sock"] {
      let failure = try refused(prepare, path)
      #expect(failure?.code == .permissionDenied)
      #expect(failure?.message.contains("the folder that the engine's socket is in") == true)
    }
    // A socket is no folder, although it is in the right one.
    let peer = try RawPeer(engine.socket)
    try peer.send(prepare, passing: try UnixSocket(connectingTo: try SocketPath(engine.socket)).descriptor)
    #expect(try peer.receiveStatus().failure?.code == .permissionDenied)
    // The refusal ends neither the connection nor the engine.
    try peer.send(try Frames.health(3))
    #expect(try peer.receiveStatus().failure == nil)
    #expect(try Client(socket: engine.socket).health() == .serving)
    // A link to the socket leads to its folder.
    let link = other.path("link.sock")
    #expect(symlink(engine.socket, link) == 0)
    let next = try TestServer(takingOver: link)
    try peer.finishWriting()
    #expect(engine.wait() == nil)
    #expect(next.stop() == nil)
  }

  /// A client that knows no GOAWAY is served on its connection until it disconnects.
  @Test func stockClientsAreServedToTheEnd() throws {
    let engine = try TestServer()
    let peer = try RawPeer(engine.socket)
    try peer.send(try Frames.health(1))
    #expect(try peer.receiveStatus().failure == nil)
    let next = try TestServer(takingOver: engine.socket)
    #expect(try Client(socket: engine.socket).health() == .serving)
    try peer.send(try Frames.detect(3, [1]) + Frames.health(5))
    #expect(try peer.receiveStatus().failure == nil)
    #expect(try peer.receiveStatus().failure == nil)
    // Until the first engine has ended, the second one is not replaced.
    let third = #expect(throws: Status.self) { _ = try TestServer(takingOver: engine.socket) }
    #expect(third?.code == .failedPrecondition)
    // The last one to end removes the file.
    next.server.stop()
    try peer.finishWriting()
    #expect(try peer.receive() == nil)
    #expect(engine.wait() == nil)
    #expect(next.wait() == nil)
    #expect(access(engine.socket, F_OK) != 0)
  }
}
