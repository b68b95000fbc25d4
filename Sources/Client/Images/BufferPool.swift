import FaceCore
import Posix
import Wire

/// A buffer of shared memory that was offered to the engine, or is about to be.
final class OfferedBuffer: Sendable {
  let number: UInt32
  let memory: MemoryFile

  init(number: UInt32, size: Int) throws(Status) {
    self.number = number
    memory = try MemoryFile(size: size)
  }
}

/// The buffers of one connection: each is offered once and then used for one image after the other.
///
/// Safe to use from several threads at once.
final class BufferPool: Sendable {
  /// What a caller does for a buffer of its own.
  enum Turn {
    case use(OfferedBuffer)
    /// Take those back, which are not used any more, and then offer this one.
    case offer(OfferedBuffer, after: [UInt32])
    /// There is none to be had: send the image in the message.
    case none
  }

  private struct State {
    var idle: [OfferedBuffer] = []
    var count = 0
    var mappedBytes = 0
    var lastNumber: UInt32 = 0
    /// Numbers that the engine still knows and this side does not use any more.
    var retired: [UInt32] = []
    /// Why the engine did not take an offer, until its caller has asked.
    var refusals: [UInt32: Status] = [:]

    mutating func retire(_ buffer: OfferedBuffer) {
      leave(buffer)
      retired.append(buffer.number)
    }

    mutating func leave(_ buffer: OfferedBuffer) {
      count -= 1
      mappedBytes -= buffer.memory.bytes.count
    }
  }

  private let state = Monitor(State())
  /// A buffer was given back, or there is room for another.
  private let changed = Condition()
  private let maxCount: Int
  private let maxBytes: Int

  /// - Parameter limits: what the engine told of itself.
  init(_ limits: EngineLimits) {
    maxCount = limits.buffersPerConnection
    maxBytes = limits.mappedBytesPerUser
  }

  /// A buffer of at least `size` bytes that nobody else uses until it is given back or forgotten.
  /// - Parameter deadline: until when to wait for one while all are in use; `nil` not to wait.
  func take(_ size: Int, waitingUntil deadline: MonotonicTime?) throws(Status) -> Turn {
    let rounded = (size + Self.granularity - 1) / Self.granularity * Self.granularity
    let turn = try state.wait(for: changed, until: deadline ?? MonotonicTime.now()) {
      (state) throws(Status) -> Turn? in
      if let best = state.idle.indices.filter({ state.idle[$0].memory.bytes.count >= size })
        .min(by: { state.idle[$0].memory.bytes.count < state.idle[$1].memory.bytes.count })
      {
        return .use(state.idle.remove(at: best))
      }
      guard rounded <= maxBytes, maxCount > 0 else { return Turn.none }
      // What is idle is too small, and makes room.
      while state.count >= maxCount || state.mappedBytes + rounded > maxBytes {
        guard let old = state.idle.popLast() else { return nil }
        state.retire(old)
      }
      state.lastNumber += 1
      let fresh = try OfferedBuffer(number: state.lastNumber, size: rounded)
      state.count += 1
      state.mappedBytes += rounded
      let retired = state.retired
      state.retired = []
      return .offer(fresh, after: retired)
    }
    return turn ?? .none
  }

  /// The engine has answered: the buffer may be written again.
  func giveBack(_ buffer: OfferedBuffer) {
    state.withLock { state in state.idle.append(buffer) }
    changed.wakeAll()
  }

  /// The buffer is not used again, since the engine may still read it.
  func forget(_ buffer: OfferedBuffer) {
    state.withLock { state in state.retire(buffer) }
    changed.wakeAll()
  }

  /// The engine did not take an offer.
  func refuse(_ number: UInt32, _ status: Status) {
    state.withLock { state in state.refusals[number] = status }
  }

  /// Why the engine did not take `buffer`, which is gone then; `nil` when it did. The limits may leave room later.
  func refusal(of buffer: OfferedBuffer) -> Status? {
    let refusal = state.withLock { state in
      let refusal = state.refusals.removeValue(forKey: buffer.number)
      if refusal != nil { state.leave(buffer) }
      return refusal
    }
    if refusal != nil { changed.wakeAll() }
    return refusal
  }

  /// So that frames of one size, and files of about one size, share a buffer.
  private static let granularity = 256 << 10
}
