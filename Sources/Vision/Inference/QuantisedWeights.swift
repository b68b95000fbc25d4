import FaceCore

/// Reads an `.int8` file, which Tools/models/quantise.py describes, from its beginning: the numbers of each
/// convolution in the graph's order.
struct QuantisedCursor {
  /// Integers, as floats.
  struct Numbers {
    var weights: [Float]
    var bias: [Float]
    /// The factors of the sums: in 32768ths, or to convert them to floats.
    var multipliers: [Float]
    /// The zero points; `nil` for a layer whose output is floats.
    var zeroPoints: [Float]?
    /// The right shift of the sums.
    var shift: Int32 = 0
  }

  private let bytes: [UInt8]
  private var position: Int
  private var left: Int

  private static let magic = Array("FEI8".utf8)

  init(_ bytes: [UInt8]) throws(Status) {
    guard bytes.count >= 8, Array(bytes.prefix(4)) == QuantisedCursor.magic else {
      throw Status(
        .failedPrecondition, "the network's .int8 file is unreadable; run `face-engine models fetch` again")
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
      "the network's .int8 file does not belong to its .param file; run `face-engine models fetch` again")
  }

  mutating func next(weights: Int, channels: Int) throws(Status) -> Numbers {
    guard left > 0 else { throw QuantisedCursor.mismatch }
    left -= 1
    let tag = try next(1, as: UInt8.self)[0]
    guard (1...3).contains(tag) else { throw QuantisedCursor.mismatch }
    let shift = tag == 3 ? Int32(try next(1, as: UInt8.self)[0]) : 0
    let weights = try next(weights, as: Int8.self).map { Float($0) }
    let bias = try next(channels, as: Int32.self).map { Float($0) }
    if tag != 2 {
      let multipliers = try next(channels, as: UInt16.self).map { Float($0) }
      let zeroPoints = try next(channels, as: UInt8.self).map { Float($0) }
      return Numbers(
        weights: weights, bias: bias, multipliers: multipliers, zeroPoints: zeroPoints, shift: shift)
    }
    let scales = try next(channels, as: UInt32.self).map { Float(bitPattern: $0) }
    return Numbers(weights: weights, bias: bias, multipliers: scales)
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
