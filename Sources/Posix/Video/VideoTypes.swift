package import FaceCore

/// What a video device is. VIDIOC_QUERYCAP
package struct VideoCapability: Equatable, Sendable {
  package var name: String
  /// It hands out pictures in one piece, by memory-mapped buffers.
  package var isCamera: Bool

  package init(name: String, isCamera: Bool) {
    self.name = name
    self.isCamera = isCamera
  }
}

/// Sizes of picture that a device can do; a single one where both ends of the ranges are the same.
package struct VideoSizes: Equatable, Sendable {
  package var widths: ClosedRange<Int>
  package var heights: ClosedRange<Int>
  package var widthStep: Int
  package var heightStep: Int

  package init(widths: ClosedRange<Int>, heights: ClosedRange<Int>, widthStep: Int, heightStep: Int) {
    self.widths = widths
    self.heights = heights
    self.widthStep = widthStep
    self.heightStep = heightStep
  }

  package init(_ size: PixelSize) {
    self.init(
      widths: size.width...size.width, heights: size.height...size.height, widthStep: 1, heightStep: 1)
  }

  /// The size that can be had nearest to `size`, no larger where there is one.
  package func nearest(to size: PixelSize) -> PixelSize {
    PixelSize(
      width: VideoSizes.nearest(size.width, widths, widthStep),
      height: VideoSizes.nearest(size.height, heights, heightStep))
  }

  private static func nearest(_ side: Int, _ range: ClosedRange<Int>, _ step: Int) -> Int {
    let bounded = min(max(side, range.lowerBound), range.upperBound)
    return bounded - (bounded - range.lowerBound) % max(1, step)
  }
}

/// What a device granted. VIDIOC_S_FMT
package struct VideoFormat: Equatable, Sendable {
  package var code: FourCC
  package var size: PixelSize
  /// Bytes from row to row; of no meaning for compressed formats.
  package var stride: Int
  package var colour: YUVColour

  package init(code: FourCC, size: PixelSize, stride: Int, colour: YUVColour) {
    self.code = code
    self.size = size
    self.stride = stride
    self.colour = colour
  }
}

/// A buffer that the driver has filled. VIDIOC_DQBUF
package struct VideoBuffer: Equatable, Sendable {
  package var index: Int
  package var bytesUsed: Int
  /// Nanoseconds of the monotonic clock; `nil` where the driver has another one.
  package var timestamp: Int64?
  /// The driver says that the data may be wrong.
  package var isBroken: Bool

  package init(index: Int, bytesUsed: Int, timestamp: Int64?, isBroken: Bool = false) {
    self.index = index
    self.bytesUsed = bytesUsed
    self.timestamp = timestamp
    self.isBroken = isBroken
  }
}

/// The four letters by which Video4Linux knows a format.
package struct FourCC: Equatable, Hashable, Sendable, CustomStringConvertible {
  package let value: UInt32

  package init(value: UInt32) {
    self.value = value
  }

  /// The first letter is the lowest byte. v4l2_fourcc
  package init(_ letters: StaticString) {
    value = letters.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
  }

  package var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return String(decoding: bytes.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
  }
}
