// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_result_look_at(
  _ handle: OpaquePointer!, _ index: UInt32, _ screen: UnsafePointer<face_screen>!,
  _ out_point: UnsafeMutablePointer<face_point>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let face = try Handles.results.get(handle, "result").face(index)
    guard let gaze = face.gaze else {
      throw Status(
        .failedPrecondition,
        "the gaze of this face was not measured; set FACE_OUTPUT_GAZE in options.outputs, and a "
          + "max_analysed_faces above the number of faces")
    }
    try write(gaze, screen, out_point)
  }
}

@c @implementation
public func face_gaze_look_at(
  _ gaze: UnsafePointer<Float>!, _ screen: UnsafePointer<face_screen>!,
  _ out_point: UnsafeMutablePointer<face_point>!
) -> face_status {
  LastError.catching { () throws(Status) in
    guard let gaze else { throw Status(.invalidArgument, "gaze is NULL; give its 12 numbers") }
    try write(
      Gaze(values: Array(UnsafeBufferPointer(start: gaze, count: Gaze.count))), screen, out_point)
  }
}

private func write(
  _ gaze: Gaze, _ screen: UnsafePointer<face_screen>?, _ out_point: UnsafeMutablePointer<face_point>?
) throws(Status) {
  guard let screen, let out_point else {
    throw Status(.invalidArgument, "screen or out_point is NULL; give both")
  }
  let plane = Screen(
    topLeft: SIMD3(screen.pointee.top_left), topRight: SIMD3(screen.pointee.top_right),
    bottomLeft: SIMD3(screen.pointee.bottom_left))
  try plane.validate()
  guard let point = gaze.point(on: plane) else {
    throw Status(.outOfRange, "the eyes do not look towards the screen's plane")
  }
  out_point.pointee = face_point(x: point.x, y: point.y)
}

extension SIMD3<Float> {
  fileprivate init(_ numbers: (Float, Float, Float)) { self.init(numbers.0, numbers.1, numbers.2) }
}
