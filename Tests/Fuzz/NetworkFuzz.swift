import Detection
import FaceCore
import Imaging
import Inference

/// A bare network, whose graph describes itself, is refused with a status, or finds faces in a picture; one of
/// matrices in the same way, or runs.
///
/// The input: the graph (a `.param` file) to the first zero byte, and behind that the weights (a `.bin`
/// file). Zeros make up for those that are missing, so that a graph without weights runs.
enum NetworkFuzz {
  /// Larger networks are only slow.
  private static let mostWeights = 1 << 18
  private static let side = 32

  static func run(_ input: Span<UInt8>) {
    let bytes = input.withUnsafeBufferPointer { Array($0) }
    let graph = Array(bytes.prefix { $0 != 0 })
    runMatrices(graph, Array(bytes.dropFirst(graph.count + 1)))
    do throws(Status) {
      let detector = try InferredDetector(graph: graph)
      let needed = weightBytes(try NcnnGraph.layers(graph))
      guard needed <= mostWeights else { return }
      var weights = Array(bytes.dropFirst(graph.count + 1))
      weights += Array(repeating: 0, count: max(0, needed - weights.count))
      let network = try NetworkLoader.load(
        graph: graph, weights: weights, inputBlob: detector.input.blob, outputs: detector.family.outputs)
      let pipeline = DetectionPipeline(network: network, family: detector.family, input: detector.input)
      var options = DetectionOptions()
      options.maxSide = side
      let size = PixelSize(width: side, height: side)
      let pixels = (0..<side * side * 3).map { UInt8(truncatingIfNeeded: $0 &* 37) }
      let result = try pixels.withUnsafeBytesThrowing { (pixels) throws(Status) in
        let view = try ImageView(format: .bgr, width: side, height: side, stride: 0, bytes: pixels)
        return try pipeline.findFaces(in: UprightImage(ImageInput(.pixels(view))), options)
      }
      precondition(result.imageSize == size)
      precondition(result.faces.allSatisfy { [$0.box.x, $0.box.y, $0.box.width].allSatisfy(\.isFinite) })
    } catch {
      precondition(error.code != .ok && !error.message.isEmpty)
    }
  }

  private static func runMatrices(_ graph: [UInt8], _ weights: [UInt8]) {
    do throws(Status) {
      let layers = try NcnnGraph.layers(graph)
      let needed = weightBytes(layers)
      guard needed <= mostWeights, let output = layers.last?.outputs.first,
        let input = layers.first(where: { $0.type == "Input" })?.outputs.first
      else { return }
      // What is too long would be refused.
      let padded = weights.prefix(needed) + Array(repeating: 0, count: max(0, needed - weights.count))
      let network = try MixerNetwork(
        graph: graph, weights: Array(padded), inputBlob: input, outputs: [output])
      let shape = network.inputShape
      let tensor = try Tensor(channels: shape.channels, height: 1, width: shape.width)
      for index in tensor.values.indices { tensor.values[index] = Float(index % 7) - 3 }
      try network.run(tensor, inputBlob: input, outputs: [output]) { (maps) throws(Status) in
        precondition(maps[0].values.count == maps[0].shape.valueCount)
      }
    } catch {
      precondition(error.code != .ok && !error.message.isEmpty)
    }
  }

  /// The weights of layers that have some: a tag, the numbers and their biases, four bytes each. Source: ncnn
  /// wiki, "operators".
  private static func weightBytes(_ layers: [NcnnLayer]) -> Int {
    layers.reduce(0) { sum, layer in
      if let count = plainCount(layer) {
        return (0...Double(mostWeights)).contains(count)
          ? min(mostWeights + 1, sum + 4 * Int(count)) : mostWeights + 1
      }
      guard ["Convolution", "ConvolutionDepthWise", "InnerProduct"].contains(layer.type) else { return sum }
      let (count, hasBiases) = layer.type == "InnerProduct" ? (2, 1) : (6, 5)
      let numbers = layer.number(count, or: 0)
      let biases = layer.number(hasBiases, or: 0) == 0 ? 0 : layer.number(0, or: 0)
      guard (0...Double(mostWeights)).contains(numbers), (0...Double(mostWeights)).contains(biases) else {
        return mostWeights + 1
      }
      return min(mostWeights + 1, sum + 4 * (1 + Int(numbers) + Int(biases)))
    }
  }
}

/// The numbers of a layer that has no tag and no biases; `nil` for other layers.
private func plainCount(_ layer: NcnnLayer) -> Double? {
  switch layer.type {
  case "MemoryData": [0, 1, 2].reduce(1) { $0 * max(1, layer.number($1, or: 0)) }
  case "LayerNorm": layer.number(2, or: 1) == 0 ? 0 : 2 * layer.number(0, or: 0)
  default: nil
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` has no typed errors.
  fileprivate func withUnsafeBytesThrowing<Value>(
    _ body: (UnsafeRawBufferPointer) throws(Status) -> Value
  ) throws(Status) -> Value {
    try withUnsafeBytes { bytes in
      Result { () throws(Status) in try body(bytes) }
    }.get()
  }
}
