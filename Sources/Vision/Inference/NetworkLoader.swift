public import FaceCore

/// Loads a network for the fused kernels if they support it, else for ncnn.
public enum NetworkLoader {
  /// - Parameters: as in `FusedNetwork.init`; ncnn ignores `threads` and runs on one.
  /// With `quantised` and the best precision, the network runs with 8-bit weights if the fused kernels
  /// support that.
  /// Throws `failedPrecondition` when the files are damaged or neither engine accepts them,
  /// `resourceExhausted` without memory.
  public static func load(
    graph: [UInt8], weights: [UInt8], quantised: [UInt8]? = nil, precision: Precision = .best,
    inputBlob: String, outputs: [String], threads: Int = 1
  ) throws(Status) -> any Network {
    // The weights exist as they are read, in a growing table, and packed.
    let size = weights.count + (quantised?.count ?? 0) + graph.count
    try HeapMemory.require(6 * size, to: "load a network of \(size >> 20) MiB")
    if let quantised, precision == .best {
      do {
        return try FusedNetwork(
          graph: graph, weights: weights, quantised: quantised, inputBlob: inputBlob, outputs: outputs,
          threads: threads)
      } catch {
        guard error.code == .unimplemented else { throw error }
      }
    }
    do {
      return try FusedNetwork(
        graph: graph, weights: weights, inputBlob: inputBlob, outputs: outputs, threads: threads)
    } catch {
      guard error.code == .unimplemented || error.code == .failedPrecondition else { throw error }
    }
    do {
      return try MixerNetwork(graph: graph, weights: weights, inputBlob: inputBlob, outputs: outputs)
    } catch {
      // ncnn reports damaged files more precisely.
      guard error.code == .unimplemented || error.code == .failedPrecondition else { throw error }
      return try NcnnNetwork(graph: graph, weights: weights)
    }
  }
}
