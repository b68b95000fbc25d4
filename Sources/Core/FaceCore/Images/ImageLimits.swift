/// The sizes of images that the engine accepts, in pixels, for both sides.
public enum ImageLimits {
  public static let minSide = 16
  public static let maxSide = 16_384
  /// The most pixels of a picture that is decoded or made as a whole, so that no small file can take more
  /// than some 256 MB of memory for them. Larger JPEG files are decoded at half size, larger raw pixels are
  /// read in place.
  public static let maxHeldPixels = 1 << 26
  /// What helps a file above `maxHeldPixels` that is no JPEG.
  public static let asJPEG: StaticString = ", or search it as a JPEG file"
  /// The most pictures that are decoded at a time for calls that have ended, where that cannot be stopped; a
  /// further picture of such a kind waits.
  public static let maxAbandonedDecodings = 2
  /// The longest side to which a picture is scaled for a search, and that a crop can have.
  public static let maxTargetSide = 8192
  /// The largest stride in bytes: enough for a window into an image twice as wide as the largest that is
  /// accepted.
  public static let maxStride = 131_072

  /// Throws `outOfRange` unless both sides are within the limits.
  public static func check(width: Int, height: Int, maxSide: Int = maxSide, of what: StaticString = "image")
    throws(Status)
  {
    let allowed = minSide...maxSide
    guard allowed.contains(width), allowed.contains(height) else {
      throw Status(
        .outOfRange,
        "\(what) is \(width)×\(height) pixels; scale it so that both sides are \(minSide)…\(maxSide)")
    }
  }

  /// Throws `outOfRange` for a picture that is decoded or made as a whole unless its sides are within the
  /// limits and it has at most `maxHeldPixels`.
  /// - Parameter alternative: what helps other than to scale it, as in ", or crop it".
  public static func checkHeld(width: Int, height: Int, alternative: StaticString = "") throws(Status) {
    try check(width: width, height: height)
    guard width * height <= maxHeldPixels else {
      throw Status(
        .outOfRange,
        "image has \(width * height) pixels (\(width)×\(height)), more than the \(maxHeldPixels) that fit in memory at once; "
          + "scale it down\(alternative)")
    }
  }
}
