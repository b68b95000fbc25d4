import CFusedKernels

/// Optimisations of a table.
extension LayerTable {
  /// Removes the layers that no output depends on.
  mutating func removeUnneeded() {
    var needed = Set(outputs.map { Int($0.layer) })
    for index in layers.indices.reversed() where needed.contains(index) {
      needed.formUnion(layers[index].inputs)
    }
    keep(layers.indices.filter(needed.contains))
  }

  /// Fuses the heads of the network that read the same rows into one, with their channels side by side: the
  /// few channels of a single head would fill no vector.
  mutating func fuseHeads() {
    let heads = outputs.indices.compactMap { head(ofOutput: $0) }
    let groups = Dictionary(grouping: heads) { Form(layers[$0.layers[0]], length: $0.layers.count) }
    var fused: Set<Int> = []
    for group in groups.values.filter({ $0.count > 1 }).sorted(by: { $0[0].output < $1[0].output }) {
      for depth in group[0].layers.indices { appendFused(group.map { $0.layers[depth] }, depth: depth) }
      var channel: Int32 = 0
      for head in group {
        outputs[head.output].layer = Int32(layers.count - 1)
        outputs[head.output].first_channel = channel
        channel += outputs[head.output].channels
        fused.formUnion(head.layers)
      }
    }
    keep(layers.indices.filter { !fused.contains($0) })
  }

  /// The layers that only one output depends on, from first to last.
  private struct Head {
    var output: Int
    var layers: [Int]
  }

  /// The properties that heads must have in common to be fused.
  private struct Form: Hashable {
    let source: Int32
    let isSourcePooled: Bool
    let length: Int
    let format: UInt32
    let shift: Int32

    init(_ first: fused_layer, length: Int) {
      format = first.format.rawValue
      shift = first.shift
      source = first.source
      isSourcePooled = first.source_pooled != 0
      self.length = length
    }
  }

  /// Returns a 1×1 convolution, alone or with a depthwise one after it, that only this output depends on.
  private func head(ofOutput output: Int) -> Head? {
    let last = Int(outputs[output].layer)
    var chain = [last]
    if layers[last].kind == FUSED_LAYER_DEPTHWISE, layers[last].stride == 1, layers[last].source >= 0 {
      chain.insert(Int(layers[last].source), at: 0)
    }
    let first = layers[chain[0]]
    guard first.kind == FUSED_LAYER_CONVOLUTION, first.kernel == 1, first.source >= 0,
      chain.allSatisfy({ layers[$0].activation == FUSED_ACTIVATION_NONE && layers[$0].added < 0 }),
      outputs.filter({ chain.contains(Int($0.layer)) }).count == 1,
      chain.allSatisfy({ index in
        layers.filter { $0.inputs.contains(index) }.count == (index == last ? 0 : 1)
      })
    else { return nil }
    return Head(output: output, layers: chain)
  }

  /// Appends one layer made of several with the same source; those at `depth` 1 read the layer appended
  /// before.
  private mutating func appendFused(_ parts: [Int], depth: Int) {
    var layer = layers[parts[0]]
    func join(_ first: WritableKeyPath<fused_layer, Int32>, count: (fused_layer) -> Int) {
      guard layer[keyPath: first] >= 0 else { return }
      let joined = parts.flatMap { index in
        let start = Int(layers[index][keyPath: first])
        return values[start..<start + count(layers[index])]
      }
      layer[keyPath: first] = store(joined)
    }
    join(\.weights) { $0.weightCount }
    for channels in [\fused_layer.bias, \.multipliers, \.zero_points] {
      join(channels) { Int($0.out_channels) }
    }
    layer.out_channels = parts.reduce(0) { $0 + layers[$1].out_channels }
    if depth > 0 {
      layer.source = Int32(layers.count - 1)
      layer.in_channels = layer.out_channels
    }
    layers.append(layer)
  }

  /// Keeps only the layers at `indices`, in their order; no removed layer is needed by them.
  private mutating func keep(_ indices: [Int]) {
    let places = Dictionary(uniqueKeysWithValues: zip(indices, indices.indices))
    func place(_ index: Int32) -> Int32 { places[Int(index)].map { Int32($0) } ?? -1 }
    layers = indices.map { index in
      var layer = layers[index]
      layer.source = place(layer.source)
      layer.added = place(layer.added)
      return layer
    }
    for index in outputs.indices { outputs[index].layer = max(0, place(outputs[index].layer)) }
  }
}
