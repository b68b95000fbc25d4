import CFaceEngine
import FaceCore

/// A `face_options` that was checked.
struct CallOptions {
  var detection = DetectionOptions()
  /// Nanoseconds; 0 for the default.
  var timeout: Int64 = 0
  var canceller: Canceller?

  /// NULL gives the defaults. Throws `invalidArgument`, naming the option.
  init(reading pointer: UnsafePointer<face_options>?) throws(Status) {
    guard pointer != nil else { return }
    var value = face_options()
    try VersionedStruct.read(pointer, into: &value, name: "options")
    detection.minConfidence = value.min_confidence
    detection.overlapThreshold = value.overlap_threshold
    detection.maxFaces = Int(value.max_faces)
    detection.minFaceSize = value.min_face_size
    detection.maxSide =
      switch value.max_side {
      case 0: nil
      case .max: 0
      default: Int(value.max_side)
      }
    detection.outputs = try CallOptions.outputs(value.outputs)
    detection.accuracy = try CallOptions.accuracy(value.accuracy)
    if value.model != nil { detection.model = try text(value.model, "options->model") }
    try detection.validate()
    timeout = Int64(clamping: value.timeout_ns)
    canceller = try value.canceller.map { (handle) throws(Status) in
      try Handles.cancellers.get(handle, "canceller")
    }
  }

  private static func outputs(_ bits: face_outputs) throws(Status) -> FaceOutputs {
    let outputs = FaceOutputs(rawValue: bits)
    guard FaceOutputs.all.isSuperset(of: outputs) else {
      throw Status(
        .unimplemented,
        "options->outputs asks for more than this version knows; install a newer libfaceengine")
    }
    return outputs
  }

  private static func accuracy(_ value: face_accuracy) throws(Status) -> Accuracy {
    if value == face_accuracy(FACE_ACCURACY_DEFAULT) { return .balanced }
    guard let accuracy = UInt8(exactly: value).flatMap(Accuracy.init(rawValue:)) else {
      throw Status(.invalidArgument, "options->accuracy is \(value), which is none of FACE_ACCURACY_...")
    }
    return accuracy
  }
}
