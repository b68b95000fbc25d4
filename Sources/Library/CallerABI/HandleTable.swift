public import FaceCore
import Posix

/// The state of every table, whatever its objects: the dictionary's code is compiled only once.
private struct HandleState {
  var objects: [UInt: any AnyObject & Sendable] = [:]
  var last: UInt
}

/// A table of handles that fork handlers lock.
public protocol LockedTable: Sendable {
  func lock()
  func unlock()
}

/// Maps the opaque pointers that C programs hold to objects.
///
/// A handle is a number that is never used twice and not an address: a stale handle is refused instead of
/// followed.
public final class HandleTable<Object: AnyObject & Sendable>: LockedTable {
  private let state: Monitor<HandleState>

  /// - Parameter kind: below 16; tells the handles of different tables apart.
  public init(kind: UInt) {
    state = Monitor(HandleState(last: kind))
  }

  public func insert(_ object: Object) -> OpaquePointer? {
    let number = state.withLock { state in
      state.last += 16
      state.objects[state.last] = object
      return state.last
    }
    return OpaquePointer(bitPattern: number)
  }

  /// The object of a handle. Throws `invalidArgument`, naming the argument and its type.
  public func get(_ handle: OpaquePointer?, _ name: StaticString) throws(Status) -> Object {
    guard let object = state.withLock({ $0.objects[UInt(bitPattern: handle)] }) else {
      throw Status(
        .invalidArgument,
        handle == nil
          ? "\(name) is NULL" : "\(name) is not a valid face_\(name); was it released or destroyed before?")
    }
    return unsafeDowncast(object, to: Object.self)
  }

  public func remove(_ handle: OpaquePointer?) -> Object? {
    state.withLock { $0.objects.removeValue(forKey: UInt(bitPattern: handle)) }
      .map { unsafeDowncast($0, to: Object.self) }
  }

  public func lock() { state.lock() }
  public func unlock() { state.unlock() }
}
