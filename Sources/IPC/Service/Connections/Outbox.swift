package import FaceCore
package import Posix

/// Queues answers until the peer reads them. They are kept in pieces that are freed one by one, so that read
/// answers take no memory however far behind the peer stays.
package struct Outbox: Sendable {
  /// The size in bytes up to which frames are joined to a piece; a longer frame is a piece of its own.
  private static let pieceSize = 64 << 10

  /// The pieces in order; the first may be partly sent.
  private var full = Fifo<[UInt8]>()
  /// The last piece, which still grows.
  private var last: [UInt8] = []
  /// The number of bytes of the first piece that were sent.
  private var sent = 0
  /// The number of bytes to be sent.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The memory of the pieces in bytes.
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

  /// Sends as much as the peer takes now, with `write`; returns false if the peer is gone.
  package mutating func flush(
    _ write: (UnsafeRawBufferPointer) throws(Status) -> Transfer
  ) throws(Status) -> Bool {
    while !isEmpty {
      let piece = full.first ?? last
      let transfer = try piece.span.withUnsafeBytes { (buffer) throws(Status) in
        try write(UnsafeRawBufferPointer(rebasing: buffer[sent...]))
      }
      switch transfer {
      case .bytes(let bytes): advance(bytes, of: piece.count)
      case .notNow: return true
      case .ended: return false
      }
    }
    return true
  }

  /// - Parameter size: the size of the first piece.
  private mutating func advance(_ bytes: Int, of size: Int) {
    sent += bytes
    count -= bytes
    guard sent == size else { return }
    sent = 0
    // An idle connection keeps no memory.
    if full.popFirst() == nil { last = [] }
  }
}
