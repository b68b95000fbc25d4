import FaceCore
import Posix

/// Memory that a client registered, mapped for as long as anything refers to this. Any thread.
///
/// The connection refers to it until it is unregistered, and each call that may use it until it is answered.
final class SharedBuffer: Sendable {
  private let memory: SharedMemory
  private let reservation: Reservation
  private let count: BufferCount

  /// Throws `resourceExhausted` when the user has too much mapped, and what `SharedMemory` throws.
  init(
    _ descriptor: consuming Descriptor, size: Int, user: UInt32, accounts: UserAccounts, count: BufferCount
  ) throws(Status) {
    let reservation = try accounts.reserve(UserAccount(mappedBytes: size), for: user)
    memory = try SharedMemory(mapping: descriptor, size: size)
    self.reservation = reservation
    self.count = count
    count.counter.add()
  }

  deinit {
    count.counter.subtract()
  }

  /// The client may write to it at any moment.
  var bytes: UnsafeRawBufferPointer { memory.bytes }
}

/// How many buffers of one connection are mapped, among them those that are unregistered and still in use.
final class BufferCount: Sendable {
  fileprivate let counter = Counter()

  var value: Int { counter.value }
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
