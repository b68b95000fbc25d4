// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

/// What a `face_memory` stands for.
final class MemoryBox: Sendable {
  private let memory: MemoryFile

  init(_ memory: consuming MemoryFile) {
    self.memory = memory
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory.bytes) }
  var writableBytes: UnsafeMutableRawBufferPointer { memory.bytes }
}

@c @implementation
public func face_memory_create(
  _ size: Int, _ out_memory: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try give(out_memory, "out_memory", of: Handles.memories) { () throws(Status) in
      guard size > 0, size <= 1 << 30 else {
        throw Status(.invalidArgument, "size is 0 or more than 1 GiB; give the bytes of the images to be shared")
      }
      return MemoryBox(try MemoryFile(size: size))
    }
  }
}

@c @implementation
public func face_memory_import(
  _ descriptor: Int32, _ out_memory: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    throw Status(.unimplemented, "importing memory is not there yet")
  }
}

@c @implementation
public func face_memory_map(
  _ handle: OpaquePointer!, _ out_data: UnsafeMutablePointer<UnsafeMutableRawPointer?>!,
  _ out_size: UnsafeMutablePointer<Int>!
) -> face_status {
  LastError.catching { () throws(Status) in
    let bytes = try Handles.memories.get(handle, "memory").writableBytes
    out_data?.pointee = bytes.baseAddress
    out_size?.pointee = bytes.count
  }
}

@c @implementation
public func face_memory_destroy(_ handle: OpaquePointer!) {
  _ = Handles.memories.remove(handle)
}
