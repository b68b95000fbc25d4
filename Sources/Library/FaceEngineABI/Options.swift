// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix

@c @implementation
public func face_load_options_init_sized(_ options: UnsafeMutablePointer<face_load_options>!, _ size: Int) {
  VersionedStruct.initialize(options, size: size)
}

extension face_load_options: SizedStruct {
  package static var defaults: face_load_options {
    var value = face_load_options()
    value.threads_per_frame = 1
    return value
  }
}

@c @implementation
public func face_options_init_sized(_ options: UnsafeMutablePointer<face_options>!, _ size: Int) {
  VersionedStruct.initialize(options, size: size)
}

extension face_options: SizedStruct {
  package static var defaults: face_options {
    let defaults = DetectionOptions()
    var value = face_options()
    withUnsafeMutablePointer(to: &value) { DetectionOptions.members.write(defaults, to: $0) }
    value.accuracy = face_accuracy(defaults.accuracy.rawValue)
    value.rotations = face_rotations(defaults.rotations.rawValue)
    return value
  }
}

/// A `face_options` that was read, with ranges that are not validated yet.
struct CallOptions {
  var detection = DetectionOptions()
  /// The time limit; 0 for the default.
  var timeout: TimeSpan = .zero
  var canceller: Canceller?

  /// Reads the options; NULL gives the defaults. Throws `invalidArgument`, naming the option, for one that
  /// cannot be read.
  init(reading pointer: UnsafePointer<face_options>?) throws(Status) {
    guard pointer != nil else { return }
    let value = try VersionedStruct.read(pointer, name: "options")
    withUnsafePointer(to: value) { DetectionOptions.members.read($0, into: &detection) }
    detection.maxSide =
      switch value.max_side {
      case 0: nil
      case .max: 0
      default: Int(value.max_side)
      }
    detection.outputs = try CallOptions.outputs(value.outputs)
    detection.accuracy = try CallOptions.accuracy(value.accuracy)
    detection.rotations = try known(
      value.rotations, "options->rotations", "; use one of FACE_ROTATIONS_...")
    if value.model != nil { detection.model = try text(value.model, "options->model") }
    detection.isProminentOnly = try flag(value.prominent_only, "options->prominent_only")
    detection.boxes = try CallOptions.boxes(value.boxes, value.box_count)
    try unused(value.reserved, "options->reserved")
    timeout = TimeSpan(clamping: value.timeout_ns)
    canceller = try value.canceller.map { (handle) throws(Status) in
      try Handles.cancellers.get(handle, "canceller")
    }
  }

  /// The boxes; `nil` if none are given, which is not the same as no boxes.
  private static func boxes(_ pointer: UnsafePointer<face_box>?, _ count: UInt32) throws(Status) -> [Box]? {
    guard let pointer else {
      if count == 0 { return nil }
      throw Status(.invalidArgument, "options->boxes is NULL, but box_count is \(count); pass the boxes")
    }
    guard count <= DetectionOptions.maxBoxes else {
      throw Status(
        .invalidArgument, "options->box_count is \(count); give at most \(DetectionOptions.maxBoxes)")
    }
    return UnsafeBufferPointer(start: pointer, count: Int(count)).map(Box.init)
  }

  private static func outputs(_ bits: face_outputs) throws(Status) -> FaceOutputs {
    let outputs = FaceOutputs(rawValue: bits)
    guard FaceOutputs.all.isSuperset(of: outputs) else {
      throw Status(
        .unimplemented,
        "options->outputs has bits that this version does not know; install a newer libfaceengine")
    }
    return outputs
  }

  private static func accuracy(_ value: face_accuracy) throws(Status) -> Accuracy {
    if value == face_accuracy(FACE_ACCURACY_DEFAULT) { return .balanced }
    return try known(value, "options->accuracy", "; use one of FACE_ACCURACY_...")
  }
}

extension DetectionOptions {
  static let members = CFields(
    fields,
    [
      // generated: swift-members face_options DetectOptions
      CMember("min_confidence", \face_options.min_confidence),
      CMember("overlap_threshold", \face_options.overlap_threshold),
      CMember("max_faces", \face_options.max_faces),
      CMember("min_face_size", \face_options.min_face_size),
      CMember("min_face_share", \face_options.min_face_share),
      CMember("model_revision", \face_options.model_revision),
      CMember("max_analysed_faces", \face_options.max_analysed_faces),
      // end of generated
    ])

  /// In the order of the message.
  // swift-format-ignore
  static let switches: [CSwitch] = [
    // generated: swift-switches face_options DetectOptions
    CSwitch(
      "prominent_only", flag: "prominent-only", \face_options.prominent_only,
      "Only the most prominent face: the largest, where a face nearer to the middle of the image counts as larger."),
    // end of generated
  ]
}

/// A validated `face_load_options`.
struct LoadOptions {
  var threadsPerFrame = 1
  var maxInputPixels = Int.max
  var precision = Precision.best
  var hasDecoderProcess = false
  var engine = NetworkRuntime.automatic

  init() {}

  /// Reads the options; NULL gives the defaults. Throws `invalidArgument`, naming the option.
  init(reading pointer: UnsafePointer<face_load_options>?) throws(Status) {
    guard pointer != nil else { return }
    let value = try VersionedStruct.read(pointer, name: "options")
    guard 0...16 ~= value.threads_per_frame else {
      throw Status(
        .invalidArgument,
        "options->threads_per_frame is \(value.threads_per_frame); give 1 to 16, or 0 for one per core")
    }
    threadsPerFrame = ProcessorTopology.threadsPerFrame(Int(value.threads_per_frame))
    if value.max_input_pixels > 0 { maxInputPixels = Int(clamping: value.max_input_pixels) }
    switch value.precision {
    case face_precision(FACE_PRECISION_BEST): precision = .best
    case face_precision(FACE_PRECISION_FLOAT): precision = .float
    default:
      throw Status(
        .invalidArgument, "options->precision is \(value.precision); use one of FACE_PRECISION_...")
    }
    hasDecoderProcess = try flag(value.decoder_process, "options->decoder_process")
    if let first = value.engine?.pointee, first != 0 {
      let name = try text(value.engine, "options->engine")
      do {
        engine = try NetworkRuntime(name)
      } catch {
        throw Status(error.code, "options->engine: \(error.message)")
      }
    }
  }
}

@c @implementation
public func face_canceller_create(_ out_canceller: UnsafeMutablePointer<OpaquePointer?>!) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.create(out_canceller, "out_canceller", in: Handles.cancellers) { Canceller() }
  }
}

@c @implementation
public func face_canceller_cancel(_ handle: OpaquePointer!) -> face_status {
  LastError.catching { () throws(Status) in
    try Handles.cancellers.get(handle, "canceller").cancel()
  }
}

@c @implementation
public func face_canceller_destroy(_ handle: OpaquePointer!) {
  Thread.withoutCancellation { _ = Handles.cancellers.remove(handle) }
}
