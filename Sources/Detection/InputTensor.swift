package import FaceCore
package import Imaging
package import Inference

extension PixelInput {
  /// The pixels as they lie, in the corner of an input of `size`. Borrowed.
  package init(
    _ pixels: BorrowedPixels, in size: PixelSize, as specification: InputSpecification
  ) throws(Status) {
    let mean = specification.mean
    let scale = specification.scale
    try self.init(
      pixels: pixels.bytes.bindMemory(to: UInt8.self), stride: pixels.stride,
      width: pixels.size.width, height: pixels.size.height,
      inputWidth: size.width, inputHeight: size.height, isRedFirst: specification.colour == .rgb,
      mean: SIMD3(mean[0], mean[1], mean[2]), scale: SIMD3(scale[0], scale[1], scale[2]))
  }
}

extension Tensor {
  /// The pixels as three planes of floats, padded with zeros at the right and bottom.
  package init(_ input: borrowing NetworkInput, as specification: InputSpecification) throws(Status) {
    try self.init(PixelInput(input.bitmap.borrowed, in: input.letterbox.input, as: specification))
  }
}
