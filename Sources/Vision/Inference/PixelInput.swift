public import FaceCore

/// The rows of an image, made when a network reads them.
public protocol PixelRows: AnyObject {
  /// The memory from which the rows are made, from the first to the last, and about as much for each. A
  /// network fetches it into the cache before it is needed. May be empty.
  var source: UnsafeRawBufferPointer { get }

  /// Writes a row of the image, in the form of `PixelInput.pixels`. Called for each row once, from the first
  /// on.
  func write(row: Int, into target: UnsafeMutablePointer<UInt8>) throws(Status)
}

/// A network's input as pixels: an image in the top-left corner, zeros to the right of and below it.
/// Borrowed.
public struct PixelInput {
  /// Four bytes a pixel: blue, green, red and one that is ignored; rows `stride` bytes apart.
  public let pixels: UnsafeBufferPointer<UInt8>
  public let stride: Int
  /// The rows, used instead of `pixels`, which is then empty: for networks that read rows.
  public let rows: (any PixelRows)?
  public let width: Int
  public let height: Int
  /// The size of the whole input.
  public let inputWidth: Int
  public let inputHeight: Int
  /// Whether red is the network's first channel; else blue.
  public let isRedFirst: Bool
  /// The normalisation by channel of the network, whose input is (value − mean) × scale.
  public let mean: SIMD3<Float>
  public let scale: SIMD3<Float>

  /// Ends a run between rows if the runtime supports it; else only before it.
  public var cancellation: CancellationToken?

  public static let bytesPerPixel = 4
  static let maxSide = 16_384
}

extension PixelInput {
  /// Throws `invalidArgument` for an image that is empty, larger than the input, or not entirely in `pixels`.
  public init(
    pixels: UnsafeBufferPointer<UInt8>, stride: Int, width: Int, height: Int, inputWidth: Int,
    inputHeight: Int, isRedFirst: Bool, mean: SIMD3<Float>, scale: SIMD3<Float>
  ) throws(Status) {
    guard PixelInput.fits(width, height, in: inputWidth, inputHeight),
      case let row = width * PixelInput.bytesPerPixel, stride >= row, pixels.count >= row,
      height == 1 || (pixels.count - row) / (height - 1) >= stride
    else {
      throw Status(
        .invalidArgument,
        "an image of \(width)×\(height) pixels with rows \(stride) bytes apart in \(pixels.count) bytes is not an "
          + "input of \(inputWidth)×\(inputHeight) for a network")
    }
    self.init(
      pixels: pixels, stride: stride, rows: nil, width: width, height: height, inputWidth: inputWidth,
      inputHeight: inputHeight, isRedFirst: isRedFirst, mean: mean, scale: scale)
  }

  /// Throws `invalidArgument` for an image that is empty or larger than the input.
  public init(
    rows: any PixelRows, width: Int, height: Int, inputWidth: Int, inputHeight: Int, isRedFirst: Bool,
    mean: SIMD3<Float>, scale: SIMD3<Float>
  ) throws(Status) {
    guard PixelInput.fits(width, height, in: inputWidth, inputHeight) else {
      throw Status(
        .invalidArgument,
        "rows of \(width)×\(height) pixels do not fit into a network's input of \(inputWidth)×\(inputHeight) pixels"
      )
    }
    self.init(
      pixels: UnsafeBufferPointer(start: nil, count: 0), stride: 0, rows: rows, width: width, height: height,
      inputWidth: inputWidth, inputHeight: inputHeight, isRedFirst: isRedFirst, mean: mean, scale: scale)
  }

  private static func fits(_ width: Int, _ height: Int, in inputWidth: Int, _ inputHeight: Int) -> Bool {
    (1...maxSide).contains(inputWidth) && (1...maxSide).contains(inputHeight)
      && (1...inputWidth).contains(width) && (1...inputHeight).contains(height)
  }
}

extension Tensor {
  /// The pixels as three planes of floats, padded with zeros at the right and bottom.
  /// Throws `invalidArgument` for rows, which only some networks read.
  public init(_ input: PixelInput) throws(Status) {
    guard input.rows == nil else {
      throw Status(.invalidArgument, "this network cannot read rows scaled while it runs; pass whole pixels")
    }
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
