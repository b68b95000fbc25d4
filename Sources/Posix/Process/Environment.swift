import Glibc

/// The process's environment variables.
public enum Environment {
  /// The value of `name`; `nil` when it is unset or empty. getenv(3)
  public static func value(_ name: String) -> String? {
    guard let text = getenv(name), text.pointee != 0 else { return nil }
    return String(cString: text)
  }
}
