import Posix

/// From the opaque pointers of the C side to objects.
///
/// A handle is a number that is never used twice, not an address: a stale one is refused instead of followed.
final class HandleTable<Object: AnyObject & Sendable>: Sendable {
  private struct State {
    var objects: [UInt: Object] = [:]
    var last: UInt
  }

  private let state: Monitor<State>

  /// - Parameter kind: below 16; tells the handles of one table from those of another.
  init(kind: UInt) {
    state = Monitor(State(last: kind))
  }

  func insert(_ object: Object) -> OpaquePointer? {
    let number = state.withLock { state in
      state.last += 16
      state.objects[state.last] = object
      return state.last
    }
    return OpaquePointer(bitPattern: number)
  }

  subscript(handle: OpaquePointer?) -> Object? {
    state.withLock { $0.objects[UInt(bitPattern: handle)] }
  }

  func remove(_ handle: OpaquePointer?) -> Object? {
    state.withLock { $0.objects.removeValue(forKey: UInt(bitPattern: handle)) }
  }

  /// For fork handlers only.
  func lock() { state.lock() }
  func unlock() { state.unlock() }
}
