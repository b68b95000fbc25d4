package import FaceCore
package import Imaging
package import Inference

extension PixelInput {
  /// The pixels as they lie, valid as long as `input` lives.
  package init(_ input: borrowing NetworkInput, as specification: InputSpecification) throws(Status) {
    try self.init(input.bitmap, in: input.letterbox.input, as: specification)
  }

  /// A bitmap that is the whole input, valid as long as it lives.
  package init(_ bitmap: borrowing Bitmap, as specification: InputSpecification) throws(Status) {
    try self.init(bitmap, in: bitmap.size, as: specification)
  }

  private init(
    _ bitmap: borrowing Bitmap, in size: PixelSize, as specification: InputSpecification
  ) throws(Status) {
    let mean = specification.mean
    let scale = specification.scale
    try self.init(
      pixels: UnsafeBufferPointer(bitmap.pixels), stride: bitmap.stride,
      width: bitmap.size.width, height: bitmap.size.height,
      inputWidth: size.width, inputHeight: size.height, isRedFirst: specification.colour == .rgb,
      mean: SIMD3(mean[0], mean[1], mean[2]), scale: SIMD3(scale[0], scale[1], scale[2]))
  }
}

extension Tensor {
  /// The pixels as three planes of floats, padded with zeros at the right and bottom.
  package init(_ input: borrowing NetworkInput, as specification: InputSpecification) throws(Status) {
    try self.init(PixelInput(input, as: specification))
  }
}
