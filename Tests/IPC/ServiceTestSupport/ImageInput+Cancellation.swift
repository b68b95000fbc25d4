public import FaceCore

extension ImageInput {
  /// An image whose call ends early.
  /// - Parameter timeout: nanoseconds; 0 for no deadline.
  public init(_ source: Source, timeout: TimeSpan = .zero, canceller: Canceller? = nil) {
    self.init(source)
    cancellation = CancellationToken(timeout: timeout, canceller: canceller)
  }
}
