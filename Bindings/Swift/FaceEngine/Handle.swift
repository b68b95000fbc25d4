internal import CFaceEngine

/// An object of C whose functions may be called from any thread. It is destroyed with the last reference.
package final class Handle: @unchecked Sendable {
  package let c: OpaquePointer
  private let destroy: (OpaquePointer?) -> Void

  package init<Ignored>(
    _ destroy: @escaping (OpaquePointer?) -> Ignored,
    _ create: (inout OpaquePointer?) throws(FaceError) -> Void
  ) throws(FaceError) {
    var created: OpaquePointer?
    try create(&created)
    guard let created else { throw FaceError(.internal, "the library has made nothing") }
    (c, self.destroy) = (created, { _ = destroy($0) })
  }

  deinit { destroy(c) }
}

/// Ends calls of other threads.
final class Canceller: Sendable {
  private let handle: Handle
  var c: OpaquePointer { handle.c }

  init() throws(FaceError) {
    handle = try Handle(face_canceller_destroy) { c throws(FaceError) in try check(face_canceller_create(&c))
    }
  }

  func cancel() { face_canceller_cancel(c) }
}
