import FaceCore
import Imaging
import Inference

/// How a network wants its pixels: red, green, blue, each as (value − mean) × scale of 0…255.
public struct PixelScale: Equatable, Sendable {
  public var mean: [Float]
  public var scale: [Float]

  /// - Parameters: three values each.
  public init(mean: [Float], scale: [Float]) {
    self.mean = mean
    self.scale = scale
  }
}

extension Tensor {
  /// The pixels as three planes of floats: red, green, blue.
  init(_ bitmap: borrowing Bitmap, _ pixels: PixelScale) throws(Status) {
    let size = bitmap.size
    try self.init(channels: 3, height: size.height, width: size.width)
    guard let source = bitmap.pixels.baseAddress else { return }
    for index in 0..<3 {
      let plane = channel(index)
      let (mean, scale) = (pixels.mean[index], pixels.scale[index])
      let colour = 2 - index  // a bitmap has blue first
      for pixel in 0..<plane.count {
        plane[pixel] = (Float(source[pixel * Bitmap.bytesPerPixel + colour]) - mean) * scale
      }
    }
  }
}

extension TensorView {
  /// The values of a map that has one value a channel; `nil` for another.
  var channelValues: [Float]? {
    // ncnn gives a list either as channels of one value or as one row.
    if shape.width * shape.height == 1 {
      guard values.count >= shape.valueCount - shape.channelStride + 1 else { return nil }
      return (0..<shape.channels).map { values[$0 * shape.channelStride] }
    }
    guard shape.channels == 1, values.count >= shape.width * shape.height else { return nil }
    return Array(values[..<(shape.width * shape.height)])
  }
}
