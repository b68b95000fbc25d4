/// The order of bytes of one pixel in memory, first byte first.
public enum PixelFormat: UInt8, Sendable, CaseIterable {
  case rgba = 1
  case bgra = 2
  case rgb = 3
  case bgr = 4
  case gray = 5

  public var bytesPerPixel: Int {
    switch self {
    case .rgba, .bgra: 4
    case .rgb, .bgr: 3
    case .gray: 1
    }
  }

  public var name: StaticString {
    switch self {
    case .rgba: "RGBA"
    case .bgra: "BGRA"
    case .rgb: "RGB"
    case .bgr: "BGR"
    case .gray: "GRAY"
    }
  }
}

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

/// Borrowed pixels that were checked to lie inside their buffer.
///
/// The memory belongs to the caller and must stay valid and unchanged for as long as the view is used.
public struct ImageView {
  public let format: PixelFormat
  public let size: PixelSize
  /// Distance in bytes from a row to the next one; at least the bytes of a row.
  public let stride: Int
  /// From the first byte of the first row; at least to the last byte of the last row.
  public let bytes: UnsafeRawBufferPointer

  /// Throws `outOfRange` for an image too small or large, `invalidArgument` where rows would leave the buffer.
  /// - Parameter stride: bytes from row to row; 0 means rows without a gap.
  public init(
    format: PixelFormat, width: Int, height: Int, stride: Int = 0, bytes: UnsafeRawBufferPointer
  ) throws(Status) {
    try ImageLimits.check(width: width, height: height)
    let rowBytes = width * format.bytesPerPixel  // at most 8192 × 4 after the check above
    let rowStride = stride == 0 ? rowBytes : stride
    guard rowStride >= rowBytes else {
      throw Status(
        .invalidArgument,
        "stride is \(stride) bytes but a row of \(width) \(format.name) pixels has \(rowBytes); give bytes, not pixels"
      )
    }
    guard rowStride <= ImageLimits.maxStride else {
      throw Status(
        .invalidArgument,
        "stride is \(stride) bytes, more than \(ImageLimits.maxStride); copy the part to be searched")
    }
    // Cannot overflow: every factor is bounded above.
    guard rowStride * (height - 1) + rowBytes <= bytes.count else {
      throw Status(
        .invalidArgument,
        "buffer has \(bytes.count) bytes, fewer than \(height) rows of stride \(rowStride) need; check size and stride"
      )
    }
    self.format = format
    self.size = PixelSize(width: width, height: height)
    self.stride = rowStride
    self.bytes = bytes
  }
}

/// What a caller hands in for detection. Borrowed: see `ImageView`.
public struct ImageInput {
  public enum Source {
    /// A whole JPEG or PNG file in memory.
    case encoded(UnsafeRawBufferPointer)
    case pixels(ImageView)
  }

  public var source: Source
  /// `nil`: what the file's EXIF says, else upright. A given orientation wins over EXIF.
  public var orientation: Orientation?

  public init(_ source: Source, orientation: Orientation? = nil) {
    self.source = source
    self.orientation = orientation
  }
}
