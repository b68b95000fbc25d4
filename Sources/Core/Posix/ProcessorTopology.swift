import CPosixShims
import FaceCore

/// Counts the processor cores that this process may run on. Two processors can share a core (SMT, or
/// Hyper-Threading): work that keeps a core busy with one thread is no faster with two.
public enum ProcessorTopology {
  /// The number of cores that the process may use, at least 1; see `CurrentProcess.processorCount`.
  public static var coreCount: Int {
    var processors = [Int32](repeating: 0, count: 1024)
    let count = Int(face_posix_processors(&processors, Int32(processors.count)))
    return min(
      coreCount(of: processors.prefix(max(0, count)).map { Int($0) }), ControlGroups.current.wholeProcessors)
  }

  /// The number of threads that share the work on one image.
  /// - Parameter requested: a number; 0: one for each core. There are never more than cores.
  public static func threadsPerFrame(_ requested: Int) -> Int {
    requested == 1 ? 1 : min(requested == 0 ? mostThreads : requested, coreCount)
  }

  private static let mostThreads = 16

  /// Returns the number of cores that have these processors. A processor that the kernel says nothing about
  /// counts as a core. sysfs(5); the kernel's Documentation/admin-guide/cputopology.rst
  package static func coreCount(
    of processors: [Int], in folder: String = "/sys/devices/system/cpu"
  ) -> Int {
    let cores = processors.map { processor in
      let topology = "\(folder)/cpu\(processor)/topology"
      // All processors of a core have the same list. The second name is that of kernels before 5.3.
      for name in ["core_cpus_list", "thread_siblings_list"] {
        let bytes = try? File.read("\(topology)/\(name)", limit: 1 << 16)
        let list = bytes.map { String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace } }
        if let list, !list.isEmpty { return list }
      }
      return "processor \(processor)"
    }
    return max(1, Set(cores).count)
  }
}
