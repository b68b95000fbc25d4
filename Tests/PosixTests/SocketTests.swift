import FaceCore
import Glibc
import Posix
import TestSupport
import Testing

@Suite struct SocketPathTests {
  @Test func pathsThatNoSocketHasAreRefused() throws {
    #expect(throws: Status.self) { try SocketPath("") }
    #expect(throws: Status.self) { try SocketPath("a\0b") }
    #expect(throws: Never.self) { try SocketPath(String(repeating: "a", count: 107)) }
    let long = #expect(throws: Status.self) { try SocketPath(String(repeating: "a", count: 108)) }
    #expect(long?.message.contains("108") == true)
    #expect(long?.message.contains("107") == true)
  }
}

@Suite struct UnixSocketTests {
  private func read(_ socket: borrowing UnixSocket, _ count: Int) throws(Status) -> (Transfer, [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: count)
    var span = buffer.mutableSpan
    let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in try socket.read(into: bytes) }
    return (transfer, buffer)
  }

  private func write(_ socket: borrowing UnixSocket, _ bytes: [UInt8]) throws(Status) -> Transfer {
    try bytes.span.withUnsafeBytes { (bytes) throws(Status) in try socket.write(bytes) }
  }

  @Test func bytesGoThrough() throws {
    let pair = try UnixSocket.pair()
    #expect(try read(pair.second, 4).0 == .notNow)
    #expect(try pair.second.wait(for: .read, until: .now()) == false)
    #expect(try write(pair.first, [1, 2, 3]) == .bytes(3))
    #expect(try pair.second.wait(for: .read, until: .never))
    let (transfer, bytes) = try read(pair.second, 4)
    #expect(transfer == .bytes(3))
    #expect(bytes == [1, 2, 3, 0])
    #expect(try pair.first.peer().user == getuid())
    #expect(try pair.first.peer().process == getpid())
  }

  @Test func fullSocketDoesNotWait() throws {
    let pair = try UnixSocket.pair()
    let block = [UInt8](repeating: 0, count: 1 << 20)
    var transfer = try write(pair.first, block)
    while case .bytes = transfer { transfer = try write(pair.first, block) }
    #expect(transfer == .notNow)
    #expect(try pair.first.wait(for: .write, until: .now()) == false)
  }

  @Test func peerThatIsGoneIsNoSignal() throws {
    let folder = try TemporaryFolder()
    let file = try SocketFile.claim(try SocketPath(folder.path("s")))
    let client = try UnixSocket(connectingTo: file.path)
    guard case .connection(let server) = try file.socket.accept() else {
      throw Status(.internal, "no connection")
    }
    server.finishWriting()
    #expect(try read(client, 1).0 == .ended)
    drop(server)
    #expect(try write(client, [1]) == .ended)
  }

  private func drop(_ socket: consuming UnixSocket) {}
}

@Suite struct PollerTests {
  @Test func tellsWhatIsReady() throws {
    let poller = try Poller()
    let wakeup = try Wakeup()
    let pair = try UnixSocket.pair()
    try poller.add(wakeup, token: 1, for: .read)
    try poller.add(pair.first, token: .max, for: [.read, .write])
    var seen: [UInt64: Poller.Event] = [:]
    try poller.wait(until: .never) { seen[$0.token] = $0 }
    #expect(seen.count == 1)
    #expect(seen[.max]?.writable == true)
    #expect(seen[.max]?.readable == false)

    try poller.change(pair.first, token: .max, to: [])
    wakeup.signal()
    wakeup.signal()
    seen = [:]
    try poller.wait(until: .never) { seen[$0.token] = $0 }
    #expect(seen[1]?.readable == true)
    wakeup.clear()
    seen = [:]
    try poller.wait(until: .now()) { seen[$0.token] = $0 }
    #expect(seen.isEmpty)

    try poller.change(pair.first, token: .max, to: .read)
    pair.second.finishWriting()
    try poller.wait(until: .never) { seen[$0.token] = $0 }
    #expect(seen[.max]?.readable == true)
    #expect(seen[.max]?.ended == false)
    poller.remove(pair.first)
    poller.remove(wakeup)
  }
}

@Suite struct SocketFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path() throws(Status) -> SocketPath { try SocketPath(folder.path("engine.sock")) }

  private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Claims and gives up at once.
  private func claim() throws(Status) { _ = try SocketFile.claim(try path()) }

  @Test func fileHasItsModeAndIsRemoved() throws {
    do {
      let file = try SocketFile.claim(try path(), mode: 0o606)
      var information = stat()
      #expect(lstat(file.path.description, &information) == 0)
      #expect(information.st_mode & 0o777 == 0o606)
      #expect(exists("\(file.path).lock"))
      _ = try UnixSocket(connectingTo: file.path)
    }
    #expect(!exists(try path().description))
    #expect(!exists("\(try path()).lock"))
  }

  @Test func liveEngineIsLeftAlone() throws {
    let file = try SocketFile.claim(try path())
    let status = #expect(throws: Status.self) { try claim() }
    #expect(status?.code == .alreadyExists)
    _ = try UnixSocket(connectingTo: file.path)
    // The same, when its lock file was removed by hand.
    unlink("\(file.path).lock")
    let second = #expect(throws: Status.self) { try claim() }
    #expect(second?.code == .alreadyExists)
    #expect(exists(file.path.description))
  }

  @Test func deadEnginesSocketIsCleared() throws {
    do { _ = try ListeningSocket(at: try path(), mode: 0o600) }
    #expect(exists(try path().description))
    let dead = #expect(throws: Status.self) { _ = try UnixSocket(connectingTo: try path()) }
    #expect(dead?.code == .unavailable)
    let file = try SocketFile.claim(try path())
    _ = try UnixSocket(connectingTo: file.path)
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    try File.writeAtomically(try path().description, UnsafeRawBufferPointer(start: nil, count: 0))
    let status = #expect(throws: Status.self) { try claim() }
    #expect(status?.code == .failedPrecondition)
    #expect(exists(try path().description))
    #expect(!exists("\(try path()).lock"))
  }

  @Test func somebodyElsesSocketIsNotRemoved() throws {
    do {
      let file = try SocketFile.claim(try path())
      unlink(file.path.description)
      try File.writeAtomically(file.path.description, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    #expect(exists(try path().description))
  }

  @Test func stoppedListenerRefuses() throws {
    let file = try SocketFile.claim(try path())
    file.socket.stopListening()
    let status = #expect(throws: Status.self) { _ = try UnixSocket(connectingTo: file.path) }
    #expect(status?.code == .unavailable)
  }

  @Test func folderThatIsMissingIsNamed() throws {
    let missing = try SocketPath(folder.path("no/engine.sock"))
    let status = #expect(throws: Status.self) { _ = try SocketFile.claim(missing) }
    #expect(status?.code == .notFound)
    #expect(status?.message.contains("/no/engine.sock") == true)
  }
}
