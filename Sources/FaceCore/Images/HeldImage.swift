/// An image together with what keeps its pixels alive and unchanged.
public final class HeldImage: @unchecked Sendable {
  // The pixels are only read while this object lives.
  public let input: ImageInput
  private let release: () -> Void

  /// - Parameter release: called once, from any thread, when the pixels are not needed any more.
  public init(_ input: ImageInput, release: @escaping () -> Void) {
    self.input = input
    self.release = release
  }

  deinit { release() }
}
