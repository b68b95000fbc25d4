// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_space_init_sized(_ space: UnsafeMutablePointer<face_space>!, _ size: Int) {
  VersionedStruct.initialize(space, to: face_space(), size: size)
}

@c @implementation
public func face_points_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    move(try points.room(count), by: try conversion(space, width, height).toSpace)
  }
}

@c @implementation
public func face_points_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    move(try points.room(count), by: try conversion(space, width, height).fromSpace)
  }
}

@c @implementation
public func face_box_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ box: UnsafeMutablePointer<face_box>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try move(box, by: try conversion(space, width, height).toSpace)
  }
}

@c @implementation
public func face_box_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ box: UnsafeMutablePointer<face_box>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try move(box, by: try conversion(space, width, height).fromSpace)
  }
}

@c @implementation
public func face_circle_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ circle: UnsafeMutablePointer<face_circle>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try move(circle, by: try conversion(space, width, height).toSpace)
  }
}

@c @implementation
public func face_circle_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ circle: UnsafeMutablePointer<face_circle>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try move(circle, by: try conversion(space, width, height).fromSpace)
  }
}

@c @implementation
public func face_result_get_in(
  _ handle: OpaquePointer!, _ index: UInt32, _ space: UnsafePointer<face_space>!,
  _ out_info: UnsafeMutablePointer<face_info>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let result = try Handles.results.get(handle, "result")
    let (face, size) = (try result.face(index), try result.imageSize())
    let map = try CoordinateSpace(reading: space).conversion(for: size).toSpace
    var info = face_info(map(face), in: size)
    info.clamped_box = face_box(map(face.box.clamped(to: size)))
    try VersionedStruct.write(info, to: out_info, name: "out_info")
  }
}

private func conversion(
  _ space: UnsafePointer<face_space>?, _ width: UInt32, _ height: UInt32
) throws(Status) -> CoordinateConversion {
  try CoordinateSpace(reading: space).conversion(for: PixelSize(width: Int(width), height: Int(height)))
}

private func move(_ points: UnsafeMutableBufferPointer<face_point>, by map: AffineMap) {
  for index in points.indices { points[index] = face_point(map(Point(points[index]))) }
}

private func move(_ box: UnsafeMutablePointer<face_box>?, by map: AffineMap) throws(Status) {
  guard let box else { throw Status(.invalidArgument, "box is NULL") }
  box.pointee = face_box(map(Box(box.pointee)))
}

private func move(_ circle: UnsafeMutablePointer<face_circle>?, by map: AffineMap) throws(Status) {
  guard let circle else { throw Status(.invalidArgument, "circle is NULL") }
  let given = circle.pointee
  let moved = map(Circle(center: Point(x: given.x, y: given.y), radius: given.radius))
  circle.pointee = face_circle(x: moved.center.x, y: moved.center.y, radius: moved.radius)
}

extension UnsafeMutablePointer<face_point>? {
  /// The points that a caller names. Throws `invalidArgument` for NULL.
  func room(_ count: UInt32) throws(Status) -> UnsafeMutableBufferPointer<face_point> {
    guard self != nil || count == 0 else {
      throw Status(.invalidArgument, "points is NULL; give \(count) of them")
    }
    return UnsafeMutableBufferPointer(start: self, count: Int(count))
  }
}
