import FaceCore
import Posix
import Wire

/// A connection with one open `Detector/Watch` or `Detector/Check`. Several threads may send; the reading
/// thread holds the `FrameReader`.
final class StreamChannel: Sendable {
  static let stream = Handshake.stream + 2

  let socket: FramedSocket
  let images: ImageTransport

  private init(_ socket: FramedSocket, _ images: ImageTransport) {
    self.socket = socket
    self.images = images
  }

  /// A channel whose start the engine has accepted, and the number of frames that may be unanswered on it;
  /// `nil` for any number.
  struct Opened: Sendable {
    let channel: StreamChannel
    var reader: FrameReader
    var credit: Int?
  }

  /// Opens the stream and waits until the engine has accepted the start.
  ///
  /// Throws the engine's reason for refusing the start, `unimplemented` for a mode that it does not know, and
  /// the token's failure if it does not answer in time or `wakeup` is signalled.
  static func open(
    on socket: FramedSocket, _ start: WatchStart, _ shares: MemoryShares, or wakeup: borrowing Wakeup,
    _ token: CancellationToken
  ) throws(Status) -> Opened {
    var reader = FrameReader()
    let outcome = try Handshake.perform(
      on: socket, &reader, or: wakeup, requesting: [.buffers, .credit, .goaway, .ping], token)
    guard !outcome.isDraining else { throw draining }
    let hello = outcome.hello
    let features = hello?.features ?? []
    guard start.mode == .newest || features.contains(.credit) else {
      throw Status(
        .unimplemented,
        "the engine at \(socket.path) has no credit for frames; open the stream in mode newest")
    }
    let channel = StreamChannel(socket, ImageTransport(socket, hello, shares))
    var opened = Opened(channel: channel, reader: reader, credit: start.mode == .every ? 0 : nil)
    try channel.send(try WatchCall.openFrame(CallHeader(stream: stream), start.method), token)
    try channel.send(try WatchCall.startFrame(stream: stream, start), token)
    // The engine answers in order: the refusal of a start comes before the PONG.
    if features.contains(.ping) {
      try channel.send(ControlFromClient.ping(0).frame, token)
      try opened.awaitPong(or: wakeup, token)
    }
    return opened
  }

  fileprivate static let draining = Status(
    .unavailable, "the engine is stopping; open the stream again when it runs")

  func send(_ frame: [UInt8], _ token: CancellationToken) throws(Status) {
    do throws(ExchangeFailure) {
      try socket.sendControl(frame, token)
    } catch {
      throw error.status
    }
  }

  /// A message of the engine on the channel.
  enum StreamMessage {
    case event(FrameEvent)
    case credit(Int)
    case pong
    /// The engine takes no more frames; those sent are answered.
    case draining
    /// The stream has ended; `nil` means without a failure.
    case end(Status?)
  }

  /// The message in `frame`; `nil` if it is not for this stream. Throws `dataLoss` for a frame that no engine
  /// sends.
  func message(in frame: Frame) throws(Status) -> StreamMessage? {
    do throws(Status) {
      switch FrameType(rawValue: frame.header.type) {
      case .data where frame.header.stream == Self.stream:
        return .event(try WatchCall.response(frame.body.span))
      case .response where frame.header.stream == Self.stream:
        return .end(try ResponseEnvelope(decoding: frame.body.span).failure)
      case .data, .response, nil: return nil
      case .some(let type):
        return message(of: try ControlFromEngine(type, stream: frame.header.stream, frame.body.span))
      }
    } catch {
      throw Status(.dataLoss, "the engine's answer cannot be read: \(error.message)")
    }
  }

  private func message(of control: ControlFromEngine) -> StreamMessage? {
    switch control {
    case .goAway: return .draining
    case .pong: return .pong
    case .credit(Self.stream, let frames): return .credit(Int(frames))
    case .registration(let number, let failure?):
      images.pool?.refuse(number, failure)
      return nil
    case .credit, .ping, .registration: return nil
    }
  }
}

