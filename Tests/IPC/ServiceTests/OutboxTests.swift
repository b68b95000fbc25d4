import FaceCore
import Posix
import Service
import Testing

@Suite struct OutboxTests {
  private func frame(_ number: Int, _ size: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
  }

  /// The bytes in the socket, added to `received`.
  private func read(_ socket: borrowing UnixSocket, _ received: inout [UInt8], atMost limit: Int) throws {
    var buffer = [UInt8](repeating: 0, count: limit)
    var span = buffer.mutableSpan
    let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in try socket.read(into: bytes) }
    if case .bytes(let count) = transfer { received += buffer.prefix(count) }
  }

  /// A reader that never catches up and never falls far behind.
  @Test(arguments: [10, 3000, 200_000])
  func memoryOfAnOutboxIsBoundedByTheReadersLag(size: Int) throws {
    let pair = try UnixSocket.pair()
    var outbox = Outbox()
    var (sent, received): ([UInt8], [UInt8]) = ([], [])
    var most = 0
    var number = 0
    let backlog = 1 << 20
    while received.count < 8 * backlog {
      while outbox.count < backlog {
        let frame = frame(number, size)
        sent += frame
        outbox.append(frame)
        number += 1
      }
      let isThere = try outbox.flush { (bytes) throws(Status) in try pair.first.write(bytes) }
      #expect(isThere && !outbox.isEmpty)
      most = max(most, outbox.capacity)
      try read(pair.second, &received, atMost: 1 << 16)
    }
    // Arrays grow by doubling.
    #expect(most <= 2 * (backlog + size) + (256 << 10))
    while !outbox.isEmpty {
      _ = try outbox.flush { (bytes) throws(Status) in try pair.first.write(bytes) }
      try read(pair.second, &received, atMost: 1 << 16)
    }
    #expect(outbox.capacity == 0)
    while received.count < sent.count { try read(pair.second, &received, atMost: 1 << 16) }
    #expect(received == sent)
  }
}
