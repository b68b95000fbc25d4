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
    /// Offer this new buffer, after taking back that one, which was too small.
    case offer(OfferedBuffer, insteadOf: UInt32?)
    /// There is none to be had: send the image in the message.
    case none
  }

  private struct State {
    var idle: [OfferedBuffer] = []
    var count = 0
    var mappedBytes = 0
    var lastNumber: UInt32 = 0
    /// Why the engine takes no more buffers.
    var refusal: Status?
  }

  private let state = Monitor(State())
  private let maxCount: Int
  private let maxBytes: Int

  /// - Parameter limits: what the engine told of itself.
  init(_ limits: EngineLimits) {
    maxCount = limits.buffersPerConnection
    maxBytes = limits.mappedBytesPerUser
  }

  /// A buffer of at least `size` bytes that nobody else uses until it is given back or forgotten.
  func take(_ size: Int) throws(Status) -> Turn {
    try state.withLock { (state) throws(Status) in
      if let best = state.idle.indices.filter({ state.idle[$0].memory.bytes.count >= size })
        .min(by: { state.idle[$0].memory.bytes.count < state.idle[$1].memory.bytes.count })
      {
        return .use(state.idle.remove(at: best))
      }
      guard state.refusal == nil else { return .none }
      let rounded = (size + Self.granularity - 1) / Self.granularity * Self.granularity
      var tooSmall: OfferedBuffer?
      if state.count >= maxCount || state.mappedBytes + rounded > maxBytes {
        guard let old = state.idle.popLast() else { return .none }
        guard state.mappedBytes - old.memory.bytes.count + rounded <= maxBytes else {
          state.idle.append(old)
          return .none
        }
        tooSmall = old
        state.count -= 1
        state.mappedBytes -= old.memory.bytes.count
      }
      state.lastNumber += 1
      let fresh = try OfferedBuffer(number: state.lastNumber, size: rounded)
      state.count += 1
      state.mappedBytes += rounded
      return .offer(fresh, insteadOf: tooSmall?.number)
    }
  }

  /// The engine has answered: the buffer may be written again.
  func giveBack(_ buffer: OfferedBuffer) {
    state.withLock { state in state.idle.append(buffer) }
  }

  /// The buffer is not used again: it was refused, or the engine may still read it.
  func forget(_ buffer: OfferedBuffer) {
    state.withLock { state in
      state.count -= 1
      state.mappedBytes -= buffer.memory.bytes.count
    }
  }

  /// The engine did not take a buffer.
  func refuse(_ status: Status) {
    state.withLock { state in state.refusal = status }
  }

  var isRefused: Bool { state.withLock { state in state.refusal != nil } }

  /// So that frames of one size, and files of about one size, share a buffer.
  private static let granularity = 256 << 10
}
