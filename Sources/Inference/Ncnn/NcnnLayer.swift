package import FaceCore

/// One line of a graph: a layer and what it connects.
package struct NcnnLayer: Equatable, Sendable {
  /// As in "Convolution".
  package var type: String
  package var inputs: [String]
  package var outputs: [String]
  /// By ncnn's numbers for them, as they are written; lists are at -23300 and below, their length first.
  package var parameters: [Int: String]

  /// A number, or `fallback` where there is none.
  package func number(_ key: Int, or fallback: Double) -> Double {
    parameters[key].flatMap { Double($0) } ?? fallback
  }
}

extension NcnnGraph {
  /// The layers of a graph in their order, in which every one stands below those it takes from. Throws as `check`.
  package static func layers(_ text: [UInt8]) throws(Status) -> [NcnnLayer] {
    try check(text)
    return text.split(separator: UInt8(ascii: "\n")).map { fields($0) }.filter { !$0.isEmpty }.dropFirst(2)
      .map(NcnnLayer.init)
  }
}

extension NcnnLayer {
  /// - Parameter words: of a line that was checked.
  fileprivate init(_ words: [String]) {
    let inputCount = Int(words[2]) ?? 0
    let outputCount = Int(words[3]) ?? 0
    type = words[0]
    inputs = Array(words[4..<4 + inputCount])
    outputs = Array(words[4 + inputCount..<4 + inputCount + outputCount])
    parameters = [:]
    for word in words[(4 + inputCount + outputCount)...] {
      guard let equals = word.firstIndex(of: "="), let key = Int(word[..<equals]) else { continue }
      parameters[key] = String(word[word.index(after: equals)...])
    }
  }
}
