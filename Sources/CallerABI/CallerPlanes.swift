import CFaceEngine
import FaceCore

/// Where the planes of a `face_image` are: at pointers, or at offsets into shared memory.
struct CallerPlanes {
  private let value: face_image
  private let memory: UnsafeRawBufferPointer?

  init(_ value: face_image, in memory: UnsafeRawBufferPointer?) {
    self.value = value
    self.memory = memory
  }

  /// - Parameter index: below 3.
  func plane(_ index: Int) throws(Status) -> ImageView.Plane {
    // The type is C's size_t, which Swift has as a signed number.
    let stride = CallerPlanes.element(value.strides, index)
    guard stride >= 0 else {
      throw Status(
        .invalidArgument, "image->strides[\(index)] is more than there can be; give the bytes from row to row"
      )
    }
    return ImageView.Plane(try bytes(index), stride: stride)
  }

  func bytes(_ index: Int, limit: Int = .max) throws(Status) -> UnsafeRawBufferPointer {
    let size = CallerPlanes.element(value.plane_sizes, index)
    let pointer = CallerPlanes.element(value.planes, index)
    guard size >= 0, size <= limit else {
      throw Status(
        .invalidArgument,
        "image->plane_sizes[\(index)] is more than there can be; give the number of bytes at planes[\(index)]"
      )
    }
    if let memory {
      return try bytes(index, pointer, size, limit: limit, in: memory)
    }
    guard let pointer, size != 0 else {
      throw Status(
        .invalidArgument,
        "image->planes[\(index)] or its plane_sizes is empty; give the pixels and their number of bytes")
    }
    guard UInt(bitPattern: pointer) <= UInt.max - UInt(size) else {
      throw Status(.invalidArgument, "image->plane_sizes[\(index)] reaches beyond the end of all memory")
    }
    return UnsafeRawBufferPointer(start: pointer, count: size)
  }

  private func bytes(
    _ index: Int, _ pointer: UnsafeRawPointer?, _ size: Int, limit: Int, in all: UnsafeRawBufferPointer
  ) throws(Status) -> UnsafeRawBufferPointer {
    guard pointer == nil else {
      throw Status(
        .invalidArgument,
        "image->planes[\(index)] and image->memory are both given; with memory, offsets count")
    }
    let offset = CallerPlanes.element(value.offsets, index)
    guard offset >= 0, offset < all.count, size <= all.count - offset else {
      throw Status(
        .invalidArgument,
        "plane \(index) leaves the image's memory of \(all.count) bytes; check offsets[\(index)] and "
          + "plane_sizes[\(index)]")
    }
    return UnsafeRawBufferPointer(
      rebasing: all[offset..<offset + (size == 0 ? min(limit, all.count - offset) : size)])
  }

  private static func element<Value>(_ all: (Value, Value, Value, Value), _ index: Int) -> Value {
    switch index {
    case 0: all.0
    case 1: all.1
    case 2: all.2
    default: all.3
    }
  }
}
