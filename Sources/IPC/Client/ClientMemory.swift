public import FaceCore
import Posix
import Wire

/// A mapped memfd.
final class MemoryBlock: Sendable {
  let file: MemoryFile

  init(_ file: consuming MemoryFile) {
    self.file = file
  }

  /// The offset of `part` from the block's start in bytes; `nil` if it does not lie in the block.
  func offset(of part: UnsafeRawBufferPointer) -> Int? {
    guard let start = file.bytes.baseAddress, let first = part.baseAddress, first >= UnsafeRawPointer(start)
    else { return nil }
    let offset = first - UnsafeRawPointer(start)
    guard offset <= file.bytes.count, part.count <= file.bytes.count - offset else { return nil }
    return offset
  }
}

/// Memory that this process can share with engines: pixels and files in it are sent without a copy.
///
/// An image in it is recognised by its address. The memory is registered once with each engine that such an
/// image is sent to, if its limits allow, and stays mapped here as long as this object or a call uses it.
/// Safe to use from several threads at once; the caller must not write to it while a call reads it.
public final class ClientMemory: Sendable {
  public static let maxSize = 1 << 30

  private let block: MemoryBlock

  /// Allocates `size` zero bytes. Throws `invalidArgument` for a size of 0 or above `maxSize`,
  /// `resourceExhausted` if memory is lacking.
  public init(size: Int) throws(Status) {
    guard (1...Self.maxSize).contains(size) else {
      // C's size_t is imported as a signed Int.
      throw Status(
        .invalidArgument,
        "the size of shared memory is \(UInt(bitPattern: size)) bytes; give 1 to \(Self.maxSize)")
    }
    block = MemoryBlock(try MemoryFile(size: size))
    MemoryRegistry.add(block)
  }

  /// Imports memory of another owner: the descriptor of a memfd with the seals F_SEAL_SHRINK, F_SEAL_GROW and
  /// F_SEAL_SEAL. The descriptor stays the caller's and may be closed at once.
  ///
  /// Throws `permissionDenied` without those seals, and `invalidArgument` for a closed descriptor or an empty
  /// memfd.
  public init(importing descriptor: Int32) throws(Status) {
    block = MemoryBlock(try MemoryFile(importing: descriptor))
    MemoryRegistry.add(block)
  }

  /// The memory. Writable only if it was made here, or imported from a descriptor that allows writing.
  public var bytes: UnsafeMutableRawBufferPointer { block.file.bytes }

  deinit { MemoryRegistry.remove(block) }
}

/// The registry of memory that images may lie in.
enum MemoryRegistry {
  private static let blocks = Monitor<[MemoryBlock]>([])

  static func add(_ block: MemoryBlock) {
    blocks.withLock { blocks in blocks.append(block) }
  }

  /// Removes the block, which is freed when its last call is over.
  static func remove(_ block: MemoryBlock) {
    blocks.withLock { blocks in blocks.removeAll { $0 === block } }
  }

  /// The block that contains all of `part`, and the offset in it.
  static func block(with part: UnsafeRawBufferPointer) -> (MemoryBlock, offset: Int)? {
    blocks.withLock { blocks in
      for block in blocks {
        if let offset = block.offset(of: part) { return (block, offset) }
      }
      return nil
    }
  }
}

/// Placement of images in shared memory.
extension ImageInput {
  /// Copies the image to `offset` in `buffer`, which has room for `packedByteCount` bytes there, and returns
  /// a reference to it.
  func copied(into buffer: RegisteredBuffer, at offset: Int) -> MessageImage {
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer.memory.file.bytes[offset...])
    switch source {
    case .encoded(let bytes):
      target.copyMemory(from: bytes)
      let part = SharedBytes(buffer: buffer.number, offset: UInt64(offset), size: UInt64(bytes.count))
      return MessageImage(.sharedEncoded(part), like: self)
    case .pixels(let view):
      view.copyPacked(into: target)
      let part = SharedPixels(buffer: buffer.number, offset: UInt64(offset), view.packedLayout)
      return MessageImage(.sharedPixels(part), like: self)
    }
  }

  /// The memory that the image lies in, and a function that makes the reference to it; `nil` if the image is
  /// not entirely in one block that can be shared, or its planes do not follow each other.
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
      var layout = view.packedLayout
      layout.stride = view.stride
      for index in 1..<max(1, view.planeCount) {
        guard let place = memory.offset(of: view.usedPart(plane: index)), place >= offset else { return nil }
        layout.chroma.append(
          PixelLayout.Plane(offset: UInt64(place - offset), stride: view.plane(index).stride))
      }
      return (
        memory,
        { [layout] number in
          let part = SharedPixels(buffer: number, offset: UInt64(offset), layout)
          return MessageImage(.sharedPixels(part), like: self)
        }
      )
    }
  }
}

extension ImageView {
  /// The bytes from the start of a plane to the last one that belongs to a pixel.
  fileprivate func usedPart(plane index: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: plane(index).bytes.prefix(usedBytes(plane: index)))
  }
}
