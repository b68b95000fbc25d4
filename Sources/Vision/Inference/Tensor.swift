public import FaceCore

/// The layout of a planar tensor's values: channel by channel, each channel row by row.
public struct TensorShape: Equatable, Sendable {
  public let channels: Int
  public let height: Int
  public let width: Int
  /// Values from the start of a channel to the start of the next one.
  public let channelStride: Int

  public init(channels: Int, height: Int, width: Int, channelStride: Int? = nil) {
    self.channels = channels
    self.height = height
    self.width = width
    self.channelStride = channelStride ?? TensorShape.alignedStride(height * width)
  }

  public var valueCount: Int { channelStride * channels }

  /// Rounds up so that channels start at multiples of 16 bytes, as in ncnn.
  private static func alignedStride(_ count: Int) -> Int { (count + 3) & ~3 }
}

/// A network's input: 32-bit floats, [channels][height][width]. New values are not initialised.
public struct Tensor: ~Copyable {
  public let shape: TensorShape
  public let values: UnsafeMutableBufferPointer<Float>
  private let memory: HeapMemory

  /// Throws `resourceExhausted` when there is no memory for it.
  public init(channels: Int, height: Int, width: Int) throws(Status) {
    shape = TensorShape(channels: channels, height: height, width: width)
    memory = try HeapMemory(byteCount: shape.valueCount * MemoryLayout<Float>.stride)
    values = memory.bytes.bindMemory(to: Float.self)
  }

  public func channel(_ index: Int) -> UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(
      rebasing: values[index * shape.channelStride..<index * shape.channelStride + shape.height * shape.width]
    )
  }
}

/// A network's output, borrowed: valid only inside the call that passes it.
public struct TensorView {
  public let shape: TensorShape
  public let values: UnsafeBufferPointer<Float>

  /// `values` must hold `shape.valueCount` values; the gap after the last channel is never read.
  public init(shape: TensorShape, values: UnsafeBufferPointer<Float>) {
    let cells = shape.height * shape.width
    precondition(
      shape.channelStride >= cells && values.count >= (shape.channels - 1) * shape.channelStride + cells)
    self.shape = shape
    self.values = values
  }
}
