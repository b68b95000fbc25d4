// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import FaceCore

@c @implementation
public func face_image_init_sized(_ image: UnsafeMutablePointer<face_image>!, _ size: Int) {
  VersionedStruct.initialize(image, to: face_image(), size: size)
}

/// A `face_image` that was checked.
struct CallerImage {
  let input: ImageInput
  let timestamp: UInt64
  /// What the pixels lie in; to be kept as long as they are read.
  let memory: ClientMemory?

  /// Throws `invalidArgument` or `outOfRange`, naming the member.
  init(reading pointer: UnsafePointer<face_image>?) throws(Status) {
    var value = face_image()
    try VersionedStruct.read(pointer, into: &value, name: "image")
    try self.init(value)
  }

  init(_ value: face_image) throws(Status) {
    memory = try value.memory.map { (handle) throws(Status) in try Handles.memories.get(handle, "memory") }
    input = try ImageInput(value, in: memory.map { UnsafeRawBufferPointer($0.bytes) })
    timestamp = value.timestamp_ns
  }
}

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
