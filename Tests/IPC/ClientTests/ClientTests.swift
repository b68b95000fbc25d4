import Client
import FaceCore
import Posix
import Service
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing
import Wire

@Suite struct ClientTests {
  /// Finds the faces of an encoded image with the contents `bytes`.
  private func detect(
    _ client: Client, _ bytes: [UInt8], _ options: DetectionOptions = DetectionOptions(),
    timeout: TimeSpan = .zero
  ) throws -> DetectionResult {
    try bytes.withUnsafeBytes {
      try client.detect(ImageInput(.encoded($0), timeout: timeout), options: options)
    }
  }

  @Test func detectsInEncodedBytesAsInProcess() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    var options = DetectionOptions()
    options.maxFaces = 7
    options.maxSide = 0
    options.minConfidence = 0
    try [UInt8]("jpeg".utf8).withUnsafeBytes { bytes in
      let input = ImageInput(.encoded(bytes), orientation: .right)
      let result = try client.detect(input, options: options)
      #expect(result == FakeDetector.expected(input, options))
      #expect(result.imageSize == PixelSize(width: 1, height: 4))
    }
  }

  @Test(arguments: PixelFormat.packed)
  func detectsInPixelsAsInProcess(format: PixelFormat) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let data = [UInt8](repeating: 5, count: 640 * 480 * format.rowBytes(plane: 0, width: 1))
    try data.withUnsafeBytes { bytes in
      let input = ImageInput(.pixels(try ImageView(format: format, width: 640, height: 480, bytes: bytes)))
      let result = try client.detect(input, options: DetectionOptions())
      #expect(result == FakeDetector.expected(input, DetectionOptions()))
    }
  }

  @Test func asksForHealthAndInfo() throws {
    let engine = try TestServer { $0.limits.callsPerConnection = 5 }
    let client = try Client(socket: engine.socket)
    #expect(try client.health() == .serving)
    let unknown = #expect(throws: Status.self) { try client.health(of: "nope") }
    #expect(unknown?.code == .notFound)
    let info = try client.info()
    #expect(info.version == "1.2.3")
    #expect(info.models == engine.detector.models)
    #expect(info.limits.callsPerConnection == 5)
    #expect(info.limits.maxMessageBytes == 4 << 20)
    #expect(info.features.contains("detect.inline"))
  }

  @Test func refusalArrivesUnchanged() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let status = #expect(throws: Status.self) { try detect(client, [UInt8]("bad".utf8)) }
    #expect(status == Status(.invalidArgument, "the image is neither JPEG nor PNG; send one of them"))
  }

  @Test func wrongOptionsAreRefusedBeforeTheyAreSent() throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    var options = DetectionOptions()
    options.minConfidence = .nan
    let status = #expect(throws: Status.self) { try detect(client, [1], options) }
    #expect(status?.code == .invalidArgument)
    #expect(engine.detector.calls == 0)
  }

  /// If the engine takes no shared memory, a message must hold the image.
  @Test func tooLargeImageIsRefusedBeforeItIsSent() throws {
    let engine = try TestServer { $0.limits.mappedBytesPerUser = 1 << 20 }
    let client = try Client(socket: engine.socket)
    let status = #expect(throws: Status.self) { try detect(client, [UInt8](repeating: 1, count: 5 << 20)) }
    #expect(status?.code == .resourceExhausted)
    // The image is a file already.
    #expect(status?.message.contains("; scale it down, or start the engine") == true)
    let pixels = #expect(throws: Status.self) {
      try [UInt8](repeating: 1, count: 6_000_000).withView(.rgb, size: PixelSize(width: 2000, height: 1000)) {
        (view) throws(Status) in try client.detect(ImageInput(.pixels(view)), options: DetectionOptions())
      }
    }
    #expect(pixels?.message.contains("; send it as JPEG or PNG, scale it down") == true)
    #expect(engine.detector.calls == 0)
    #expect(try client.health() == .serving)
  }

  /// Each caller gets its own answer, whichever caller reads it from the socket.
  @Test(arguments: [2, 8])
  func manyThreadsShareOneConnection(callers: Int) throws {
    let engine = try TestServer()
    let client = try Client(socket: engine.socket)
    let wrong = Mutex<[String]>([])
    try withoutActuallyEscaping({ (caller: Int) in
      for round in 0..<200 {
        let size = 1 + (caller * 37 + round * 101) % 5000
        do {
          let result = try detect(client, [UInt8](repeating: UInt8(caller + 1), count: size))
          if result.imageSize.width != size || result.faces.first?.box.x != Float(caller + 1) {
            wrong.withLock { $0.append("caller \(caller) round \(round) got \(result)") }
          }
        } catch {
          wrong.withLock { $0.append("caller \(caller) round \(round): \(error)") }
        }
      }
    }) { work in
      try concurrently(callers, work)
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(engine.detector.calls == callers * 200)
  }

  /// A caller that leaves at its deadline passes the reading on, and its late answer disturbs no other call.
  @Test func deadlineEndsOnlyItsOwnCall() throws {
    let engine = try TestServer { $0.workers = 1 }
    let client = try Client(socket: engine.socket)
    engine.detector.hold()
    let patient = Mutex<DetectionResult?>(nil)
    try withoutActuallyEscaping({ (caller: Int) in
      if caller == 0 {
        #expect(throws: Status.self) { try detect(client, [1, 1], timeout: 5_000_000) }
        engine.detector.release()
      } else {
        let result = try? detect(client, [2, 2, 2])
        patient.withLock { $0 = result }
      }
    }) { work in
      try concurrently(2, work)
    }
    #expect(patient.withLock { $0?.imageSize.width } == 3)
    #expect(try client.health() == .serving)
  }

  @Test func missingEngineIsReportedWithAdvice() throws {
    let folder = try TemporaryFolder()
    let status = #expect(throws: Status.self) { _ = try Client(socket: folder.path("none.sock")) }
    #expect(status?.code == .unavailable)
    #expect(status?.message.contains("face-engine serve") == true)
    let long = #expect(throws: Status.self) { _ = try Client(socket: String(repeating: "a", count: 200)) }
    #expect(long?.code == .invalidArgument)
  }

  @Test func restartedEngineIsFoundAgain() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let first = try TestServer { $0.socket = path }
    let client = try Client(socket: path)
    #expect(try client.health() == .serving)
    first.stop()
    let gone = #expect(throws: Status.self) { try client.health() }
    #expect(gone?.code == .unavailable)
    let second = try TestServer { $0.socket = path }
    #expect(try client.health() == .serving)
    second.stop()
    let third = try TestServer { $0.socket = path }
    // No call was made in between: the lost connection is noticed only now, and the call still succeeds.
    #expect(try client.health() == .serving)
    third.stop()
  }

  /// Calls without a time limit do not wait for an engine that is away; the first one after its return
  /// succeeds.
  @Test func absentEngineFailsEachCall() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let first = try TestServer { $0.socket = path }
    var options = ClientOptions()
    options.timeout = .zero
    let client = try Client(socket: path, options: options)
    first.stop()
    try withoutActuallyEscaping({ (_: Int) in
      for _ in 0..<100 {
        let gone = #expect(throws: Status.self) { try client.health() }
        #expect(gone?.code == .unavailable)
        #expect(gone?.message.contains("face-engine serve --socket \(path)") == true)
      }
    }) { work in
      try concurrently(4, work)
    }
    let second = try TestServer { $0.socket = path }
    #expect(try client.health() == .serving)
    second.stop()
  }

  @Test func lostEngineEndsEveryCall() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let codes = Mutex<[StatusCode]>([])
    let file = Mutex<SocketFile?>(try SocketFile.claim(try SocketPath(path)))
    // A peer that knows no Hello takes two requests and then leaves without an answer.
    let peer = try Posix.Thread(name: "short-lived") {
      guard let listening = file.withLock({ $0.take() }) else { return }
      let socket = firstConnection(at: listening)
      var parser = FrameParser(limit: FrameHeader.maxLength)
      var buffer = [UInt8](repeating: 0, count: 4096)
      var requests = 0
      while requests < 3 {
        guard (try? socket.wait(for: .read, until: .never)) == true else { return }
        var span = buffer.mutableSpan
        guard case .bytes(let count)? = try? span.withUnsafeMutableBytes({ try socket.read(into: $0) }) else {
          return
        }
        var offset = 0
        let received = buffer
        while let event = parser.next(received.span.extracting(0..<count), &offset) {
          guard case .frame(let frame) = event else { return }
          requests += 1
          guard requests == 1 else { continue }
          let refusal = FailedCall.responseFrame(
            stream: frame.header.stream, Status(.unimplemented, "there is no such service"))
          _ = refusal.withUnsafeBytes { bytes in try? socket.write(bytes) }
        }
      }
    }
    let client = try Client(socket: path)
    try withoutActuallyEscaping({ (_: Int) in
      do throws(Status) {
        _ = try client.health()
      } catch {
        codes.withLock { $0.append(error.code) }
      }
    }) { work in
      try concurrently(2, work)
    }
    peer.join()
    #expect(codes.withLock { $0 } == [.unavailable, .unavailable])
  }
}

/// Waits, without sleeping, until a client connects.
private func firstConnection(at file: borrowing SocketFile) -> UnixSocket {
  while true {
    if case .connection(let socket)? = try? file.accept() { return socket }
  }
}

private struct Job: @unchecked Sendable {
  let work: (Int) -> Void
}

/// Runs `work` on that many threads at once, each with its index, and waits for all.
func concurrently(_ count: Int, _ work: @escaping (Int) -> Void) throws {
  let job = Job(work: work)
  var threads: [Posix.Thread] = []
  for index in 0..<count { threads.append(try Posix.Thread(name: "caller-\(index)") { job.work(index) }) }
  for thread in threads { thread.join() }
}
