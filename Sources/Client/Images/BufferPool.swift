import FaceCore
import Posix
import Wire

/// Shared memory that was offered to the engine, or is about to be.
final class OfferedBuffer: Sendable {
  let number: UInt32
  let memory: MemoryBlock
  /// The caller's own memory, rather than a place that images are copied to.
  let isCallers: Bool

  init(number: UInt32, _ memory: MemoryBlock, isCallers: Bool) {
    self.number = number
    self.memory = memory
    self.isCallers = isCallers
  }
}

/// The shared memory of one connection: each piece is offered once and then used for one image after the other.
///
/// Safe to use from several threads at once.
final class BufferPool: Sendable {
  /// What a caller does for a buffer.
  enum Turn {
    /// Take back those, which are not used any more.
    case use(OfferedBuffer, after: [UInt32])
    /// Take back those, then offer this one, and then say `wasOffered`.
    case offer(OfferedBuffer, after: [UInt32])
    /// There is none to be had: send the image in another way.
    case none
  }

  /// Memory of callers, known here until it is gone.
  private struct Callers {
    let number: UInt32
    let size: Int
    weak var memory: MemoryBlock?
    /// Until the offer has left, images in it are copied.
    var isReady = false
    /// The engine did not take it: images in it are copied for good.
    var isRefused = false
  }

  private struct State {
    var idle: [OfferedBuffer] = []
    var callers: [Callers] = []
    var count = 0
    var mappedBytes = 0
    var lastNumber: UInt32 = 0
    /// Numbers that the engine still knows and this side does not use any more.
    var retired: [UInt32] = []
    /// Why the connection is no more.
    var ending: Status?
    /// Until when no buffer is offered that can be done without, since the last one was refused.
    var pauseEnd = MonotonicTime(nanoseconds: 0)
    /// Why the engine did not take an offer, until its caller has asked.
    var refusals: [UInt32: Status] = [:]

    mutating func retire(_ buffer: OfferedBuffer) {
      leave(buffer.memory.file.bytes.count)
      retired.append(buffer.number)
    }

    mutating func leave(_ size: Int) {
      count -= 1
      mappedBytes -= size
    }

    mutating func enter(_ size: Int) -> UInt32 {
      count += 1
      mappedBytes += size
      lastNumber += 1
      return lastNumber
    }

    /// Forgets memory that its callers have freed.
    mutating func sweep() {
      for gone in callers where gone.memory == nil && !gone.isRefused {
        leave(gone.size)
        retired.append(gone.number)
      }
      callers.removeAll { $0.memory == nil }
    }
  }

  private let state = Monitor(State())
  /// A buffer was given back, or there is room for another.
  private let changed = Condition()
  private let maxCount: Int
  let maxBytes: Int

  /// - Parameter limits: what the engine told of itself.
  init(_ limits: EngineLimits) {
    maxCount = limits.buffersPerConnection
    maxBytes = limits.mappedBytesPerUser
  }

  /// A buffer of at least `size` bytes that nobody else uses until it is given back or forgotten.
  /// - Parameter bounds: how long to wait for one while all are in use; `nil` when it can be done without: then it is
  ///   `none`.
  func take(_ size: Int, waiting bounds: CallBounds?) throws(ExchangeFailure) -> Turn {
    let rounded = (size + Self.granularity - 1) / Self.granularity * Self.granularity
    let canDoWithout = bounds == nil
    let bounds = bounds ?? CallBounds(timeout: 1)
    let turn = try bounds.wait(in: state, for: changed) { (state) throws(ExchangeFailure) -> Turn? in
      if let ending = state.ending { throw .unsent(ending) }
      if let best = state.idle.indices.filter({ state.idle[$0].memory.file.bytes.count >= size })
        .min(by: { state.idle[$0].memory.file.bytes.count < state.idle[$1].memory.file.bytes.count })
      {
        return .use(state.idle.remove(at: best), after: takeRetired(&state))
      }
      guard rounded <= maxBytes, maxCount > 0 else { return Turn.none }
      if canDoWithout, MonotonicTime.now() < state.pauseEnd { return Turn.none }
      guard makeRoom(for: rounded, &state) else { return nil }
      let memory = try Result { () throws(Status) in MemoryBlock(try MemoryFile(size: rounded)) }
        .mapError(ExchangeFailure.failed).get()
      let fresh = OfferedBuffer(number: state.enter(rounded), memory, isCallers: false)
      return .offer(fresh, after: takeRetired(&state))
    }
    return turn ?? .none
  }

