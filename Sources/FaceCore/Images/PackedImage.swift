/// An image as it lies without gaps: its rows one after the other, then those of the next plane.
extension ImageView {
  /// Bytes of all planes, rows and planes without gaps.
  public var packedByteCount: Int {
    (0..<planeCount).reduce(0) { $0 + packedByteCount(plane: $1) }
  }

  fileprivate func packedByteCount(plane index: Int) -> Int {
    format.rowBytes(plane: index, width: size.width) * format.rows(plane: index, height: size.height)
  }

  /// - Parameter target: at least `packedByteCount` bytes.
  public func copyPacked(into target: UnsafeMutableRawBufferPointer) {
    var end = 0
    for index in 0..<planeCount {
      let plane = plane(index)
      let row = format.rowBytes(plane: index, width: size.width)
      let rows = format.rows(plane: index, height: size.height)
      // Rows without a gap are one long row.
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
}

extension ImageInput {
  /// Bytes of a whole file, or of pixels without gaps.
  public var packedByteCount: Int {
    switch source {
    case .encoded(let bytes): bytes.count
    case .pixels(let view): view.packedByteCount
    }
  }

  /// The same image, its bytes copied to `target`, which is read where this one was.
  /// - Parameter target: at least `packedByteCount` bytes.
  public func copied(into target: UnsafeMutableRawBufferPointer) throws(Status) -> ImageInput {
    var copy = self
    switch source {
    case .encoded(let bytes):
      target.copyMemory(from: bytes)
      copy.source = .encoded(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<bytes.count]))
    case .pixels(let view):
      view.copyPacked(into: target)
      var end = 0
      copy.source = .pixels(
        try ImageView(
          format: view.format, width: view.size.width, height: view.size.height, colour: view.colour
        ) { index in
          let start = end
          end += view.packedByteCount(plane: index)
          return ImageView.Plane(UnsafeRawBufferPointer(rebasing: target[start..<end]))
        })
    }
    return copy
  }
}
