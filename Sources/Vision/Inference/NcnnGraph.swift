package import FaceCore

/// The text form of an ncnn graph (`.param`): a magic number, two counts, then one line per layer.
/// Source: ncnn wiki, "param and model file structure".
package enum NcnnGraph {
  private static let magic = "7767517"
  /// The largest count: far above any face network, far below the damaged counts for which ncnn would
  /// allocate too much.
  private static let maxCount = 65_536

  /// Checks a graph. Throws `failedPrecondition`, with the fault, for a text that is not a whole graph.
  /// - Returns: the blobs that are inputs of the network.
  @discardableResult
  package static func check(_ text: [UInt8]) throws(Status) -> Set<String> {
    let layers = try layers(text)
    return Set(layers.filter { $0.type == "Input" }.flatMap(\.outputs))
  }

  /// Returns the layers of a whole graph in their order, in which each comes after those it reads. Throws as
  /// `check`.
  package static func layers(_ text: [UInt8]) throws(Status) -> [NcnnLayer] {
    let lines = text.split(separator: UInt8(ascii: "\n")).map { fields($0) }.filter { !$0.isEmpty }
    guard lines.first == [magic] else {
      throw Status(
        .failedPrecondition,
        "the .param file does not start with \(magic), so it is not an ncnn graph as text; convert it to text"
      )
    }
    guard lines.count > 1, lines[1].count == 2, let layers = Int(lines[1][0]), let blobs = Int(lines[1][1]),
      (1...maxCount).contains(layers), (1...maxCount).contains(blobs)
    else {
      throw Status(.failedPrecondition, "the .param file's second line is not two counts; fetch it again")
    }
    guard lines.count - 2 == layers else {
      throw Status(
        .failedPrecondition,
        "the .param file says \(layers) layers and has \(lines.count - 2); it was cut short or changed, fetch it again"
      )
    }
    return try checkedLayers(lines.dropFirst(2), blobs: blobs)
  }

  /// Checks that every blob is produced by one layer, before those that read it, and is counted: ncnn makes a
  /// new blob for every unknown name, and older versions do not check whether there is room.
  private static func checkedLayers(_ lines: ArraySlice<[String]>, blobs: Int) throws(Status) -> [NcnnLayer] {
    var known: Set<String> = []
    var layers: [NcnnLayer] = []
    for (index, line) in lines.enumerated() {
      guard let layer = NcnnLayer(fields: line, maxBlobs: blobs), line.allSatisfy({ $0.utf8.count < 256 })
      else {
        throw Status(
          .failedPrecondition, "layer \(index + 1) of the .param file is not complete; fetch it again")
      }
      for name in layer.inputs where !known.contains(name) {
        throw Status(
          .failedPrecondition,
          "layer \(index + 1) of the .param file reads \"\(name)\", which no layer above writes; fetch it again"
        )
      }
      for name in layer.outputs where !known.insert(name).inserted {
        throw Status(
          .failedPrecondition,
          "layer \(index + 1) of the .param file writes \"\(name)\", as a layer above does; fetch it again")
      }
      layers.append(layer)
    }
    guard known.count == blobs else {
      throw Status(
        .failedPrecondition,
        "the .param file says \(blobs) blobs and has \(known.count); it was changed, fetch it again")
    }
    return layers
  }

  static func fields(_ line: ArraySlice<UInt8>) -> [String] {
    line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A line of an ncnn graph: the type of a layer, its blobs, and its parameters.
package struct NcnnLayer: Equatable, Sendable {
  package var type: String
  package var name: String
  package var inputs: [String]
  package var outputs: [String]
  /// The parameters as written, by ncnn's numbers; lists are at -23300 and below, with their length first.
  package var parameters: [Int: String]

  /// `nil` for an incomplete line.
  init?(fields: [String], maxBlobs: Int) {
    guard fields.count >= 4, let inputCount = Int(fields[2]), let outputCount = Int(fields[3]),
      (0...maxBlobs).contains(inputCount), (0...maxBlobs).contains(outputCount),
      fields.count >= 4 + inputCount + outputCount
    else { return nil }
    type = fields[0]
    name = fields[1]
    inputs = Array(fields[4..<4 + inputCount])
    outputs = Array(fields[4 + inputCount..<4 + inputCount + outputCount])
    parameters = [:]
    for field in fields[(4 + inputCount + outputCount)...] {
      guard let equals = field.firstIndex(of: "="), let key = Int(field[..<equals]) else { continue }
      parameters[key] = String(field[field.index(after: equals)...])
    }
  }

  package func number(_ key: Int, or fallback: Double) -> Double {
    parameters[key].flatMap { Double($0) } ?? fallback
  }

  /// Returns the integer under `key`; `nil` if it is something else.
  func integer(_ key: Int, default value: Int) -> Int? {
    guard let text = parameters[key] else { return value }
    return Int(text)
  }
}
