/// What a caller hands in for detection. Borrowed: see `ImageView`.
public struct ImageInput {
  public enum Source {
    /// A whole JPEG, PNG or WebP file in memory.
    case encoded(UnsafeRawBufferPointer)
    case pixels(ImageView)
  }

  public var source: Source
  /// `nil`: what the file's EXIF says, else upright. A given orientation wins over EXIF.
  public var orientation: Orientation?
  /// The upright picture is a mirror image, as from a front camera: it is mirrored back, so that left and right are the
  /// subject's. Coordinates are those of the picture mirrored back.
  public var isMirrored = false
  /// Where to look, in pixels of the upright image; `nil` for all of it. Coordinates of results stay those of the whole.
  public var region: Box?
  /// The width of a stored pixel by its height. A picture whose pixels are no squares is searched as it looks; coordinates stay
  /// those of its own pixels.
  public var pixelAspect: Float = 1
  /// Told of the stages of the call; `nil` measures nothing and costs nothing.
  public var clock: StageClock?
  /// Ends the call early; `nil`: only the detector's own time limit does, where it has one.
  public var cancellation: CancellationToken?

  public init(_ source: Source, orientation: Orientation? = nil) {
    self.source = source
    self.orientation = orientation
  }

  /// The aspects that pixels may have.
  public static let pixelAspects: ClosedRange<Float> = 0.1...10

  /// `pixelAspect` of a number in which 0 stands for squares. Throws `invalidArgument`, naming `field`.
  public static func pixelAspect(_ value: Float, _ field: StaticString) throws(Status) -> Float {
    if value == 0 { return 1 }
    guard pixelAspects.contains(value) else {
      throw Status(
        .invalidArgument,
        "\(field) is \(value); give the width of a pixel by its height, \(pixelAspects.lowerBound) to "
          + "\(pixelAspects.upperBound), or 0 for squares", .field("\(field)"))
    }
    return value
  }

  /// A picture made of this one for the same call: the clock and the cancellation go along.
  public func made(into source: Source, orientation: Orientation) -> ImageInput {
    var made = ImageInput(source, orientation: orientation)
    (made.clock, made.cancellation) = (clock, cancellation)
    return made
  }
}
