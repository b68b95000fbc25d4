// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_result_count(_ handle: OpaquePointer!) -> UInt32 {
  UInt32(clamping: Handles.results[handle]?.faces.count ?? 0)
}

@c @implementation
public func face_result_status(
  _ handle: OpaquePointer!, _ out_message: UnsafeMutablePointer<UnsafePointer<CChar>?>!
) -> face_status {
  var status = StatusCode.ok.rawValue
  let call = LastError.catching { () throws(Status) in
    let box = try Handles.results.get(handle, "result")
    guard let message = box.message else { return }
    status = box.code.rawValue
    out_message?.pointee = message.pointer
  }
  return call == StatusCode.ok.rawValue ? status : call
}

@c @implementation
public func face_result_get(
  _ handle: OpaquePointer!, _ index: UInt32, _ out_info: UnsafeMutablePointer<face_info>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let result = try Handles.results.get(handle, "result")
    try VersionedStruct.write(
      face_info(try result.face(index), in: try result.imageSize()), to: out_info, name: "out_info")
  }
}

@c @implementation
public func face_result_image_size(
  _ handle: OpaquePointer!, _ out_width: UnsafeMutablePointer<UInt32>!,
  _ out_height: UnsafeMutablePointer<UInt32>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let size = try Handles.results.get(handle, "result").imageSize()
    out_width?.pointee = UInt32(clamping: size.width)
    out_height?.pointee = UInt32(clamping: size.height)
  }
}

@c @implementation
public func face_result_destroy(_ handle: OpaquePointer!) {
  _ = Handles.results.remove(handle)
}

@c @implementation
public func face_info_init_sized(_ info: UnsafeMutablePointer<face_info>!, _ size: Int) {
  VersionedStruct.initialize(info, to: face_info(), size: size)
}
