package import FaceCore
package import Posix

/// Queues answers until the peer reads them, in pieces that are freed one by one: what the peer has read takes no memory,
/// however far behind it stays.
package struct Outbox: Sendable {
  /// Frames are joined to pieces of no more bytes; a longer one is a piece of its own.
  private static let pieceSize = 64 << 10

  /// In their order; part of the first may be sent.
  private var full = Fifo<[UInt8]>()
  /// The one after them, which still grows.
  private var last: [UInt8] = []
  /// Bytes of the first piece.
  private var sent = 0
  /// Bytes to be sent.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Bytes of memory that the pieces take.
  package var capacity: Int { full.elements.reduce(last.capacity) { $0 + $1.capacity } }

  package mutating func append(_ frame: [UInt8]) {
    count += frame.count
    if last.isEmpty {
      last = frame
    } else if last.count + frame.count <= Self.pieceSize {
      last += frame
    } else {
      full.append(last)
      last = frame
    }
  }

  /// Sends what the peer takes now; false when it is gone.
  package mutating func flush(to socket: borrowing UnixSocket) throws(Status) -> Bool {
    while !isEmpty {
      let piece = full.first ?? last
      let transfer = try piece.span.withUnsafeBytes { (buffer) throws(Status) in
        try socket.write(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
      }
      switch transfer {
      case .bytes(let bytes): advance(bytes, of: piece.count)
      case .notNow: return true
      case .ended: return false
      }
    }
    return true
  }

  /// - Parameter size: the first piece's.
  private mutating func advance(_ bytes: Int, of size: Int) {
    sent += bytes
    count -= bytes
    guard sent == size else { return }
    sent = 0
    // An idle connection keeps no memory.
    if full.popFirst() == nil { last = [] }
  }
}
