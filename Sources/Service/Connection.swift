import FaceCore
import Posix
import Wire

/// One peer: what it is sending, what it is owed. Touched by the event loop alone, under its lock.
final class Connection {
  let id: UInt64
  let peer: Peer
  let socket: UnixSocket
  /// Answers every request of a peer that is one too many; `nil` for the others.
  let refusal: Status?

  private let statistics: Statistics
  private var parser: FrameParser
  private(set) var outbox = Outbox()
  /// Calls that a worker has or will have, by stream.
  var inFlight: [UInt32: (requestID: RequestID, method: Method)] = [:]
  /// Streams of `Health/Watch`, with what each was told last.
  var healthWatches: [UInt32: ServingStatus] = [:]
  /// Streams of `Detector/Watch`.
  var streams: [UInt32: WatchStream] = [:]
  /// The highest stream number so far.
  var lastStream: UInt32 = 0
  /// What was agreed on; `nil` before the Hello.
  var features: Set<Feature>?
  /// Buffers that the peer offered and has not taken back.
  var buffers = BufferTable()
  let buffersHeld = BufferCount()
  /// Came with what was read last, and no offer has taken it yet.
  var descriptor: Descriptor?
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

  /// Of both kinds; their number is limited.
  var openStreams: Int { streams.count + healthWatches.count }

  /// Whether a call or stream of that number has not been answered.
  func isInUse(_ stream: UInt32) -> Bool {
    inFlight[stream] != nil || streams[stream] != nil || healthWatches[stream] != nil
  }

  /// What the poller should wait for now.
  var wantedInterest: Poller.Interest {
    var wanted: Poller.Interest = isClosing ? [] : .read
    if !outbox.isEmpty { wanted.insert(.write) }
    return wanted
  }

  /// Bytes of answers that the peer has not read, or that wait for those before them.
  var owedBytes: Int {
    streams.isEmpty ? outbox.count : streams.values.reduce(outbox.count) { $0 + $1.heldBytes }
  }

  /// Reads once and hands on what that completed; false when the peer has ended the stream.
  ///
  /// Throws `invalidArgument` for a descriptor that came with anything but an offer of its own.
  /// - Parameter scratch: the loop's, for whatever is small.
  func receive(
    _ scratch: UnsafeMutableRawBufferPointer, _ handle: (FrameParser.Event) -> Void
  ) throws(Status) -> Bool {
    if parser.missing >= scratch.count { return try receiveInPlace(handle) }
    let count: Int
    switch try read(into: scratch) {
    case .bytes(let read): count = read
    case .notNow: return true
    case .ended: return false
    }
    statistics.receivedBytes.add(count)
    let bytes = UnsafeRawBufferPointer(rebasing: scratch.prefix(count)).bindMemory(to: UInt8.self)
    var offset = 0
    while !isClosing, let event = parser.next(bytes.span, &offset) { handle(event) }
    // The rest of the offer that it belongs to may be on its way.
    if descriptor != nil, !parser.mayBeReceiving(.bufferOffer) { throw Self.stray }
    return true
  }

  private func receiveInPlace(_ handle: (FrameParser.Event) -> Void) throws(Status) -> Bool {
    var ended = false
    let frame = try parser.fill { (room) throws(Status) in
      switch try read(into: room) {
      case .bytes(let count):
        statistics.receivedBytes.add(count)
        return count
      case .notNow: return 0
      case .ended:
        ended = true
        return 0
      }
    }
    if descriptor != nil { throw Self.stray }
    if let frame { handle(.frame(frame)) }
    return !ended
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) throws(Status) -> Transfer {
    var surplus = false
    let received = try socket.receive(into: buffer) { (descriptor: consuming Descriptor) in
      if self.descriptor == nil { self.descriptor = consume descriptor } else { surplus = true }
    }
    guard !surplus, !received.lostDescriptors else {
      throw Status(
        .invalidArgument, "it sent more than one descriptor at a time, or no room was left for one")
    }
    return received.transfer
  }

  private static let stray = Status(
    .invalidArgument, "it sent a descriptor that belongs to no offer of a buffer")

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
