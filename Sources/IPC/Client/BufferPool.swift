import FaceCore
import Posix

/// A shared memory buffer that is registered with the engine, or about to be.
final class RegisteredBuffer: Sendable {
  let number: UInt32
  let memory: MemoryBlock
  /// Whether it is the caller's own memory, rather than memory that images are copied to.
  let isCallers: Bool

  init(number: UInt32, _ memory: MemoryBlock, isCallers: Bool) {
    self.number = number
    self.memory = memory
    self.isCallers = isCallers
  }
}

/// The shared memory buffers of one connection. Each is registered once and then used for one image after the
/// other.
///
/// Other connections of the same user share the engine's limit, so idle buffers are kept only for a moment:
/// see `takeIdle`. Safe to use from several threads at once.
final class BufferPool: Sendable {
  /// The result of acquiring a buffer: the caller's next steps.
  enum Acquisition {
    /// Unregister these numbers; the buffer is ready.
    case use(RegisteredBuffer, after: [UInt32])
    /// Unregister these numbers, register the buffer, then call `didRegister`.
    case register(RegisteredBuffer, after: [UInt32])
    /// No buffer is available: send the image in another way.
    case none
  }

  /// The caller's memory, kept in the list until it is freed.
  private struct CallerMemory {
    let number: UInt32
    let size: Int
    weak var memory: MemoryBlock?
    /// Whether it is registered; until then, images in it are copied.
    var isReady = false
    /// Whether the engine refused it; then images in it are always copied.
    var isRefused = false
  }

  /// A buffer that no image uses.
  private struct Idle {
    let buffer: RegisteredBuffer
    let since: MonotonicTime

    var size: Int { buffer.memory.file.bytes.count }
    var end: MonotonicTime { since + BufferPool.longestIdle }
  }

  private struct State {
    /// The idle buffers in the order of their release.
    var idle: [Idle] = []
    var callers: [CallerMemory] = []
    var count = 0
    var mappedBytes = 0
    var lastNumber: UInt32 = 0
    /// Numbers of unused buffers that are to be unregistered.
    var retired: [UInt32] = []
    /// Why the connection was lost.
    var closed: Status?
    /// The time until which only necessary buffers are registered, since the last one was refused.
    var pauseEnd = MonotonicTime(nanoseconds: 0)
    /// The reasons of refused buffers, kept until `refusal(of:)` returns them.
    var refusals: [UInt32: Status] = [:]

    /// The size in bytes of the buffers that images are copied to.
    var ownBytes: Int {
      mappedBytes - callers.reduce(0) { $0 + ($1.isRefused ? 0 : $1.size) }
    }

    mutating func retire(_ buffer: RegisteredBuffer) {
      subtract(buffer.memory.file.bytes.count)
      retired.append(buffer.number)
    }

    mutating func subtract(_ size: Int) {
      count -= 1
      mappedBytes -= size
      assert(count >= idle.count && mappedBytes >= 0, "a buffer was counted out twice")
    }

    /// Adds a buffer of `size` bytes; returns its number.
    mutating func add(_ size: Int) -> UInt32 {
      assert(size > 0)
      count += 1
      mappedBytes += size
      lastNumber += 1
      return lastNumber
    }

    mutating func removeFreed() {
      for gone in callers where gone.memory == nil && !gone.isRefused {
        subtract(gone.size)
        retired.append(gone.number)
      }
      callers.removeAll { $0.memory == nil }
    }
  }

  private let state = Monitor(State())
  /// Signalled when a buffer is released or there is room for another.
  private let changed = Condition()
  private let maxCount: Int
  let maxBytes: Int
  private let shares: MemoryShares?

  /// - Parameters:
  ///   - limits: the engine's limits.
  ///   - shares: the shares of a stream's memory; `nil` for calls.
  init(_ limits: EngineLimits, _ shares: MemoryShares?) {
    maxCount = limits.buffersPerConnection
    maxBytes = limits.mappedBytesPerUser
    self.shares = shares
  }

