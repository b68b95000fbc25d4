public import FaceCore
import Posix
import Synchronization
import TestSupport
public import Wire

/// A peer that listens as an engine does and answers frames, except Hello, in any way that a test needs.
public final class FaultyEngine: Sendable {
  /// A connection to the peer.
  public final class Connection {
    /// The number of frames received, Hello among them.
    public fileprivate(set) var framesSeen = 0
  }

  public let path: String
  private let folder: TemporaryFolder
  private let thread: Thread

  /// - Parameters:
  ///   - features: the features that Hello agrees to; `nil` for an engine that knows no Hello.
  ///   - answer: the bytes to send for a frame after Hello; `nil` closes the connection. The data of a
  ///     REQUEST is its envelope.
  public init(
    features: Set<Feature>? = nil, _ answer: @escaping @Sendable (Connection, Frame) -> [UInt8]?
  ) throws(Status) {
    let hello = try Self.answer(toHello: features)
    folder = try TemporaryFolder()
    path = folder.path("odd.sock")
    let file = Mutex<SocketFile?>(try SocketFile.claim(try SocketPath(path)))
    let stopping = Stopping()
    thread = try Thread(name: "odd-engine") {
      guard let file = file.withLock({ $0.take() }) else { return }
      var threads: [Thread] = []
      while !stopping.isSet {
        guard case .connection(let accepted)? = try? file.accept() else {
          CurrentProcess.sleep(for: .milliseconds(1))
          continue
        }
        let handed = Mutex<UnixSocket?>(accepted)
        let thread = try? Thread(name: "odd-peer") {
          guard let socket = handed.withLock({ $0.take() }) else { return }
          Self.serve(socket, stopping, hello, answer)
        }
        if let thread { threads.append(thread) }
      }
      for thread in threads { thread.join() }
    }
    self.stopping = stopping
  }

  private final class Stopping: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
  }
  private let stopping: Stopping

  deinit {
    stopping.set()
    thread.join()
  }

  /// The answer to the Hello of stream 1.
  private static func answer(toHello features: Set<Feature>?) throws(Status) -> [UInt8] {
    guard let features else {
      return FailedCall.responseFrame(stream: 1, Status(.unimplemented, "there is no such service"))
    }
    var limits = EngineLimits.unknown
    (limits.maxMessageBytes, limits.callsPerConnection) = (FrameHeader.maxLength, 16)
    limits.connectionsPerUser = 32
    let response = HelloResponse(version: 1, engineVersion: "0", features: features, limits: limits)
    return try HelloCall.responseFrame(stream: 1, response)
  }

  private static func serve(
    _ socket: borrowing UnixSocket, _ stopping: Stopping, _ hello: [UInt8],
    _ answer: (Connection, Frame) -> [UInt8]?
  ) {
    let connection = Connection()
    var parser = FrameParser(limit: FrameHeader.maxLength)
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !stopping.isSet {
      let soon = MonotonicTime.now() + .milliseconds(5)
      guard let ready = try? socket.wait(for: .read, until: soon) else { return }
      if !ready { continue }
      var span = buffer.mutableSpan
      guard case .bytes(let count)? = try? span.withUnsafeMutableBytes({ try socket.read(into: $0) }) else {
        return
      }
      var offset = 0
      let received = buffer
      while let event = parser.next(received.span.extracting(0..<count), &offset) {
        guard case .frame(let frame) = event else { return }
        connection.framesSeen += 1
        let bytes = connection.framesSeen == 1 ? hello : answer(connection, frame)
        guard let bytes else { return }
        if !bytes.isEmpty { _ = bytes.withUnsafeBytes { try? socket.write($0) } }
      }
    }
  }
}
