import FaceCore
import Posix
import Wire

/// An image's way into a buffer.
extension ImageInput {
  /// Bytes that the image takes in a buffer.
  var sharedSize: Int {
    switch source {
    case .encoded(let bytes): bytes.count
    case .pixels(let view): view.format.rowBytes(plane: 0, width: view.size.width) * view.size.height
    }
  }

  /// Copies the image into `buffer`, rows without a gap, and names it there.
  func copied(into buffer: OfferedBuffer) -> MessageImage {
    let target = buffer.memory.bytes
    switch source {
    case .encoded(let bytes):
      target.copyMemory(from: bytes)
      let part = SharedBytes(buffer: buffer.number, offset: 0, size: UInt64(bytes.count))
      return MessageImage(.sharedEncoded(part), orientation: orientation)
    case .pixels(let view):
      let row = view.format.rowBytes(plane: 0, width: view.size.width)
      if view.stride == row {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: view.bytes[..<(row * view.size.height)]))
      } else {
        for index in 0..<view.size.height {
          let line = view.bytes[index * view.stride..<index * view.stride + row]
          UnsafeMutableRawBufferPointer(rebasing: target[(index * row)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: line))
        }
      }
      let part = SharedPixels(
        buffer: buffer.number, offset: 0, format: view.format, width: UInt32(view.size.width),
        height: UInt32(view.size.height), stride: UInt32(row))
      return MessageImage(.sharedPixels(part), orientation: orientation)
    }
  }
}
