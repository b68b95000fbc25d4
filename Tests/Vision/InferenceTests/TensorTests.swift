import Inference
import Testing

@Suite struct TensorTests {
  /// ncnn starts every channel at a multiple of 16 bytes.
  @Test(arguments: [(1, 1, 4), (2, 2, 4), (1, 5, 8), (3, 3, 12), (7, 9, 64), (32, 32, 1024)])
  func channelsStartAtMultiplesOfFourValues(height: Int, width: Int, stride: Int) {
    let shape = TensorShape(channels: 3, height: height, width: width)
    #expect(shape.channelStride == stride)
    #expect(shape.valueCount == 3 * stride)
    #expect(TensorShape(channels: 3, height: height, width: width, channelStride: 99).valueCount == 297)
  }

  @Test func channelsDoNotOverlap() throws {
    let tensor = try Tensor(channels: 3, height: 3, width: 5)
    tensor.values.update(repeating: 0)
    for index in 0..<3 { tensor.channel(index).update(repeating: Float(index + 1)) }
    for index in 0..<3 {
      let stored = tensor.values[index * 16..<index * 16 + 16]
      #expect(stored.dropLast().allSatisfy { $0 == Float(index + 1) })
      #expect(stored.last == 0, "one value of gap")
    }
    #expect(tensor.channel(1).baseAddress.map { UInt(bitPattern: $0) % 16 } == 0)
  }
}
