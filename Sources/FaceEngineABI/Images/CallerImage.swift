import CFaceEngine
import Client
import FaceCore

/// A `face_image` that was checked.
struct CallerImage {
  let input: ImageInput
  let timestamp: UInt64
  /// What the pixels lie in; to be kept as long as they are read.
  let memory: ClientMemory?

  /// Throws `invalidArgument` or `outOfRange`, naming the member.
  init(reading pointer: UnsafePointer<face_image>?) throws(Status) {
    var value = face_image()
    try VersionedStruct.read(pointer, into: &value, name: "image")
    try self.init(value)
  }

  init(_ value: face_image) throws(Status) {
    memory = try value.memory.map { (handle) throws(Status) in try Handles.memories.get(handle, "memory") }
    let planes = CallerPlanes(value, in: memory)
    var input = ImageInput(
      try CallerImage.source(value, planes), orientation: try CallerImage.orientation(value.orientation))
    input.isMirrored = try flag(value.mirrored, "image->mirrored")
    input.region = try CallerImage.region(value.region)
    guard value.reserved == 0 else {
      throw Status(.invalidArgument, "image->reserved is \(value.reserved); call face_image_init before use")
    }
    self.input = input
    timestamp = value.timestamp_ns
  }

  private static func source(_ value: face_image, _ planes: CallerPlanes) throws(Status) -> ImageInput.Source
  {
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
func flag(_ value: UInt32, _ name: StaticString) throws(Status) -> Bool {
  guard value <= 1 else { throw Status(.invalidArgument, "\(name) is \(value); give 0 or 1") }
  return value == 1
}
