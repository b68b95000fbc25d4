/// Borrowed pixels that were checked to lie inside their memory.
///
/// The memory belongs to the caller and must stay valid and unchanged for as long as the view is used.
public struct ImageView {
  /// The rows of one plane.
  public struct Plane {
    /// The bytes from the first of the first row at least to the last of the last row.
    public let bytes: UnsafeRawBufferPointer
    /// Bytes from a row to the next one. 0 stands for rows without a gap; in an `ImageView` it is never 0.
    public let stride: Int

    public init(_ bytes: UnsafeRawBufferPointer, stride: Int = 0) {
      self.bytes = bytes
      self.stride = stride
    }
  }

  public let format: PixelFormat
  public private(set) var size: PixelSize
  /// Ignored unless the format is YUV.
  public let colour: YUVColour
  private var first: Plane
  private var second: Plane?
  private var third: Plane?

  /// Throws `outOfRange` for an image too small or large, `invalidArgument` where rows would leave their
  /// memory or the number of planes is not the format's.
  public init(
    format: PixelFormat, width: Int, height: Int, colour: YUVColour = .bt601Full, planes: [Plane]
  ) throws(Status) {
    try ImageLimits.check(width: width, height: height)
    guard planes.count == format.planeCount else {
      throw Status(
        .invalidArgument,
        "\(format.name) has \(format.planeCount) planes, but \(planes.count) were given; give all of them")
    }
    try self.init(format: format, width: width, height: height, colour: colour) { planes[$0] }
  }

  /// Throws as the initialiser above, without a list of planes.
  /// - Parameter plane: called with 0, 1, … for each plane of the format, in that order.
  public init(
    format: PixelFormat, width: Int, height: Int, colour: YUVColour = .bt601Full,
    plane: (Int) throws(Status) -> Plane
  ) throws(Status) {
    try ImageLimits.check(width: width, height: height)
    let layout = PixelLayout(format: format, width: width, height: height, colour: colour)
    func checked(_ index: Int) throws(Status) -> Plane {
      try ImageView.check(try plane(index), index, of: layout)
    }
    self.format = format
    self.size = layout.size
    self.colour = colour
    first = try checked(0)
    second = format.planeCount > 1 ? try checked(1) : nil
    third = format.planeCount > 2 ? try checked(2) : nil
  }

  /// An image whose planes, if it has several, follow one another without gaps.
  /// - Parameter stride: bytes from row to row of the first plane; 0 means rows without a gap. Interleaved
  ///   chroma has the same stride, separate chroma planes half of it.
  public init(
    format: PixelFormat, width: Int, height: Int, stride: Int = 0, colour: YUVColour = .bt601Full,
    bytes: UnsafeRawBufferPointer
  ) throws(Status) {
    let layout = PixelLayout(format: format, width: width, height: height, stride: stride, colour: colour)
    self = try layout.view(of: bytes)
  }

  /// A part of `view` that was checked to lie inside it.
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

  /// Returns a part of the image without a copy; it may be smaller than `ImageLimits` allows for images of
  /// callers.
  /// - Parameter part: inside the image; in a YUV format it starts at even coordinates.
  public func window(_ part: PixelRect) -> ImageView { ImageView(self, part) }

  /// Returns one row of pixels as wide as this image's, of the same format and colour.
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

  /// The bytes of the first plane, the only one of packed formats.
  public var bytes: UnsafeRawBufferPointer { first.bytes }
  public var stride: Int { first.stride }

  /// Returns the number of bytes from the first of a plane to the last that belongs to a pixel.
  public func usedBytes(plane index: Int) -> Int {
    packedLayout.usedBytes(plane: index, stride: plane(index).stride)
  }

  /// The layout of the same image without gaps.
  public var packedLayout: PixelLayout {
    PixelLayout(format: format, width: size.width, height: size.height, colour: colour)
  }

  /// Returns the plane with its true stride.
  private static func check(
    _ plane: Plane, _ index: Int, of layout: PixelLayout
  ) throws(Status) -> Plane {
    let stride = try layout.checkedStride(plane.stride, plane: index)
    // This cannot overflow: every factor is bounded.
    guard layout.usedBytes(plane: index, stride: stride) <= plane.bytes.count else {
      let rows = layout.format.rows(plane: index, height: layout.size.height)
      throw Status(
        .invalidArgument,
        "plane \(index) has \(plane.bytes.count) bytes, fewer than \(rows) rows of stride \(stride) need; "
          + "check size and stride")
    }
    return Plane(plane.bytes, stride: stride)
  }
}
