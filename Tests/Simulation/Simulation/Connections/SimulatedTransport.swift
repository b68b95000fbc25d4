import FaceCore
import Posix
import Service

import var Glibc.F_DUPFD_CLOEXEC
import func Glibc.fcntl

/// A connection in memory: what its client has sent reaches the engine late, in pieces or not at all, and what
/// the engine sends waits until the client has room for it.
final class SimulatedTransport: Transport {
  let client: Peer
  private var random: SeededRandom

  // Towards the engine.
  private var arrived: [UInt8] = []
  /// Descriptors on their way, with the position of the byte that each comes with.
  private var descriptors: [(position: Int, raw: Int32)] = []
  /// The bytes that were delivered and read so far.
  private(set) var deliveredCount = 0
  private(set) var readCount = 0
  /// Whether the client has stopped sending, and whether it is gone.
  private(set) var hasFinished = false
  private(set) var isGone = false
  /// Whether the engine has no room for the next descriptor.
  var losesDescriptor = false
  private(set) var hasLostDescriptor = false

  // Towards the client.
  private(set) var room: Int
  private(set) var sentCount = 0
  /// Receives what the engine sends, at once.
  var received: ((UnsafeRawBufferPointer) -> Void)?
  /// Called when an engine accepts it, and when that closes its end.
  var accepted: ((SimulatedEngine) -> Void)?
  var closed: (() -> Void)?
  /// Receives a descriptor of the engine's socket.
  var passed: ((SimulatedSocket) -> Void)?

  private(set) var id: UInt64 = 0
  private(set) var interest: Poller.Interest?

  /// The most bytes that wait for the engine, as in a socket's buffer.
  static let capacity = 160 << 10

  init(client: Peer, room: Int, random: SeededRandom) {
    self.client = client
    self.room = room
    self.random = random
  }

  deinit {
    for descriptor in descriptors { _ = Descriptor(owning: descriptor.raw) }
  }

  var isReadable: Bool { !arrived.isEmpty || hasFinished || isGone }

  /// What a poller would report now.
  var event: Poller.Event? {
    guard let interest else { return nil }
    let (reads, writes) = (interest.contains(.read) && isReadable, interest.contains(.write) && room > 0)
    guard reads || writes || isGone else { return nil }
    return Poller.Event(token: id, readable: reads, writable: writes, ended: isGone)
  }

  // MARK: The client's end

  /// Delivers bytes, as many as there is room for.
  /// - Returns: how many.
  func deliver(_ bytes: ArraySlice<UInt8>) -> Int {
    let piece = bytes.prefix(max(0, Self.capacity - arrived.count))
    arrived += piece
    deliveredCount += piece.count
    return piece.count
  }

  /// Sends a copy of a descriptor with the byte at `position`.
  func pass(_ descriptor: borrowing Descriptor, at position: Int) {
    let copy = fcntl(descriptor.raw, F_DUPFD_CLOEXEC, 0)
    precondition(copy >= 0, "a test has descriptors")
    descriptors.append((position, copy))
  }

  func makeRoom(_ count: Int) { room += count }
  func finish() { hasFinished = true }
  func leave() { isGone = true }

  // MARK: The engine's end

  func peer() throws(Status) -> Peer { client }
  func peerGroups() throws(Status) -> [UInt32] { [client.group] }
  var isAbandoned: Bool { isGone }

  func receive(
    into buffer: UnsafeMutableRawBufferPointer, _ take: (consuming Descriptor) -> Void
  ) throws(Status) -> UnixSocket.Received {
    guard !arrived.isEmpty else {
      return .init(transfer: hasFinished || isGone ? .ended : .notNow, lostDescriptors: false)
    }
    var isLost = false
    if let descriptor = descriptors.first, descriptor.position <= readCount {
      let passed = Descriptor(owning: descriptors.removeFirst().raw)
      if losesDescriptor { (isLost, hasLostDescriptor) = (true, true) } else { take(passed) }
    }
    var count = min(buffer.count, arrived.count)
    if random.isLucky(oneIn: 4) { count = random.pick(1...count) }
    // Bytes that come with a descriptor begin a read of their own.
    if let next = descriptors.first { count = min(count, next.position - readCount) }
    arrived.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    arrived.removeFirst(count)
    readCount += count
    return .init(transfer: .bytes(count), lostDescriptors: isLost)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer {
    if isGone { return .ended }
    let count = min(room, bytes.count)
    guard count > 0 else { return .notNow }
    room -= count
    sentCount += count
    received?(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    return .bytes(count)
  }

  func watch(_ interest: Poller.Interest, as id: UInt64) throws(Status) {
    self.interest = interest
    self.id = id
  }

  func change(to interest: Poller.Interest, as id: UInt64) throws(Status) { self.interest = interest }

  /// The engine has closed it without an answer.
  func reject() { closed?() }

  /// The engine releases the transport right after this, which closes it.
  func stopWatching() {
    interest = nil
    closed?()
  }
}

/// The file that leads clients to a socket.
final class SimulatedPath {
  /// The socket, also if nobody listens there any more; `nil` if the file was removed.
  var socket: SimulatedSocket?
}

/// The socket that clients connect to. An engine that takes over listens at the same one.
final class SimulatedSocket {
  /// Connections that no engine has accepted.
  var backlog: [SimulatedTransport] = []
  /// The processes that have a descriptor of it.
  private var holders = 0
  /// Whether nobody can connect any more.
  var isShut: Bool { holders == 0 }

  func open() { holders += 1 }

  func close() {
    holders -= 1
    guard isShut else { return }
    for transport in backlog { transport.reject() }
    backlog = []
  }
}

/// An engine's end of that socket.
final class SimulatedListener: ListeningTransport {
  let socket: SimulatedSocket
  private let path: SimulatedPath
  private var isOwned: Bool
  /// Attempts that will find no descriptor.
  var failures = 0
  /// Called with each connection and what accepts it.
  var admit: ((SimulatedTransport, () -> Void) -> Void)?
  private(set) var isWatched = false
  private(set) var isClosed = false

  init(_ socket: SimulatedSocket, at path: SimulatedPath, isOwned: Bool) {
    (self.socket, self.path, self.isOwned) = (socket, path, isOwned)
    socket.open()
  }

  var isReady: Bool { isWatched && !socket.backlog.isEmpty }

  func accept(_ handle: (any Transport) -> Void) throws(Status) -> AcceptOutcome {
    if socket.backlog.isEmpty { return .none }
    if failures > 0 {
      failures -= 1
      return .exhausted
    }
    let transport = socket.backlog.removeFirst()
    if let admit { admit(transport) { handle(transport) } } else { handle(transport) }
    return .accepted
  }

  func watch() throws(Status) { isWatched = true }
  func ignore() { isWatched = false }

  func stopListening() {
    if !isClosed { socket.close() }
    isClosed = true
  }

  var isFileEngines: Bool { true }
  func setOwned(_ isOwned: Bool) { self.isOwned = isOwned }

  /// The engine has released it.
  func end() {
    stopListening()
    if isOwned, path.socket === socket { path.socket = nil }
  }

  /// The engine's process dies.
  func die() {
    ignore()
    stopListening()
  }

  func send(to peer: any Transport, with bytes: UnsafeRawBufferPointer) throws(Status) -> Transfer {
    socket.open()
    (peer as? SimulatedTransport)?.passed?(socket)
    return try peer.write(bytes)
  }
}
