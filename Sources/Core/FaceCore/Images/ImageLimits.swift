/// The sizes of image the engine takes, in pixels, both sides.
public enum ImageLimits {
  public static let minSide = 16
  public static let maxSide = 16_384
  /// Pixels of a picture that is decoded or made in whole, so that no small file can take more memory than some 256 MB for
  /// them. Larger JPEG files are decoded at half of their size, larger raw pixels are read where they lie.
  public static let maxHeldPixels = 1 << 26
  /// The longest side at which a picture is searched, and that a crop can have.
  public static let maxTargetSide = 8192
  /// Bytes from row to row; enough for a window into an image twice as wide as any taken whole.
  public static let maxStride = 131_072

  /// Throws `outOfRange` unless both sides are within the limits.
  public static func check(width: Int, height: Int, maxSide: Int = maxSide) throws(Status) {
    let allowed = minSide...maxSide
    guard allowed.contains(width), allowed.contains(height) else {
      throw Status(
        .outOfRange,
        "image is \(width)×\(height) pixels; scale it so that both sides are \(minSide)…\(maxSide)")
    }
  }

  /// The same for a picture that is decoded or made in whole, which has at most `maxHeldPixels`.
  public static func checkHeld(width: Int, height: Int) throws(Status) {
    try check(width: width, height: height)
    guard width * height <= maxHeldPixels else {
      throw Status(
        .outOfRange,
        "image is \(width)×\(height) pixels, \(width * height) in all, and \(maxHeldPixels) are held in whole; scale it, "
          + "or search it as a JPEG file")
    }
  }
}
