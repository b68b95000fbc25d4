import CPosixShims
import FaceCore
import Glibc

/// What this process runs on.
public enum Processor {
  /// As the kernel tells it; `nil` where it tells none, as on most ARM machines. /proc/cpuinfo, proc(5)
  public static var name: String? {
    guard let bytes = try? File.read("/proc/cpuinfo", limit: 16 << 20) else { return nil }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix("model name") {
      return line.split(separator: ":", maxSplits: 1).last.map { String($0.drop(while: { $0 == " " })) }
    }
    return nil
  }

  /// Nanoseconds that all threads of this process have had a processor. clock_gettime(2), CLOCK_PROCESS_CPUTIME_ID
  public static var timeUsed: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
