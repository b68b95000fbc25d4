public import FaceCore

/// Loads a network for what is to run it: by default our own kernels if they support it, else the plug-in ncnn.
public enum NetworkLoader {
  /// - Parameters: as in `FusedNetwork.init`; ncnn ignores `threads` and runs on one.
  /// With `quantised` and the best precision, the network runs with weights of eight or 16 bits if the fused
  /// kernels support that and it is faster here.
  /// Throws `failedPrecondition` when the files are damaged, no runtime accepts them or the plug-in is
  /// missing, `resourceExhausted` without memory.
  public static func load(
    graph: [UInt8], weights: [UInt8], quantised: [UInt8]? = nil, precision: Precision = .best,
    inputBlob: String, outputs: [String], threads: Int = 1, runtime: NetworkRuntime = .automatic
  ) throws(Status) -> any Network {
    // The weights exist as they are read, in a growing table, and packed.
    let size = weights.count + (quantised?.count ?? 0) + graph.count
    try HeapMemory.require(6 * size, to: "load a network of \(size >> 20) MiB")
    if case .plugin(let name, let options) = runtime {
      try NcnnGraph.check(graph)
      return try PluginNetwork(
        graph: graph, weights: weights, threads: threads, options: options, plugin: .named(name))
    }
    if let quantised, precision == .best {
      do {
        return try FusedNetwork(
          graph: graph, weights: weights, quantised: quantised, inputBlob: inputBlob, outputs: outputs,
          threads: threads)
      } catch {
        guard error.code == .unimplemented else { throw error }
      }
    }
    let refusal: Status
    do {
      return try FusedNetwork(
        graph: graph, weights: weights, inputBlob: inputBlob, outputs: outputs, threads: threads)
    } catch {
      guard error.code == .unimplemented || error.code == .failedPrecondition else { throw error }
      refusal = error
    }
    do {
      return try MixerNetwork(graph: graph, weights: weights, inputBlob: inputBlob, outputs: outputs)
    } catch {
      guard error.code == .unimplemented || error.code == .failedPrecondition else { throw error }
      let reason = refusal.code == .unimplemented ? error : refusal
      guard runtime == .automatic else { throw reason }
      return try runByPlugin(graph, weights, after: reason)
    }
  }

  /// Loads a network that our kernels do not run, for the reason `refusal`.
  private static func runByPlugin(
    _ graph: [UInt8], _ weights: [UInt8], after refusal: Status
  ) throws(Status) -> any Network {
    try NcnnGraph.check(graph)
    let plugin: NetworkPlugin
    do {
      plugin = try .named(NetworkPlugin.ncnn)
    } catch {
      // Damaged files stay so with a plug-in, which only reports them more precisely.
      throw refusal.code == .failedPrecondition ? refusal : error
    }
    return try PluginNetwork(graph: graph, weights: weights, plugin: plugin)
  }
}
