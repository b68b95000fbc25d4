// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_space_init_sized(_ space: UnsafeMutablePointer<face_space>!, _ size: Int) {
  VersionedStruct.initialize(space, size: size)
}

@c @implementation
public func face_points_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    convert(try points.points(count), by: try conversion(space, width, height).toSpace)
  }
}

@c @implementation
public func face_points_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    convert(try points.points(count), by: try conversion(space, width, height).fromSpace)
  }
}

@c @implementation
public func face_box_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ box: UnsafeMutablePointer<face_box>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try convert(box, by: try conversion(space, width, height).toSpace)
  }
}

@c @implementation
public func face_box_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ box: UnsafeMutablePointer<face_box>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try convert(box, by: try conversion(space, width, height).fromSpace)
  }
}

@c @implementation
public func face_circle_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ circle: UnsafeMutablePointer<face_circle>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try convert(circle, by: try conversion(space, width, height).toSpace)
  }
}

@c @implementation
public func face_circle_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ circle: UnsafeMutablePointer<face_circle>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try convert(circle, by: try conversion(space, width, height).fromSpace)
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

private func convert(_ points: UnsafeMutableBufferPointer<face_point>, by map: AffineMap) {
  for index in points.indices { points[index] = face_point(map(Point(points[index]))) }
}

private func convert(_ box: UnsafeMutablePointer<face_box>?, by map: AffineMap) throws(Status) {
  guard let box else { throw Status(.invalidArgument, "box is NULL; pass a box") }
  box.pointee = face_box(map(Box(box.pointee)))
}

private func convert(_ circle: UnsafeMutablePointer<face_circle>?, by map: AffineMap) throws(Status) {
  guard let circle else { throw Status(.invalidArgument, "circle is NULL; pass a circle") }
  let converted = map(Circle(circle.pointee))
  circle.pointee = face_circle(x: converted.center.x, y: converted.center.y, radius: converted.radius)
}

extension UnsafeMutablePointer<face_point>? {
  /// The caller's array of points. Throws `invalidArgument` for NULL.
  func points(_ count: UInt32) throws(Status) -> UnsafeMutableBufferPointer<face_point> {
    guard self != nil || count == 0 else {
      throw Status(.invalidArgument, "points is NULL; give \(count) points")
    }
    return UnsafeMutableBufferPointer(start: self, count: Int(count))
  }
}

// Conversions that need no image: points relative to a box, and the orientation of a camera.

@c @implementation
public func face_points_to_box(
  _ box: UnsafePointer<face_box>!, _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    let box = try boxWithArea(box)
    let points = try points.points(count)
    for index in points.indices {
      // Never nil, since the box has an area.
      if let relative = box.toRelative(Point(points[index])) { points[index] = face_point(relative) }
    }
  }
}

@c @implementation
public func face_points_from_box(
  _ box: UnsafePointer<face_box>!, _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    let box = try boxWithArea(box)
    let points = try points.points(count)
    for index in points.indices { points[index] = face_point(box.toImage(Point(points[index]))) }
  }
}

@c @implementation
public func face_orientation_of_camera(
  _ sensor: UInt32, _ device: UInt32, _ faces_user: UInt32,
  _ out_orientation: UnsafeMutablePointer<face_orientation>!
) -> face_status {
  LastError.catching { () throws(Status) in
    guard let out_orientation else {
      throw Status(.invalidArgument, "out_orientation is NULL; pass a variable")
    }
    let orientation = Orientation(
      sensor: try quarterTurn(sensor, "sensor"), device: try quarterTurn(device, "device"),
      facesUser: try flag(faces_user, "faces_user"))
    out_orientation.pointee = face_orientation(orientation.rawValue)
  }
}

/// Reads the caller's box. Throws `invalidArgument` if it is NULL or has no area.
private func boxWithArea(_ box: UnsafePointer<face_box>?) throws(Status) -> Box {
  guard let box else { throw Status(.invalidArgument, "box is NULL; pass a box") }
  guard box.pointee.width > 0, box.pointee.height > 0 else {
    throw Status(
      .invalidArgument,
      "box is \(box.pointee.width)×\(box.pointee.height); both sides must be above 0")
  }
  return Box(box.pointee)
}

private func quarterTurn(_ degrees: UInt32, _ name: StaticString) throws(Status) -> QuarterTurn {
  try known(degrees, name, "; give 0, 90, 180 or 270")
}

extension CoordinateSpace {
  /// Reads the caller's space. Throws `invalidArgument`, naming the member.
  init(reading pointer: UnsafePointer<face_space>?) throws(Status) {
    let value = try VersionedStruct.read(pointer, name: "space")
    switch value.kind {
    case face_space_kind(FACE_SPACE_PIXELS): self = .pixels
    case face_space_kind(FACE_SPACE_NORMALISED): self = .normalised
    case face_space_kind(FACE_SPACE_NORMALISED_BOTTOM_LEFT): self = .normalisedBottomLeft
    case face_space_kind(FACE_SPACE_PIXELS_BOTTOM_LEFT): self = .pixelsBottomLeft
    case face_space_kind(FACE_SPACE_VIEW): self = .view(try ViewTransform(value))
    default: throw Status(.invalidArgument, "space->kind is \(value.kind); use one of FACE_SPACE_...")
    }
  }
}

extension ViewTransform {
  init(_ value: face_space) throws(Status) {
    self.init(
      width: value.view_width, height: value.view_height,
      fit: try known(value.fit, "space->fit", "; use one of FACE_FIT_..."),
      rotation: try quarterTurn(value.rotation, "space->rotation"),
      isMirrored: try flag(value.mirrored, "space->mirrored"))
  }
}
