/// What Swift 6.3 has and 6.2 does not (SE-0485): an array of what is appended to a span.
extension Array {
  @inlinable
  public init(capacity: Int, initializingWith initializer: (inout OutputSpan<Element>) -> Void) {
    self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      var span = OutputSpan(buffer: buffer, initializedCount: 0)
      initializer(&span)
      count = span.finalize(for: buffer)
    }
  }
}
