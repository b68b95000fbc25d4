import Foundation
import ServiceTestSupport
import TestSupport
import Testing
import Wire

/// Tests the life of `face-engine serve`: start, refuse, recover, stop.
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
    let file = try folder.write("face-engine.sock", "precious".utf8)
    let command = try Command.faceEngine(["serve", "--socket", file, "--model", Checkout.model])
    #expect(command.status == 1)
    #expect(command.errors.contains(file))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test func damagedModelIsReported() throws {
    let folder = try TemporaryFolder()
    let command = try Command.faceEngine([
      "serve", "--socket", folder.path("s"), "--model", folder.path("none"),
    ])
    #expect(command.status == 1)
    #expect(command.errors.contains(folder.path("none")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("s")))
  }

  @Test func unknownMethodIsRefusedWithTheExistingOnes() throws {
    let engine = try RunningEngine()
    let peer = try RawPeer(engine.socket)
    // Request{service: "no.Such", method: "Thing"} on stream 1, written out by hand.
    let request: [UInt8] = [0x0A, 7] + Array("no.Such".utf8) + [0x12, 5] + Array("Thing".utf8)
    try peer.send([0, 0, 0, UInt8(request.count), 0, 0, 0, 1, 1, 0] + request)
    let answer = try #require(try peer.receive())
    #expect(answer.header.stream == 1)
    #expect(answer.header.type == 2)  // a response
    let body = answer.body
    // Response{status: Status{code: 12 UNIMPLEMENTED, …}}
    #expect(body[0] == 0x0A)
    // The length of the status is a varint: its last byte is the first below 128.
    let status = body[1...].drop { $0 >= 0x80 }.dropFirst()
    #expect(status.starts(with: [0x08, 12]))
    #expect(String(decoding: body, as: UTF8.self).contains("faceengine.v1.Detector"))
  }
}
