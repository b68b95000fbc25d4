public import FaceCore

/// Where a plane after the first lies.
public struct ChromaPlane: Equatable, Sendable, BitwiseCopyable {
  /// Bytes from the first byte of the first plane.
  public var offset: UInt64
  /// Bytes from row to row; 0 means rows without a gap.
  public var stride: UInt32

  public init(offset: UInt64, stride: UInt32 = 0) {
    self.offset = offset
    self.stride = stride
  }
}

/// What a message says of the pixels in some bytes, the first of which is the first of the first row.
struct PixelLayout {
  var format: PixelFormat
  var width: UInt32
  var height: UInt32
  var stride: UInt32
  var colour: YUVColour
  /// Empty: they follow the first plane without gaps.
  var chroma: [ChromaPlane]

  /// Throws `invalidArgument` when a row leaves `bytes` or the number of planes is not the format's, `outOfRange` for an
  /// image too small or large. No sum here can overflow.
  func view(of bytes: UnsafeRawBufferPointer) throws(Status) -> ImageView {
    let (width, height, stride) = (Int(width), Int(height), Int(stride))
    if chroma.isEmpty {
      return try ImageView(
        format: format, width: width, height: height, stride: stride, colour: colour, bytes: bytes)
    }
    var planes = [ImageView.Plane(bytes, stride: stride)]
    // More than one too many makes no difference to who counts them.
    for (index, plane) in chroma.prefix(PixelFormat.maxPlanes).enumerated() {
      guard let offset = Int(exactly: plane.offset), offset <= bytes.count else {
        throw Status(
          .invalidArgument,
          "chroma[\(index)].offset is \(plane.offset) and there are \(bytes.count) bytes; give an offset inside"
        )
      }
      planes.append(
        ImageView.Plane(UnsafeRawBufferPointer(rebasing: bytes[offset...]), stride: Int(plane.stride)))
    }
    return try ImageView(format: format, width: width, height: height, colour: colour, planes: planes)
  }
}

extension ImageView {
  /// Bytes that the planes take one after the other, each with its stride and from its first byte to its last.
  public var usedBytes: Int { (0..<planeCount).reduce(0) { $0 + usedBytes(plane: $1) } }

  /// Copies the planes so into `target`, which has room for `usedBytes`; where those after the first lie.
  @discardableResult
  public func copyPlanes(into target: UnsafeMutableRawBufferPointer) -> [ChromaPlane] {
    var chroma: [ChromaPlane] = []
    var offset = 0
    for index in 0..<planeCount {
      let count = usedBytes(plane: index)
      UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: plane(index).bytes.prefix(count)))
      if index > 0 {
        chroma.append(ChromaPlane(offset: UInt64(offset), stride: UInt32(clamping: plane(index).stride)))
      }
      offset += count
    }
    return chroma
  }
}
