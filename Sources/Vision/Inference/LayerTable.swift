import CFusedKernels
import FaceCore

/// The layers of a network for the fused kernels, in the kernels' own types.
struct LayerTable {
  var layers: [fused_layer] = []
  /// The outputs in the order in which they were requested.
  var outputs: [fused_output] = []
  /// All weights; layers refer to them by index.
  private(set) var values: [Float] = []

  /// - Returns: the index of the first of `numbers`.
  mutating func store(_ numbers: some Collection<Float>) -> Int32 {
    values.append(contentsOf: numbers)
    return Int32(clamping: values.count - numbers.count)
  }

  /// Creates the network. Throws `unimplemented` for a table that the kernels do not support.
  func makeNetwork(_ instructions: InstructionSet) throws(Status) -> OpaquePointer {
    assert(layers.enumerated().allSatisfy { index, layer in layer.inputs.allSatisfy { $0 < index } })
    var network: OpaquePointer?
    let result = layers.withUnsafeBufferPointer { layers in
      values.withUnsafeBufferPointer { values in
        outputs.withUnsafeBufferPointer { outputs in
          var table = fused_layer_table(
            layers: layers.baseAddress, layer_count: layers.count, values: values.baseAddress,
            value_count: values.count, outputs: outputs.baseAddress, output_count: outputs.count)
          return fused_network_create(instructions.native, &table, &network)
        }
      }
    }
    return try network.checkCreated(result, of: "layers")
  }
}

extension OpaquePointer? {
  /// Returns the network, whose creation had this result. Throws `resourceExhausted` and `unimplemented`.
  func checkCreated(_ result: Int32, of parts: String) throws(Status) -> OpaquePointer {
    if result == outOfMemory {
      throw Status(.resourceExhausted, "no memory to load the network; free some memory and try again")
    }
    guard result == 0, let self else {
      throw Status(.unimplemented, "the fused kernels cannot run its \(parts) in this order")
    }
    return self
  }
}

extension fused_layer {
  /// A layer with kernel 1×1 and stride 1 whose source is the image.
  init(_ kind: fused_layer_kind, inChannels: Int, outChannels: Int) {
    self.init()
    self.kind = kind
    source = -1
    kernel = 1
    stride = 1
    added = -1
    in_channels = Int32(clamping: inChannels)
    out_channels = Int32(clamping: outChannels)
    (weights, bias, slopes, multipliers, zero_points) = (-1, -1, -1, -1, -1)
  }

  /// The preceding layers that it reads.
  var inputs: [Int] { [source, added].filter { $0 >= 0 }.map(Int.init) }

  var weightCount: Int {
    let inputs = kind == FUSED_LAYER_DEPTHWISE ? 1 : Int(in_channels)
    return Int(out_channels) * inputs * Int(kernel * kernel)
  }
}
