/// Grants calls the memory of their pictures. Safe to use from any thread.
public protocol PictureMemory: Sendable {
  /// Takes bytes, and waits while other calls hold them. A caller that may wait holds no share, or two calls could wait
  /// for each other.
  ///
  /// Throws `resourceExhausted` if the bytes can never be had, or too many calls wait, and the token's error.
  func take(_ byteCount: Int, _ token: CancellationToken?) throws(Status) -> any PictureShare
}

/// Memory that was granted to a call, returned when this is released. One thread at a time.
public protocol PictureShare: AnyObject {
  var byteCount: Int { get }

  /// Takes more bytes, or returns some, without waiting.
  /// - Returns: whether there was room; if not, nothing has changed.
  func resize(to byteCount: Int) -> Bool
}
