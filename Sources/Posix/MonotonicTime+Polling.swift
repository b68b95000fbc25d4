import CPosixShims
package import FaceCore
import Glibc

extension MonotonicTime {
  /// Milliseconds from now for poll(2) and epoll_wait(2), rounded up so as not to wake early; -1 for `never`.
  package var pollTimeout: Int32 {
    if self == .never { return -1 }
    let left = nanoseconds - MonotonicTime.now().nanoseconds
    if left <= 0 { return 0 }
    return Int32(clamping: (left - 1) / 1_000_000 + 1)
  }

  var asTimespec: timespec {
    timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }
}
