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
public func face_image_init(_ image: UnsafeMutablePointer<face_image>!) {
  image?.initialize(to: face_image())
  image?.pointee.struct_size = UInt32(MemoryLayout<face_image>.stride)
}

@c @implementation
public func face_options_init(_ options: UnsafeMutablePointer<face_options>!) {
  let defaults = DetectionOptions()
  options?.initialize(
    to: face_options(
      struct_size: UInt32(MemoryLayout<face_options>.stride), min_confidence: defaults.minConfidence,
      overlap_threshold: defaults.overlapThreshold, max_faces: UInt32(defaults.maxFaces),
      min_face_size: defaults.minFaceSize, max_side: UInt32(defaults.maxSide)))
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
    maxSide = Int(value.max_side)
    try check()
  }
}

extension ImageInput {
  init(reading pointer: UnsafePointer<face_image>?) throws(Status) {
    var value = face_image()
    try VersionedStruct.read(pointer, into: &value, name: "image")
    guard let data = value.planes.0, value.plane_sizes.0 > 0 else {
      throw Status(
        .invalidArgument,
        "image->planes[0] or its plane_sizes is empty; give the pixels and their number of bytes")
    }
    guard let size = Int(exactly: value.plane_sizes.0) else {
      throw Status(
        .invalidArgument,
        "image->plane_sizes[0] is \(value.plane_sizes.0), more than there can be; give bytes")
    }
    let bytes = UnsafeRawBufferPointer(start: data, count: size)
    self.init(
      try ImageInput.source(of: value, bytes: bytes),
      orientation: try ImageInput.orientation(value.orientation))
  }

  private static func source(of value: face_image, bytes: UnsafeRawBufferPointer) throws(Status) -> Source {
    if value.format == face_format(FACE_FORMAT_ENCODED) { return .encoded(bytes) }
    guard let format = UInt8(exactly: value.format).flatMap(PixelFormat.init(rawValue:)) else {
      throw Status(.invalidArgument, "image->format is \(value.format), which is none of FACE_FORMAT_...")
    }
    guard let stride = Int(exactly: value.strides.0) else {
      throw Status(
        .invalidArgument, "image->strides[0] is \(value.strides.0); give the bytes from row to row")
    }
    return .pixels(
      try ImageView(
        format: format, width: Int(value.width), height: Int(value.height), stride: stride, bytes: bytes))
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
