import CNGHTTP2
package import NIOCore

/// A stream of a client, with the output that waits on it.
package final class HTTP2Stream {
  package let number: Int32
  /// The owner; `nil` once it is done.
  package var owner: (any HTTP2StreamOwner)?
  /// The trailers, sent after all messages; empty for none.
  package var trailers: HTTP2Fields?
  /// Whether the session waits for more output.
  var isDeferred = false

  private var waiting: [(bytes: ByteBuffer, completion: (() -> Void)?)] = []

  package init(_ number: Int32) {
    self.number = number
  }

  package var isEmpty: Bool { waiting.isEmpty }

  package func append(_ bytes: ByteBuffer, _ completion: (() -> Void)?) {
    waiting.append((bytes, completion))
  }

  /// Moves bytes into `room`, and the completions of fully moved messages to `done`.
  ///
  /// - Returns: the number of bytes.
  package func take(into room: UnsafeMutableRawBufferPointer, _ done: inout [() -> Void]) -> Int {
    var count = 0
    while count < room.count, !waiting.isEmpty {
      count += waiting[0].bytes.readWithUnsafeReadableBytes { bytes in
        let part = bytes.prefix(room.count - count)
        room[count...].copyBytes(from: part)
        return part.count
      }
      guard waiting[0].bytes.readableBytes == 0 else { break }
      if let completion = waiting.removeFirst().completion { done.append(completion) }
    }
    return count
  }
}

/// Header fields, encoded once and sent many times.
package struct HTTP2Fields: Sendable {
  private var text: [UInt8] = []
  /// The sizes in bytes of names and values, alternating.
  private var sizes: [Int] = []

  package var isEmpty: Bool { sizes.isEmpty }

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
