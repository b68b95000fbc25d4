/// The sizes of image the engine takes, in pixels, both sides.
public enum ImageLimits {
  public static let minSide = 16
  public static let maxSide = 8192
  /// Bytes from row to row; enough for a window into an image twice as wide as any taken whole.
  public static let maxStride = 65_536

  /// Throws `outOfRange` unless both sides are within the limits.
  public static func check(width: Int, height: Int) throws(Status) {
    let allowed = minSide...maxSide
    guard allowed.contains(width), allowed.contains(height) else {
      throw Status(
        .outOfRange,
        "image is \(width)×\(height) pixels; scale it so that both sides are \(minSide)…\(maxSide)")
    }
  }
}
