import FaceCore
import Glibc

/// Unmaps large memory on a thread of its own.
///
/// Unmapping a hundred megabytes of small pages takes tens of milliseconds, too long for a thread that serves
/// other clients.
final class MappingReleaser: Sendable {
  static let shared = MappingReleaser()

  /// Bytes to unmap at a time, in about a millisecond. Between steps other threads can map memory, which
  /// needs the same kernel lock.
  private static let step = 4 << 20
  /// The most bytes that may wait. Beyond this, the thread that releases memory unmaps it itself, so that it
  /// cannot pile up.
  private static let mostWaiting = 256 << 20

  private struct State {
    var waiting: [Mapping] = []
    var byteCount = 0
    var hasThread = false
  }

  private struct Mapping: @unchecked Sendable {
    // No other code reads or writes the pages any more.
    let start: UnsafeMutableRawPointer
    let byteCount: Int
  }

  private let state = Monitor(State())
  private let added = Condition()

  /// Starts the thread, unless it is running; it never ends. Without it, the thread that releases memory
  /// unmaps it.
  func start() throws(Status) {
    try state.withLock { (state) throws(Status) in
      if !state.hasThread { _ = try Thread(name: "face-unmap") { self.run() } }
      state.hasThread = true
    }
  }

  /// Unmaps all of a mapping: small ones at once, large ones soon. Any thread.
  func release(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    let mapping = Mapping(start: UnsafeMutableRawPointer(mutating: start), byteCount: bytes.count)
    if mapping.byteCount <= Self.step || !enqueue(mapping) { munmap(mapping.start, mapping.byteCount) }
  }

  private func enqueue(_ mapping: Mapping) -> Bool {
    let isEnqueued = state.withLock { state in
      guard state.hasThread, state.byteCount + mapping.byteCount <= Self.mostWaiting else { return false }
      state.waiting.append(mapping)
      state.byteCount += mapping.byteCount
      return true
    }
    if isEnqueued { added.wakeAll() }
    return isEnqueued
  }

  private func run() {
    while true {
      let next = state.wait(for: added, until: .never) { state -> Mapping? in
        state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }
      guard let next else { continue }
      for offset in stride(from: 0, to: next.byteCount, by: Self.step) {
        munmap(next.start + offset, min(Self.step, next.byteCount - offset))
      }
      state.withLock { state in state.byteCount -= next.byteCount }
    }
  }
}
