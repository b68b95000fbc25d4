// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import Client
import FaceCore
import Posix

@c @implementation
public func face_image_init_sized(_ image: UnsafeMutablePointer<face_image>!, _ size: Int) {
  VersionedStruct.initialize(image, size: size)
}

/// A validated `face_image`.
struct CallerImage {
  let input: ImageInput
  let timestamp: UInt64
  /// The shared memory that contains the pixels, to be kept for as long as they are read.
  let memory: ClientMemory?
  /// Keeps the pixels after the call; `nil` if they are only borrowed.
  let keeper: (any AnyObject & Sendable)?

  /// Throws `invalidArgument` or `outOfRange`, naming the member, and `failedPrecondition` for pixels that
  /// the library has already.
  /// - Parameter takesPixels: whether the library takes ownership of the pixels of an image with `release` or
  ///   `memory`, even if this throws another error.
  init(reading pointer: UnsafePointer<face_image>?, takesPixels: Bool = false) throws(Status) {
    let value = try VersionedStruct.read(pointer, name: "image")
    let file = try FileMemory.of(value)
    let hasOwner = takesPixels && file == nil && (value.release != nil || value.memory != nil)
    let owner = hasOwner ? try PixelOwner.taking(value) : nil
    keeper = if let file { file.contains(value) ? file : nil } else { owner }
    memory = try value.memory.map { (handle) throws(Status) in try Handles.memories.get(handle, "memory") }
    owner?.memory = memory
    input = try ImageInput(value, in: memory.map { UnsafeRawBufferPointer($0.bytes) })
    timestamp = value.timestamp_ns
  }
}

@c @implementation
public func face_memory_create(
  _ size: Int, _ out_memory: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_memory, "out_memory", in: Handles.memories) { () throws(Status) in
      try ClientMemory(size: size)
    }
  }
}

@c @implementation
public func face_memory_import(
  _ descriptor: Int32, _ out_memory: UnsafeMutablePointer<OpaquePointer?>!
) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_memory, "out_memory", in: Handles.memories) { () throws(Status) in
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
  Thread.withoutCancellation { _ = Handles.memories.remove(handle) }
}
