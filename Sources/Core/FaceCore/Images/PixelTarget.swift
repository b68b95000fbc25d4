/// Borrowed pixels of a packed format to write to, checked to lie inside their memory.
///
/// The memory belongs to the caller and must stay valid for as long as this is used.
public struct PixelTarget {
  public let format: PixelFormat
  public let size: PixelSize
  /// Bytes from row to row; never 0.
  public let stride: Int
  public let bytes: UnsafeMutableRawBufferPointer

  /// Throws as `ImageView.init`, and `invalidArgument` for a YUV format.
  /// - Parameter stride: 0 for rows without a gap.
  public init(
    format: PixelFormat, size: PixelSize, stride: Int = 0, bytes: UnsafeMutableRawBufferPointer
  ) throws(Status) {
    guard !format.isYUV else {
      throw Status(
        .invalidArgument, "pixels in \(format.name) cannot be drawn on; use RGBA, BGRA, RGB, BGR or GRAY")
    }
    let view = try ImageView(
      format: format, width: size.width, height: size.height, stride: stride,
      bytes: UnsafeRawBufferPointer(bytes))
    self.format = format
    self.size = size
    self.stride = view.stride
    self.bytes = bytes
  }

  /// The same pixels as a view, for reading.
  public var view: ImageView {
    get throws(Status) {
      try ImageView(
        format: format, width: size.width, height: size.height, stride: stride,
        bytes: UnsafeRawBufferPointer(bytes))
    }
  }
}
