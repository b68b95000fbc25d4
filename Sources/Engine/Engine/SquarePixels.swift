import FaceCore
import Imaging

/// A copy with square pixels of a picture whose pixels are not square. Faces are searched in the copy. It
/// loses no detail: the axis along which the pixels are longer gets more of them.
struct SquarePixels {
  let size: PixelSize
  private let ownSize: PixelSize
  /// Pixels of the copy per pixel of the picture.
  private let (scaleX, scaleY): (Float, Float)

  /// Reads no more of a file than its header.
  /// - Returns: `nil` if the pixels are square.
  init?(_ image: ImageInput) throws(Status) {
    guard image.pixelAspect != 1 else { return nil }
    let upright = try UprightImage(image)
    ownSize = upright.size
    let aspect = upright.pixelAspect
    let (x, y) = aspect > 1 ? (aspect, 1) : (1, 1 / aspect)
    let longest = max(Float(ownSize.width) * x, Float(ownSize.height) * y)
    let fit = min(1, Float(ImageLimits.maxTargetSide) / longest)
    func side(_ own: Int, _ scale: Float) -> Int { max(1, Int((Float(own) * scale * fit).rounded())) }
    size = PixelSize(width: side(ownSize.width, x), height: side(ownSize.height, y))
    scaleX = Float(size.width) / Float(ownSize.width)
    scaleY = Float(size.height) / Float(ownSize.height)
  }

  /// Calls `body` with the copy, which is valid during the call.
  func withCopy<Value>(
    of image: ImageInput, _ body: (ImageInput) throws(Status) -> Value
  ) throws(Status) -> Value {
    var whole = image
    whole.region = nil
    let picture = try UprightImage(whole, willCrop: true)
    picture.willMake(size)
    let copy = try picture.crop(
      size, toImage: AffineMap(scaleX: 1 / Double(scaleX), scaleY: 1 / Double(scaleY)))
    var square = image.made(into: .pixels(try copy.view), orientation: .up)
    square.region = image.region.map(square(_:))
    // The picture has the memory of both.
    defer {
      extendLifetime(copy)
      extendLifetime(picture)
    }
    return try body(square)
  }

  /// Maps a box from the picture's pixels to the copy's.
  func square(_ box: Box) -> Box {
    Box(x: box.x * scaleX, y: box.y * scaleY, width: box.width * scaleX, height: box.height * scaleY)
  }

  func square(_ options: DetectionOptions) -> DetectionOptions {
    var square = options
    square.boxes = options.boxes?.map(self.square)
    return square
  }

  func square(_ frame: FrameInfo) -> FrameInfo {
    var square = frame
    square.followed = frame.followed.map { FollowedFace(id: $0.id, box: self.square($0.box)) }
    return square
  }

  /// Maps a result back to the picture's pixels.
  func own(_ result: DetectionResult, _ options: DetectionOptions) -> DetectionResult {
    var own = result
    own.imageSize = ownSize
    own.faces = result.faces.map(self.own)
    // The copy's pixels are no larger than the picture's, so faces that are too small in the picture may have
    // passed.
    if options.boxes == nil { own.faces.removeAll { !options.isLargeEnough($0, in: ownSize) } }
    return own
  }

  private func own(_ face: Face) -> Face {
    var own = face
    own.box = Box(
      x: face.box.x / scaleX, y: face.box.y / scaleY, width: face.box.width / scaleX,
      height: face.box.height / scaleY)
    own.points = face.points.map { $0.map { Point(x: $0.x / scaleX, y: $0.y / scaleY) } }
    own.landmarks?.points = (face.landmarks?.points ?? []).map {
      Point3D(x: $0.x / scaleX, y: $0.y / scaleY, z: $0.z / scaleX)
    }
    return own
  }
}
