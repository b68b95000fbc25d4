public import CFaceEngine
public import FaceCore

extension ImageInput {
  /// Throws `invalidArgument` or `outOfRange`, naming the member.
  /// - Parameter memory: the bytes of `value.memory`; `nil` where that is NULL.
  public init(_ value: face_image, in memory: UnsafeRawBufferPointer?) throws(Status) {
    let planes = CallerPlanes(value, in: memory)
    self.init(
      try ImageInput.source(value, planes), orientation: try ImageInput.orientation(value.orientation))
    isMirrored = try flag(value.mirrored, "image->mirrored")
    region = try ImageInput.region(value.region)
    guard value.reserved == 0 else {
      throw Status(.invalidArgument, "image->reserved is \(value.reserved); call face_image_init before use")
    }
  }

  private static func source(_ value: face_image, _ planes: CallerPlanes) throws(Status) -> Source {
    if value.format == face_format(FACE_FORMAT_ENCODED) {
      return .encoded(try planes.bytes(0, limit: maxFileBytes))
    }
    guard let format = UInt8(exactly: value.format).flatMap(PixelFormat.init(rawValue:)) else {
      throw Status(.invalidArgument, "image->format is \(value.format), which is none of FACE_FORMAT_...")
    }
    guard let colour = UInt8(exactly: value.colour).flatMap(YUVColour.init(rawValue:)) else {
      throw Status(.invalidArgument, "image->colour is \(value.colour), which is none of FACE_COLOUR_...")
    }
    return .pixels(
      try ImageView(
        format: format, width: Int(value.width), height: Int(value.height), colour: colour
      ) { (index) throws(Status) in try planes.plane(index) })
  }

  private static let maxFileBytes = 1 << 30

  private static func orientation(_ value: face_orientation) throws(Status) -> Orientation? {
    if value == face_orientation(FACE_ORIENTATION_DEFAULT) { return nil }
    guard let orientation = UInt8(exactly: value).flatMap(Orientation.init(rawValue:)) else {
      throw Status(
        .invalidArgument, "image->orientation is \(value); give 0 for the default, or 1 to 8 as EXIF does")
    }
    return orientation
  }

  private static func region(_ value: face_box) throws(Status) -> Box? {
    let box = Box(value)
    if box == Box(x: 0, y: 0, width: 0, height: 0) { return nil }
    guard box.x.isFinite, box.y.isFinite, box.width.isFinite, box.height.isFinite, box.width > 0,
      box.height > 0
    else {
      throw Status(
        .invalidArgument,
        "image->region has a side of 0 or less, or is no number; give all zeros for the whole image")
    }
    return box
  }
}

/// Throws `invalidArgument` for a number that is neither 0 nor 1.
public func flag(_ value: UInt32, _ name: StaticString) throws(Status) -> Bool {
  guard value <= 1 else { throw Status(.invalidArgument, "\(name) is \(value); give 0 or 1") }
  return value == 1
}
