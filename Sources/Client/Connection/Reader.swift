import FaceCore
import Posix
import Wire

/// The receiving half of a connection; whoever holds it is the only one to read.
struct Reader: Sendable {
  enum Outcome {
    /// Whole frames, perhaps none yet.
    case frames([Frame])
    /// The deadline came first.
    case nothing
    case ended
  }

  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  /// Waits for something to come and reads it. Throws `dataLoss` for what no engine sends.
  mutating func read(_ socket: borrowing UnixSocket, until deadline: MonotonicTime) throws(Status) -> Outcome
  {
    guard try socket.wait(for: .read, until: deadline) else { return .nothing }
    var span = buffer.mutableSpan
    let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in try socket.read(into: bytes) }
    guard case .bytes(let count) = transfer else { return transfer == .ended ? .ended : .nothing }
    var frames: [Frame] = []
    var offset = 0
    // A second reference, so that the parser may change while the bytes are borrowed.
    let received = buffer
    while let event = parser.next(received.span.extracting(0..<count), &offset) {
      guard case .frame(let frame) = event, let type = FrameType(rawValue: frame.header.type),
        type == .response || type.isControl
      else {
        throw Status(
          .dataLoss, "the engine sent what is no response; see that a FaceEngine is at that socket")
      }
      frames.append(frame)
    }
    return .frames(frames)
  }
}

extension FrameType {
  /// Whether it is about the connection, or a call as such: beyond plain ttrpc.
  fileprivate var isControl: Bool { rawValue >= FrameType.cancel.rawValue }
}
