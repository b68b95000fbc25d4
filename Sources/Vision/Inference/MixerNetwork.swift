import CFusedKernels
public import FaceCore
import Synchronization

/// Runs a network of small matrices, such as an MLP-Mixer, with this project's own kernels.
public final class MixerNetwork: Network {
  public let runtime: String
  // Written only by `init`; the kernels allow any number of workspaces of a network at the same time.
  private nonisolated(unsafe) let network: OpaquePointer
  private let inputBlob: String
  /// The rows of the input, and the values of each.
  package let inputShape: (channels: Int, width: Int)
  private let outputs: [String]
  private let shapes: [TensorShape]
  /// The memory of earlier runs, which later ones use.
  private let idle = Mutex<[Workspace]>([])

  private struct Workspace: @unchecked Sendable {
    let handle: OpaquePointer
    /// Whether it was used since the last release with `usedSince`.
    var isRecent = true
  }

  /// The most unused workspaces that are kept.
  private static let maxIdle = 16

  /// - Parameters:
  ///   - graph: ncnn's text form of the graph (a `.param` file).
  ///   - weights: the matching `.bin` file. The files are not kept.
  ///   - inputBlob: the blob of the input.
  ///   - outputs: the blobs that `run` can return. Throws `unimplemented`, with the reason, for a network that
  ///     these kernels do not support or an instruction set that this processor does not have, and
  ///     `failedPrecondition` for damaged files.
  public init(
    graph: [UInt8], weights: [UInt8], inputBlob: String, outputs: [String],
    instructions: InstructionSet = .best
  ) throws(Status) {
    guard instructions.isAvailable else {
      throw Status(.unimplemented, "this processor has no \(instructions.rawValue)")
    }
    let table = try MixerTableBuilder.table(
      graph: graph, weights: weights, input: inputBlob, outputs: outputs)
    network = try table.makeNetwork(instructions)
    runtime = "fused kernels, \(String(cString: fused_mixer_instructions(network)))"
    self.inputBlob = inputBlob
    inputShape = (table.rows, table.columns)
    self.outputs = outputs
    shapes = outputs.indices.map(table.shape(ofOutput:))
  }

  deinit {
    idle.withLock { idle in
      for workspace in idle { fused_mixer_workspace_destroy(workspace.handle) }
    }
    fused_mixer_destroy(network)
  }

  public func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    guard inputBlob == self.inputBlob else {
      throw Status(.failedPrecondition, "the network has no input blob \"\(inputBlob)\"; check model.json")
    }
    let shape = input.shape
    guard shape.channels == inputShape.channels, shape.height == 1, shape.width == inputShape.width,
      let values = input.values.baseAddress
    else {
      throw Status(
        .invalidArgument,
        "the network takes \(inputShape.channels) rows of \(inputShape.width) and was given \(shape.channels) of \(shape.width)×\(shape.height)"
      )
    }
    let indices = try self.outputs.places(of: outputs)
    let workspace = try checkOut()
    defer { checkIn(workspace) }
    fused_mixer_workspace_run(workspace.handle, values, shape.channelStride)
    return try body(
      indices.map { index in
        let shape = shapes[index]
        let values = fused_mixer_workspace_output(workspace.handle, index)
        return TensorView(shape: shape, values: UnsafeBufferPointer(start: values, count: shape.valueCount))
      })
  }

  public func releaseUnusedMemory(beyond kept: KeptMemory) -> Bool {
    let freed = idle.withLock { idle in
      let all = idle
      // The last one is used first.
      idle = all.indices.filter { $0 == all.count - 1 || kept == .usedSince && all[$0].isRecent }
        .map { Workspace(handle: all[$0].handle, isRecent: false) }
      return all.filter { workspace in !idle.contains { $0.handle == workspace.handle } }
    }
    for workspace in freed { fused_mixer_workspace_destroy(workspace.handle) }
    return !freed.isEmpty
  }

  private func checkOut() throws(Status) -> Workspace {
    if let kept = idle.withLock({ $0.popLast() }) { return Workspace(handle: kept.handle) }
    var handle: OpaquePointer?
    guard fused_mixer_workspace_create(network, &handle) == 0, let handle else {
      throw Status(.resourceExhausted, "no memory to run the network; free some memory and try again")
    }
    return Workspace(handle: handle)
  }

  private func checkIn(_ workspace: Workspace) {
    let isKept = idle.withLock { idle in
      guard idle.count < MixerNetwork.maxIdle else { return false }
      idle.append(workspace)
      return true
    }
    if !isKept { fused_mixer_workspace_destroy(workspace.handle) }
  }
}
