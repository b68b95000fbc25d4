// Used by most files of this target.
@_exported import CallerABI
import Client
import FaceCore
import Posix

/// All that C programs hold.
enum Handles {
  static let engines = HandleTable<EngineBox>(kind: 1)
  static let results = HandleTable<ResultBox>(kind: 2)
  static let sessions = HandleTable<SessionBox>(kind: 3)
  static let cancellers = HandleTable<Canceller>(kind: 4)
  static let memories = HandleTable<ClientMemory>(kind: 5)

  /// A child of fork() has the memory of all threads and only one of them: no lock may be held by another then, or the
  /// child's first call would wait for ever. To be called before there is the first handle.
  static func surviveForks() { _ = forkHandlers }

  private static let forkHandlers: Void = Fork.handlers(
    prepare: {
      Handles.engines.lock()
      Handles.results.lock()
      Handles.sessions.lock()
      Handles.cancellers.lock()
      Handles.memories.lock()
    },
    after: {
      Handles.memories.unlock()
      Handles.cancellers.unlock()
      Handles.sessions.unlock()
      Handles.results.unlock()
      Handles.engines.unlock()
    })
}

/// Writes a new handle to the caller's place, which is looked at before anything is made.
func give<Object>(
  _ out: UnsafeMutablePointer<OpaquePointer?>?, _ name: StaticString, of table: HandleTable<Object>,
  _ make: () throws(Status) -> Object
) throws(Status) {
  Handles.surviveForks()
  try table.give(out, name, make)
}
