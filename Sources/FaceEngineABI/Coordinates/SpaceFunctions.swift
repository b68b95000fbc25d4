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
  LastError.catching { () throws(Status) in throw Status(.unimplemented, "spaces are not there yet") }
}

@c @implementation
public func face_points_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ points: UnsafeMutablePointer<face_point>!, _ count: UInt32
) -> face_status {
  LastError.catching { () throws(Status) in throw Status(.unimplemented, "spaces are not there yet") }
}

@c @implementation
public func face_box_to_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ box: UnsafeMutablePointer<face_box>!
) -> face_status {
  LastError.catching { () throws(Status) in throw Status(.unimplemented, "spaces are not there yet") }
}

@c @implementation
public func face_box_from_space(
  _ space: UnsafePointer<face_space>!, _ width: UInt32, _ height: UInt32,
  _ box: UnsafeMutablePointer<face_box>!
) -> face_status {
  LastError.catching { () throws(Status) in throw Status(.unimplemented, "spaces are not there yet") }
}

@c @implementation
public func face_result_get_in(
  _ handle: OpaquePointer!, _ index: UInt32, _ space: UnsafePointer<face_space>!,
  _ out_info: UnsafeMutablePointer<face_info>!
) -> face_status {
  LastError.catching { () throws(Status) in throw Status(.unimplemented, "spaces are not there yet") }
}
