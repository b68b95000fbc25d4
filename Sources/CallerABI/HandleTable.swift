public import FaceCore
import Posix

/// The same for objects of every class, so that one dictionary's code is enough.
private struct HandleState {
  var objects: [UInt: any AnyObject & Sendable] = [:]
  var last: UInt
}

/// From the opaque pointers of the C side to objects.
///
/// A handle is a number that is never used twice, not an address: a stale one is refused instead of followed.
public final class HandleTable<Object: AnyObject & Sendable>: Sendable {
  private let state: Monitor<HandleState>

  /// - Parameter kind: below 16; tells the handles of one table from those of another.
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

  public subscript(handle: OpaquePointer?) -> Object? {
    state.withLock { $0.objects[UInt(bitPattern: handle)] }.map { unsafeDowncast($0, to: Object.self) }
  }

  public func remove(_ handle: OpaquePointer?) -> Object? {
    state.withLock { $0.objects.removeValue(forKey: UInt(bitPattern: handle)) }
      .map { unsafeDowncast($0, to: Object.self) }
  }

  /// For fork handlers only.
  public func lock() { state.lock() }
  public func unlock() { state.unlock() }
}

extension HandleTable {
  /// Throws `invalidArgument`, naming the argument and its type.
  public func get(_ handle: OpaquePointer?, _ name: StaticString) throws(Status) -> Object {
    guard let object = self[handle] else {
      throw Status(
        .invalidArgument,
        handle == nil
          ? "\(name) is NULL" : "\(name) is not a face_\(name), or was given back to the library before")
    }
    return object
  }

  /// Writes a new handle to the caller's place, which is looked at before anything is made.
  public func give(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ name: StaticString, _ make: () throws(Status) -> Object
  ) throws(Status) {
    guard let out else { throw Status(.invalidArgument, "\(name) is NULL; give a place for the handle") }
    let object = try make()
    out.pointee = insert(object)
  }
}
