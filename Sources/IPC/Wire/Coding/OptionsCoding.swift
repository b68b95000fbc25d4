import CProtocol
import FaceCore

/// `DetectOptions` ↔ `DetectionOptions`. Absent fields have the defaults of the side that decodes.
enum OptionsCoding {
  private static let numbers = MessageFields(
    DetectionOptions.fields, of: Faceengine__V1__DetectOptions.descriptor)

  private static let flags = FaceOutputs.table.compactMap { row in
    MessageField(row.name, of: Faceengine__V1__DetectOptions.descriptor).map { (row.output, $0) }
  }

  static func encode(
    _ options: DetectionOptions, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__DetectOptions> {
    let message = arena.message(Faceengine__V1__DetectOptions.self)
    numbers.encode(options, into: message)
    if let maxSide = options.maxSide {
      message.pointee.optional_max_side_case = FACEENGINE__V1__DETECT_OPTIONS__OPTIONAL_MAX_SIDE_MAX_SIDE
      message.pointee.max_side = UInt32(clamping: maxSide)
    }
    for (output, flag) in flags {
      let isAsked: protobuf_c_boolean = options.outputs.isSuperset(of: output) ? 1 : 0
      flag.store(isAsked, in: message)
    }
    message.pointee.accuracy = .init(UInt32(options.accuracy.rawValue))
    message.pointee.rotations = .init(UInt32(options.rotations.rawValue))
    message.pointee.model = arena.string(options.model)
    message.pointee.prominent_only = options.isProminentOnly ? 1 : 0
    message.pointee.n_boxes = options.boxes.count
    message.pointee.boxes = arena.allocate(
      UnsafeMutablePointer<Faceengine__V1__Box>?.self, count: options.boxes.count)
    for (index, box) in options.boxes.enumerated() {
      message.pointee.boxes[index] = BoxCoding.encode(box, arena)
    }
    return message
  }

  /// Also throws `invalidArgument` if `bytes` are not such a message.
  static func decode(_ bytes: Span<UInt8>) throws(Status) -> DetectionOptions {
    try Decoder.decode(Faceengine__V1__DetectOptions.self, bytes) { (message) throws(Status) in
      try decode(message)
    }
  }

  /// Throws `invalidArgument`, naming the option, if a value is out of range.
  static func decode(_ message: Faceengine__V1__DetectOptions?) throws(Status) -> DetectionOptions {
    var options = DetectionOptions()
    guard let message else { return options }
    withUnsafePointer(to: message) { numbers.decode($0, into: &options) }
    if message.optional_max_side_case.rawValue != 0 { options.maxSide = Int(message.max_side) }
    options.outputs = outputs(message)
    options.accuracy = try accuracy(message.accuracy.rawValue)
    options.rotations = try rotations(message.rotations.rawValue)
    options.model = try Decoder.text(message.model, "options.model")
    options.isProminentOnly = message.prominent_only != 0
    guard message.n_boxes <= DetectionOptions.maxBoxes else {
      throw Status(
        .invalidArgument, "\(message.n_boxes) boxes are given; send at most \(DetectionOptions.maxBoxes)",
        .field("options.boxes"))
    }
    for index in 0..<message.n_boxes {
      guard let box = message.boxes[index] else { continue }
      options.boxes.append(try BoxCoding.decode(box.pointee, "options.boxes"))
    }
    try options.validate()
    return options
  }

  private static func outputs(_ message: Faceengine__V1__DetectOptions) -> FaceOutputs {
    withUnsafePointer(to: message) { message in
      FaceOutputs(
        flags.compactMap { (output, flag) in
          flag.load(protobuf_c_boolean.self, from: message) != 0 ? output : nil
        })
    }
  }

  private static func rotations(_ value: UInt32) throws(Status) -> Rotations {
    guard let byte = UInt8(exactly: value), let rotations = Rotations(rawValue: byte) else {
      throw Status(
        .invalidArgument,
        "options.rotations is \(Int32(bitPattern: value)); send ROTATIONS_UPRIGHT or ROTATIONS_ANY",
        .field("options.rotations"))
    }
    return rotations
  }

  private static func accuracy(_ value: UInt32) throws(Status) -> Accuracy {
    if value == 0 { return DetectionOptions().accuracy }
    guard let byte = UInt8(exactly: value), let accuracy = Accuracy(rawValue: byte) else {
      throw Status(
        .invalidArgument,
        "options.accuracy is \(Int32(bitPattern: value)); send LOW, BALANCED or HIGH, or none",
        .field("options.accuracy"))
    }
    return accuracy
  }
}
