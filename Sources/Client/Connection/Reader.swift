import FaceCore
import Posix
import Wire

/// The receiving half of a connection; whoever holds it is the only one to read.
struct Reader: Sendable {
  enum Outcome {
    /// Whole frames, perhaps none yet.
    case frames([Frame])
    /// The deadline came first, or somebody woke the reader.
    case nothing
    case ended
  }

  private var parser = FrameParser(limit: FrameHeader.maxLength)
  private var buffer = [UInt8](repeating: 0, count: 16 << 10)

  /// Waits for something to come and reads it. Throws `dataLoss` for what no engine sends.
  /// - Parameter wakeup: ends the wait.
  mutating func read(
    _ socket: borrowing UnixSocket, or wakeup: borrowing Wakeup, until deadline: MonotonicTime
  ) throws(Status) -> Outcome {
    guard try socket.waitToRead(or: wakeup, until: deadline) == .readable else { return .nothing }
    var span = buffer.mutableSpan
    let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in try socket.read(into: bytes) }
    guard case .bytes(let count) = transfer else { return transfer == .ended ? .ended : .nothing }
    var frames: [Frame] = []
    var offset = 0
    // A second reference, so that the parser may change while the bytes are borrowed.
    let received = buffer
    while let event = parser.next(received.span.extracting(0..<count), &offset) {
      guard case .frame(let frame) = event, let type = FrameType(rawValue: frame.header.type),
        type != .request
      else {
        throw Status(
          .dataLoss, "the engine sent what is no response; see that a FaceEngine is at that socket")
      }
      frames.append(frame)
    }
    return .frames(frames)
  }
}
