import FaceCore
import Glibc
import Posix
import TestSupport
import Testing

@Suite struct UnixSocketTests {
  private func read(_ socket: borrowing UnixSocket, _ count: Int) throws(Status) -> (Transfer, [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: count)
    var span = buffer.mutableSpan
    let transfer = try span.withUnsafeMutableBytes { (bytes) throws(Status) in try socket.read(into: bytes) }
    return (transfer, buffer)
  }

  private func write(_ socket: borrowing UnixSocket, _ bytes: [UInt8]) throws(Status) -> Transfer {
    try bytes.span.withUnsafeBytes { (bytes) throws(Status) in try socket.write(bytes) }
  }

  @Test func bytesArriveThroughTheSocket() throws {
    let pair = try UnixSocket.pair()
    #expect(try read(pair.second, 4).0 == .notNow)
    #expect(try pair.second.wait(for: .read, until: .now()) == false)
    #expect(try write(pair.first, [1, 2, 3]) == .bytes(3))
    #expect(try pair.second.wait(for: .read, until: .never))
    let (transfer, bytes) = try read(pair.second, 4)
    #expect(transfer == .bytes(3))
    #expect(bytes == [1, 2, 3, 0])
    #expect(try pair.first.peer().user == getuid())
    #expect(try pair.first.peer().process == getpid())
  }

  @Test func fullSocketDoesNotWait() throws {
    let pair = try UnixSocket.pair()
    let block = [UInt8](repeating: 0, count: 1 << 20)
    var transfer = try write(pair.first, block)
    while case .bytes = transfer { transfer = try write(pair.first, block) }
    #expect(transfer == .notNow)
    #expect(try pair.first.wait(for: .write, until: .now()) == false)
  }

  @Test func aDescriptorGoesThroughASocketOfAnotherOwner() throws {
    let pair = try UnixSocket.pair()
    let file = try MemoryFile(size: 4096)
    let text: [UInt8] = [1, 2, 3]
    let sent = try text.span.withUnsafeBytes { (bytes) throws(Status) in
      try UnixSocket.write(bytes, passing: file.descriptor, to: pair.first.pollableDescriptor)
    }
    #expect(sent == .bytes(3))
    var buffer = [UInt8](repeating: 0, count: 4)
    var span = buffer.mutableSpan
    var mappedBytes: [Int] = []
    let received = try span.withUnsafeMutableBytes { (bytes) throws(Status) in
      try pair.second.receive(into: bytes) { descriptor in
        if let memory = try? SharedMemory(mapping: descriptor, size: 4096) {
          mappedBytes.append(memory.bytes.count)
        }
      }
    }
    #expect(received.transfer == .bytes(3))
    #expect(buffer == [1, 2, 3, 0])
    #expect(mappedBytes == [4096])
  }

  @Test func writingToAClosedPeerRaisesNoSignal() throws {
    let folder = try TemporaryFolder()
    let file = try SocketFile.claim(try SocketPath(folder.path("s")))
    let client = try UnixSocket(connectingTo: file.path)
    guard case .connection(let server) = try file.accept() else {
      throw Status(.internal, "no connection")
    }
    server.finishWriting()
    #expect(try read(client, 1).0 == .ended)
    drop(server)
    #expect(try write(client, [1]) == .ended)
  }

  private func drop(_ socket: consuming UnixSocket) {}
}
