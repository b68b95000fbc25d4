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
  @Test func detectsInEncodedBytesAsInProcess() throws {
    let served = try Served()
    let options = adjusted(DetectionOptions()) { ($0.maxFaces, $0.maxSide, $0.minConfidence) = (7, 0, 0) }
    try [UInt8]("jpeg".utf8).withUnsafeBytes { bytes in
      let input = ImageInput(.encoded(bytes), orientation: .right)
      let result = try served.client.detect(input, options: options)
      #expect(result == FakeDetector.expected(input, options))
      #expect(result.imageSize == PixelSize(width: 1, height: 4))
    }
  }

  @Test func asksForHealthAndInfo() throws {
    let served = try Served { $0.limits.callsPerConnection = 5 }
    #expect(try served.client.health() == .serving)
    expectFailure(.notFound) { try served.client.health(of: "nope") }
    let info = try served.client.info()
    #expect(info.version == "1.2.3" && info.models == served.detector.models)
    #expect(info.limits.callsPerConnection == 5 && info.limits.maxMessageBytes == 4 << 20)
    #expect(info.features.contains("detect.inline"))
  }

  @Test func refusalArrivesUnchanged() throws {
    let served = try Served()
    let status = expectFailure(.invalidArgument) { try served.client.detect([UInt8]("bad".utf8)) }
    #expect(status?.message == "the image is neither JPEG nor PNG; send one of them")
  }

  @Test func wrongOptionsAreRefusedBeforeTheyAreSent() throws {
    let served = try Served()
    let options = adjusted(DetectionOptions()) { $0.minConfidence = .nan }
    expectFailure(.invalidArgument) { try served.client.detect([1], options) }
    #expect(served.detector.calls == 0)
  }

  /// If the engine takes no shared memory, a message must hold the image. The first image is a file already.
  @Test func tooLargeImageIsRefusedBeforeItIsSent() throws {
    let served = try Served { $0.limits.mappedBytesPerUser = 1 << 20 }
    expectFailure(.resourceExhausted, "; scale it down, or start the engine") {
      try served.client.width(5 << 20)
    }
    expectFailure("; send it as JPEG or PNG, scale it down") {
      try [UInt8](repeating: 1, count: 6_000_000).withView(.rgb, size: PixelSize(width: 2000, height: 1000)) {
        (view) throws(Status) in
        try served.client.detect(ImageInput(.pixels(view)), options: DetectionOptions())
      }
    }
    #expect(served.detector.calls == 0)
    #expect(try served.client.health() == .serving)
  }

  /// Each caller gets its own answer, whichever caller reads it from the socket.
  @Test(arguments: [2, 8])
  func manyThreadsShareOneConnection(callers: Int) throws {
    let served = try Served()
    let wrong = Mutex<[String]>([])
    try concurrently(callers) { caller in
      for round in 0..<200 {
        let size = 1 + (caller * 37 + round * 101) % 5000
        let found = Result { try served.client.detect([UInt8](repeating: UInt8(caller + 1), count: size)) }
        let result = try? found.get()
        if result?.imageSize.width != size || result?.faces.first?.box.x != Float(caller + 1) {
          wrong.withLock { $0.append("caller \(caller) round \(round): \(found)") }
        }
      }
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(served.detector.calls == callers * 200)
  }

  /// A caller that leaves at its deadline passes the reading on, and its late answer disturbs no other call.
  @Test func deadlineEndsOnlyItsOwnCall() throws {
    let served = try Served { $0.workers = 1 }
    served.detector.hold()
    let patient = Mutex<StatusCode?>(nil)
    try concurrently(2) { caller in
      if caller == 0 {
        #expect(served.client.code(2, timeout: 5_000_000) == .deadlineExceeded)
        served.detector.release()
      } else {
        let code = served.client.code(3)
        patient.withLock { $0 = code }
      }
    }
    #expect(patient.withLock { $0 } == .ok)
    #expect(try served.client.health() == .serving)
  }

  // MARK: Engines that are away

  @Test func missingEngineIsReportedWithAdvice() throws {
    let folder = try TemporaryFolder()
    expectFailure(.unavailable, "face-engine serve") { try Client(socket: folder.path("none.sock")) }
    expectFailure(.invalidArgument) { try Client(socket: String(repeating: "a", count: 200)) }
  }

  @Test func restartedEngineIsFoundAgain() throws {
    let served = try Served()
    #expect(try served.client.health() == .serving)
    served.engine.stop()
    expectFailure(.unavailable) { try served.client.health() }
    let second = try served.next()
    #expect(try served.client.health() == .serving)
    second.stop()
    let third = try served.next()
    // No call was made in between: the lost connection is noticed only now, and the call still succeeds.
    #expect(try served.client.health() == .serving)
    third.stop()
  }

  /// Calls do not wait for an engine that is away, with a time limit or without; the first one after its return
  /// succeeds.
  @Test func absentEngineFailsEachCall() throws {
    let served = try Served(timeout: .zero)
    served.engine.stop()
    try concurrently(4) { _ in
      for _ in 0..<100 {
        expectFailure(.unavailable, "face-engine serve --socket \(served.engine.socket)") {
          try served.client.health()
        }
      }
    }
    #expect(served.client.code(timeout: 1_000_000) == .unavailable)
    let second = try served.next()
    #expect(try served.client.health() == .serving)
    second.stop()
  }

  @Test func lostEngineEndsEveryCall() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("engine.sock")
    let codes = Mutex<[StatusCode?]>([])
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
    try concurrently(2) { _ in
      let failure = failure { () throws(Status) in _ = try client.health() }
      codes.withLock { $0.append(failure?.code) }
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
