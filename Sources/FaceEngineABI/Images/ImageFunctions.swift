// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine

@c @implementation
public func face_image_init_sized(_ image: UnsafeMutablePointer<face_image>!, _ size: Int) {
  VersionedStruct.initialize(image, to: face_image(), size: size)
}
