/// Copies of an image without gaps: its rows one after the other, then those of the next plane.
extension ImageView {
  /// The bytes of all planes, with rows and planes without gaps.
  public var packedByteCount: Int { packedLayout.byteCount }

  /// Copies the image without gaps.
  /// - Parameter target: at least `packedByteCount` bytes.
  public func copyPacked(into target: UnsafeMutableRawBufferPointer) {
    var end = 0
    for index in 0..<planeCount {
      let plane = plane(index)
      let row = format.rowBytes(plane: index, width: size.width)
      let rows = format.rows(plane: index, height: size.height)
      // Rows without gaps are copied as one long row.
      let isPacked = plane.stride == row
      let piece = isPacked ? row * rows : row
      for line in 0..<(isPacked ? 1 : rows) {
        let start = line * plane.stride
        UnsafeMutableRawBufferPointer(rebasing: target[end..<end + piece])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: plane.bytes[start..<start + piece]))
        end += piece
      }
    }
  }

  /// The bytes of the planes one after the other, each with its stride and from its first byte to its last.
  public var usedBytes: Int { (0..<planeCount).reduce(0) { $0 + usedBytes(plane: $1) } }

  /// Copies the planes one after the other to `target`, which has room for `usedBytes`.
  /// - Returns: the offsets of the planes after the first.
  @discardableResult
  public func copyPlanes(into target: UnsafeMutableRawBufferPointer) -> [PixelLayout.Plane] {
    var chroma: [PixelLayout.Plane] = []
    var offset = 0
    for index in 0..<planeCount {
      let count = usedBytes(plane: index)
      UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + count])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: plane(index).bytes.prefix(count)))
      if index > 0 { chroma.append(PixelLayout.Plane(offset: UInt64(offset), stride: plane(index).stride)) }
      offset += count
    }
    return chroma
  }
}

extension ImageInput {
  /// The bytes of a whole file, or of pixels without gaps.
  public var packedByteCount: Int {
    switch source {
    case .encoded(let bytes): bytes.count
    case .pixels(let view): view.packedByteCount
    }
  }

  /// Returns the same image with its bytes copied to `target`.
  /// - Parameter target: at least `packedByteCount` bytes; it must outlive the returned image.
  public func copied(into target: UnsafeMutableRawBufferPointer) throws(Status) -> ImageInput {
    var copy = self
    switch source {
    case .encoded(let bytes):
      target.copyMemory(from: bytes)
      copy.source = .encoded(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<bytes.count]))
    case .pixels(let view):
      view.copyPacked(into: target)
      copy.source = .pixels(try view.packedLayout.view(of: UnsafeRawBufferPointer(target)))
    }
    return copy
  }
}
