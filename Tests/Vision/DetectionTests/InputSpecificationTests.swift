import Detection
import FaceCore
import Imaging
import Inference
import Synchronization
import TestSupport
import Testing

@Suite struct InputSpecificationTests {
  private static let picture = Picture.noise(37, 21, seed: 50)

  /// A network that records its inputs.
  private final class RecordingNetwork: Network {
    let runtime = "none"
    let seen = Mutex<(shape: TensorShape, channels: [[Float]])?>(nil)

    func run<Result>(
      _ input: borrowing Tensor, inputBlob: String, outputs: [String],
      _ body: ([TensorView]) throws(Status) -> Result
    ) throws(Status) -> Result {
      #expect(inputBlob == "in")
      let channels = (0..<input.shape.channels).map { Array(input.channel($0)) }
      let shape = input.shape
      seen.withLock { $0 = (shape, channels) }
      return try body([])
    }
  }

  /// The values that the network sees, by channel, row and column.
  private func values(_ specification: InputSpecification) throws -> (TensorShape, [[[Float]]]) {
    let network = RecordingNetwork()
    let pipeline = DetectionPipeline(network: network, family: BrightSpotFamily(), input: specification)
    let options = adjusted(DetectionOptions()) { $0.maxSide = 37 }
    let (_, seen) = try Self.picture.withView(.rgb) { view throws(Status) in
      (
        try pipeline.findFaces(in: UprightImage(ImageInput(.pixels(view))), options),
        network.seen.withLock { $0 }
      )
    }
    let (shape, channels) = try #require(seen)
    return (
      shape,
      channels.map { plane in
        (0..<shape.height).map { row in Array(plane[row * shape.width..<(row + 1) * shape.width]) }
      }
    )
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
