/// An image together with the object that keeps its pixels alive and unchanged.
public struct HeldImage: @unchecked Sendable {
  // The pixels are only read, while the keeper lives.
  public let input: ImageInput
  private let keeper: AnyObject?
  /// Copies pixels that have no keeper.
  private let copier: (any ImageCopier)?

  /// - Parameter keeper: the pixels stay unchanged for as long as it lives.
  public init(_ input: ImageInput, keptBy keeper: AnyObject) {
    self.input = input
    self.keeper = keeper
    copier = nil
  }

  /// - Parameter release: called once, from any thread, when the pixels are not needed any more.
  public init(_ input: ImageInput, release: @escaping () -> Void) {
    self.init(input, keptBy: Release(release))
  }

  /// An image whose pixels are only valid until the call that it is passed to returns.
  /// - Parameter copier: makes the copy that is read after that.
  public init(borrowing input: ImageInput, copiedBy copier: any ImageCopier) {
    self.input = input
    keeper = nil
    self.copier = copier
  }

  /// A copy of `image` that owns its memory. Throws `resourceExhausted`.
  public init(copyOf image: ImageInput) throws(Status) {
    let copy = try ImageMemory(byteCount: image.packedByteCount)
    self.init(try image.copied(into: copy.memory.bytes), keptBy: copy)
  }

  /// Returns the same image in a form that can be read for as long as the returned value lives, as a copy if
  /// the pixels were only borrowed. Throws `resourceExhausted`.
  public func kept() throws(Status) -> HeldImage {
    if let copier { return try copier.copy(input) }
    return self
  }
}

/// Makes copies of borrowed images.
public protocol ImageCopier: AnyObject, Sendable {
  /// Copies an image. Throws `resourceExhausted`.
  func copy(_ image: ImageInput) throws(Status) -> HeldImage
}

private final class ImageMemory {
  let memory: HeapMemory

  init(byteCount: Int) throws(Status) { memory = try HeapMemory(byteCount: byteCount) }
}

private final class Release {
  private let release: () -> Void

  init(_ release: @escaping () -> Void) { self.release = release }

  deinit { release() }
}
