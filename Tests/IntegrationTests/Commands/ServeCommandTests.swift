import Foundation
import Testing

/// The life of `face-engine serve`: start, refuse, recover, stop.
@Suite struct ServeCommandTests {
  @Test(arguments: [SIGTERM, SIGINT])
  func stopsCleanlyOnSignal(_ signal: Int32) throws {
    let engine = try RunningEngine()
    #expect(engine.end(with: signal) == 0)
    #expect(!FileManager.default.fileExists(atPath: engine.socket))
  }

  @Test func refusesToTakeALiveEnginesSocket() throws {
    let engine = try RunningEngine()
    let second = try Command.faceEngine(["serve", "--socket", engine.socket, "--model", Checkout.model])
    #expect(second.status == 1)
    #expect(second.errors.contains(engine.socket))
    #expect(try Command.faceEngine(["detect", "--socket", engine.socket, Checkout.photo]).status == 0)
  }

  @Test func clearsADeadEnginesSocket() throws {
    let folder = try TemporaryFolder()
    let first = try RunningEngine(in: folder)
    #expect(first.end(with: SIGKILL) == -SIGKILL)
    #expect(FileManager.default.fileExists(atPath: first.socket))
    let failed = try Command.faceEngine(["detect", "--socket", first.socket, Checkout.photo])
    #expect(failed.status == 1)
    #expect(failed.errors.contains(first.socket))
    let second = try RunningEngine(in: folder)
    #expect(try Command.faceEngine(["detect", "--socket", second.socket, Checkout.photo]).status == 0)
  }

  @Test func leavesAFileThatIsNoSocketAlone() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("precious", as: "face-engine.sock")
    let command = try Command.faceEngine(["serve", "--socket", file, "--model", Checkout.model])
    #expect(command.status == 1)
    #expect(command.errors.contains(file))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test func saysWhatIsWrongWithAModel() throws {
    let folder = try TemporaryFolder()
    let command = try Command.faceEngine([
      "serve", "--socket", folder.path("s"), "--model", folder.path("none"),
    ])
    #expect(command.status == 1)
    #expect(command.errors.contains(folder.path("none")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("s")))
  }

  @Test func brokenPicturesAndCallersLeaveItServing() throws {
    let engine = try RunningEngine()
    let before = try engine.openDescriptors
    let folder = try TemporaryFolder()
    let broken = try folder.write("not a picture", as: "broken.jpg")
    for _ in 0..<20 {
      let refused = try Command.faceEngine(["detect", "--socket", engine.socket, broken])
      #expect(refused.status == 1)
      #expect(refused.errors.contains("neither JPEG nor PNG"))
    }
    // Bytes that are no frames, from a peer that then goes away.
    let noise = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    for _ in 0..<20 {
      let peer = try RawPeer(connectingTo: engine.socket)
      peer.send(noise)
    }
    #expect(try Command.faceEngine(["detect", "--socket", engine.socket, Checkout.photo]).status == 0)
    // Closed connections are noticed within a moment.
    for _ in 0..<100 where try engine.openDescriptors > before { usleep(20_000) }
    #expect(try engine.openDescriptors <= before)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func unknownMethodIsToldWhatThereIs() throws {
    let engine = try RunningEngine()
    let peer = try RawPeer(connectingTo: engine.socket)
    // Request{service: "no.Such", method: "Thing"} on stream 1, written out by hand.
    let request: [UInt8] = [0x0A, 7] + Array("no.Such".utf8) + [0x12, 5] + Array("Thing".utf8)
    peer.send(Data([0, 0, 0, UInt8(request.count), 0, 0, 0, 1, 1, 0] + request))
    let header = peer.receive(10)
    #expect(header[4..<8].elementsEqual([0, 0, 0, 1]))  // the same stream
    #expect(header[8] == 2)  // a response
    let length = header[0..<4].reduce(0) { $0 << 8 | Int($1) }
    let body = peer.receive(length)
    // Response{status: Status{code: 12 UNIMPLEMENTED, …}}
    #expect(body[0] == 0x0A)
    // The length of the status is a varint: its last byte is the first below 128.
    let status = body[1...].drop { $0 >= 0x80 }.dropFirst()
    #expect(status.starts(with: [0x08, 12]))
    #expect(String(decoding: body, as: UTF8.self).contains("faceengine.v1.Detector"))
  }
}

/// A peer that speaks bytes, not calls.
final class RawPeer {
  private let descriptor: Int32

  struct CannotConnect: Error {}

  init(connectingTo path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let result = withUnixAddress(path) { connect(descriptor, $0, $1) }
    guard result == 0 else { throw CannotConnect() }
  }

  deinit { close(descriptor) }

  func send(_ data: Data) {
    data.withUnsafeBytes {
      _ = Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// Fewer bytes when the engine closes first.
  func receive(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let received = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
    return Array(bytes.prefix(max(received, 0)))
  }
}
