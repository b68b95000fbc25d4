import Detection
import FaceCore
import Imaging
import Inference
import TestSupport
import Testing

@Suite struct InputSpecificationTests {
  private static let picture = Picture.noise(37, 21, seed: 50)

  /// Every value of the tensor, by channel, row and column.
  private func values(_ specification: InputSpecification) throws -> (TensorShape, [[[Float]]]) {
    try Self.picture.withView(.rgb) { view throws(Status) in
      let input = try NetworkInput(ImageInput(.pixels(view)), maxSide: 0, multiple: 32)
      let tensor = try Tensor(input, as: specification)
      let shape = tensor.shape
      let values = (0..<shape.channels).map { channel in
        let plane = tensor.channel(channel)
        return (0..<shape.height).map { row in Array(plane[row * shape.width..<(row + 1) * shape.width]) }
      }
      return (shape, values)
    }
  }

  @Test(arguments: [InputSpecification.ColourOrder.bgr, .rgb])
  func valuesAreTheNormalisedColoursAndZerosBeside(colour: InputSpecification.ColourOrder) throws {
    let mean: [Float] = [10, 20, 127.5]
    let scale: [Float] = [1, 0.5, 1 / 128]
    let specification = InputSpecification(blob: "in", colour: colour, mean: mean, scale: scale)
    let (shape, values) = try values(specification)
    #expect(shape == TensorShape(channels: 3, height: 32, width: 64))
    for y in 0..<32 {
      for x in 0..<64 {
        for channel in 0..<3 {
          let inside = x < 37 && y < 21
          let expected = inside ? (part(x, y, channel, colour) - mean[channel]) * scale[channel] : 0
          #expect(values[channel][y][x] == expected)
        }
      }
    }
  }

  private func part(
    _ x: Int, _ y: Int, _ channel: Int, _ colour: InputSpecification.ColourOrder
  ) -> Float {
    let pixel = Self.picture[x, y]
    let parts = [pixel.red, pixel.green, pixel.blue]
    return Float(colour == .rgb ? parts[channel] : parts[2 - channel])
  }
}
