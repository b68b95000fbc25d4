/// Builds an ncnn graph layer by layer, as text and weights.
///
/// The size of every blob is known for one size of the image; the caller ensures that a layer's inputs fit
/// it.
/// Source: ncnn wiki, "param and model file structure" and "operators".
struct NcnnGraphWriter {
  struct Shape: Equatable {
    var channels: Int
    var height: Int
    var width: Int
  }

  struct Blob {
    let name: String
    let shape: Shape
    /// The index of the layer that produces it.
    let layer: Int
  }

  struct Layer {
    var type: String
    let name: String
    var inputs: [Int]
    var outputs: [Int]
    /// The parameters by ncnn's numbers; lists at -23300 and below, with their length first.
    var parameters: [Int: String]
    /// The weights, written after a tag for 32-bit floats; `nil` if the layer has none.
    var weights: [Float]?
    /// Further weights without a tag: biases and slopes.
    var numbers: [Float]
  }

  private(set) var blobs: [Blob] = []
  var layers: [Layer] = []
  private var names: Set<String> = []

  /// - Returns: the index of the first output, followed by the others.
  mutating func append(
    _ type: String, _ name: String, inputs: [Int], shapes: [Shape], parameters: [Int: String] = [:],
    weights: [Float]? = nil, numbers: [Float] = []
  ) -> Int {
    let first = blobs.count
    for shape in shapes {
      blobs.append(Blob(name: unusedName(name), shape: shape, layer: layers.count))
    }
    layers.append(
      Layer(
        type: type, name: blobs[first].name, inputs: inputs, outputs: Array(first..<blobs.count),
        parameters: parameters, weights: weights, numbers: numbers))
    return first
  }

  /// Returns an unused name without field separators, no longer than ncnn allows.
  private mutating func unusedName(_ wanted: String) -> String {
    let plain = wanted.utf8.prefix(100).map { (byte: UInt8) -> UInt8 in
      byte > 32 && byte < 127 && byte != UInt8(ascii: "=") && byte != UInt8(ascii: "~")
        ? byte : UInt8(ascii: "_")
    }
    let base = plain.isEmpty ? "blob" : String(decoding: plain, as: UTF8.self)
    var name = base
    var number = 1
    while !names.insert(name).inserted {
      name = "\(base)_\(number)"
      number += 1
    }
    return name
  }

  /// Returns the graph as a `.param` and a `.bin` file, with the layers that the blobs `ends` need, and
  /// `ends` as the blobs that no layer reads, in their order.
  func files(ends: [Int]) -> (graph: [UInt8], weights: [UInt8]) {
    let order = order(ends: ends)
    var waiting = takers(order, ends: ends)
    var lines: [String] = []
    var weights: [UInt8] = []
    var blobCount = 0
    for index in order {
      let layer = layers[index]
      let inputs = layer.inputs.map { waiting[$0]?.popLast() ?? blobs[$0].name }
      let outputs = layer.outputs.map { blobs[$0].name }
      lines.append(line(layer.type, layer.name, inputs, outputs, layer.parameters))
      blobCount += outputs.count
      for blob in layer.outputs {
        guard let copies = waiting[blob] else { continue }
        lines.append(line("Split", "split_\(blobs[blob].name)", [blobs[blob].name], copies.reversed(), [:]))
        blobCount += copies.count
      }
      if let tagged = layer.weights {
        append([0], to: &weights)
        append(tagged, to: &weights)
      }
      append(layer.numbers, to: &weights)
    }
    let text = (["7767517", "\(lines.count) \(blobCount)"] + lines + [""]).joined(separator: "\n")
    return (Array(text.utf8), weights)
  }

  /// Returns the needed layers, those that produce the ends last.
  private func order(ends: [Int]) -> [Int] {
    var needed = Set(ends.map { blobs[$0].layer })
    for index in layers.indices.reversed() where needed.contains(index) {
      needed.formUnion(layers[index].inputs.map { blobs[$0].layer })
    }
    let taken = Set(layers.indices.filter(needed.contains).flatMap { layers[$0].inputs })
    var last: [Int] = []
    for end in ends
    where !last.contains(blobs[end].layer) && taken.isDisjoint(with: layers[blobs[end].layer].outputs) {
      last.append(blobs[end].layer)
    }
    return layers.indices.filter { needed.contains($0) && !last.contains($0) } + last
  }

  /// Returns the names of blobs that are read more than once, or read and an end: one for each reader, the
  /// first one last.
  private func takers(_ order: [Int], ends: [Int]) -> [Int: [String]] {
    var counts: [Int: Int] = [:]
    for index in order { for blob in layers[index].inputs { counts[blob, default: 0] += 1 } }
    for blob in ends where counts[blob] != nil { counts[blob, default: 0] += 1 }
    return counts.filter { $0.value > 1 }.reduce(into: [:]) { names, entry in
      names[entry.key] = (0..<entry.value).map { "\(blobs[entry.key].name)~\($0)" }.reversed()
    }
  }

  private func line(
    _ type: String, _ name: String, _ inputs: [String], _ outputs: [String], _ parameters: [Int: String]
  ) -> String {
    let parameters = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let fields = [type, name, "\(inputs.count)", "\(outputs.count)"] + inputs + outputs + parameters
    return fields.joined(separator: " ")
  }

  private func append(_ values: [Float], to bytes: inout [UInt8]) {
    values.map(\.bitPattern.littleEndian).withUnsafeBytes { bytes += $0 }
  }
}
