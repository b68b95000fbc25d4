import Foundation

/// A control group with a limit of memory, for the programs that `launcher` starts. Removed with its owner, after they
/// have ended.
final class MemoryGroup {
  private static let (v1, v2) = ("/sys/fs/cgroup/memory", "/sys/fs/cgroup")

  /// Whether there can be one: for root, with control groups that limit memory.
  static let isThere = (try? MemoryGroup(mebibytes: 100)) != nil

  private let path: String

  init(mebibytes: Int) throws {
    let isV1 = FileManager.default.fileExists(atPath: "\(Self.v1)/memory.limit_in_bytes")
    path = "\(isV1 ? Self.v1 : Self.v2)/face-engine-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try "\(mebibytes << 20)".write(
      toFile: "\(path)/\(isV1 ? "memory.limit_in_bytes" : "memory.max")", atomically: false, encoding: .utf8)
  }

  deinit {
    for _ in 0..<500 where rmdir(path) != 0 { usleep(10_000) }
  }

  /// A program with its arguments that becomes, in the group, the one whose command line follows.
  var launcher: [String] { ["/bin/sh", "-c", "echo $$ >\(path)/cgroup.procs && exec \"$@\"", "sh"] }

  /// The number of processes that the kernel has killed for memory.
  func kills() throws -> Int {
    let name =
      FileManager.default.fileExists(atPath: "\(path)/memory.events") ? "memory.events" : "memory.oom_control"
    let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
    return line.flatMap { Int($0.dropFirst("oom_kill ".count)) } ?? 0
  }
}
