/// A line of an ncnn graph: what a layer does, between which blobs, with which parameters.
package struct NcnnLayer: Equatable, Sendable {
  /// As in "Convolution".
  package var type: String
  package var name: String
  package var inputs: [String]
  package var outputs: [String]
  /// By ncnn's numbers for them, as they are written; lists are at -23300 and below, their length first.
  package var parameters: [Int: String]

  /// `nil` for a line that is not complete.
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

  /// A number, or `fallback` where there is none.
  package func number(_ key: Int, or fallback: Double) -> Double {
    parameters[key].flatMap { Double($0) } ?? fallback
  }

  /// The whole number under `key`; `nil` when there is something else.
  func integer(_ key: Int, default value: Int) -> Int? {
    guard let text = parameters[key] else { return value }
    return Int(text)
  }
}
