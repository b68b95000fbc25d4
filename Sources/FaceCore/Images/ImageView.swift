/// Borrowed pixels that were checked to lie inside their memory.
///
/// The memory belongs to the caller and must stay valid and unchanged for as long as the view is used.
public struct ImageView {
  /// Rows of bytes.
  public struct Plane {
    /// From the first byte of the first row; at least to the last byte of the last row.
    public let bytes: UnsafeRawBufferPointer
    /// Bytes from a row to the next one. Given as 0, rows have no gap; in an `ImageView` it is never 0.
    public let stride: Int

    public init(_ bytes: UnsafeRawBufferPointer, stride: Int = 0) {
      self.bytes = bytes
      self.stride = stride
    }
  }

  public let format: PixelFormat
  public private(set) var size: PixelSize
  /// Of no meaning unless the format is a YUV one.
  public let colour: YUVColour
  private var first: Plane
  private var second: Plane?
  private var third: Plane?

  /// Throws `outOfRange` for an image too small or large, `invalidArgument` where rows would leave their memory or the
  /// number of planes is not the format's.
  public init(
    format: PixelFormat, width: Int, height: Int, colour: YUVColour = .bt601Full, planes: [Plane]
  ) throws(Status) {
    try ImageLimits.check(width: width, height: height)
    guard planes.count == format.planeCount else {
      throw Status(
        .invalidArgument, "\(format.name) has \(format.planeCount) planes and \(planes.count) were given")
    }
    try self.init(format: format, width: width, height: height, colour: colour) { planes[$0] }
  }

  /// The same without a list of planes.
  /// - Parameter plane: called with 0, 1, … for as many as the format has, in that order.
  public init(
    format: PixelFormat, width: Int, height: Int, colour: YUVColour = .bt601Full,
    plane: (Int) throws(Status) -> Plane
  ) throws(Status) {
    try ImageLimits.check(width: width, height: height)
    func checked(_ index: Int) throws(Status) -> Plane {
      try ImageView.check(try plane(index), index, of: format, width: width, height: height)
    }
    self.format = format
    self.size = PixelSize(width: width, height: height)
    self.colour = colour
    first = try checked(0)
    second = format.planeCount > 1 ? try checked(1) : nil
    third = format.planeCount > 2 ? try checked(2) : nil
  }

  /// An image whose planes, where it has several, follow one another without gaps.
  /// - Parameter stride: bytes from row to row of the first plane; 0 means rows without a gap. Interleaved chroma has the
  ///   same stride, separate chroma planes half of it.
  public init(
    format: PixelFormat, width: Int, height: Int, stride: Int = 0, colour: YUVColour = .bt601Full,
    bytes: UnsafeRawBufferPointer
  ) throws(Status) {
    try ImageLimits.check(width: width, height: height)
    let first = try ImageView.check(Plane(bytes, stride: stride), 0, of: format, width: width, height: height)
    let rowStride = first.stride
    var planes = [first]
    var offset = rowStride * height
    for index in 1..<max(1, format.planeCount) {
      let chromaStride = format == .i420 ? (rowStride + 1) / 2 : (rowStride + 1) / 2 * 2
      // Beyond the end an empty rest, which the check refuses.
      planes.append(Plane(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset)), stride: chromaStride))
      offset += chromaStride * format.rows(plane: index, height: height)
    }
    try self.init(format: format, width: width, height: height, colour: colour, planes: planes)
  }

  /// A part of `view`, which was checked.
  private init(_ view: ImageView, _ part: PixelRect) {
    format = view.format
    size = part.size
    colour = view.colour
    func cut(_ plane: Plane, _ index: Int) -> Plane {
      let offset =
        view.format.rows(plane: index, height: part.y) * plane.stride
        + view.format.rowBytes(plane: index, width: part.x)
      return Plane(UnsafeRawBufferPointer(rebasing: plane.bytes[offset...]), stride: plane.stride)
    }
    first = cut(view.first, 0)
    second = view.second.map { cut($0, 1) }
    third = view.third.map { cut($0, 2) }
  }

  /// A part of the image without a copy, which may be smaller than images handed in.
  /// - Parameter part: inside the image; of a YUV format it begins at even numbers.
  public func window(_ part: PixelRect) -> ImageView { ImageView(self, part) }

  /// One row of pixels as wide as this image's, of the same format and colour.
  /// - Parameter planes: as many as the format has, each at least as long as a row of this image's.
  public func row(_ planes: [UnsafeRawBufferPointer]) -> ImageView {
    var row = self
    row.size.height = 1
    row.first = Plane(planes[0], stride: planes[0].count)
    row.second = second.map { _ in Plane(planes[1], stride: planes[1].count) }
    row.third = third.map { _ in Plane(planes[2], stride: planes[2].count) }
    return row
  }

  public var planeCount: Int { format.planeCount }

  /// - Parameter index: below `planeCount`.
  public func plane(_ index: Int) -> Plane {
    switch index {
    case 1: second ?? first
    case 2: third ?? first
    default: first
    }
  }

  /// Of the first plane, the only one of packed formats.
  public var bytes: UnsafeRawBufferPointer { first.bytes }
  public var stride: Int { first.stride }

  /// Bytes from a plane's first to the last that belongs to a pixel.
  public func usedBytes(plane index: Int) -> Int {
    let rows = format.rows(plane: index, height: size.height)
    return plane(index).stride * (rows - 1) + format.rowBytes(plane: index, width: size.width)
  }

  /// The plane with its true stride.
  private static func check(
    _ plane: Plane, _ index: Int, of format: PixelFormat, width: Int, height: Int
  ) throws(Status) -> Plane {
    let rowBytes = format.rowBytes(plane: index, width: width)  // at most 8192 × 4
    let rows = format.rows(plane: index, height: height)
    let stride = plane.stride == 0 ? rowBytes : plane.stride
    guard stride >= rowBytes else {
      throw Status(
        .invalidArgument,
        "stride is \(plane.stride) bytes but a row of \(width) \(format.name) pixels has \(rowBytes) "
          + "in plane \(index); give bytes, not pixels")
    }
    guard stride <= ImageLimits.maxStride else { throw tooLarge(stride) }
    // Cannot overflow: every factor is bounded above.
    guard stride * (rows - 1) + rowBytes <= plane.bytes.count else {
      throw Status(
        .invalidArgument,
        "plane \(index) has \(plane.bytes.count) bytes, fewer than \(rows) rows of stride \(stride) need; "
          + "check size and stride")
    }
    return Plane(plane.bytes, stride: stride)
  }

  private static func tooLarge(_ stride: Int) -> Status {
    Status(
      .invalidArgument,
      "stride is \(stride) bytes, more than \(ImageLimits.maxStride); copy the part to be searched")
  }
}
