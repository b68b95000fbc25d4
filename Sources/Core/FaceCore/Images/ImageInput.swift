/// An image that a caller submits for detection. Borrowed: see `ImageView`.
public struct ImageInput {
  public enum Source {
    /// A whole JPEG, PNG or WebP file in memory.
    case encoded(UnsafeRawBufferPointer)
    case pixels(ImageView)
  }

  public var source: Source
  /// Whether it is a picture file, which is compressed already.
  public var isFile: Bool { if case .encoded = source { true } else { false } }
  /// The orientation of the pixels; it takes precedence over EXIF. `nil`: that of the file's EXIF, else
  /// upright.
  public var orientation: Orientation?
  /// Whether the upright picture is a mirror image, as from a front camera. It is mirrored back, so that left
  /// and right are the subject's; coordinates are those of the picture mirrored back.
  public var isMirrored = false
  /// The region to search, in pixels of the upright image; `nil` for all of it. Coordinates of results are
  /// those of the whole image.
  public var region: Box?
  /// The width of a stored pixel divided by its height. A picture whose pixels are not square is searched in
  /// its true proportions; coordinates are those of its own pixels.
  public var pixelAspect: Float = 1
  /// Measures the stages of the call; `nil` costs nothing.
  public var clock: StageClock?
  /// Ends the call early; `nil`: only the detector's own time limit, if any, does.
  public var cancellation: CancellationToken?
  /// Decodes the file; `nil`: the thread of the call does.
  public var decoder: (any FileDecoder)?
  /// Has the memory in which the file is decoded; `nil`: it is not limited.
  public var memory: (any PictureMemory)?

  public init(_ source: Source, orientation: Orientation? = nil) {
    self.source = source
    self.orientation = orientation
  }

  public static let pixelAspects: ClosedRange<Float> = 0.1...10

  /// Returns `value`, or 1 if it is 0. Throws `invalidArgument`, naming `field`, if it is out of range.
  public static func pixelAspect(_ value: Float, _ field: StaticString) throws(Status) -> Float {
    if value == 0 { return 1 }
    guard pixelAspects.contains(value) else {
      throw Status(
        .invalidArgument,
        "\(field) is \(value); give the width of a pixel divided by its height, \(pixelAspects.lowerBound) to "
          + "\(pixelAspects.upperBound), or 0 for square pixels", .field("\(field)"))
    }
    return value
  }

  /// Returns the same input with a decoder and memory for its file, unless it has them.
  public func decoded(by decoder: (any FileDecoder)?, in memory: any PictureMemory) -> ImageInput {
    var input = self
    if input.decoder == nil { input.decoder = decoder }
    if input.memory == nil { input.memory = memory }
    return input
  }

  /// Returns an input with a picture that was made from this one for the same call: clock and cancellation
  /// are kept.
  public func made(into source: Source, orientation: Orientation) -> ImageInput {
    var made = ImageInput(source, orientation: orientation)
    (made.clock, made.cancellation) = (clock, cancellation)
    return made
  }
}
