import CFusedKernels
import FaceCore
import Synchronization

/// Keeps the memory of runs for later ones, so that only the first runs of a size allocate.
final class WorkspacePool: Sendable {
  /// The memory of a run; it belongs to one caller at a time.
  struct Workspace: @unchecked Sendable {
    let handle: OpaquePointer
    var width = 0
    var height = 0
    /// The pixels of the largest run, in all and since the last `trim` with `usedSince`.
    var largest = 0
    var largestLately = 0
  }

  // Never changes; valid until `removeAll`.
  private nonisolated(unsafe) let network: OpaquePointer
  private let threads: Int
  private let idle = Mutex<[Workspace]>([])

  /// The most unused memory that is kept.
  private static let maxIdleBytes = 256 << 20
  /// The most that is kept of an idle network, so that the next run begins at once: YuNet's of 640×640 pixels has less.
  static let idleRunBytes = 8 << 20

  init(network: OpaquePointer, threads: Int) {
    self.network = network
    self.threads = threads
  }

  /// Frees all workspaces. To be called before the network is destroyed.
  func removeAll() {
    idle.withLock { idle in
      for workspace in idle { fused_workspace_destroy(workspace.handle) }
      idle = []
    }
  }

  var idleBytes: Int { idle.withLock { $0.reduce(0) { $0 + fused_workspace_bytes($1.handle) } } }

  /// Frees unused workspaces. Of a network at rest one stays, which is no larger than `idleRunBytes`; of others
  /// it also keeps those whose recent runs used at least half.
  /// - Returns: whether any was freed.
  func trim(beyond kept: KeptMemory) -> Bool {
    let freed = idle.withLock { idle in
      let one = idle.last { fused_workspace_bytes($0.handle) <= WorkspacePool.idleRunBytes }
      let all = idle
      idle = all.filter { workspace in
        workspace.handle == one?.handle
          || kept == .usedSince && 2 * workspace.largestLately >= workspace.largest
      }
      for index in idle.indices where kept == .usedSince { idle[index].largestLately = 0 }
      return all.filter { workspace in !idle.contains { $0.handle == workspace.handle } }
    }
    for workspace in freed { fused_workspace_destroy(workspace.handle) }
    return !freed.isEmpty
  }

  /// Returns a workspace for images of this size. Throws `invalidArgument` for a size that the network does
  /// not support.
  func checkOut(width: Int, height: Int) throws(Status) -> Workspace {
    let kept = idle.withLock { idle in
      let fitting = idle.lastIndex { $0.width == width && $0.height == height }
      return (fitting ?? idle.indices.last).map { idle.remove(at: $0) }
    }
    var workspace: Workspace
    if let kept { workspace = kept } else { workspace = try make() }
    let result = fused_workspace_resize(
      workspace.handle, Int32(clamping: width), Int32(clamping: height))
    guard result == 0 else {
      checkIn(workspace)
      throw switch result {
      case outOfMemory:
        Status(.resourceExhausted, "no memory to run the network; use a smaller image or a lower max_side")
      case tryAgain: WorkspacePool.noThreads
      default:
        Status(.invalidArgument, "the network accepts \(acceptedSizes), not \(width)×\(height) pixels")
      }
    }
    workspace.width = width
    workspace.height = height
    workspace.largestLately = max(workspace.largestLately, width * height)
    workspace.largest = max(workspace.largest, workspace.largestLately)
    return workspace
  }

  private var acceptedSizes: String {
    let side = fused_network_side(network)
    return side > 0
      ? "\(side)×\(side)" : "sides that are multiples of \(fused_network_multiple(network)), to 16384"
  }

  func checkIn(_ workspace: Workspace) {
    let isKept = idle.withLock { idle in
      let bytes = idle.reduce(fused_workspace_bytes(workspace.handle)) {
        $0 + fused_workspace_bytes($1.handle)
      }
      guard bytes <= WorkspacePool.maxIdleBytes else { return false }
      idle.append(workspace)
      return true
    }
    if !isKept { fused_workspace_destroy(workspace.handle) }
  }

  private func make() throws(Status) -> Workspace {
    var handle: OpaquePointer?
    let result = fused_workspace_create(network, Int32(clamping: threads), &handle)
    guard result == 0, let handle else {
      throw WorkspacePool.noThreads
    }
    return Workspace(handle: handle)
  }

  private static var noThreads: Status {
    Status(
      .resourceExhausted, "no memory or threads to run the network; free some memory or end threads, and try again")
  }
}

/// ENOMEM and EAGAIN of Linux, which the kernels return.
let outOfMemory: Int32 = 12
private let tryAgain: Int32 = 11
