// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore

@c @implementation
public func face_load_options_init_sized(_ options: UnsafeMutablePointer<face_load_options>!, _ size: Int) {
  var value = face_load_options()
  value.threads_per_frame = 1
  VersionedStruct.initialize(options, to: value, size: size)
}

@c @implementation
public func face_options_init_sized(_ options: UnsafeMutablePointer<face_options>!, _ size: Int) {
  let defaults = DetectionOptions()
  var value = face_options()
  value.min_confidence = defaults.minConfidence
  value.overlap_threshold = defaults.overlapThreshold
  value.max_faces = UInt32(defaults.maxFaces)
  value.min_face_size = defaults.minFaceSize
  value.accuracy = face_accuracy(defaults.accuracy.rawValue)
  VersionedStruct.initialize(options, to: value, size: size)
}
