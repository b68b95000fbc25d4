import Glibc

/// The limits that control groups set this process, in version 1, version 2 or both. cgroups(7)
///
/// A limit counts in the group of the process and in every group above it.
public struct ControlGroups: Sendable {
  /// The lowest limit of memory in bytes; `nil` if no group has one.
  public let memory: Int?
  /// The lowest quota of processor time, in processors; `nil` if no group has one.
  public let processors: Double?

  /// The limits of this process, as they were when this was first used. A process in a sandbox cannot read them, so it
  /// uses this before it enters one.
  public static let current = ControlGroups()

  /// The processors of the quota, rounded up, as other runtimes count them; `Int.max` without one.
  package var wholeProcessors: Int { processors.map { max(1, Int($0.rounded(.up))) } ?? .max }

  /// The bytes of memory that this process may use: the lowest limit of its groups, or the machine's memory. sysconf(3)
  public static var memoryLimit: Int {
    let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    return min(current.memory ?? .max, machine)
  }

  /// - Parameter root: the folder with `proc` and `sys`.
  package init(root: String = "") {
    let groups = Self.text("\(root)/proc/self/cgroup") ?? ""
    let folders = groups.split(separator: "\n").flatMap {
      Self.folders(of: String($0), in: "\(root)/sys/fs/cgroup")
    }
    // "max", which is no limit, is no number.
    memory = folders.flatMap { folder in
      ["memory.max", "memory.limit_in_bytes"].compactMap {
        Self.text("\(folder)/\($0)")?.words.first.flatMap { Int($0) }
      }
    }.min()
    processors = folders.compactMap(Self.quota).min()
  }

  /// The folders of a line of `/proc/self/cgroup`: of the group that it names, and of all above it.
  ///
  /// A container may see its group as the root, though the names are those of the machine. So the root is read, too.
  private static func folders(of line: String, in root: String) -> [String] {
    let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return [] }
    // In a hybrid of both versions, the second one has a folder of its own.
    let controllers = parts[1].split(separator: ",").filter { $0 == "memory" || $0 == "cpu" }
    let hierarchies = parts[1].isEmpty ? [root, "\(root)/unified"] : controllers.map { "\(root)/\($0)" }
    let names = parts[2].split(separator: "/").map(String.init)
    return hierarchies.flatMap { hierarchy in
      (0...names.count).map { ([hierarchy] + names.prefix($0)).joined(separator: "/") }
    }
  }

  /// The processor time of a period, divided by the period.
  private static func quota(in folder: String) -> Double? {
    var numbers = (text("\(folder)/cpu.max")?.words ?? []).map { Int($0) }
    if numbers.isEmpty {
      numbers = ["cpu.cfs_quota_us", "cpu.cfs_period_us"].map {
        text("\(folder)/\($0)")?.words.first.flatMap { Int($0) }
      }
    }
    guard numbers.count == 2, let quota = numbers[0], let period = numbers[1], quota > 0, period > 0 else {
      return nil
    }
    return Double(quota) / Double(period)
  }

  private static func text(_ path: String) -> String? {
    (try? File.read(path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }
}

extension String {
  fileprivate var words: [Substring] { split { $0 == " " || $0 == "\n" } }
}
