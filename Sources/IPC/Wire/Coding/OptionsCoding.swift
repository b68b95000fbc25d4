import CProtocol
import FaceCore

/// Absent fields have the defaults of the side that decodes.
extension DetectionOptions: WireValue {
  private static let numbers = MessageFields(fields, of: Faceengine__V1__DetectOptions.descriptor)

  private static let flags = FaceOutputs.table.compactMap { row in
    MessageField(row.name, of: Faceengine__V1__DetectOptions.descriptor).map { (row.output, $0) }
  }

  func encode(into message: inout Faceengine__V1__DetectOptions, _ arena: Arena) {
    DetectionOptions.numbers.encode(self, into: &message)
    if let maxSide {
      message.optional_max_side_case = FACEENGINE__V1__DETECT_OPTIONS__OPTIONAL_MAX_SIDE_MAX_SIDE
      message.max_side = UInt32(clamping: maxSide)
    }
    withUnsafeMutablePointer(to: &message) { message in
      for (output, flag) in DetectionOptions.flags {
        let isAsked: protobuf_c_boolean = outputs.isSuperset(of: output) ? 1 : 0
        flag.store(isAsked, in: message)
      }
    }
    message.accuracy = .init(UInt32(accuracy.rawValue))
    message.rotations = .init(UInt32(rotations.rawValue))
    message.model = arena.string(model)
    message.prominent_only = isProminentOnly ? 1 : 0
    (message.n_boxes, message.boxes) = arena.list(boxes ?? [])
    message.boxes_given = boxes?.isEmpty == true ? 1 : 0
  }

  /// Also throws `invalidArgument` if `bytes` are not such a message.
  init(decoding bytes: Span<UInt8>) throws(Status) {
    self = try Decoder.decode(
      Faceengine__V1__DetectOptions.self, bytes, request: "options"
    ) { (message) throws(Status) in try DetectionOptions(decoding: message) }
  }

  /// Throws `invalidArgument`, naming the option, if a value is out of range.
  init(decoding message: Faceengine__V1__DetectOptions) throws(Status) {
    self.init()
    DetectionOptions.numbers.decode(message, into: &self)
    if message.optional_max_side_case.rawValue != 0 { maxSide = Int(message.max_side) }
    outputs = withUnsafePointer(to: message) { message in
      FaceOutputs(
        DetectionOptions.flags.compactMap { (output, flag) in
          flag.load(protobuf_c_boolean.self, from: message) != 0 ? output : nil
        })
    }
    if message.accuracy.rawValue != 0 {
      accuracy = try Decoder.known(
        message.accuracy.rawValue, "options.accuracy", send: "LOW, BALANCED or HIGH, or none")
    }
    rotations = try Decoder.known(
      message.rotations.rawValue, "options.rotations", send: "ROTATIONS_UPRIGHT or ROTATIONS_ANY")
    model = try Decoder.text(message.model, "options.model")
    isProminentOnly = message.prominent_only != 0
    guard message.n_boxes <= DetectionOptions.maxBoxes else {
      throw Status(
        .invalidArgument, "\(message.n_boxes) boxes are given; send at most \(DetectionOptions.maxBoxes)",
        .field("options.boxes"))
    }
    if message.n_boxes > 0 || message.boxes_given != 0 {
      var given: [Box] = []
      for index in 0..<message.n_boxes {
        guard let box = message.boxes[index] else { continue }
        given.append(try Box(decoding: box.pointee, "options.boxes"))
      }
      boxes = given
    }
    try validate()
  }
}
