/// The arrangement of an image's pixels in memory that starts with the first byte of the first row.
///
/// It is only a description: it may come from a message or a command line and be wrong. `validate` and `view`
/// check it.
public struct PixelLayout: Equatable, Sendable {
  /// The position of a plane's rows.
  public struct Plane: Equatable, Sendable, BitwiseCopyable {
    /// Bytes from the start of the memory.
    public var offset: UInt64
    /// Bytes from row to row; 0 for rows without a gap.
    public var stride: Int

    public init(offset: UInt64, stride: Int = 0) {
      self.offset = offset
      self.stride = stride
    }
  }

  public var format: PixelFormat
  public var size: PixelSize
  /// Bytes from row to row of the first plane; 0 for rows without a gap.
  public var stride: Int
  /// Ignored unless the format is YUV.
  public var colour: YUVColour
  /// The planes after the first. If empty, they follow it without gaps, interleaved chroma with the same
  /// stride, separate chroma planes with half of it.
  public var chroma: [Plane]

  public init(
    format: PixelFormat, width: Int, height: Int, stride: Int = 0, colour: YUVColour = .bt601Full,
    chroma: [Plane] = []
  ) {
    self.format = format
    self.size = PixelSize(width: width, height: height)
    self.stride = stride
    self.colour = colour
    self.chroma = chroma
  }

  /// Throws `outOfRange` for an image too small or large, `invalidArgument` for a stride that is too small or
  /// large, or when the number of planes is not the format's.
  public func validate() throws(Status) {
    try ImageLimits.check(width: size.width, height: size.height)
    try checkPlaneCount()
    for index in 0..<format.planeCount { _ = try checkedStride(plane(index).stride, plane: index) }
  }

  /// Returns the image in `bytes`, which are borrowed. Throws as `validate`, and `invalidArgument` when a row
  /// lies outside `bytes`.
  public func view(of bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    try ImageLimits.check(width: size.width, height: size.height)
    try checkPlaneCount()
    return try ImageView(format: format, width: size.width, height: size.height, colour: colour) {
      (index) throws(Status) in
      let plane = plane(index)
      guard index == 0 || chroma.isEmpty || plane.offset <= UInt64(bytes.count) else {
        throw Status(
          .invalidArgument,
          "chroma[\(index - 1)].offset is \(plane.offset), beyond the end of the \(bytes.count) bytes; give an offset inside"
        )
      }
      // An offset beyond the end gives an empty slice, which the view rejects.
      let rest = bytes.dropFirst(Int(clamping: plane.offset))
      return ImageView.Plane(UnsafeRawBufferPointer(rebasing: rest), stride: plane.stride)
    }
  }

  private func checkPlaneCount() throws(Status) {
    guard chroma.isEmpty || chroma.count == format.planeCount - 1 else {
      throw Status(
        .invalidArgument,
        "\(format.name) has \(format.planeCount) planes, but \(chroma.count + 1) were given; give all of them"
      )
    }
  }

  // MARK: Planes

  /// Returns the position of plane `index`. Planes after the first need a size and a first stride within the
  /// limits.
  public func plane(_ index: Int) -> Plane {
    let rowStride = stride == 0 ? format.rowBytes(plane: 0, width: size.width) : stride
    if index == 0 { return Plane(offset: 0, stride: rowStride) }
    if !chroma.isEmpty { return chroma[index - 1] }
    let chromaStride = format == .i420 ? (rowStride + 1) / 2 : (rowStride + 1) / 2 * 2
    let rowsBefore = (index - 1) * format.rows(plane: 1, height: size.height)
    return Plane(offset: UInt64(rowStride * size.height + chromaStride * rowsBefore), stride: chromaStride)
  }

  /// The bytes of an image whose planes follow one another, including the gaps between its rows. The layout
  /// must be valid.
  public var byteCount: Int {
    let last = format.planeCount - 1
    let plane = plane(last)
    return Int(clamping: plane.offset) + plane.stride * format.rows(plane: last, height: size.height)
  }

  /// Returns the number of bytes from the first of a plane to the last that belongs to a pixel.
  /// - Parameter stride: a checked one, as in an `ImageView`.
  func usedBytes(plane index: Int, stride: Int) -> Int {
    stride * (format.rows(plane: index, height: size.height) - 1)
      + format.rowBytes(plane: index, width: size.width)
  }

  /// Returns the stride of a plane in bytes, where `given` may be 0 for rows without a gap. Throws when it is
  /// out of range.
  func checkedStride(_ given: Int, plane index: Int) throws(Status) -> Int {
    let rowBytes = format.rowBytes(plane: index, width: size.width)  // at most 16384 × 4
    let stride = given == 0 ? rowBytes : given
    guard stride >= rowBytes else {
      throw Status(
        .invalidArgument,
        "stride is \(given) bytes but a row of \(size.width) \(format.name) pixels has \(rowBytes) "
          + "in plane \(index); give bytes, not pixels")
    }
    guard stride <= ImageLimits.maxStride else {
      throw Status(
        .invalidArgument,
        "stride is \(stride) bytes, more than \(ImageLimits.maxStride); copy the part to be searched")
    }
    return stride
  }
}
