import Foundation

/// The two forms of slow tests: the short form checks the same property on less data. `make test-long`
/// sets FACE_ENGINE_LONG_TESTS for the long one.
public enum LongForm {
  public static let isOn = ProcessInfo.processInfo.environment["FACE_ENGINE_LONG_TESTS"] == "1"

  /// What a test takes in the long form, or in the short one.
  public static func choose<Value>(_ long: Value, short: Value) -> Value { isOn ? long : short }
}