extension StreamChannel.Opened {
  fileprivate mutating func awaitPong(or wakeup: borrowing Wakeup, _ token: CancellationToken) throws(Status) {
    while true {
      switch try reader.read(channel.socket.unixSocket, or: wakeup, until: token.deadline) {
      case .frames(let frames):
        var isAccepted = false
        for frame in frames {
          switch try channel.message(in: frame) {
          case .credit(let more): credit = credit.map { $0 + more }
          case .pong: isAccepted = true
          case .end(let failure): throw failure ?? Status(.internal, "the engine ended the stream at once")
          case .draining:
            throw StreamChannel.draining
          case .event, nil: break
          }
        }
        if isAccepted { return }
      case .nothing: throw token.failure
      case .ended:
        throw Status(.unavailable, "the engine at \(channel.socket.path) closed the connection; try again")
      }
    }
  }
}

/// A frame of a stream, with its image where it can be sent from.
final class PreparedFrame: StreamedFrame, @unchecked Sendable {
  // Does not change once it is in the stream; `held` keeps the pixels that `image` may refer to.
  private(set) var info: FrameInfo
  private let image: MessageImage
  /// The shared memory that it uses; `nil` for an image in the message.
  let placement: ImageTransport.Placement?
  private let held: HeldImage?
  /// Keeps the pixels of a frame that was prepared for another connection before.
  private let source: PreparedFrame?
  /// The time by which it must have been started.
  private let deadline: MonotonicTime

  /// - Parameter held: kept alive as long as this object; `nil` if the pixels were copied.
  init(
    _ info: FrameInfo, _ image: MessageImage, _ placement: ImageTransport.Placement?, held: HeldImage?,
    source: PreparedFrame? = nil, deadline: MonotonicTime
  ) {
    self.info = info
    self.image = image
    self.placement = placement
    self.held = held
    self.source = source
    self.deadline = deadline
  }

  /// The same frame for another connection. Throws `resourceExhausted` if its image cannot be sent there.
  func moved(to images: ImageTransport, limit: Int, _ token: CancellationToken) throws(Status)
    -> PreparedFrame
  {
    guard placement != nil else { return self }
    let input = try imageInput()
    do throws(ExchangeFailure) {
      if let placed = try images.place([input], waiting: nil, token), let name = placed.images.first {
        return PreparedFrame(info, name, placed, held: nil, deadline: deadline)
      }
    } catch {
      throw error.status
    }
    guard input.packedByteCount < limit else {
      throw images.noRoom(for: input.packedByteCount, isFile: input.isFile)
    }
    return PreparedFrame(info, MessageImage(input), nil, held: held, source: self, deadline: deadline)
  }

  /// Takes over the followed faces of the frame that this one replaces. Called before it is in the stream.
  func adoptFollowed(of dropped: PreparedFrame) {
    info.followed = dropped.info.followed.joined(with: info.followed)
  }

  /// The image at its current place, readable until `placement` is released.
  func imageInput() throws(Status) -> ImageInput {
    switch image.source {
    case .encoded(let bytes): image.input(.encoded(bytes))
    case .pixels(let view): image.input(.pixels(view))
    case .sharedEncoded(let part):
      image.input(.encoded(try part.bytes(of: try sharedBytes(part.buffer))))
    case .sharedPixels(let part): image.input(.pixels(try part.view(of: try sharedBytes(part.buffer))))
    }
  }

  private func sharedBytes(_ buffer: UInt32) throws(Status) -> UnsafeRawBufferPointer {
    guard let bytes = placement?.bytes(of: buffer) else {
      throw Status(.internal, "a frame's pixels are outside the buffer that it names; please report this")
    }
    return bytes
  }

  /// The frame as a message. Throws `deadlineExceeded` if its time is over, `resourceExhausted` beyond
  /// `limit` bytes.
  func message(stream: UInt32, limit: Int) throws(Status) -> [UInt8] {
    var timeout: UInt64 = 0
    if deadline != .never {
      let left = deadline - MonotonicTime.now()
      guard left > .zero else {
        throw Status(
          .deadlineExceeded,
          "the frame's deadline passed before it was sent; allow more time, or send fewer frames")
      }
      timeout = UInt64(clamping: left)
    }
    return try WatchCall.requestFrame(stream: stream, info, image, timeout: timeout, limit: limit)
  }
}
