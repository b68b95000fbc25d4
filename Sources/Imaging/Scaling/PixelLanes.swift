/// The four parts of a BGRA pixel side by side in one word, 16 bits each, so that they are weighed at once.
///
/// Weights are 256ths and sum to 256, so no part runs over into the next.
enum PixelLanes {
  @inline(__always)
  static func load(_ line: UnsafePointer<UInt8>, _ column: Int) -> UInt64 {
    let pixel = UnsafeRawPointer(line).loadUnaligned(fromByteOffset: column * 4, as: UInt32.self)
    let wide = UInt64(pixel)
    return wide & 0x00FF_00FF | (wide & 0xFF00_FF00) << 24
  }

  /// The pixel of a sum of weighted ones.
  @inline(__always)
  static func pixel(_ sum: UInt64) -> UInt32 {
    let rounded = sum &+ 0x0080_0080_0080_0080
    return UInt32(truncatingIfNeeded: rounded >> 8 & 0x00FF_00FF | rounded >> 32 & 0xFF00_FF00)
  }
}
