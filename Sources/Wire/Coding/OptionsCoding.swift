import CProtocol
import FaceCore

/// `DetectOptions` ↔ `DetectionOptions`. What is absent has the default of the side that decodes.
enum OptionsCoding {
  private static let numbers = MessageFields(
    DetectionOptions.fields, of: Faceengine__V1__DetectOptions.descriptor)

  static func encode(
    _ options: DetectionOptions, _ arena: Arena
  ) -> UnsafeMutablePointer<Faceengine__V1__DetectOptions> {
    let message = arena.message(Faceengine__V1__DetectOptions.self)
    numbers.encode(options, into: message)
    if let maxSide = options.maxSide {
      message.pointee.optional_max_side_case = FACEENGINE__V1__DETECT_OPTIONS__OPTIONAL_MAX_SIDE_MAX_SIDE
      message.pointee.max_side = UInt32(clamping: maxSide)
    }
    message.pointee.landmarks = options.outputs.contains(.landmarks) ? 1 : 0
    message.pointee.pose = options.outputs.contains(.pose) ? 1 : 0
    message.pointee.eyes = options.outputs.contains(.eyes) ? 1 : 0
    message.pointee.mouth = options.outputs.contains(.mouth) ? 1 : 0
    message.pointee.expressions = options.outputs.contains(.expressions) ? 1 : 0
    message.pointee.quality = options.outputs.contains(.quality) ? 1 : 0
    message.pointee.accuracy = .init(UInt32(options.accuracy.rawValue))
    message.pointee.model = arena.string(options.model)
    return message
  }

  /// Throws `invalidArgument` as well when `bytes` are no such message.
  static func decode(_ bytes: Span<UInt8>) throws(Status) -> DetectionOptions {
    try Decoder.decode(Faceengine__V1__DetectOptions.self, bytes) { (message) throws(Status) in
      try decode(message)
    }
  }

  /// Throws `invalidArgument`, naming the option, when a value is outside its range.
  static func decode(_ message: Faceengine__V1__DetectOptions?) throws(Status) -> DetectionOptions {
    var options = DetectionOptions()
    guard let message else { return options }
    withUnsafePointer(to: message) { numbers.decode($0, into: &options) }
    if message.optional_max_side_case.rawValue != 0 { options.maxSide = Int(message.max_side) }
    options.outputs = outputs(message)
    options.accuracy = try accuracy(message.accuracy.rawValue)
    options.model = try Decoder.text(message.model, "options.model")
    try options.validate()
    return options
  }

  private static func outputs(_ message: Faceengine__V1__DetectOptions) -> FaceOutputs {
    var outputs: FaceOutputs = []
    if message.landmarks != 0 { outputs.insert(.landmarks) }
    if message.pose != 0 { outputs.insert(.pose) }
    if message.eyes != 0 { outputs.insert(.eyes) }
    if message.mouth != 0 { outputs.insert(.mouth) }
    if message.expressions != 0 { outputs.insert(.expressions) }
    if message.quality != 0 { outputs.insert(.quality) }
    return outputs
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
