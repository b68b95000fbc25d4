import Glibc
import Posix

/// The memory that this process may use. cgroups(7)
package enum MemoryLimit {
  /// The bytes of the lowest limit of its control groups, or of the machine.
  package static func bytes() -> Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES)), size = sysconf(Int32(_SC_PAGESIZE))
    return files(text("/proc/self/cgroup") ?? "").compactMap { text($0).flatMap(limit) }
      .reduce(pages * size, min)
  }

  /// The files with limits, from the groups of `/proc/self/cgroup` up to the roots of their hierarchies.
  ///
  /// A container may see its group as the root, though the names are those of the machine: so the root is read, too.
  private static func files(_ groups: String) -> [String] {
    groups.split(separator: "\n").flatMap { line -> [String] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let root: String, file: String
      if parts[1].isEmpty {
        (root, file) = ("/sys/fs/cgroup", "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        (root, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        return []
      }
      let names = parts[2].split(separator: "/")
      return (0...names.count).map {
        ([root] + names.prefix($0).map(String.init) + [file]).joined(separator: "/")
      }
    }
  }

  private static func text(_ path: String) -> String? {
    (try? File.read(path, limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// `nil` for "max", which is no limit.
  private static func limit(_ text: String) -> Int? { text.split(separator: "\n").first.flatMap { Int($0) } }
}
