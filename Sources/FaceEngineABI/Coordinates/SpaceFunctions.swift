// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_space_init_sized(_ space: UnsafeMutablePointer<face_space>!, _ size: Int) {
  VersionedStruct.initialize(space, to: face_space(), size: size)
}
