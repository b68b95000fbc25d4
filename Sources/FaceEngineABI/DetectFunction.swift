// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_detect(
  _ handle: OpaquePointer!, _ image: UnsafePointer<face_image>!, _ options: UnsafePointer<face_options>!,
  _ out_result: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let box = try engine(handle)
    let result = try box.detector.detect(
      try ImageInput(reading: image), options: try DetectionOptions(reading: options))
    box.listener.deliver(result)
    if let out_result { out_result.pointee = results.insert(ResultBox(result)) }
  }
}

@c @implementation
public func face_image_init_sized(_ image: UnsafeMutablePointer<face_image>!, _ size: Int) {
  VersionedStruct.initialize(image, to: face_image(), size: size)
}

@c @implementation
public func face_options_init_sized(_ options: UnsafeMutablePointer<face_options>!, _ size: Int) {
  let defaults = DetectionOptions()
  var value = face_options()
  value.min_confidence = defaults.minConfidence
  value.overlap_threshold = defaults.overlapThreshold
  value.max_faces = UInt32(defaults.maxFaces)
  value.min_face_size = defaults.minFaceSize
  VersionedStruct.initialize(options, to: value, size: size)
}

extension DetectionOptions {
  init(reading pointer: UnsafePointer<face_options>?) throws(Status) {
    self.init()
    guard pointer != nil else { return }
    var value = face_options()
    try VersionedStruct.read(pointer, into: &value, name: "options")
    minConfidence = value.min_confidence
    overlapThreshold = value.overlap_threshold
    maxFaces = Int(value.max_faces)
    minFaceSize = value.min_face_size
    maxSide =
      switch value.max_side {
      case 0: nil
      case .max: 0
      default: Int(value.max_side)
      }
    try check()
  }
}

extension ImageInput {
  init(reading pointer: UnsafePointer<face_image>?) throws(Status) {
    var value = face_image()
    try VersionedStruct.read(pointer, into: &value, name: "image")
    // The type is C's size_t, which Swift has as a signed number.
    let size = value.plane_sizes.0
    guard let data = value.planes.0, size != 0 else {
      throw Status(
        .invalidArgument,
        "image->planes[0] or its plane_sizes is empty; give the pixels and their number of bytes")
    }
    guard size > 0, value.format != face_format(FACE_FORMAT_ENCODED) || size <= ImageInput.maxFileBytes else {
      throw Status(
        .invalidArgument,
        "image->plane_sizes[0] is more than there can be; give the number of bytes at planes[0]")
    }
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    self.init(
      try ImageInput.source(of: value, bytes: bytes),
      orientation: try ImageInput.orientation(value.orientation))
  }

  private static let maxFileBytes = 1 << 30

  private static func source(of value: face_image, bytes: UnsafeRawBufferPointer) throws(Status) -> Source {
    if value.format == face_format(FACE_FORMAT_ENCODED) { return .encoded(bytes) }
    guard let format = UInt8(exactly: value.format).flatMap(PixelFormat.init(rawValue:)) else {
      throw Status(.invalidArgument, "image->format is \(value.format), which is none of FACE_FORMAT_...")
    }
    guard value.strides.0 >= 0 else {
      throw Status(
        .invalidArgument, "image->strides[0] is more than there can be; give the bytes from row to row")
    }
    return .pixels(
      try ImageView(
        format: format, width: Int(value.width), height: Int(value.height), stride: value.strides.0,
        bytes: bytes))
  }

  private static func orientation(_ value: face_orientation) throws(Status) -> Orientation? {
    if value == face_orientation(FACE_ORIENTATION_DEFAULT) { return nil }
    guard let orientation = UInt8(exactly: value).flatMap(Orientation.init(rawValue:)) else {
      throw Status(
        .invalidArgument, "image->orientation is \(value); give 0 for the default, or 1 to 8 as EXIF does")
    }
    return orientation
  }
}
