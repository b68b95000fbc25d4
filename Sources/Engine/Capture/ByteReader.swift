public import FaceCore
public import Posix

public protocol ByteSource: AnyObject, Sendable {
  /// Waits for bytes and copies some into `buffer`, which is not empty.
  /// - Returns: their number; 0 at the end, `nil` after an interruption.
  func read(into buffer: UnsafeMutableRawBufferPointer, or interruption: Interruption) throws(Status) -> Int?
}

extension InputStream: ByteSource {}

/// Reads lines and blocks from a stream of bytes, in whatever pieces they arrive. Used by one thread at a
/// time.
public final class ByteReader: @unchecked Sendable {
  // Used by one thread at a time, like the reader.
  private let source: any ByteSource
  /// Bytes read but not used yet. Blocks bypass it.
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var start = 0
  private var end = 0

  public init(_ source: any ByteSource) {
    self.source = source
  }

  /// The result of reading a line or a block.
  enum Outcome<Value> {
    case value(Value)
    /// The stream ended first, after this many bytes.
    case ended(after: Int)
    case interrupted
  }

  /// Whether the stream begins with `text`, which stays unread.
  public func begins(with text: StaticString, or interruption: Interruption) throws(Status) -> Bool {
    while end - start < text.utf8CodeUnitCount {
      guard let count = try fill(or: interruption), count > 0 else { return false }
    }
    return text.withUTF8Buffer { buffer[start..<end].starts(with: $0) }
  }

  /// Returns the first `count` bytes, at most 4096, or fewer if the stream ends or is interrupted; they stay unread.
  public func beginning(_ count: Int, or interruption: Interruption) throws(Status) -> [UInt8] {
    while end - start < count {
      guard let more = try fill(or: interruption), more > 0 else { break }
    }
    return Array(buffer[start..<end].prefix(count))
  }

  /// Reads some bytes, as they arrive.
  /// - Returns: their number; 0 at the end, `nil` after an interruption.
  func some(
    into target: UnsafeMutableRawBufferPointer, or interruption: Interruption
  ) throws(Status) -> Int? {
    guard start < end else { return try source.read(into: target, or: interruption) }
    let count = min(target.count, end - start)
    buffer.withUnsafeBytes { target.copyBytes(from: $0[start..<start + count]) }
    start += count
    return count
  }

  /// Reads a line; the result has no line feed. Throws `invalidArgument` for a line longer than `limit`,
  /// which is below 4096.
  /// - Parameter what: the line's name in the error message.
  func line(
    limit: Int, _ what: StaticString, or interruption: Interruption
  ) throws(Status) -> Outcome<[UInt8]> {
    var seen = 0
    while true {
      let lineEnd = buffer[start + seen..<end].firstIndex(of: UInt8(ascii: "\n"))
      seen = (lineEnd ?? end) - start
      guard seen <= limit else {
        throw Status(
          .invalidArgument, "\(what) of the stream is longer than \(limit) bytes; is this a Y4M stream?")
      }
      if let lineEnd {
        defer { start = lineEnd + 1 }
        return .value(Array(buffer[start..<lineEnd]))
      }
      guard let count = try fill(or: interruption) else { return .interrupted }
      if count == 0 { return .ended(after: seen) }
    }
  }

  func byte(or interruption: Interruption) throws(Status) -> Outcome<UInt8> {
    if start == end {
      guard let count = try fill(or: interruption) else { return .interrupted }
      if count == 0 { return .ended(after: 0) }
    }
    defer { start += 1 }
    return .value(buffer[start])
  }

  func read(
    into target: UnsafeMutableRawBufferPointer, or interruption: Interruption
  ) throws(Status) -> Outcome<Void> {
    let ready = min(target.count, end - start)
    buffer.withUnsafeBytes { target.copyBytes(from: $0[start..<start + ready]) }
    start += ready
    var filled = ready
    while filled < target.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: target[filled...])
      guard let count = try source.read(into: rest, or: interruption) else { return .interrupted }
      if count == 0 { return .ended(after: filled) }
      filled += count
    }
    return .value(())
  }

  /// Moves unread bytes to the front of the buffer and reads more.
  private func fill(or interruption: Interruption) throws(Status) -> Int? {
    let (source, unread) = (source, start..<end)
    let outcome = buffer.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[unread]))
      return Result { () throws(Status) in
        try source.read(
          into: UnsafeMutableRawBufferPointer(rebasing: bytes[unread.count...]), or: interruption)
      }
    }
    (start, end) = (0, unread.count)
    let count = try outcome.get()
    end += count ?? 0
    return count
  }
}
