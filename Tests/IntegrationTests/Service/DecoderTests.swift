import Foundation
import TestSupport
import Testing

/// The processes of an engine that decode pictures, when they or their parents are killed.
@Suite struct DecoderTests {
  private static let picture = "Tests/Fixtures/images/palette.gif".fromCheckout

  private func detect(_ engine: RunningEngine, _ picture: String = Self.picture) throws -> Command {
    try Command.faceEngine(["detect", "--socket", engine.socket, picture])
  }

  /// The children of a process.
  private func children(of id: pid_t) -> [pid_t] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { pid_t($0) }.filter { child in
      guard let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8) else {
        return false
      }
      return status.contains("PPid:\t\(id)\n")
    }
  }

  /// The process that forks decoders.
  private func forker(of engine: RunningEngine) throws -> pid_t {
    let found = children(of: engine.id)
    try #require(found.count == 1)
    return found[0]
  }

  /// A number of `status --json`.
  private func count(_ name: String, of engine: RunningEngine) throws -> Int {
    let json = try Command.faceEngine(["status", "--socket", engine.socket, "--json"]).output
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return try #require(object?[name] as? Int)
  }

  @Test func aDecoderHasNoFilesAndFewCalls() throws {
    let engine = try RunningEngine()
    #expect(try detect(engine).status == 0)
    let decoder = try #require(children(of: try forker(of: engine)).first)
    let status = try String(contentsOfFile: "/proc/\(decoder)/status", encoding: .utf8)
    #expect(status.contains("Seccomp:\t2\n") && status.contains("NoNewPrivs:\t1\n"))
    let files = FileManager.default
    let descriptors = try files.contentsOfDirectory(atPath: "/proc/\(decoder)/fd")
    #expect(descriptors.sorted() == ["0", "1", "2", "3"])
    for number in ["0", "1", "2"] {
      #expect(
        try files.destinationOfSymbolicLink(atPath: "/proc/\(decoder)/fd/\(number)") == "/dev/null")
    }
    let limits = try String(contentsOfFile: "/proc/\(decoder)/limits", encoding: .utf8)
    #expect(limits.contains("Max core file size        0 "))
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// A decoder that is idle when it is killed is not missed.
  @Test func anIdleDecoderThatIsKilledIsReplaced() throws {
    let engine = try RunningEngine()
    #expect(try detect(engine).status == 0)
    for decoder in children(of: try forker(of: engine)) { kill(decoder, SIGKILL) }
    let again = try detect(engine)
    #expect(again.status == 0, "\(again.errors)")
    #expect(try count("decoders_lost", of: engine) == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// The ticks of processor time of a process, as proc(5) counts them.
  private func ticks(of id: pid_t) throws -> Int {
    let stat = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
    return Int(stat.split(separator: " ")[13]) ?? 0
  }

  @Test func aDecoderThatEndsAtWorkFailsItsCallAlone() throws {
    let folder = try TemporaryFolder()
    let slow = try folder.write("slow.gif", SlowPicture.gif)
    let engine = try RunningEngine(in: folder)
    let forker = try forker(of: engine)
    let errors = try folder.write("errors", [])
    let call = try ChildProcess(
      [Checkout.engine, "detect", "--socket", engine.socket, slow], environment: [:], input: nil,
      output: nil, errors: try FileHandle(forWritingTo: URL(filePath: errors)), said: { "" })
    // After a few ticks it has read the header, which takes no time, and is at the pixels.
    var decoder: pid_t?
    while decoder == nil, call.isRunning {
      usleep(10_000)
      decoder = try children(of: forker).first { try ticks(of: $0) > 5 }
    }
    #expect(try count("busy_decoders", of: engine) == 1)
    kill(try #require(decoder), SIGKILL)
    #expect(try call.wait() == 1)
    let said = try String(contentsOfFile: errors, encoding: .utf8)
    #expect(said.contains("the decoder of the GIF ended"), "\(said)")
    // This helps a JPEG, too.
    #expect(said.contains("save it anew, or send a smaller one"), "\(said)")
    #expect(try engine.logs("a decoder ended while it read a picture"))
    #expect(try count("decoders_lost", of: engine) == 1)
    #expect(try detect(engine).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func withoutTheProcessThatForksPicturesOfItsKindsAreRefused() throws {
    let engine = try RunningEngine(arguments: ["--decoder-processes", "rare"])
    kill(try forker(of: engine), SIGKILL)
    let refused = try detect(engine)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("the process that starts decoders has ended"))
    #expect(try detect(engine, Checkout.photo).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// A terminal or a service manager signals all processes of a group.
  @Test func processesEndWithTheirEngineAndNotBefore() throws {
    let engine = try RunningEngine()
    #expect(try detect(engine).status == 0)
    let forker = try forker(of: engine)
    let decoders = children(of: forker)
    #expect(!decoders.isEmpty)
    for id in decoders + [forker] { for signal in [SIGTERM, SIGINT, SIGHUP] { kill(id, signal) } }
    #expect(try detect(engine).status == 0)
    #expect(Set(decoders).isSubset(of: children(of: forker)))
    #expect(engine.end(with: SIGKILL) == -SIGKILL)
    let deadline = ContinuousClock.now + .seconds(30)
    while (decoders + [forker]).contains(where: { kill($0, 0) == 0 }), ContinuousClock.now < deadline {
      usleep(10_000)
    }
    for id in decoders + [forker] { #expect(kill(id, 0) == -1) }
  }
}
