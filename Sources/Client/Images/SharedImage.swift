import FaceCore
import Posix
import Wire

/// An image's way into shared memory.
extension ImageInput {
  /// Copies the image to `offset` in `buffer`, where it has room for `packedByteCount`, and names it there.
  func copied(into buffer: OfferedBuffer, at offset: Int) -> MessageImage {
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer.memory.file.bytes[offset...])
    switch source {
    case .encoded(let bytes):
      target.copyMemory(from: bytes)
      let part = SharedBytes(buffer: buffer.number, offset: UInt64(offset), size: UInt64(bytes.count))
      return MessageImage(.sharedEncoded(part), like: self)
    case .pixels(let view):
      view.copyPacked(into: target)
      let part = SharedPixels(
        buffer: buffer.number, offset: UInt64(offset), format: view.format, width: UInt32(view.size.width),
        height: UInt32(view.size.height), colour: view.colour)
      return MessageImage(.sharedPixels(part), like: self)
    }
  }

  /// The image named where it lies; `nil` when not all of it is in one piece of memory that can be shared, or its planes
  /// do not follow the first one.
  var lyingInMemory: (MemoryBlock, name: (UInt32) -> MessageImage)? {
    switch source {
    case .encoded(let bytes):
      guard let (memory, offset) = MemoryRegistry.block(with: bytes) else { return nil }
      return (
        memory,
        { number in
          let part = SharedBytes(buffer: number, offset: UInt64(offset), size: UInt64(bytes.count))
          return MessageImage(.sharedEncoded(part), like: self)
        }
      )
    case .pixels(let view):
      guard let (memory, offset) = MemoryRegistry.block(with: view.usedPart(plane: 0)) else { return nil }
      var chroma: [ChromaPlane] = []
      for index in 1..<max(1, view.planeCount) {
        guard let place = memory.offset(of: view.usedPart(plane: index)), place >= offset else { return nil }
        let stride = UInt32(clamping: view.plane(index).stride)
        chroma.append(ChromaPlane(offset: UInt64(place - offset), stride: stride))
      }
      return (
        memory,
        { [chroma] number in
          let part = SharedPixels(
            buffer: number, offset: UInt64(offset), format: view.format, width: UInt32(view.size.width),
            height: UInt32(view.size.height), stride: UInt32(clamping: view.stride), colour: view.colour,
            chroma: chroma)
          return MessageImage(.sharedPixels(part), like: self)
        }
      )
    }
  }
}

extension ImageView {
  /// From the first byte of a plane to the last that belongs to a pixel.
  fileprivate func usedPart(plane index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: plane(index).bytes.prefix(usedBytes(plane: index)))
  }
}
