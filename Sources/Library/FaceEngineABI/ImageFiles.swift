// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import CallerABI
import FaceCore
import Posix

@c @implementation
public func face_image_from_file(
  _ path: UnsafePointer<CChar>!, _ image: UnsafeMutablePointer<face_image>!
) -> face_status {
  LastError.catching { () throws(Status) in
    var value = try VersionedStruct.read(UnsafePointer(image), name: "image")
    let file = try FileMemory(try CallerABI.path(path, "path"))
    file.describe(&value)
    value.release_data = UnsafeMutableRawPointer(Handles.insert(file))
    try VersionedStruct.write(value, to: image, name: "image")
  }
}

@c @implementation
public func face_image_release(_ image: UnsafeMutablePointer<face_image>!) {
  Thread.withoutCancellation {
    guard var value = try? VersionedStruct.read(UnsafePointer(image), name: "image"),
      let release = value.release
    else { return }
    let data = value.release_data
    (value.release, value.release_data) = (nil, nil)
    (value.planes.0, value.plane_sizes.0) = (nil, 0)
    try? VersionedStruct.write(value, to: image, name: "image")
    release(data)
  }
}

/// The bytes of a file, which an image refers to by a handle in its `release_data`: copies of the struct share
/// the file, and a copy that outlives it is refused.
final class FileMemory: @unchecked Sendable {
  // Written before the object is shared, and never again.
  private let memory: HeapMemory

  private static let maxBytes = 1 << 30

  init(_ path: String) throws(Status) {
    let bytes = try File.read(path, limit: FileMemory.maxBytes)
    guard !bytes.isEmpty else { throw Status(.invalidArgument, "\(path) is empty; give a picture file") }
    memory = try HeapMemory(byteCount: bytes.count)
    memory.bytes.copyBytes(from: bytes)
  }

  /// Sets the image's format, bytes and release function.
  func describe(_ image: inout face_image) {
    image.format = face_format(FACE_FORMAT_ENCODED)
    (image.width, image.height, image.memory) = (0, 0, nil)
    (image.planes, image.strides, image.offsets) = ((nil, nil, nil, nil), (0, 0, 0, 0), (0, 0, 0, 0))
    image.planes.0 = UnsafeRawPointer(memory.bytes.baseAddress)
    image.plane_sizes = (memory.bytes.count, 0, 0, 0)
    image.release = FileMemory.release
  }

  /// The file of an image; `nil` for an image of other bytes. Throws `invalidArgument` if it was released.
  static func of(_ image: face_image) throws(Status) -> FileMemory? {
    guard unsafeBitCast(image.release, to: UInt.self) == unsafeBitCast(release, to: UInt.self) else {
      return nil
    }
    return try Handles.files.get(OpaquePointer(image.release_data), "image")
  }

  /// Whether the image's bytes are still those of the file: its members are the caller's to change.
  func contains(_ image: face_image) -> Bool {
    guard image.format == face_format(FACE_FORMAT_ENCODED), let plane = image.planes.0,
      let start = memory.bytes.baseAddress
    else { return false }
    let offset = plane - UnsafeRawPointer(start)
    return offset >= 0 && image.plane_sizes.0 >= 0 && offset <= memory.bytes.count - image.plane_sizes.0
  }

  /// The `release` of images of files. Its address tells them from others.
  private static let release: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void = { handle in
    _ = Handles.files.remove(OpaquePointer(handle))
  }
}
