public import FaceCore

/// How the frames of a source lie in memory, all the same way: planes one after the other without gaps.
public struct FrameLayout: Equatable, Sendable {
  public let format: PixelFormat
  public let size: PixelSize
  /// Bytes from row to row of the first plane; see `ImageView`.
  public let stride: Int
  public let colour: YUVColour
  /// Bytes of a frame, the gaps behind its rows included.
  public let byteCount: Int

  /// Throws `outOfRange` for sizes that the engine does not take, `invalidArgument` for a stride too small or large.
  /// - Parameter stride: 0 for rows without a gap.
  public init(
    format: PixelFormat, size: PixelSize, stride: Int = 0, colour: YUVColour = .bt601Full
  ) throws(Status) {
    try ImageLimits.check(width: size.width, height: size.height)
    let rowBytes = format.rowBytes(plane: 0, width: size.width)
    let stride = stride == 0 ? rowBytes : stride
    guard (rowBytes...ImageLimits.maxStride).contains(stride) else {
      throw Status(
        .invalidArgument,
        "stride is \(stride) bytes; give \(rowBytes), what a row of \(size.width) \(format.name) pixels has, or more, "
          + "up to \(ImageLimits.maxStride)")
    }
    self.format = format
    self.size = size
    self.stride = stride
    self.colour = colour
    // As ImageView lays planes out; every factor is bounded above.
    byteCount = (0..<format.planeCount).reduce(0) { sum, plane in
      let rowStride = plane == 0 ? stride : format == .i420 ? (stride + 1) / 2 : (stride + 1) / 2 * 2
      return sum + rowStride * format.rows(plane: plane, height: size.height)
    }
  }

  /// The frame in `bytes`, which are borrowed. Throws as `ImageView.init` where they are too few.
  public func view(_ bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    try ImageView(
      format: format, width: size.width, height: size.height, stride: stride, colour: colour, bytes: bytes)
  }
}
