// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

// Points in a box (K2) and a turned device (K6): conversions that need no image.

@c @implementation
public func face_points_to_box(
  _ box: UnsafePointer<face_box>!, _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    let box = try withArea(box)
    let points = try points.room(count)
    for index in points.indices {
      // There is one of every point, since the box has an area.
      if let relative = box.toRelative(Point(points[index])) { points[index] = face_point(relative) }
    }
  }
}

@c @implementation
public func face_points_from_box(
  _ box: UnsafePointer<face_box>!, _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in
    let box = try withArea(box)
    let points = try points.room(count)
    for index in points.indices { points[index] = face_point(box.toImage(Point(points[index]))) }
  }
}

@c @implementation
public func face_orientation_of_camera(
  _ sensor: UInt32, _ device: UInt32, _ faces_user: UInt32,
  _ out_orientation: UnsafeMutablePointer<face_orientation>!
) -> face_status {
  LastError.catching { () throws(Status) in
    guard let out_orientation else { throw Status(.invalidArgument, "out_orientation is NULL") }
    let orientation = Orientation(
      sensor: try turn(sensor, "sensor"), device: try turn(device, "device"),
      facesUser: try flag(faces_user, "faces_user"))
    out_orientation.pointee = face_orientation(orientation.rawValue)
  }
}

private func withArea(_ box: UnsafePointer<face_box>?) throws(Status) -> Box {
  guard let box else { throw Status(.invalidArgument, "box is NULL") }
  guard box.pointee.width > 0, box.pointee.height > 0 else {
    throw Status(
      .invalidArgument,
      "box is \(box.pointee.width)×\(box.pointee.height); positions in it need sides above 0")
  }
  return Box(box.pointee)
}

private func turn(_ degrees: UInt32, _ name: StaticString) throws(Status) -> QuarterTurn {
  guard let turn = UInt16(exactly: degrees).flatMap(QuarterTurn.init(rawValue:)) else {
    throw Status(.invalidArgument, "\(name) is \(degrees); give 0, 90, 180 or 270")
  }
  return turn
}
