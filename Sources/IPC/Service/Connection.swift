import FaceCore
import Posix
import Wire

/// A connection to one peer: its calls, buffers and unsent answers. Touched under the event loop's lock alone.
final class Connection {
  enum Phase {
    /// No whole frame has come.
    case new
    case open
    /// The peer sends no more; the connection ends when every call is answered.
    case finishing
    /// Nothing more is read; the connection ends when the outbox is empty.
    case closing

    var isReading: Bool { self == .new || self == .open }
  }

  /// A call that has not been answered.
  enum PendingCall {
    /// Queued or run by a worker.
    case single(RequestID, Method)
    case frames(WatchStream)
    /// A `Health/Watch`, with what its caller was sent last.
    case healthWatch(ServingStatus)
    /// The end of a take-over, answered at the engine's own.
    case takeOver
  }

  let id: UInt64
  let peer: Peer
  let socket: UnixSocket
  /// Answers every request of a peer that is not served; `nil` for the others.
  let refusal: Status?
  let bufferCount = BufferCount()

  private let statistics: Statistics
  /// Of its place among its user's connections.
  let reservation: Reservation
  /// Of the message that has begun to arrive, where it is large.
  var incoming: Reservation?
  private var parser: FrameParser
  var phase = Phase.new
  /// Came with what was read last, and no registration has claimed it yet.
  private var descriptor: Descriptor?
  /// Answers that the peer has not read.
  var outbox = Outbox()
  /// By stream number.
  var pendingCalls: [UInt32: PendingCall] = [:]
  /// The highest stream number so far.
  var lastStream: UInt32 = 0
  /// What was agreed on; `nil` before the Hello.
  var features: Set<Feature>?
  /// Buffers that are registered.
  var buffers = BufferTable()
  /// What the poller waits for.
  var interest: Poller.Interest = .read

  init(
    id: UInt64, peer: Peer, socket: consuming UnixSocket, messageBytes: Int, refusal: Status?,
    reservation: Reservation, statistics: Statistics
  ) {
    self.id = id
    self.peer = peer
    self.socket = socket
    self.refusal = refusal
    self.reservation = reservation
    self.statistics = statistics
    parser = FrameParser(limit: messageBytes, announcingAbove: Self.smallMessage)
  }

  /// Bytes of messages that are not accounted for: as many as a connection may cost.
  private static let smallMessage = 64 << 10

  /// Gives up the message whose beginning was announced.
  func skipMessage() { parser.skip() }

  /// The open streams of frames.
  var streams: [WatchStream] {
    pendingCalls.values.compactMap { if case .frames(let stream) = $0 { stream } else { nil } }
  }

  func stream(_ number: UInt32) -> WatchStream? {
    if case .frames(let stream)? = pendingCalls[number] { stream } else { nil }
  }

  /// Calls that are queued or run by a worker.
  var singleCallCount: Int {
    pendingCalls.values.count { if case .single = $0 { true } else { false } }
  }

  /// Streams of frames and of health.
  var streamCount: Int { pendingCalls.count - singleCallCount }

  /// What the poller should wait for now.
  var wantedInterest: Poller.Interest {
    var wanted: Poller.Interest = phase.isReading ? .read : []
    if !outbox.isEmpty { wanted.insert(.write) }
    return wanted
  }

  /// Whether nothing is left to be done for the peer.
  var isFinished: Bool {
    switch phase {
    case .new, .open: false
    case .finishing: pendingCalls.isEmpty && outbox.isEmpty
    case .closing: outbox.isEmpty
    }
  }

  /// Bytes of answers that the peer has not read, or that wait for those before them.
  var owedBytes: Int {
    pendingCalls.isEmpty ? outbox.count : streams.reduce(outbox.count) { $0 + $1.heldBytes }
  }

  /// Reads once and hands on what that completed; false when the peer has closed the connection.
  ///
  /// Throws `invalidArgument` for a descriptor that came with anything but a registration of its own.
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
    let bytes = UnsafeRawBufferPointer(rebasing: scratch.prefix(count)).bindMemory(to: UInt8.self)
    var offset = 0
    while phase.isReading, let event = parser.next(bytes.span, &offset) {
      if phase == .new, case .frame = event { phase = .open }
      handle(event)
    }
    // The rest of the registration that it belongs to may be on its way.
    if descriptor != nil, !parser.mayBeReceiving(.bufferOffer) { throw Self.stray }
    return true
  }

  /// Reads a large message where it will stay.
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
    let received = try socket.receive(into: buffer) { (descriptor: consuming Descriptor) in
      if self.descriptor == nil { self.descriptor = consume descriptor } else { surplus = true }
    }
    guard !surplus, !received.lostDescriptors else {
      throw Status(
        .invalidArgument, "it sent more than one descriptor at a time, or no room was left for one")
    }
    if case .bytes(let count) = received.transfer { statistics.receivedBytes.add(count) }
    return received.transfer
  }

  private static let stray = Status(
    .invalidArgument, "it sent a descriptor that belongs to no offer of a buffer")

  /// The descriptor that came with what was read last.
  func claimDescriptor() -> Descriptor? { descriptor.take() }
}
