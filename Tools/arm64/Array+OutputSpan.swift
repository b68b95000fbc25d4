/// What arrays have since Swift 6.3, for 6.2 (SE-0485): elements that are appended to a span.
extension Array {
  @inlinable
  public init(capacity: Int, initializingWith initializer: (inout OutputSpan<Element>) -> Void) {
    self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
      var span = OutputSpan(buffer: buffer, initializedCount: 0)
      initializer(&span)
      count = span.finalize(for: buffer)
    }
  }

  package mutating func append<Failure: Error>(
    addingCapacity room: Int, initializingWith body: (inout OutputSpan<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    let added = [Element](unsafeUninitializedCapacity: room) { buffer, count in
      var span = OutputSpan(buffer: buffer, initializedCount: 0)
      do throws(Failure) { try body(&span) } catch { failure = error }
      count = span.finalize(for: buffer)
    }
    if let failure { throw failure }
    append(contentsOf: added)
  }
}