  /// The number of memory that lies ready; does not wait.
  func take(_ memory: MemoryBlock) -> Turn {
    state.withLock { state in
      state.sweep()
      if let known = state.callers.first(where: { $0.memory === memory }) {
        guard known.isReady else { return .none }
        let buffer = OfferedBuffer(number: known.number, memory, isCallers: true)
        return .use(buffer, after: takeRetired(&state))
      }
      let size = memory.file.bytes.count
      guard size <= maxBytes, maxCount > 0, makeRoom(for: size, &state) else { return .none }
      let number = state.enter(size)
      state.callers.append(Callers(number: number, size: size, memory: memory))
      return .offer(OfferedBuffer(number: number, memory, isCallers: true), after: takeRetired(&state))
    }
  }

  /// What is idle is too small, and makes room.
  private func makeRoom(for size: Int, _ state: inout State) -> Bool {
    state.sweep()
    while state.count >= maxCount || state.mappedBytes + size > maxBytes {
      guard let old = state.idle.popLast() else { return false }
      state.retire(old)
    }
    return true
  }

  private func takeRetired(_ state: inout State) -> [UInt32] {
    defer { state.retired = [] }
    return state.retired
  }

  /// The offer has left.
  func wasOffered(_ buffer: OfferedBuffer) {
    guard buffer.isCallers else { return }
    state.withLock { state in
      for index in state.callers.indices where state.callers[index].number == buffer.number {
        state.callers[index].isReady = true
      }
    }
  }

  /// The engine has answered: the buffer may be written again.
  func giveBack(_ buffer: OfferedBuffer) {
    if buffer.isCallers { return }
    state.withLock { state in state.idle.append(buffer) }
    changed.wakeAll()
  }

  /// The buffer is not used again, since the engine may still read it.
  func forget(_ buffer: OfferedBuffer) {
    if buffer.isCallers { return }
    state.withLock { state in state.retire(buffer) }
    changed.wakeAll()
  }

  /// The connection is lost: nobody waits for a buffer any more.
  func end(_ status: Status) {
    state.withLock { state in state.ending = status }
    changed.wakeAll()
  }

  /// The engine did not take an offer.
  func refuse(_ number: UInt32, _ status: Status) {
    state.withLock { state in
      state.refusals[number] = status
      state.pauseEnd = MonotonicTime.now().advanced(byNanoseconds: Self.pause)
      for index in state.callers.indices where state.callers[index].number == number {
        state.callers[index].isReady = false
        state.callers[index].isRefused = true
        state.leave(state.callers[index].size)
      }
    }
    changed.wakeAll()
  }

  /// Why the engine did not take `buffer`, which is gone then; `nil` when it did. The limits may leave room later.
  func refusal(of buffer: OfferedBuffer) -> Status? {
    let refusal = state.withLock { state in
      if buffer.isCallers { return state.refusals[buffer.number] }
      let refusal = state.refusals.removeValue(forKey: buffer.number)
      if refusal != nil { state.leave(buffer.memory.file.bytes.count) }
      return refusal
    }
    if refusal != nil { changed.wakeAll() }
    return refusal
  }

  /// Nanoseconds from a refusal to the next offer that can be done without; the limits may leave room by then.
  private static let pause: Int64 = 1_000_000_000
  /// So that frames of one size, and files of about one size, share a buffer.
  private static let granularity = 256 << 10
}
