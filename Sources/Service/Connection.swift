import FaceCore
import Posix
import Wire

/// One peer: what it is sending, what it is owed. Touched by the event loop alone.
final class Connection {
  let id: UInt64
  let peer: Peer
  let socket: UnixSocket
  /// Answers every request of a peer that is one too many; `nil` for the others.
  let refusal: Status?

  private let statistics: Statistics
  private var parser: FrameParser
  private(set) var outbox = Outbox()
  /// Streams of the calls that a worker has or will have.
  var inFlight: Set<UInt32> = []
  /// Streams of `Health/Watch`, with what each was told last.
  var healthWatches: [UInt32: ServingStatus] = [:]
  /// Whether a whole frame has come.
  var hasSpoken = false
  /// Nothing more is read; the connection ends when the outbox is empty.
  private(set) var isClosing = false
  /// What the poller waits for.
  var interest: Poller.Interest = .read

  init(
    id: UInt64, peer: Peer, socket: consuming UnixSocket, messageBytes: Int, refusal: Status?,
    statistics: Statistics
  ) {
    self.id = id
    self.peer = peer
    self.socket = socket
    self.refusal = refusal
    self.statistics = statistics
    parser = FrameParser(limit: messageBytes)
  }

  /// What the poller should wait for now.
  var wantedInterest: Poller.Interest {
    var wanted: Poller.Interest = isClosing ? [] : .read
    if !outbox.isEmpty { wanted.insert(.write) }
    return wanted
  }

  /// Reads once and hands on what that completed; false when the peer has ended the stream.
  /// - Parameter scratch: the loop's, for whatever is small.
  func receive(
    _ scratch: UnsafeMutableRawBufferPointer, _ handle: (FrameParser.Event) -> Void
  ) throws(Status) -> Bool {
    if parser.missing >= scratch.count { return try receiveInPlace(handle) }
    let count: Int
    switch try socket.read(into: scratch) {
    case .bytes(let read): count = read
    case .notNow: return true
    case .ended: return false
    }
    statistics.receivedBytes.add(count)
    let bytes = UnsafeRawBufferPointer(rebasing: scratch.prefix(count)).bindMemory(to: UInt8.self)
    var offset = 0
    while !isClosing, let event = parser.next(bytes.span, &offset) { handle(event) }
    return true
  }

  private func receiveInPlace(_ handle: (FrameParser.Event) -> Void) throws(Status) -> Bool {
    var ended = false
    let frame = try parser.fill { (room) throws(Status) in
      switch try socket.read(into: room) {
      case .bytes(let count):
        statistics.receivedBytes.add(count)
        return count
      case .notNow: return 0
      case .ended:
        ended = true
        return 0
      }
    }
    if let frame { handle(.frame(frame)) }
    return !ended
  }

  func send(_ frame: [UInt8]) {
    outbox.append(frame)
  }

  /// Lets go of the peer once it has read what it is owed.
  func closeWhenSent() {
    isClosing = true
  }

  /// False when the peer is gone.
  func flush() throws(Status) -> Bool {
    let before = outbox.count
    defer { statistics.sentBytes.add(before - outbox.count) }
    return try outbox.flush(to: socket)
  }
}
