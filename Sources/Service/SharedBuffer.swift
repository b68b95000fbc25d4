import FaceCore
import Posix

/// Memory that a client offered, mapped for as long as anything refers to this.
///
/// The connection refers to it until it is taken back, and each call that may use it until it is answered. Any thread.
final class SharedBuffer: Sendable {
  private let memory: SharedMemory
  private let user: UInt32
  private let account: MappedMemory
  private let held: BufferCount

  /// Throws `resourceExhausted` when the user has too much mapped, and what `SharedMemory` throws.
  init(
    _ descriptor: consuming Descriptor, size: Int, user: UInt32, account: MappedMemory, held: BufferCount
  ) throws(Status) {
    try account.reserve(size, for: user)
    do throws(Status) {
      memory = try SharedMemory(mapping: descriptor, size: size)
    } catch {
      account.release(size, of: user)
      throw error
    }
    self.user = user
    self.account = account
    self.held = held
    held.counter.add()
  }

  deinit {
    account.release(memory.bytes.count, of: user)
    held.counter.subtract()
  }

  /// The client may write to it at any moment.
  var bytes: UnsafeRawBufferPointer { memory.bytes }
}

/// How many buffers of one connection are mapped, those taken back and still in use among them.
final class BufferCount: Sendable {
  let counter = Counter()
}

/// Bytes of shared memory that are mapped, by user. Any thread.
final class MappedMemory: Sendable {
  private let limit: Int
  private let statistics: Statistics
  private let users = Monitor<[UInt32: Int]>([:])

  /// - Parameter limit: most bytes of one user.
  init(limit: Int, statistics: Statistics) {
    self.limit = limit
    self.statistics = statistics
  }

  func reserve(_ bytes: Int, for user: UInt32) throws(Status) {
    try users.withLock { (users) throws(Status) in
      let mapped = users[user, default: 0]
      guard bytes <= limit - mapped else {
        throw Status(
          .resourceExhausted,
          "uid \(user) shares \(mapped) bytes with the engine and may share \(limit), which is too few for \(bytes) more; "
            + "wait until others are not needed, or start the engine with a larger --mapped-bytes-per-user",
          .limit("mapped_bytes_per_user")
        )
      }
      users[user] = mapped + bytes
    }
    statistics.mappedBytes.add(bytes)
  }

  func release(_ bytes: Int, of user: UInt32) {
    users.withLock { users in
      let left = users[user, default: 0] - bytes
      users[user] = left > 0 ? left : nil
    }
    statistics.mappedBytes.subtract(bytes)
  }
}

/// The buffers of one connection at one moment. A call keeps the table of the moment at which it came.
struct BufferTable: Sendable {
  private var buffers: [UInt32: SharedBuffer] = [:]

  func contains(_ number: UInt32) -> Bool { buffers[number] != nil }

  /// Throws `notFound`.
  func buffer(_ number: UInt32) throws(Status) -> SharedBuffer {
    guard let buffer = buffers[number] else {
      throw Status(.notFound, "there is no buffer \(number) on this connection; offer it first")
    }
    return buffer
  }

  mutating func insert(_ buffer: SharedBuffer, as number: UInt32) {
    buffers[number] = buffer
  }

  /// False when there is none of that number.
  mutating func remove(_ number: UInt32) -> Bool {
    buffers.removeValue(forKey: number) != nil
  }
}
