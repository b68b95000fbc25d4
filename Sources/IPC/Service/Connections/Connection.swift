package import FaceCore
package import Posix
package import Wire

/// A connection to one peer: its calls, buffers and unsent answers. Used only under the event loop's lock.
package final class Connection {
  package enum Phase {
    /// No complete frame has arrived.
    case new
    case open
    /// The peer has stopped sending; the connection ends when every call is answered.
    case finishing
    /// Nothing more is read; the connection ends when the outbox is empty.
    case closing

    var isReading: Bool { self == .new || self == .open }
  }

  /// A call that has not been answered.
  package enum PendingCall {
    /// Queued or run by a worker.
    case single(RequestID, Method)
    case frames(WatchStream)
    /// A `Health/Watch`, with the status last sent to its caller.
    case healthWatch(ServingStatus)
    /// The end of a take-over, answered when this engine ends.
    case takeOver
  }

  package let id: UInt64
  package let peer: Peer
  package let transport: any Transport
  /// The answer to every request of a refused peer; `nil` for peers that are served.
  package let refusal: Status?
  package let bufferCount = BufferCount()

  private let statistics: Statistics
  /// The reservation for its place among its user's connections.
  let reservation: Reservation
  /// The reservation for a large message that is arriving.
  var incoming: Reservation?
  private var parser: FrameParser
  package var phase = Phase.new
  /// A descriptor received with the last read and not yet claimed.
  private var descriptor: Descriptor?
  /// Answers that the peer has not read yet.
  package var outbox = Outbox()
  package var pendingCalls: [UInt32: PendingCall] = [:]
  /// The highest stream number so far.
  var lastStream: UInt32 = 0
  /// The features agreed on; `nil` before the Hello.
  package var features: Set<Feature>?
  var buffers = BufferTable()
  /// The events that the poller waits for.
  package var interest: Poller.Interest = .read

  init(
    id: UInt64, peer: Peer, transport: any Transport, messageBytes: Int, refusal: Status?,
    reservation: Reservation, statistics: Statistics
  ) {
    self.id = id
    self.peer = peer
    self.transport = transport
    self.refusal = refusal
    self.reservation = reservation
    self.statistics = statistics
    parser = FrameParser(limit: messageBytes, announcingAbove: Self.smallMessage)
  }

  /// Messages up to this size in bytes are not accounted for: every connection may cost that much.
  private static let smallMessage = 64 << 10

  /// Skips the message whose start was announced.
  func skipMessage() { parser.skip() }

  /// The open streams of frames, by their numbers.
  package var streams: [WatchStream] {
    let streams = pendingCalls.values.compactMap { if case .frames(let stream) = $0 { stream } else { nil } }
    return streams.count < 2 ? streams : streams.sorted { $0.requestID.stream < $1.requestID.stream }
  }

  func hasEnded(_ number: UInt32) -> Bool {
    number % 2 == 1 && number <= lastStream && pendingCalls[number] == nil
  }

  func stream(_ number: UInt32) -> WatchStream? {
    if case .frames(let stream)? = pendingCalls[number] { stream } else { nil }
  }

  /// Calls that are queued or run by a worker.
  package var singleCallCount: Int {
    pendingCalls.values.count { if case .single = $0 { true } else { false } }
  }

  /// The number of streams of frames and of health.
  package var streamCount: Int { pendingCalls.count - singleCallCount }

  /// The events that the poller should wait for now.
  var wantedInterest: Poller.Interest {
    var wanted: Poller.Interest = phase.isReading ? .read : []
    if !outbox.isEmpty { wanted.insert(.write) }
    return wanted
  }

  /// Whether nothing is left to do for the peer.
  var isFinished: Bool {
    switch phase {
    case .new, .open: false
    case .finishing: pendingCalls.isEmpty && outbox.isEmpty
    case .closing: outbox.isEmpty
    }
  }

  /// Bytes of answers that the peer has not read, or that wait for earlier ones.
  package var owedBytes: Int {
    pendingCalls.isEmpty ? outbox.count : streams.reduce(outbox.count) { $0 + $1.heldBytes }
  }

  /// Reads once and passes on the frames that this completed. Returns false if the peer has closed the
  /// connection.
  ///
  /// Throws `invalidArgument` for a descriptor that nothing has claimed: only registrations and take-overs do.
  /// - Parameter scratch: the event loop's buffer, for small messages.
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
    let bytes = UnsafeRawBufferPointer(rebasing: scratch.prefix(count)).bindMemory(to: UInt8.self)
    var offset = 0
    while phase.isReading, let event = parser.next(bytes.span, &offset) {
      if phase == .new, case .frame = event { phase = .open }
      handle(event)
    }
    // The rest of its registration may still be on its way.
    if descriptor != nil, !parser.mayBeReceiving(.bufferOffer) { throw Self.stray }
    return true
  }

  /// Reads a large message directly into its final buffer.
  private func receiveInPlace(_ handle: (FrameParser.Event) -> Void) throws(Status) -> Bool {
    var isOpen = true
    let frame = try parser.fill { (room) throws(Status) in
      switch try read(into: room) {
      case .bytes(let count): return count
      case .notNow: return 0
      case .ended:
        isOpen = false
        return 0
      }
    }
    if descriptor != nil { throw Self.stray }
    if let frame {
      if phase == .new { phase = .open }
      handle(.frame(frame))
    }
    return isOpen
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) throws(Status) -> Transfer {
    var surplus = false
    let received = try transport.receive(into: buffer) { (descriptor: consuming Descriptor) in
      if self.descriptor == nil { self.descriptor = consume descriptor } else { surplus = true }
    }
    if case .bytes(let count) = received.transfer { statistics.count { $0.receivedBytes += count } }
    guard !surplus, !received.lostDescriptors else {
      throw Status(
        .invalidArgument, "it sent more than one descriptor at a time, or the engine has no descriptor left")
    }
    return received.transfer
  }

  private static let stray = Status(
    .invalidArgument, "it sent a descriptor that belongs to neither a buffer nor a take-over")

  /// Takes the descriptor that came with the last read.
  func claimDescriptor() -> Descriptor? { descriptor.take() }
}
