// Used by most files of this target.
@_exported import CallerABI
import Client
import FaceCore
import Posix

/// The tables of the handles that C programs hold.
enum Handles {
  static let engines = HandleTable<EngineBox>(kind: 1)
  static let results = HandleTable<ResultBox>(kind: 2)
  static let sessions = HandleTable<SessionBox>(kind: 3)
  static let cancellers = HandleTable<Canceller>(kind: 4)
  static let memories = HandleTable<ClientMemory>(kind: 5)
  static let files = HandleTable<FileMemory>(kind: 6)
  static let visits = HandleTable<VisitBox>(kind: 7)

  /// Makes an object and writes its handle to the caller's variable, which is checked first.
  static func create<Object>(
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ name: StaticString, in table: HandleTable<Object>,
    _ make: () throws(Status) -> Object
  ) throws(Status) {
    _ = forkHandlers
    guard let out else { throw Status(.invalidArgument, "\(name) is NULL; give a variable for the handle") }
    out.pointee = table.insert(try make())
  }

  static func insert(_ file: FileMemory) -> OpaquePointer? {
    _ = forkHandlers
    return files.insert(file)
  }

  private static let tables: [any LockedTable] = [engines, results, sessions, cancellers, memories, files, visits]

  /// A child of fork() has one thread and the memory of all. No other thread may hold a lock at the fork, or
  /// the child's first call would wait for ever. Registered before the first handle exists.
  private static let forkHandlers: Void = {
    _ = tables
    Fork.handlers(
      prepare: {
        for table in tables { table.lock() }
        PixelOwner.lock()
      },
      after: {
        PixelOwner.unlock()
        for table in tables.reversed() { table.unlock() }
      })
  }()
}
