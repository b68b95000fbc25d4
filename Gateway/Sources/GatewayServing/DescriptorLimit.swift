package import FaceCore
import Glibc

/// The limit of open files, which every connection counts against.
package enum DescriptorLimit {
  /// What the gateway opens besides its clients' connections and the memory of large requests: its event loop,
  /// connections to the engine, files that are read anew. libdispatch ends the process when it cannot open a file.
  private static let rest = 64

  /// Raises the limit as far as the system allows if connections need it.
  ///
  /// Throws `resourceExhausted`, naming what would fit, if that is not enough.
  /// - Parameters:
  ///   - servers: the addresses that are listened at.
  ///   - connections: the most connections of each, without spare ones.
  ///   - uploads: the most large requests at a time. Each one has a descriptor for its memory.
  package static func require(servers: Int, connections: Int, uploads: Int) throws(Status) {
    let own = uploads + rest
    let needed = rlim_t(servers * (connections + ConnectionTable.spareCount(of: connections)) + own)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < needed else {
      return
    }
    limit.rlim_cur = min(limit.rlim_max, needed)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < needed else { return }
    let fitting = (1..<max(2, connections)).last { count in
      servers * (count + ConnectionTable.spareCount(of: count)) + own <= limit.rlim_cur
    }
    let lower = fitting.map { ", or lower --max-connections to \($0)" } ?? ""
    throw Status(
      .resourceExhausted,
      "--max-connections \(connections) needs \(needed) open files, but only \(limit.rlim_max) are allowed; raise that limit (ulimit -n, LimitNOFILE= in a unit)\(lower)"
    )
  }
}
