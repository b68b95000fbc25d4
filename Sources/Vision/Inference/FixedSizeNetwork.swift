public import FaceCore

/// A network that takes images of one size: smaller ones are padded at the right and bottom with zeros.
public final class FixedSizeNetwork: Network {
  private let network: any Network
  private let size: PixelSize

  public init(_ network: any Network, size: PixelSize) {
    (self.network, self.size) = (network, size)
  }

  public var runtime: String { network.runtime }

  /// Throws `resourceExhausted` for an image that is larger.
  public func run<Result>(
    _ input: borrowing Tensor, inputBlob: String, outputs: [String],
    _ body: ([TensorView]) throws(Status) -> Result
  ) throws(Status) -> Result {
    let shape = input.shape
    guard shape.width <= size.width, shape.height <= size.height else {
      throw Status(
        .resourceExhausted,
        "the network's input would be \(shape.width)×\(shape.height) pixels, and this network allows at most "
          + "\(size.width)×\(size.height); set a lower max_side")
    }
    if shape.width == size.width, shape.height == size.height {
      return try network.run(input, inputBlob: inputBlob, outputs: outputs, body)
    }
    let padded = try Tensor(channels: shape.channels, height: size.height, width: size.width)
    padded.values.update(repeating: 0)
    for channel in 0..<shape.channels {
      let (source, target) = (input.channel(channel), padded.channel(channel))
      for row in 0..<shape.height {
        let pixels = source[row * shape.width..<(row + 1) * shape.width]
        _ = UnsafeMutableBufferPointer(rebasing: target[(row * size.width)...]).update(fromContentsOf: pixels)
      }
    }
    return try network.run(padded, inputBlob: inputBlob, outputs: outputs, body)
  }
}
