public import FaceCore

/// The upright picture of a frame, for the result of a guided check.
public final class TakenPicture: @unchecked Sendable {
  /// The longest side; a larger picture is scaled down, so that concurrent checks do not take all memory.
  private static let maxSide = 4096

  // Only read after it is made.
  let pixels: Bitmap

  public init(_ picture: UprightImage) throws(Status) {
    let whole = PixelRect(picture.size).box
    pixels = try picture.networkInput(of: whole, maxSide: TakenPicture.maxSide, multiple: 1).intoBitmap()
  }

  public var byteCount: Int { pixels.pixels.count }

  static func size(of image: PixelSize) -> PixelSize {
    Letterbox(image: image, maxSide: maxSide, multiple: 1).content
  }
}

extension CheckResult {
  /// The result that shows `face`, with pictures whose size alone is known.
  /// - Parameters:
  ///   - face: in pixels of the upright image.
  ///   - image: the size of the upright image.
  public init(_ face: Face, in image: PixelSize, _ options: CheckOptions) {
    let size = TakenPicture.size(of: image)
    let scale = AffineMap(
      scaleX: Double(size.width) / Double(image.width), scaleY: Double(size.height) / Double(image.height))
    let face = scale(face)
    let square = RotatedSquare(around: face, options)
    let corner = Point(x: square.center.x - square.side / 2, y: square.center.y - square.side / 2)
    self.init(
      face: face, picture: CheckPicture(size: size, form: .keptByCaller, bytes: []),
      crop: CheckPicture(
        size: PixelSize(width: options.cropSize, height: options.cropSize), form: .keptByCaller, bytes: []),
      cropBox: Box(x: corner.x, y: corner.y, width: square.side, height: square.side))
  }

  /// Returns the same result with the picture that was taken, and its crop. Throws `resourceExhausted`, and
  /// `invalidArgument` for a face without a size.
  /// - Parameter maxBytes: the limit of both together, as JPEG files; `nil` for pixels.
  public func showing(
    _ taken: TakenPicture, _ options: CheckOptions, maxBytes: Int? = nil
  ) throws(Status) -> CheckResult {
    let image = ImageInput(.pixels(try taken.pixels.view), orientation: .up)
    let square = try UprightImage(image).crop(RotatedSquare(around: face, options), side: options.cropSize)
    var result = self
    result.picture = try CheckPicture(taken.pixels, maxBytes: maxBytes.map { $0 / 4 * 3 })
    result.crop = try CheckPicture(square, maxBytes: maxBytes.map { $0 / 4 })
    return result
  }
}

extension RotatedSquare {
  fileprivate init(around face: Face, _ options: CheckOptions) {
    self.init(around: face.box, reach: 1 + 2 * options.cropMargin)
  }
}

extension CheckPicture {
  fileprivate init(_ bitmap: borrowing Bitmap, maxBytes: Int?) throws(Status) {
    guard let maxBytes else {
      self.init(size: bitmap.size, form: .bgra, bytes: Array(bitmap.pixels))
      return
    }
    self.init(
      size: bitmap.size, form: .jpeg, bytes: try JPEGEncoder.encode(bitmap, maxBytes: maxBytes))
  }
}
