public import FaceCore

/// A network's input as pixels: an image in the top-left corner, zeros to the right of and below it. Borrowed.
public struct PixelInput {
  /// Four bytes a pixel, blue, green, red and one that is not looked at; rows `stride` bytes apart.
  public let pixels: UnsafeBufferPointer<UInt8>
  public let stride: Int
  /// Of the image.
  public let width: Int
  public let height: Int
  /// Of the whole input.
  public let inputWidth: Int
  public let inputHeight: Int
  /// Whether red is the network's first channel; else blue.
  public let isRedFirst: Bool
  /// By channel of the network, which sees (value − mean) × scale.
  public let mean: SIMD3<Float>
  public let scale: SIMD3<Float>

  /// Ends a run between rows, where what runs the network can be asked; else before it.
  public var cancellation: CancellationToken?

  public static let bytesPerPixel = 4

  /// Throws `invalidArgument` for an image that is empty, larger than the input, or not all in `pixels`.
  public init(
    pixels: UnsafeBufferPointer<UInt8>, stride: Int, width: Int, height: Int, inputWidth: Int,
    inputHeight: Int, isRedFirst: Bool, mean: SIMD3<Float>, scale: SIMD3<Float>
  ) throws(Status) {
    guard (1...PixelInput.maxSide).contains(inputWidth), (1...PixelInput.maxSide).contains(inputHeight),
      (1...inputWidth).contains(width), (1...inputHeight).contains(height),
      case let row = width * PixelInput.bytesPerPixel, stride >= row, pixels.count >= row,
      height == 1 || (pixels.count - row) / (height - 1) >= stride
    else {
      throw Status(
        .invalidArgument,
        "an image of \(width)×\(height) pixels with rows \(stride) bytes apart in \(pixels.count) bytes is no "
          + "input of \(inputWidth)×\(inputHeight) for a network")
    }
    self.pixels = pixels
    self.stride = stride
    self.width = width
    self.height = height
    self.inputWidth = inputWidth
    self.inputHeight = inputHeight
    self.isRedFirst = isRedFirst
    self.mean = mean
    self.scale = scale
  }

  static let maxSide = 16_384
}

extension Tensor {
  /// The pixels as three planes of floats, padded with zeros at the right and bottom.
  public init(_ input: PixelInput) throws(Status) {
    try self.init(channels: 3, height: input.inputHeight, width: input.inputWidth)
    for index in 0..<3 { Tensor.fill(channel(index), from: input, channel: index) }
  }

  private static func fill(
    _ plane: UnsafeMutableBufferPointer<Float>, from input: PixelInput, channel: Int
  ) {
    guard let target = plane.baseAddress, let source = input.pixels.baseAddress else { return }
    let mean = input.mean[channel]
    let scale = input.scale[channel]
    let width = input.inputWidth
    for row in 0..<input.height {
      let line = target + row * width
      let pixels = source + row * input.stride + (input.isRedFirst ? 2 - channel : channel)
      for column in 0..<input.width {
        line[column] = (Float(pixels[column * PixelInput.bytesPerPixel]) - mean) * scale
      }
      (line + input.width).update(repeating: 0, count: width - input.width)
    }
    (target + input.height * width).update(repeating: 0, count: plane.count - input.height * width)
  }
}
