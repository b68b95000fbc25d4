/// An image together with what keeps its pixels alive and unchanged.
public struct HeldImage: @unchecked Sendable {
  // The pixels are only read while the keeper lives.
  public let input: ImageInput
  private let keeper: AnyObject?
  /// For pixels without a keeper.
  private let copier: (any ImageCopier)?

  /// - Parameter keeper: the pixels stay as they are for as long as it lives.
  public init(_ input: ImageInput, keptBy keeper: AnyObject) {
    self.input = input
    self.keeper = keeper
    copier = nil
  }

  /// - Parameter release: called once, from any thread, when the pixels are not needed any more.
  public init(_ input: ImageInput, release: @escaping () -> Void) {
    self.init(input, keptBy: Release(release))
  }

  /// An image whose pixels are only there until the call that it is passed to returns.
  /// - Parameter copier: makes what is read after that.
  public init(borrowing input: ImageInput, copiedBy copier: any ImageCopier) {
    self.input = input
    keeper = nil
    self.copier = copier
  }

  /// A copy of `image`, in memory that goes with it. Throws `resourceExhausted`.
  public init(copyOf image: ImageInput) throws(Status) {
    let copy = try ImageMemory(byteCount: image.packedByteCount)
    self.init(try image.copied(into: copy.memory.bytes), keptBy: copy)
  }

  /// The same image, to be read for as long as what this returns lives: with a copy of pixels that were only borrowed.
  /// Throws `resourceExhausted`.
  public func kept() throws(Status) -> HeldImage {
    if let copier { return try copier.copy(input) }
    return self
  }
}

/// Makes copies of borrowed images.
public protocol ImageCopier: AnyObject, Sendable {
  /// Throws `resourceExhausted`.
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
