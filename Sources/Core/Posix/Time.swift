import CPosixShims
package import FaceCore
import Glibc

extension MonotonicTime {
  /// Milliseconds from now for poll(2) and epoll_wait(2), rounded up so as not to wake early; -1 for `never`.
  package var pollTimeout: Int32 {
    if self == .never { return -1 }
    let left = self - .now()
    if left <= .zero { return 0 }
    return Int32(clamping: (left - .nanoseconds(1)) / .milliseconds(1) + 1)
  }

  var asTimespec: timespec { TimeSpan(nanoseconds: nanoseconds).asTimespec }
}

/// Formats the time of day.
public enum WallClock {
  /// The local time, as in "2026-11-21T16:00:00+0000". localtime_r(3), strftime(3)
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
