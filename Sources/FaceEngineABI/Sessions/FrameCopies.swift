import FaceCore
import Posix

/// Memory for copies of a caller's frames, used again and again.
final class FrameCopies: ImageCopier {
  /// Memory for one frame. Whoever reads the frame has a reference; with none but that in the list it is free.
  private final class Copy: @unchecked Sendable {
    // Written by who took it, read while the frame is searched; one after the other.
    let memory: HeapMemory

    init(byteCount: Int) throws(Status) { memory = try HeapMemory(byteCount: byteCount) }
  }

  private let copies = Monitor<[Copy]>([])

  func copy(_ image: ImageInput) throws(Status) -> HeldImage {
    let copy = try take(image.packedByteCount)
    var held = image
    held.source = try image.source.copied(into: copy.memory.bytes)
    return HeldImage(held, keptBy: copy)
  }

  private func take(_ byteCount: Int) throws(Status) -> Copy {
    let free = copies.withLock { copies -> Copy? in
      for index in copies.indices where isKnownUniquelyReferenced(&copies[index]) {
        if copies[index].memory.bytes.count >= byteCount { return copies[index] }
        // Too small for what comes now: not kept.
        copies.remove(at: index)
        return nil
      }
      return nil
    }
    if let free { return free }
    let fresh = try Copy(byteCount: byteCount)
    copies.withLock { $0.append(fresh) }
    return fresh
  }
}

extension ImageInput {
  /// Bytes of the image with rows that have no gap.
  var packedByteCount: Int {
    switch source {
    case .encoded(let bytes): bytes.count
    case .pixels(let view):
      (0..<view.planeCount).reduce(0) { sum, plane in
        sum + view.format.rowBytes(plane: plane, width: view.size.width)
          * view.format.rows(plane: plane, height: view.size.height)
      }
    }
  }
}

extension ImageInput.Source {
  /// - Parameter target: at least `packedByteCount` bytes.
  func copied(into target: UnsafeMutableRawBufferPointer) throws(Status) -> ImageInput.Source {
    switch self {
    case .encoded(let bytes):
      target.copyMemory(from: bytes)
      return .encoded(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<bytes.count]))
    case .pixels(let view):
      var rest = target[...]
      return .pixels(
        try ImageView(
          format: view.format, width: view.size.width, height: view.size.height, colour: view.colour
        ) { index in
          let row = view.format.rowBytes(plane: index, width: view.size.width)
          let rows = view.format.rows(plane: index, height: view.size.height)
          let plane = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(row * rows))
          rest = rest.dropFirst(row * rows)
          view.plane(index).copyRows(rows, of: row, to: plane)
          return ImageView.Plane(UnsafeRawBufferPointer(plane))
        })
    }
  }
}

extension ImageView.Plane {
  fileprivate func copyRows(_ rows: Int, of rowBytes: Int, to target: UnsafeMutableRawBufferPointer) {
    if stride == rowBytes {
      return target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<(rows * rowBytes)]))
    }
    for row in 0..<rows {
      UnsafeMutableRawBufferPointer(rebasing: target[(row * rowBytes)...])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[row * stride..<row * stride + rowBytes]))
    }
  }
}
