import FaceCore
import Posix

/// Answers that wait for the peer to read.
struct Outbox: Sendable {
  private var bytes: [UInt8] = []
  private var sent = 0

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ frame: [UInt8]) {
    if isEmpty {
      bytes = frame
      sent = 0
    } else {
      bytes += frame
    }
  }

  /// Sends what the peer takes now; false when it is gone.
  mutating func flush(to socket: borrowing UnixSocket) throws(Status) -> Bool {
    while !isEmpty {
      let transfer = try bytes.span.withUnsafeBytes { (buffer) throws(Status) in
        try socket.write(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
      }
      switch transfer {
      case .bytes(let count): sent += count
      case .notNow: return true
      case .ended: return false
      }
    }
    // An idle connection keeps no memory.
    bytes = []
    sent = 0
    return true
  }
}
