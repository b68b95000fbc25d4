package import FaceCore
package import Imaging
package import Inference

extension Tensor {
  /// The pixels as three planes of floats, padded with zeros at the right and bottom.
  package init(_ input: borrowing NetworkInput, as specification: InputSpecification) throws(Status) {
    let size = input.letterbox.input
    try self.init(channels: 3, height: size.height, width: size.width)
    for index in 0..<3 {
      let colour = specification.colour == .bgr ? index : 2 - index
      Tensor.fill(
        channel(index), width: size.width, from: input.bitmap, colour: colour,
        mean: specification.mean[index],
        scale: specification.scale[index])
    }
  }

  private static func fill(
    _ plane: UnsafeMutableBufferPointer<Float>, width: Int, from bitmap: borrowing Bitmap, colour: Int,
    mean: Float, scale: Float
  ) {
    let content = bitmap.size
    guard let target = plane.baseAddress, let source = bitmap.pixels.baseAddress else { return }
    for row in 0..<content.height {
      let line = target + row * width
      let pixels = source + row * bitmap.stride + colour
      for column in 0..<content.width {
        line[column] = (Float(pixels[column * Bitmap.bytesPerPixel]) - mean) * scale
      }
      (line + content.width).update(repeating: 0, count: width - content.width)
    }
    (target + content.height * width).update(repeating: 0, count: plane.count - content.height * width)
  }
}
