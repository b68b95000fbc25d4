import CNGHTTP2
import GatewayServing
package import NIOCore

/// A stream of a client, with the output that waits on it.
package final class HTTP2Stream {
  package let number: Int32
  /// The owner; `nil` once it is done.
  package var owner: (any HTTP2StreamOwner)?
  /// The trailers, sent after all messages; empty for none.
  private(set) var trailers: HTTP2Fields?
  var isHeadTooLarge = false
  /// Whether it has ended, so that what its owner still writes counts no more.
  var isClosed = false
  /// How often it was swept since its answer was sent; `nil` before, and if the client had ended its side.
  var sweepsSinceAnswer: Int?
  /// Whether the session waits for more output.
  var isDeferred = false

  /// The memory that an answer takes beside its messages: the stream's state and its headers.
  private static let answerCost = 2 << 10

  /// The bytes of memory that its answer takes, without those of shared parts.
  private(set) var unreadByteCount = 0
  private var takenByteCount = 0
  private var rate = TransferRate()
  private var waiting: [(part: HTTP2Part, completion: (() -> Void)?)] = []

  package init(_ number: Int32) {
    self.number = number
  }

  package var isEmpty: Bool { waiting.isEmpty }

  func beginAnswer(_ headers: HTTP2Fields) { unreadByteCount += Self.answerCost + headers.byteCount }

  /// Sets the trailers, which are sent after all messages.
  func end(_ trailers: HTTP2Fields) {
    self.trailers = trailers
    unreadByteCount += trailers.byteCount
  }

  func append(_ part: HTTP2Part, _ completion: (() -> Void)?) {
    waiting.append((part, completion))
    unreadByteCount += part.cost
  }

  /// Drops what waits, since the stream ends without it.
  func drop() {
    waiting = []
    unreadByteCount = 0
  }

  /// Whether the client takes enough of what waits.
  ///
  /// - Parameter isHeld: whether the stream's window holds it back.
  func isRead(_ now: NIODeadline, isHeld: Bool, in period: TimeAmount) -> Bool {
    rate.suffices(now, takenByteCount, isAwaited: isHeld && !isEmpty, in: period)
  }

  /// Moves bytes into `room`, and the completions of fully moved messages to `done`.
  ///
  /// - Returns: the number of bytes.
  package func moveBytes(into room: UnsafeMutableRawBufferPointer, _ done: inout [() -> Void]) -> Int {
    var count = 0
    while count < room.count, !waiting.isEmpty {
      count += waiting[0].part.bytes.readWithUnsafeReadableBytes { bytes in
        let part = bytes.prefix(room.count - count)
        room[count...].copyBytes(from: part)
        return part.count
      }
      guard waiting[0].part.bytes.readableBytes == 0 else { break }
      let (part, completion) = waiting.removeFirst()
      unreadByteCount -= part.cost
      if let completion { done.append(completion) }
    }
    takenByteCount += count
    return count
  }
}

/// A part of a stream's output.
package struct HTTP2Part {
  fileprivate var bytes: ByteBuffer
  /// The bytes of memory that are freed when it was written.
  fileprivate let cost: Int

  package var byteCount: Int { bytes.readableBytes }

  /// - Parameter isShared: whether others use the same memory, so that the part itself takes none.
  package init(_ bytes: ByteBuffer, isShared: Bool = false) {
    self.bytes = bytes
    cost = isShared ? 0 : bytes.readableBytes
  }
}

/// Header fields, encoded once and sent many times.
package struct HTTP2Fields: Sendable {
  private var text: [UInt8] = []
  /// The sizes in bytes of names and values, alternating.
  private var sizes: [Int] = []

  package var isEmpty: Bool { sizes.isEmpty }

  /// The bytes of names and values.
  var byteCount: Int { text.count }

  package init(_ fields: KeyValuePairs<String, String> = [:]) {
    for (name, value) in fields { add(name, value) }
  }

  package mutating func add(_ name: String, _ value: String) {
    text += name.utf8
    text += value.utf8
    sizes += [name.utf8.count, value.utf8.count]
  }

  /// Calls `body` with the fields in nghttp2's form.
  func withValues(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void) {
    text.withUnsafeBufferPointer { text in
      withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: sizes.count / 2) { values in
        guard var next = UnsafeMutablePointer(mutating: text.baseAddress) else { return }
        for index in values.indices {
          let (name, value) = (sizes[2 * index], sizes[2 * index + 1])
          // nghttp2 does not write to them, although their types allow it.
          values.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: next, value: next + name, namelen: name, valuelen: value,
              flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
          next += name + value
        }
        body(UnsafeBufferPointer(values))
      }
    }
  }
}
