import Glibc

/// The time of day, for people.
public enum WallClock {
  /// Now and here, as in "2026-11-21T16:00:00+0000". localtime_r(3), strftime(3)
  public static var timestamp: String {
    var seconds = time(nil)
    var now = tm()
    localtime_r(&seconds, &now)
    return String(unsafeUninitializedCapacity: 64) { text in
      text.withMemoryRebound(to: CChar.self) {
        guard let start = $0.baseAddress else { return 0 }
        return strftime(start, $0.count, "%Y-%m-%dT%H:%M:%S%z", &now)
      }
    }
  }
}
