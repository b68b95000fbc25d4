// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

/// What a `face_result` stands for.
final class ResultBox: Sendable {
  let result: DetectionResult

  init(_ result: DetectionResult) {
    self.result = result
  }
}

let results = HandleTable<ResultBox>(kind: 2)

private func result(_ handle: OpaquePointer?) throws(Status) -> DetectionResult {
  guard let box = results[handle] else {
    throw Status(
      .invalidArgument, handle == nil ? "result is NULL" : "result was destroyed, or is not a face_result")
  }
  return box.result
}

@c @implementation
public func face_result_count(_ handle: OpaquePointer!) -> UInt32 {
  UInt32(results[handle]?.result.faces.count ?? 0)
}

@c @implementation
public func face_result_get(
  _ handle: OpaquePointer!, _ index: UInt32, _ out_info: UnsafeMutablePointer<face_info>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let result = try result(handle)
    guard Int(index) < result.faces.count else {
      throw Status(.outOfRange, "face \(index) of \(result.faces.count) was asked for; indices begin at 0")
    }
    try VersionedStruct.write(
      face_info(result.faces[Int(index)], in: result.imageSize), to: out_info, name: "out_info")
  }
}

@c @implementation
public func face_result_image_size(
  _ handle: OpaquePointer!, _ out_width: UnsafeMutablePointer<UInt32>!,
  _ out_height: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let size = try result(handle).imageSize
    out_width?.pointee = UInt32(size.width)
    out_height?.pointee = UInt32(size.height)
  }
}

@c @implementation
public func face_result_destroy(_ handle: OpaquePointer!) {
  _ = results.remove(handle)
}

@c @implementation
public func face_info_init_sized(_ info: UnsafeMutablePointer<face_info>!, _ size: Int) {
  VersionedStruct.initialize(info, to: face_info(), size: size)
}

extension face_info {
  init(_ face: Face, in image: PixelSize) {
    self.init()
    box = face_box(face.box)
    clamped_box = face_box(face.box.clamped(to: image))
    confidence = face.confidence
    guard let points = face.points else { return }
    valid |= UInt32(FACE_VALID_POINTS)
    left_eye = face_point(points.leftEye)
    right_eye = face_point(points.rightEye)
    nose_tip = face_point(points.noseTip)
    mouth_left = face_point(points.mouthLeft)
    mouth_right = face_point(points.mouthRight)
  }
}

extension face_box {
  init(_ box: Box) {
    self.init(x: box.x, y: box.y, width: box.width, height: box.height)
  }
}

extension face_point {
  init(_ point: Point) {
    self.init(x: point.x, y: point.y)
  }
}
