import FaceCore
import Posix
import Wire

/// One connection with one `Detector/Watch` or `Detector/Check` open on it. Several threads may send; who reads has the `Reader`.
final class StreamChannel: Sendable {
  static let stream = Handshake.stream + 2

  let link: FramedSocket
  let images: ImageTransport

  private init(_ link: FramedSocket, _ images: ImageTransport) {
    self.link = link
    self.images = images
  }

  /// A channel whose start the engine has taken, and how many frames may be unanswered on it; `nil` for any number.
  struct Opened: Sendable {
    let channel: StreamChannel
    var reader: Reader
    var credit: Int?
  }

  /// Connects, opens the stream and waits until the engine has taken the start.
  ///
  /// Throws what the engine says of the start, `unimplemented` for a mode that it does not know, and `token`' failure when
  /// it does not answer, or `wakeup` is signalled, first.
  static func open(
    _ path: SocketPath, _ start: WatchStart, _ shares: MemoryShares, or wakeup: borrowing Wakeup,
    _ token: CancellationToken
  ) throws(Status) -> Opened {
    let link = try FramedSocket(path, until: token.deadline)
    var reader = Reader()
    let hello = try Handshake.say(
      on: link, &reader, or: wakeup, asking: [.buffers, .credit, .goaway, .ping], token)
    let features = hello?.features ?? []
    guard start.mode == .newest || features.contains(.credit) else {
      throw Status(
        .unimplemented, "the engine at \(path) gives no credit for frames; open the stream in mode newest")
    }
    let channel = StreamChannel(link, ImageTransport(link: link, hello, shares))
    var opened = Opened(channel: channel, reader: reader, credit: start.mode == .every ? 0 : nil)
    try channel.send(try WatchCall.openFrame(CallHeader(stream: stream), start.method), token)
    try channel.send(try WatchCall.startFrame(stream: stream, start), token)
    // The engine answers in order: what it finds wrong with the start comes before the PONG.
    if features.contains(.ping) {
      try channel.send(ControlFromClient.ping(0).frame, token)
      try opened.awaitPong(or: wakeup, token)
    }
    return opened
  }

  func send(_ frame: [UInt8], _ token: CancellationToken) throws(Status) {
    do throws(ExchangeFailure) {
      try link.sendControl(frame, token)
    } catch {
      throw error.status
    }
  }

  /// What the engine says on the channel.
  enum StreamMessage {
    case answer(WatchResponse)
    case credit(Int)
    case pong
    /// No more frames are taken; those sent are answered.
    case draining
    /// The stream is over; `nil` when it came to its proper end.
    case end(Status?)
  }

  /// Throws `dataLoss` for what no engine says; `nil` for what is of no meaning here.
  func word(_ frame: Frame) throws(Status) -> StreamMessage? {
    do throws(Status) {
      switch FrameType(rawValue: frame.header.type) {
      case .data where frame.header.stream == Self.stream:
        return .answer(try WatchCall.response(frame.body.span))
      case .response where frame.header.stream == Self.stream:
        return .end(try ResponseEnvelope(decoding: frame.body.span).failure)
      case .data, .response, nil: return nil
      case .some(let type):
        return control(try ControlFromEngine(type, stream: frame.header.stream, frame.body.span))
      }
    } catch {
      throw Status(.dataLoss, "the engine's answer cannot be read: \(error.message)")
    }
  }

  private func control(_ control: ControlFromEngine) -> StreamMessage? {
    switch control {
    case .goAway: return .draining
    case .pong: return .pong
    case .credit(Self.stream, let frames): return .credit(Int(frames))
    case .offerAnswer(let number, let failure?):
      images.pool?.refuse(number, failure)
      return nil
    case .credit, .ping, .offerAnswer: return nil
    }
  }
}

extension StreamChannel.Opened {
  fileprivate mutating func awaitPong(or wakeup: borrowing Wakeup, _ token: CancellationToken) throws(Status)
  {
    while true {
      switch try reader.read(channel.link.socket, or: wakeup, until: token.deadline) {
      case .frames(let frames):
        var isTaken = false
        for frame in frames {
          switch try channel.word(frame) {
          case .credit(let more): credit = credit.map { $0 + more }
          case .pong: isTaken = true
          case .end(let failure): throw failure ?? Status(.internal, "the engine ended the stream at once")
          case .draining:
            throw Status(.unavailable, "the engine is stopping; open the stream again when it runs")
          case .answer, nil: break
          }
        }
        if isTaken { return }
      case .nothing: throw token.failure
      case .ended:
        throw Status(.unavailable, "the engine at \(channel.link.path) closed the connection; try again")
      }
    }
  }
}
