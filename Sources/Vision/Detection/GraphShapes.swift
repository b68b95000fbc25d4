import FaceCore
import Inference

/// Infers the sizes of maps through a graph and rejects one whose layers do not fit each other: ncnn does not
/// check that, and reads past the end of maps.
///
/// Sizes behind a layer of an unknown type are unknown, and are not checked.
/// Source of the parameters' numbers: ncnn wiki, "operators".
enum GraphShapes {
  private struct Shape: Equatable {
    var channels: Int
    var height: Int
    var width: Int
  }

  /// The assumed size of the image; divisible by every stride.
  private static let probe = Shape(channels: 3, height: 256, width: 256)
  /// Larger than any map, kernel or distance of a face network.
  private static let largest = 1 << 14

  /// Throws `failedPrecondition`, with the layer's place, where layers do not fit.
  static func check(_ layers: [NcnnLayer]) throws(Status) {
    var shapes: [String: Shape] = [:]
    for (index, layer) in layers.enumerated() {
      let inputs = layer.inputs.map { shapes[$0] }
      let known = inputs.compactMap { $0 }
      // An unknown input makes the output unknown.
      guard known.count == inputs.count else { continue }
      guard let outputs = outputs(of: layer, known) else {
        throw Status(
          .failedPrecondition,
          "layer \(index + 1) of the .param file, a \(layer.type), does not fit its inputs; the file is damaged, "
            + "fetch it again")
      }
      for (name, shape) in zip(layer.outputs, outputs) {
        guard let shape else { continue }
        guard [shape.channels, shape.height, shape.width].allSatisfy({ (1...largest).contains($0) }) else {
          throw Status(
            .failedPrecondition,
            "layer \(index + 1) of the .param file, a \(layer.type), gives \(shape.channels)×\(shape.height)×\(shape.width) "
              + "values, too many for a face network; the file is damaged, fetch it again")
        }
        shapes[name] = shape
      }
    }
  }

  private static let shapeless: Set<String> = [
    "Swish", "ReLU", "Sigmoid", "HardSwish", "HardSigmoid", "Clip", "PReLU", "Mish", "TanH", "Dropout",
    "Noop",
  ]

  /// Returns a shape for each output, `nil` where it is not known; `nil` altogether if the layer does not
  /// fit.
  private static func outputs(of layer: NcnnLayer, _ inputs: [Shape]) -> [Shape?]? {
    let same = inputs.first
    switch layer.type {
    case "Input": return [probe]
    case "Split": return Array(repeating: same, count: layer.outputs.count)
    case "Convolution", "ConvolutionDepthWise": return same.flatMap { convolution(layer, $0) }.map { [$0] }
    case "ShuffleChannel":
      guard let same, let groups = whole(layer, 0, or: 1), groups > 0, same.channels % groups == 0 else {
        return nil
      }
      return [same]
    case "Slice": return same.flatMap { slices(layer, $0) }
    case "Concat":
      guard layer.number(0, or: 0) == 0 else { return [nil] }
      guard let same, inputs.allSatisfy({ $0.height == same.height && $0.width == same.width }) else {
        return nil
      }
      return [Shape(channels: inputs.reduce(0) { $0 + $1.channels }, height: same.height, width: same.width)]
    case "BinaryOp", "Eltwise":
      // A map times one value per channel, or one value for all.
      if inputs.contains(where: { $0.height == 1 && $0.width == 1 }) { return [nil] }
      return inputs.allSatisfy { $0 == same } ? [same] : nil
    case "Interp":
      // Nearest, bilinear or bicubic; for any other kind ncnn leaves its output unchanged.
      guard (1...3).contains(layer.number(0, or: 0)) else { return nil }
      guard let same, layer.number(3, or: 0) == 0, layer.number(4, or: 0) == 0 else { return [nil] }
      guard let height = Int(exactly: Double(same.height) * layer.number(1, or: 1)),
        let width = Int(exactly: Double(same.width) * layer.number(2, or: 1))
      else { return nil }
      return [Shape(channels: same.channels, height: height, width: width)]
    case let type where shapeless.contains(type): return [same]
    case "Pooling": return same.flatMap { pooling(layer, $0) }
    default: return Array(repeating: nil, count: layer.outputs.count)
    }
  }