  /// Whether an image of `size` bytes can have a buffer at all.
  func canHold(_ size: Int) -> Bool {
    canRegister(size) && rounded(size) <= MemoryFile.mostBytes ?? .max
  }

  private func canRegister(_ size: Int) -> Bool { size <= maxBytes && maxCount > 0 }

  private func rounded(_ size: Int) -> Int {
    min((size + Self.granularity - 1) / Self.granularity * Self.granularity, maxBytes)
  }

  /// Acquires a buffer of at least `size` bytes. No other image uses it until it is released or discarded.
  /// - Parameter token: limits the wait while all buffers are in use. `nil` means that a buffer is optional:
  ///   then the result is `none` instead of a wait.
  func acquire(_ size: Int, waiting token: CancellationToken?) throws(ExchangeFailure) -> Acquisition {
    guard canHold(size) else { return .none }
    let rounded = rounded(size)
    let isNecessary = token != nil
    let token = token ?? CancellationToken(timeout: .nanoseconds(1))
    let acquisition = try token.wait(in: state, for: changed) {
      (state) throws(ExchangeFailure) -> Acquisition? in
      if let closed = state.closed { throw .unsent(closed) }
      // Small images would keep a large buffer from becoming idle.
      let fitting = state.idle.indices.filter { (size...4 * rounded).contains(state.idle[$0].size) }
      let best = fitting.min { state.idle[$0].size < state.idle[$1].size }
        .map { state.idle.remove(at: $0).buffer }
      retireIdle(until: MonotonicTime.now(), &state)
      if let best { return .use(best, after: takeRetired(&state)) }
      if !isNecessary, MonotonicTime.now() < state.pauseEnd { return Acquisition.none }
      guard makeRoom(for: rounded, own: true, &state) else { return nil }
      let memory = try Result { () throws(Status) in MemoryBlock(try MemoryFile(size: rounded)) }
        .mapError(ExchangeFailure.failed).get()
      let fresh = RegisteredBuffer(number: state.add(rounded), memory, isCallers: false)
      return .register(fresh, after: takeRetired(&state))
    }
    return acquisition ?? .none
  }

  /// Acquires the buffer of the caller's own `memory`, without waiting.
  func acquire(_ memory: MemoryBlock) -> Acquisition {
    state.withLock { state in
      state.removeFreed()
      if let known = state.callers.first(where: { $0.memory === memory }) {
        guard known.isReady else { return .none }
        let buffer = RegisteredBuffer(number: known.number, memory, isCallers: true)
        return .use(buffer, after: takeRetired(&state))
      }
      let size = memory.file.bytes.count
      guard canRegister(size), makeRoom(for: size, own: false, &state) else { return .none }
      let number = state.add(size)
      state.callers.append(CallerMemory(number: number, size: size, memory: memory))
      return .register(RegisteredBuffer(number: number, memory, isCallers: true), after: takeRetired(&state))
    }
  }

  /// Retires idle buffers, which are too small, until there is room.
  /// - Parameter own: whether the room is for a buffer that images are copied to.
  private func makeRoom(for size: Int, own: Bool, _ state: inout State) -> Bool {
    state.removeFreed()
    while state.count >= maxCount || state.mappedBytes + size > maxBytes
      || (own && state.ownBytes + size > share(atLeast: size))
    {
      guard let old = state.idle.popLast() else { return false }
      state.retire(old.buffer)
    }
    return true
  }

  /// The limit in bytes of the buffers that images are copied to. A stream may have one buffer in any case.
  private func share(atLeast size: Int) -> Int {
    shares.map { max($0.share(of: maxBytes), size) } ?? maxBytes
  }

  // MARK: Idle buffers

  private func retireIdle(until time: MonotonicTime, _ state: inout State) {
    while let first = state.idle.first, first.end <= time {
      state.retire(state.idle.removeFirst().buffer)
    }
  }

  /// The time at which the next buffer will have been idle for too long.
  var nextIdleEnd: MonotonicTime {
    state.withLock { state in state.idle.first?.end ?? .never }
  }

