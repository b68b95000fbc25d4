#if compiler(<6.3)
  /// The initialiser of arrays that Swift 6.3 adds, for Swift 6.2, with which Tools/arm64.sh builds the
  /// command.
  extension Array {
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
#endif