  /// Returns a parameter that is a whole number in a reasonable range, else `nil`.
  private static func whole(_ layer: NcnnLayer, _ key: Int, or fallback: Int) -> Int? {
    guard let value = Int(exactly: layer.number(key, or: Double(fallback))), abs(value) <= largest else {
      return nil
    }
    return value
  }

  private static func convolution(_ layer: NcnnLayer, _ input: Shape) -> Shape? {
    guard let outputs = whole(layer, 0, or: 0), let kernelX = whole(layer, 1, or: 0),
      let kernelY = whole(layer, 11, or: kernelX), let groups = whole(layer, 7, or: 1),
      let count = Int(exactly: layer.number(6, or: 0)), outputs > 0, kernelX > 0, kernelY > 0, groups > 0,
      input.channels % groups == 0, outputs % groups == 0
    else { return nil }
    // Each factor is at most 2¹⁴, so four of them fit.
    guard count == outputs * (input.channels / groups) * kernelX * kernelY,
      let dilation = whole(layer, 2, or: 1), let stride = whole(layer, 3, or: 1),
      let left = whole(layer, 4, or: 0),
      let dilationY = whole(layer, 12, or: dilation), let strideY = whole(layer, 13, or: stride),
      let top = whole(layer, 14, or: left), let right = whole(layer, 15, or: left),
      let bottom = whole(layer, 16, or: top), min(dilation, dilationY, stride, strideY) > 0
    else { return nil }
    func side(_ side: Int, _ before: Int, _ after: Int, kernel: Int, stride: Int) -> Int {
      // −233 and −234: the output has the input's size divided by the stride, rounded up.
      if before == -233 || before == -234 { return (side + stride - 1) / stride }
      return before < 0 || after < 0 || side + before + after < kernel
        ? 0 : (side + before + after - kernel) / stride + 1
    }
    return Shape(
      channels: outputs,
      height: side(input.height, top, bottom, kernel: dilationY * (kernelY - 1) + 1, stride: strideY),
      width: side(input.width, left, right, kernel: dilation * (kernelX - 1) + 1, stride: stride))
  }

  /// Returns the shape for plain pooling with a square kernel; sizes of other kinds are not known.
  private static func pooling(_ layer: NcnnLayer, _ input: Shape) -> [Shape?]? {
    guard layer.number(4, or: 0) == 0, layer.number(7, or: 0) == 0, layer.number(5, or: 0) <= 1 else {
      return [nil]
    }
    guard let kernel = whole(layer, 1, or: 0), let stride = whole(layer, 2, or: 1),
      let padding = whole(layer, 3, or: 0),
      kernel > 0, stride > 0, padding >= 0
    else { return nil }
    guard layer.parameters.keys.allSatisfy({ $0 < 11 }) else { return [nil] }
    func side(_ side: Int) -> Int {
      let room = side + 2 * padding - kernel
      if room < 0 { return 0 }
      return (layer.number(5, or: 0) == 0 ? (room + stride - 1) / stride : room / stride) + 1
    }
    return [Shape(channels: input.channels, height: side(input.height), width: side(input.width))]
  }

  /// Returns the shapes of parts of the channels: given by counts, or −233 for an even share of the rest.
  private static func slices(_ layer: NcnnLayer, _ input: Shape) -> [Shape?]? {
    guard let text = layer.parameters[-23300] else { return nil }
    guard layer.number(1, or: 0) == 0 else { return Array(repeating: nil, count: layer.outputs.count) }
    let counts = text.split(separator: ",").dropFirst().map { Int($0) }
    guard counts.count == layer.outputs.count else { return nil }
    var left = input.channels
    var shapes: [Shape?] = []
    for (index, count) in counts.enumerated() {
      guard let count else { return nil }
      let share = count == -233 ? left / (counts.count - index) : count
      guard share > 0, share <= left else { return nil }
      left -= share
      shapes.append(Shape(channels: share, height: input.height, width: input.width))
    }
    return left == 0 ? shapes : nil
  }
}
