import CFaceEngine
import Client
import FaceCore

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
