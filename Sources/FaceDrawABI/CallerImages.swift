import CFaceEngine
import CallerABI
import FaceCore

extension ImageInput {
  /// A caller's image, all of it. Throws `invalidArgument` or `outOfRange`, naming the member.
  init(reading pointer: UnsafePointer<face_image>?, _ name: String) throws(Status) {
    var value = face_image()
    try VersionedStruct.read(pointer, into: &value, name: name)
    guard value.memory == nil else {
      throw Status(
        .invalidArgument,
        "\(name)->memory belongs to libfaceengine; give the address it is mapped at in planes")
    }
    try self.init(value, in: nil)
    region = nil
  }
}
