// The names are those of include/face_engine.h.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CFaceEngine
import FaceCore
import Posix
import Synchronization

@c @implementation
public func face_set_log_callback(
  _ callback: face_log_callback!, _ max_level: face_log_level, _ user_data: UnsafeMutableRawPointer!
) {
  let callback = callback as face_log_callback?
  let sink = callback.map { Log.Sink(callback: $0, userData: user_data) }
  Thread.withoutCancellation { Log.set(sink, maxLevel: max_level) }
}

/// The library's log, silent until the host sets a callback.
enum Log {
  struct Sink: @unchecked Sendable {
    // The host promised that its pointer may be handed to its function on any thread.
    let callback: @convention(c) (face_log_level, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Void
    let userData: UnsafeMutableRawPointer?
  }

  private struct State {
    var sink: Sink?
    /// The thread inside the callback.
    var caller: ThreadOfProcess?
  }

  private static let state = Monitor(State())
  private static let becameFree = Condition()
  /// The highest level that is logged; 0 without a callback. Checked before anything else, so that a silent
  /// log costs nothing.
  private static let maxLevel = Atomic<UInt32>(0)

  /// Replaces the callback once the previous one has returned. Does nothing inside a callback.
  static func set(_ sink: Sink?, maxLevel level: UInt32) {
    let current = ThreadOfProcess.current
    _ = state.wait(for: becameFree) { state -> Void? in
      if state.caller == current { return }
      if let caller = state.caller, caller.isInThisProcess { return nil }
      state = State(sink: sink, caller: nil)
      maxLevel.store(sink == nil ? 0 : level, ordering: .relaxed)
    }
  }

  static func warning(_ line: @autoclosure () -> String) { write(line, UInt32(FACE_LOG_WARNING)) }
  static func info(_ line: @autoclosure () -> String) { write(line, UInt32(FACE_LOG_INFO)) }
  static func debug(_ line: @autoclosure () -> String) { write(line, UInt32(FACE_LOG_DEBUG)) }

  private static func write(_ line: () -> String, _ level: UInt32) {
    guard level <= maxLevel.load(ordering: .relaxed) else { return }
    let current = ThreadOfProcess.current
    let sink = state.wait(for: becameFree) { state -> Sink?? in
      if state.caller == current { return .some(nil) }  // the callback called the library
      if let caller = state.caller, caller.isInThisProcess { return nil }
      state.caller = state.sink == nil ? nil : current
      return .some(state.sink)
    }
    guard let sink = sink ?? nil else { return }
    singleLine(line()).withCString { sink.callback(level, $0, sink.userData) }
    state.withLock { $0.caller = nil }
    becameFree.wakeAll()
  }

  /// Escapes control characters, which a path may contain, as in \x0a.
  private static func singleLine(_ text: String) -> String {
    guard text.utf8.contains(where: isControl) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isControl(byte) {
        bytes += "\\x".utf8
        bytes += [byte / 16, byte % 16].map { Array("0123456789abcdef".utf8)[Int($0)] }
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }
}

/// Identifies a thread of one process. After a fork, the child's thread is a different one.
struct ThreadOfProcess: Equatable {
  private let thread: ThreadIdentity
  private let process: Int32

  static var current: ThreadOfProcess {
    ThreadOfProcess(thread: .current, process: CurrentProcess.id)
  }

  var isInThisProcess: Bool { process == CurrentProcess.id }
}
