import FaceCore
import Posix

/// Memory for copies of a caller's frames, used again and again.
final class FrameCopies: Sendable {
  /// Memory for one frame.
  private final class Copy: @unchecked Sendable {
    // Written by who took it, read while the frame is searched; one after the other.
    let memory: HeapMemory
    /// Where it goes back to; a session that is gone wants nothing back.
    private weak let home: FrameCopies?

    init(byteCount: Int, home: FrameCopies) throws(Status) {
      memory = try HeapMemory(byteCount: byteCount)
      self.home = home
    }

    func giveBack() { home?.free.withLock { $0.append(self) } }
  }

  private let free = Monitor<[Copy]>([])

  /// A copy of `image` that gives its memory back when it is let go of. Throws `resourceExhausted`.
  func copy(_ image: ImageInput) throws(Status) -> HeldImage {
    let copy = try take(image.packedByteCount)
    var held = image
    held.source = try image.source.copied(into: copy.memory.bytes)
    return HeldImage(held) { copy.giveBack() }
  }

  /// Memory that is too small for what comes now is not kept.
  private func take(_ byteCount: Int) throws(Status) -> Copy {
    let free = free.withLock { $0.popLast() }
    if let free, free.memory.bytes.count >= byteCount { return free }
    return try Copy(byteCount: byteCount, home: self)
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
      var planes: [ImageView.Plane] = []
      planes.reserveCapacity(view.planeCount)
      var rest = target[...]
      for index in 0..<view.planeCount {
        let row = view.format.rowBytes(plane: index, width: view.size.width)
        let rows = view.format.rows(plane: index, height: view.size.height)
        let plane = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(row * rows))
        rest = rest.dropFirst(row * rows)
        view.plane(index).copyRows(rows, of: row, to: plane)
        planes.append(ImageView.Plane(UnsafeRawBufferPointer(plane)))
      }
      return .pixels(
        try ImageView(
          format: view.format, width: view.size.width, height: view.size.height, colour: view.colour,
          planes: planes))
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
