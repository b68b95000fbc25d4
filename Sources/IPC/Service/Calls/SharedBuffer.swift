import FaceCore
import Posix

/// Memory registered by a client. It stays mapped as long as this object is referenced. Safe to use from any
/// thread.
///
/// The connection refers to it until it is unregistered, and each call that may use it until it is answered.
final class SharedBuffer: Sendable {
  private let memory: SharedMemory
  private let reservation: Reservation
  private let count: BufferCount

  /// Maps the memory. Throws `resourceExhausted` if the user has too much mapped, and errors of
  /// `SharedMemory`.
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

  /// The memory, which the client may write to at any moment.
  var bytes: UnsafeRawBufferPointer { memory.bytes }
}

/// Counts the mapped buffers of one connection, including unregistered ones that are still in use.
package final class BufferCount: Sendable {
  fileprivate let counter = Counter()

  package var value: Int { counter.value }
}

/// The buffers of one connection at one moment. A call keeps those that it names, from the time of its arrival:
/// others would count as in use after the client has withdrawn them.
struct BufferTable: Sendable {
  private var buffers: [UInt32: SharedBuffer] = [:]

  /// The buffers that are there under these numbers.
  func only(_ numbers: Set<UInt32>) -> BufferTable {
    var table = BufferTable()
    for number in numbers { table.buffers[number] = buffers[number] }
    return table
  }

  func contains(_ number: UInt32) -> Bool { buffers[number] != nil }

  /// The buffer with this number. Throws `notFound` if there is none.
  func buffer(_ number: UInt32) throws(Status) -> SharedBuffer {
    guard let buffer = buffers[number] else {
      throw Status(.notFound, "there is no buffer \(number) on this connection; offer it first")
    }
    return buffer
  }

  mutating func insert(_ buffer: SharedBuffer, as number: UInt32) {
    buffers[number] = buffer
  }

  /// Removes a buffer; returns false if there is none with that number.
  mutating func remove(_ number: UInt32) -> Bool {
    buffers.removeValue(forKey: number) != nil
  }
}
