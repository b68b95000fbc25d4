// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import FaceCore

@c @implementation
public func face_memory_create(
  _ size: Int, _ out_memory: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_memory, "out_memory", of: Handles.memories) { () throws(Status) in
      try ClientMemory(size: size)
    }
  }
}

@c @implementation
public func face_memory_import(
  _ descriptor: Int32, _ out_memory: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_memory, "out_memory", of: Handles.memories) { () throws(Status) in
      try ClientMemory(importing: descriptor)
    }
  }
}

@c @implementation
public func face_memory_map(
  _ handle: OpaquePointer!, _ out_data: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ out_size: UnsafeMutablePointer<Int>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let bytes = try Handles.memories.get(handle, "memory").bytes
    out_data?.pointee = bytes.baseAddress
    out_size?.pointee = bytes.count
  }
}

@c @implementation
public func face_memory_destroy(_ handle: OpaquePointer!) {
  _ = Handles.memories.remove(handle)
}
