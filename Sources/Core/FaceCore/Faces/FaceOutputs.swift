/// The outputs requested for each face beyond its box, confidence and five points. An output that is not
/// requested costs nothing.
///
/// The bits are those of `FACE_OUTPUT_...` in face_engine.h.
public struct FaceOutputs: OptionSet, Sendable, BitwiseCopyable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  // generated: swift-outputs
  public static let landmarks = FaceOutputs(rawValue: 1 << 0)
  public static let pose = FaceOutputs(rawValue: 1 << 1)
  public static let eyes = FaceOutputs(rawValue: 1 << 2)
  public static let mouth = FaceOutputs(rawValue: 1 << 3)
  public static let expressions = FaceOutputs(rawValue: 1 << 4)
  public static let quality = FaceOutputs(rawValue: 1 << 5)
  public static let transform = FaceOutputs(rawValue: 1 << 6)
  public static let isoQuality = FaceOutputs(rawValue: 1 << 7)
  public static let precision = FaceOutputs(rawValue: 1 << 8)
  public static let gaze = FaceOutputs(rawValue: 1 << 9)

  /// Each output once, with the member of a face that it requests.
  // swift-format-ignore
  public static let table: [FaceOutput] = [
    FaceOutput(
      "landmarks", .landmarks, flag: "landmarks", "The 478 points of the mesh, and those of eyes, eyebrows, nose, lips and contour.",
      { $0.landmarks }, { $0.landmarks = $1 }),
    FaceOutput(
      "pose", .pose, flag: "pose", "The rotation of the head in degrees.",
      { $0.pose }, { $0.pose = $1 }),
    FaceOutput(
      "eyes", .eyes, flag: "expressions", "How far each eye is open.",
      { $0.eyes }, { $0.eyes = $1 }),
    FaceOutput(
      "mouth", .mouth, flag: "expressions", "The smile, and how far the mouth is open.",
      { $0.mouth }, { $0.mouth = $1 }),
    FaceOutput(
      "expressions", .expressions, flag: "expressions", "52 expression coefficients.",
      { $0.expressions }, { $0.expressions = $1 }),
    FaceOutput(
      "quality", .quality, flag: "quality", "Capture quality: how good a picture of the face this is, 0 to 1.",
      { $0.quality }, { $0.quality = $1 }),
    FaceOutput(
      "transform", .transform, flag: "transform", "Where the head is, as a 4 × 4 matrix in centimetres.",
      { $0.transform }, { $0.transform = $1 }),
    FaceOutput(
      "iso_quality", .isoQuality, flag: "iso-quality", "The 19 measures of ISO/IEC 29794-5 that the engine's networks can compute.",
      { $0.isoQuality }, { $0.isoQuality = $1 }),
    FaceOutput(
      "precision", .precision, flag: "point-precision", "Expected error of each of the 478 points, in pixels.",
      { $0.precision }, { $0.precision = $1 }),
    FaceOutput(
      "gaze", .gaze, flag: "gaze", "Position of each eye, in centimetres, and the direction in which it looks.",
      { $0.gaze }, { $0.gaze = $1 }),
  ]
  // end of generated

  public static let all = FaceOutputs(table.map(\.output))
}

/// One output and, where it requests a measurement, access to that measurement's numbers in a face.
public struct FaceOutput: Sendable {
  /// The name in `DetectOptions` and `Face` of face_engine.proto, and in JSON.
  public let name: StaticString
  public let output: FaceOutputs
  /// The flag that requests it, alone or with others, and what it is.
  public let flag: StaticString
  public let meaning: StaticString
  /// The number of values; 0 for landmarks, which are not a measurement.
  public let count: Int
  /// Whether a face has it.
  public let isKnown: @Sendable (borrowing Face) -> Bool
  /// Returns the values in the measurement's order; `nil` where they are not known.
  public let values: @Sendable (borrowing Face) -> [Float]?
  /// Sets the `count` values of a face.
  public let set: @Sendable (inout Face, [Float]) -> Void

  init(
    _ name: StaticString, _ output: FaceOutputs, flag: StaticString, _ meaning: StaticString,
    _ get: @escaping @Sendable (borrowing Face) -> Landmarks?,
    _: @escaping @Sendable (inout Face, Landmarks) -> Void
  ) {
    (self.name, self.output, self.flag, self.meaning, count) = (name, output, flag, meaning, 0)
    isKnown = { get($0) != nil }
    values = { _ in nil }
    set = { _, _ in }
  }

  init<Value: Measurement>(
    _ name: StaticString, _ output: FaceOutputs, flag: StaticString, _ meaning: StaticString,
    _ get: @escaping @Sendable (borrowing Face) -> Value?,
    _ set: @escaping @Sendable (inout Face, Value) -> Void
  ) {
    (self.name, self.output, self.flag, self.meaning, count) = (name, output, flag, meaning, Value.count)
    isKnown = { get($0) != nil }
    values = { get($0)?.values }
    self.set = { set(&$0, Value(values: $1)) }
  }
}

/// A measurement of a face: a fixed number of values. A struct that consists only of `Float`s needs no
/// further code to conform.
public protocol Measurement: Equatable, Sendable {
  static var count: Int { get }
  /// - Parameter values: `count` of them.
  init(values: [Float])
  /// The values in the order of the fields of its message.
  var values: [Float] { get }
}

extension Measurement where Self: BitwiseCopyable {
  public static var count: Int { MemoryLayout<Self>.size / MemoryLayout<Float>.size }

  public init(values: [Float]) {
    precondition(values.count == Self.count, "a measurement has all of its numbers")
    self = values.withUnsafeBytes { $0.loadUnaligned(as: Self.self) }
  }

  public var values: [Float] {
    withUnsafeBytes(of: self) { Array($0.bindMemory(to: Float.self)) }
  }
}
