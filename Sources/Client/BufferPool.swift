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
/// Others of the same user share the engine's limit, so little is kept that nobody uses: see `returnIdle`. Safe to use from
/// several threads at once.
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

  /// A buffer that nobody uses.
  private struct Idle {
    let buffer: OfferedBuffer
    let since: MonotonicTime

    var size: Int { buffer.memory.file.bytes.count }
    var end: MonotonicTime { since.advanced(byNanoseconds: BufferPool.longestIdle) }
  }

  private struct State {
    /// In the order in which they were given back.
    var idle: [Idle] = []
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

    /// Bytes of the places that images are copied to.
    var ownBytes: Int {
      mappedBytes - callers.reduce(0) { $0 + ($1.isRefused ? 0 : $1.size) }
    }

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
  private let shares: MemoryShares?

  /// - Parameters:
  ///   - limits: what the engine told of itself.
  ///   - shares: of a stream, which keeps within its own; `nil` for calls.
  init(_ limits: EngineLimits, _ shares: MemoryShares?) {
    maxCount = limits.buffersPerConnection
    maxBytes = limits.mappedBytesPerUser
    self.shares = shares
  }

  /// Whether an image of so many bytes can have a buffer at all.
  func canHold(_ size: Int) -> Bool { size <= maxBytes && maxCount > 0 }

  /// A buffer of at least `size` bytes that nobody else uses until it is given back or forgotten.
  /// - Parameter token: how long to wait for one while all are in use; `nil` when it can be done without: then it is
  ///   `none`.
  func take(_ size: Int, waiting token: CancellationToken?) throws(ExchangeFailure) -> Turn {
    guard canHold(size) else { return .none }
    let rounded = min((size + Self.granularity - 1) / Self.granularity * Self.granularity, maxBytes)
    let canDoWithout = token == nil
    let token = token ?? CancellationToken(timeout: 1)
    let turn = try token.wait(in: state, for: changed) { (state) throws(ExchangeFailure) -> Turn? in
      if let ending = state.ending { throw .unsent(ending) }
      // A small image would keep a large buffer from being returned.
      let fitting = state.idle.indices.filter { (size...4 * rounded).contains(state.idle[$0].size) }
      let best = fitting.min { state.idle[$0].size < state.idle[$1].size }
        .map { state.idle.remove(at: $0).buffer }
      retireIdle(until: MonotonicTime.now(), &state)
      if let best { return .use(best, after: takeRetired(&state)) }
      if canDoWithout, MonotonicTime.now() < state.pauseEnd { return Turn.none }
      guard makeRoom(for: rounded, own: true, &state) else { return nil }
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
      guard canHold(size), makeRoom(for: size, own: false, &state) else { return .none }
      let number = state.enter(size)
      state.callers.append(Callers(number: number, size: size, memory: memory))
      return .offer(OfferedBuffer(number: number, memory, isCallers: true), after: takeRetired(&state))
    }
  }

  /// What is idle is too small, and makes room.
  /// - Parameter own: whether it is for a place that images are copied to.
  private func makeRoom(for size: Int, own: Bool, _ state: inout State) -> Bool {
    state.sweep()
    while state.count >= maxCount || state.mappedBytes + size > maxBytes
      || (own && state.ownBytes + size > share(atLeast: size))
    {
      guard let old = state.idle.popLast() else { return false }
      state.retire(old.buffer)
    }
    return true
  }

  /// Most bytes of the places that images are copied to. One buffer is a stream's in any case.
  private func share(atLeast size: Int) -> Int {
    shares.map { max($0.share(of: maxBytes), size) } ?? maxBytes
  }

  // MARK: What is not used

  private func retireIdle(until time: MonotonicTime, _ state: inout State) {
    while let first = state.idle.first, first.end <= time {
      state.retire(state.idle.removeFirst().buffer)
    }
  }

  /// When `returnIdle` has something to do, if nobody takes a buffer before.
  var nextReturn: MonotonicTime {
    state.withLock { state in state.idle.first?.end ?? .never }
  }

  /// What the engine is to be told that it may let go of: all that was not used for a while.
  /// - Parameter all: also what was used a moment ago.
  func returnIdle(all: Bool = false) -> [UInt32] {
    state.withLock { state in
      state.sweep()
      retireIdle(until: all ? .never : MonotonicTime.now(), &state)
      return takeRetired(&state)
    }
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

  /// The engine has answered: the buffer may be written again. It is kept, unless what is kept becomes too much.
  func giveBack(_ buffer: OfferedBuffer) {
    if buffer.isCallers { return }
    state.withLock { state in
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
    // A stream's thread returns what it does not use, and a call has none.
    shares == nil
      ? state.idle.reduce(0) { $0 + $1.size } > Self.mostIdle : state.ownBytes > share(atLeast: largest)
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
  /// Nanoseconds that a buffer is kept for the next image.
  private static let longestIdle: Int64 = 1_000_000_000
  /// Bytes that calls keep for the next one: a frame of 3840×2160 in four bytes a pixel.
  private static let mostIdle = 32 << 20
  /// So that frames of one size, and files of about one size, share a buffer.
  private static let granularity = 256 << 10
}

/// How much of the memory that a user may share with the engine each stream of a client takes, so that all of them have
/// some. Another share is that of calls.
final class MemoryShares: Sendable {
  private let streams = Monitor(0)

  func enter() { streams.withLock { count in count += 1 } }
  func leave() { streams.withLock { count in count -= 1 } }

  /// Bytes of one share of `total`.
  func share(of total: Int) -> Int { total / (streams.withLock { count in count } + 1) }
}
