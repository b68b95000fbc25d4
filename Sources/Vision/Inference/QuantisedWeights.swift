import CFusedKernels
import FaceCore

/// Reads an `.int8` or `.int16` file from its beginning: the numbers of each convolution in the graph's order.
/// Tools/models/quantise.py and sixteen_bits.py describe the files.
struct QuantisedCursor {
  /// Integers, as floats.
  struct Numbers {
    var weights: [Float]
    var bias: [Float]
    /// The factors of the sums: in 32768ths for outputs of eight bits, else whole.
    var multipliers: [Float]
    /// The zero points of outputs of eight bits.
    var zeroPoints: [Float]?
    var format = FUSED_FORMAT_F32
    /// The right shift of the sums; in 16 bits the power of two that multiplies the image.
    var shift: Int32 = 0
  }

  private let bytes: [UInt8]
  /// Whether numbers have 16 bits instead of eight.
  private let isWide: Bool
  private var position: Int
  private var left: Int

  init(_ bytes: [UInt8]) throws(Status) {
    isWide = bytes.starts(with: "FI16".utf8)
    guard bytes.count >= 8, isWide || bytes.starts(with: "FEI8".utf8) else {
      throw Status(
        .failedPrecondition,
        "the network's .int8 or .int16 file is unreadable; run `face-engine models fetch` again")
    }
    self.bytes = bytes
    position = 4
    left = 0
    left = Int(try next(1, as: UInt32.self)[0])
  }

  var isAtEnd: Bool { position == bytes.count && left == 0 }

  static var mismatch: Status {
    Status(
      .failedPrecondition,
      "the network's .int8 or .int16 file does not belong to its .param file; run `face-engine models fetch` again"
    )
  }

  mutating func next(weights: Int, channels: Int) throws(Status) -> Numbers {
    guard left > 0 else { throw QuantisedCursor.mismatch }
    left -= 1
    let tag = try next(1, as: UInt8.self)[0]
    guard (1...3).contains(tag) else { throw QuantisedCursor.mismatch }
    let shift = tag == 3 ? Int32(try next(1, as: UInt8.self)[0]) : 0
    let weights =
      try isWide
      ? next(weights, as: Int16.self).map { Float($0) }
      : next(weights, as: Int8.self).map { Float($0) }
    let bias = try next(channels, as: Int32.self).map { Float($0) }
    if tag != 2, !isWide {
      let multipliers = try next(channels, as: UInt16.self).map { Float($0) }
      let zeroPoints = try next(channels, as: UInt8.self).map { Float($0) }
      return Numbers(
        weights: weights, bias: bias, multipliers: multipliers, zeroPoints: zeroPoints,
        format: FUSED_FORMAT_I8, shift: shift)
    }
    return Numbers(
      weights: weights, bias: bias, multipliers: try floats(channels),
      format: tag == 2 ? FUSED_FORMAT_F32 : FUSED_FORMAT_I16, shift: shift)
  }

  /// Returns a PReLU's slopes, or `nil` in eight bits, which have none.
  mutating func slopes(_ count: Int) throws(Status) -> [Float]? { isWide ? try floats(count) : nil }

  private mutating func floats(_ count: Int) throws(Status) -> [Float] {
    try next(count, as: UInt32.self).map { Float(bitPattern: $0) }
  }

  private mutating func next<Number: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, as type: Number.Type
  ) throws(Status) -> [Number] {
    let size = MemoryLayout<Number>.size
    guard count <= (bytes.count - position) / size else { throw QuantisedCursor.mismatch }
    defer { position += count * size }
    return bytes.withUnsafeBytes { bytes in
      (0..<count).map {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: position + $0 * size, as: Number.self))
      }
    }
  }
}