  /// Removes buffers that were idle for too long, and returns their numbers, which are to be unregistered.
  /// - Parameter all: whether buffers that became idle a moment ago are removed as well.
  func takeIdle(all: Bool) -> [UInt32] {
    state.withLock { state in
      state.removeFreed()
      retireIdle(until: all ? .never : MonotonicTime.now(), &state)
      return takeRetired(&state)
    }
  }

  private func takeRetired(_ state: inout State) -> [UInt32] {
    defer { state.retired = [] }
    return state.retired
  }

  func didRegister(_ buffer: RegisteredBuffer) {
    guard buffer.isCallers else { return }
    state.withLock { state in
      for index in state.callers.indices where state.callers[index].number == buffer.number {
        state.callers[index].isReady = true
      }
    }
  }

  /// Releases the buffer after the engine's answer: it may be written again. It is kept unless too many are
  /// idle.
  func release(_ buffer: RegisteredBuffer) {
    if buffer.isCallers { return }
    state.withLock { state in
      assert(!state.idle.contains { $0.buffer.number == buffer.number }, "a buffer was released twice")
      state.idle.append(Idle(buffer: buffer, since: MonotonicTime.now()))
      while let largest = state.idle.indices.max(by: { state.idle[$0].size < state.idle[$1].size }),
        isTooMuch(largest: state.idle[largest].size, state)
      {
        state.retire(state.idle.remove(at: largest).buffer)
      }
    }
    changed.wakeAll()
  }

  private func isTooMuch(largest: Int, _ state: State) -> Bool {
    // A stream has a thread that removes idle buffers; calls have none.
    shares == nil
      ? state.idle.reduce(0) { $0 + $1.size } > Self.mostIdle : state.ownBytes > share(atLeast: largest)
  }

  /// Removes the buffer without reusing it, since the engine may still read it.
  func discard(_ buffer: RegisteredBuffer) {
    if buffer.isCallers { return }
    state.withLock { state in state.retire(buffer) }
    changed.wakeAll()
  }

  /// Closes the pool after the connection was lost, which ends all waits for buffers.
  func close(_ status: Status) {
    state.withLock { state in state.closed = status }
    changed.wakeAll()
  }

  /// Records that the engine refused a buffer.
  func refuse(_ number: UInt32, _ status: Status) {
    state.withLock { state in
      state.refusals[number] = status
      state.pauseEnd = MonotonicTime.now() + Self.pause
      for index in state.callers.indices where state.callers[index].number == number {
        state.callers[index].isReady = false
        state.callers[index].isRefused = true
        state.subtract(state.callers[index].size)
      }
    }
    changed.wakeAll()
  }

  /// Why the engine refused `buffer`, which is then removed; `nil` if it did not. The limits may leave room
  /// later.
  func refusal(of buffer: RegisteredBuffer) -> Status? {
    let refusal = state.withLock { state in
      if buffer.isCallers { return state.refusals[buffer.number] }
      let refusal = state.refusals.removeValue(forKey: buffer.number)
      if refusal != nil { state.subtract(buffer.memory.file.bytes.count) }
      return refusal
    }
    if refusal != nil { changed.wakeAll() }
    return refusal
  }

  /// The time from a refusal to the next optional registration; the limits may leave room by then.
  private static let pause: TimeSpan = .seconds(1)
  /// The time that a buffer is kept for the next image.
  private static let longestIdle: TimeSpan = .seconds(1)
  /// The size in bytes of idle buffers that calls keep: a frame of 3840×2160 with four bytes a pixel.
  private static let mostIdle = 32 << 20
  /// The unit of buffer sizes in bytes. Frames of equal size, and files of similar size, can thus share a
  /// buffer.
  private static let granularity = 256 << 10
}

/// Divides the memory that a user may share with the engine among the streams of a client, with one more
/// share for calls.
final class MemoryShares: Sendable {
  private let streams = Monitor(0)

  func addStream() { streams.withLock { count in count += 1 } }
  func removeStream() { streams.withLock { count in count -= 1 } }

  /// The size of one share of `total` in bytes.
  func share(of total: Int) -> Int { total / (streams.withLock { count in count } + 1) }
}
