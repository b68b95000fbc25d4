/// The quality of a face image by the measures of ISO/IEC 29794-5:2025: for each, the native value in the
/// measure's own unit, and the quality component, a whole number from 0 (worst) to 100. include/face_engine.h
/// defines them.
public struct ISOQuality: Measurement {
  public static let count = 2 * ISOMeasure.allCases.count
  /// The component of a measure that could not be assessed; its native value is 0.
  public static let notAssessed: Float = -1

  /// `count` values: the native values, then the components, each in the order of `ISOMeasure`.
  public private(set) var values: [Float]

  /// - Parameter values: `count` of them.
  public init(values: [Float]) {
    self.values = values
  }

  /// A quality with no measure assessed.
  public init() {
    let measures = ISOMeasure.allCases.count
    values =
      Array(repeating: 0, count: measures) + Array(repeating: ISOQuality.notAssessed, count: measures)
  }

  public func native(_ measure: ISOMeasure) -> Float { values[measure.rawValue] }

  /// Returns 0…100, or `notAssessed`.
  public func component(_ measure: ISOMeasure) -> Float {
    values[ISOMeasure.allCases.count + measure.rawValue]
  }

  /// Sets a measure. A value that is not finite counts as not assessed.
  public mutating func set(_ measure: ISOMeasure, native: Float, component: Float) {
    let isAssessed = native.isFinite && component.isFinite
    values[measure.rawValue] = isAssessed ? native : 0
    values[ISOMeasure.allCases.count + measure.rawValue] = isAssessed ? component : ISOQuality.notAssessed
  }
}
