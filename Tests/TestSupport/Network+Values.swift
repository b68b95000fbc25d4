public import FaceCore
public import Inference

extension TensorView {
  /// The values channel by channel, without the gaps between them.
  public var numbers: [Float] {
    (0..<shape.channels).flatMap { channel in
      values[channel * shape.channelStride..<channel * shape.channelStride + shape.height * shape.width]
    }
  }
}

extension Network {
  /// The values of these outputs.
  public func values(
    _ tensor: borrowing Tensor, input: String = "in0", _ outputs: [String]
  ) throws(Status) -> [[Float]] {
    try run(tensor, inputBlob: input, outputs: outputs) { (maps) throws(Status) in maps.map(\.numbers) }
  }

  /// The values of these outputs for an input of this shape, filled with `value`.
  @discardableResult
  public func values(
    filledWith value: Float = 0, channels: Int = 3, height: Int, width: Int, input: String = "in0",
    _ outputs: [String]
  ) throws(Status) -> [[Float]] {
    let tensor = try Tensor(channels: channels, height: height, width: width)
    tensor.values.update(repeating: value)
    return try values(tensor, input: input, outputs)
  }
}

extension SeededGenerator {
  /// A copy of a file in which one to `most` bytes from `first` on are others.
  public mutating func changed(_ file: [UInt8], most: Int = 3, from first: Int = 0) -> [UInt8] {
    var changed = file
    for _ in 0..<Int.random(in: 1...most, using: &self) {
      changed[Int.random(in: first..<file.count, using: &self)] = UInt8.random(in: 0...255, using: &self)
    }
    return changed
  }

  /// A copy of a text in which one to three characters are digits, mostly in the place of digits: it is complete and
  /// wrong.
  public mutating func changed(digitsOf text: [UInt8]) -> [UInt8] {
    var changed = text
    for _ in 0..<Int.random(in: 1...3, using: &self) {
      let place = Int.random(in: 0..<text.count, using: &self)
      if (48...57).contains(changed[place]) || Int.random(in: 0..<10, using: &self) == 0 {
        changed[place] = UInt8.random(in: 48...57, using: &self)
      }
    }
    return changed
  }
}
