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
    var value = face_image()
    try VersionedStruct.read(image, into: &value, name: "image")
    let file = try FileMemory(try text(path, "path"))
    value.format = face_format(FACE_FORMAT_ENCODED)
    (value.width, value.height, value.memory) = (0, 0, nil)
    (value.planes, value.strides, value.offsets) = ((nil, nil, nil, nil), (0, 0, 0, 0), (0, 0, 0, 0))
    value.planes.0 = UnsafeRawPointer(file.memory.bytes.baseAddress)
    value.plane_sizes = (file.memory.bytes.count, 0, 0, 0)
    value.release_data = Unmanaged.passRetained(file).toOpaque()
    value.release = { data in
      if let data { Unmanaged<FileMemory>.fromOpaque(data).release() }
    }
    try VersionedStruct.write(value, to: image, name: "image")
  }
}

@c @implementation
public func face_image_release(_ image: UnsafeMutablePointer<face_image>!) {
  Thread.withoutCancellation {
    guard let image, let release = image.pointee.release else { return }
    let data = image.pointee.release_data
    (image.pointee.release, image.pointee.release_data) = (nil, nil)
    (image.pointee.planes.0, image.pointee.plane_sizes.0) = (nil, 0)
    release(data)
  }
}

/// The bytes of a file.
private final class FileMemory {
  let memory: HeapMemory

  private static let maxBytes = 1 << 30

  init(_ path: String) throws(Status) {
    let bytes = try File.read(path, limit: FileMemory.maxBytes)
    guard !bytes.isEmpty else { throw Status(.invalidArgument, "\(path) is empty; give a picture file") }
    memory = try HeapMemory(byteCount: bytes.count)
    memory.bytes.copyBytes(from: bytes)
  }
}
