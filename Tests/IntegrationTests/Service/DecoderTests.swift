import Foundation
import TestSupport
import Testing

/// The processes of an engine that decode pictures, when they or their parents are killed.
@Suite struct DecoderTests {
  private static let picture = "Tests/Fixtures/images/palette.gif".fromCheckout

  private func detect(_ engine: RunningEngine, _ picture: String = Self.picture) throws -> Command {
    try Command.faceEngine(["detect", "--socket", engine.socket, picture])
  }

  /// The two processes that fork decoders: waits until there are two, and no zombie of a lost one.
  private func forkers(of engine: RunningEngine, without lost: Set<pid_t> = []) throws -> [pid_t] {
    let deadline = ContinuousClock.now + .seconds(60)
    var found = children(of: engine.id)
    while found.count != 2 || !lost.isDisjoint(with: found) {
      try #require(ContinuousClock.now < deadline, "the engine has the children \(found)")
      usleep(10_000)
      found = children(of: engine.id)
    }
    return found.sorted()
  }

  private func decoders(of engine: RunningEngine) throws -> [pid_t] {
    try forkers(of: engine).flatMap(children)
  }

  private func score(of id: pid_t) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(id)/oom_score_adj", encoding: .utf8)
    return try #require(Int(text.trimmingCharacters(in: .newlines)))
  }

  private func isServing(_ engine: RunningEngine) throws -> Bool {
    try Command.faceEngine(["status", "--socket", engine.socket]).status == 0
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
    let decoder = try #require(decoders(of: engine).first)
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
    for decoder in try decoders(of: engine) { kill(decoder, SIGKILL) }
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

  /// A call that decodes a picture for seconds, and the decoder that is at its pixels.
  private struct SlowCall {
    let call: ChildProcess
    let decoder: pid_t
    private let errorPath: String

    init(_ engine: RunningEngine, in folder: TemporaryFolder, _ tests: DecoderTests) throws {
      let slow = try folder.write("slow.gif", SlowPicture.gif)
      errorPath = try folder.write("errors", [])
      call = try ChildProcess(
        [Checkout.engine, "detect", "--socket", engine.socket, slow], environment: [:], input: nil,
        output: nil, errors: try FileHandle(forWritingTo: URL(filePath: errorPath)), said: { "" })
      // After a few ticks it has read the header, which takes no time, and is at the pixels.
      var found: pid_t?
      while found == nil, call.isRunning {
        usleep(10_000)
        found = try tests.decoders(of: engine).first { (try? tests.ticks(of: $0)) ?? 0 > 5 }
      }
      decoder = try #require(found)
    }

    var errors: String { get throws { try String(contentsOfFile: errorPath, encoding: .utf8) } }
  }

  /// A file is to blame for a crash of its decoder, and not for its being killed, as when memory is out.
  @Test(arguments: [
    (SIGSEGV, 1 as Int32, "the decoder crashed while it read the GIF (signal 11)"), (SIGKILL, 0, ""),
  ])
  func aDecoderThatEndsAtWorkFailsItsCallAlone(signal: Int32, status: Int32, error: String) throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder)
    let slow = try SlowCall(engine, in: folder, self)
    #expect(try count("busy_decoders", of: engine) == 1)
    kill(slow.decoder, signal)
    #expect(try slow.call.wait() == status)
    let said = try slow.errors
    #expect(error.isEmpty ? said.isEmpty : said.contains(error), "\(said)")
    #expect(try engine.logs("a decoder ended while it read a picture"))
    #expect(try engine.logs("signal \(signal)"))
    #expect(try count("decoders_lost", of: engine) == 1)
    #expect(try detect(engine).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// Small files that keep libheif busy for minutes, or end it.
  @Test func theEngineOutlivesPicturesThatAttackTheirDecoder() throws {
    let folder = try TemporaryFolder()
    let parts = LongForm.choose(
      ["overlay", "identities", "alphas", "grid", "turned", "layers", "items", "shared"],
      short: ["overlay-of", "overlay-lies", "identities", "shared"])
    let made = try Command.run(
      "python3", ["Tests/Hostile/make_corpus.py".fromCheckout, folder.path("pictures")] + parts)
    try #require(made.status == 0, "\(made.errors)")
    let pictures = try FileManager.default.contentsOfDirectory(atPath: folder.path("pictures")).sorted()
    try #require(pictures.count >= parts.count)
    let engine = try RunningEngine(arguments: ["--limit", "processor-time-per-call=1"])
    let forkers = try forkers(of: engine)
    for picture in pictures {
      let command = try detect(engine, folder.path("pictures/\(picture)"))
      #expect(command.status == 0 || !command.errors.contains("UNAVAILABLE"), "\(picture): \(command.errors)")
    }
    #expect(try self.forkers(of: engine) == forkers)
    #expect(try isServing(engine) && count("busy_decoders", of: engine) == 0)
    #expect(try detect(engine, "Tests/Fixtures/images/quarters.avif".fromCheckout).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  // MARK: The processes that fork decoders

  /// The kernel ends processes with a higher score first, and a process that forks could not be missed.
  private func expectDecodersEndFirst(_ engine: RunningEngine, of user: uid_t) throws {
    var scores: [Int] = []
    // A decoder ends after two seconds without a picture, which a busy machine may take until it is looked for.
    for _ in 0..<20 where scores.isEmpty {
      let detect = ["detect", "--socket", engine.socket, "--engine-user", "\(user)", Self.picture]
      #expect(try Command.faceEngine(detect).status == 0)
      scores = try decoders(of: engine).compactMap { try? score(of: $0) }
    }
    #expect(!scores.isEmpty && scores.allSatisfy { $0 == 1000 }, "\(scores)")
    for forker in try forkers(of: engine) { #expect(try score(of: forker) == score(of: engine.id)) }
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func decodersEndFirstWhenMemoryIsOut() throws {
    try expectDecodersEndFirst(try RunningEngine(), of: geteuid())
  }

  /// The files of a process in /proc belong to root once it protects its memory.
  @Test(.enabled(if: geteuid() == 0, "only root can have a program run as another user"))
  func decodersOfAnUnprivilegedEngineEndFirstWhenMemoryIsOut() throws {
    let (folder, user) = (try TemporaryFolder(), uid_t(65534))
    #expect(chown(folder.path, user, user) == 0)
    // The checkout may be in a folder of root's.
    let search = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    let launcher = ["/usr/bin/setpriv", "--reuid=\(user)", "--clear-groups"] + search
    try expectDecodersEndFirst(try RunningEngine(in: folder, launcher: launcher, user: user), of: user)
  }

  /// Also the copy of a copy is replaced, and has only the descriptors that it needs.
  @Test(arguments: [[0, 0, 0], [1, 1, 1], [0, 1, 0, 1]])
  func aProcessThatForksIsReplaced(order: [Int]) throws {
    let engine = try RunningEngine()
    let before = try engine.holdingsAtRest()
    for place in order {
      let lost = try forkers(of: engine)[place]
      kill(lost, SIGKILL)
      let next = try detect(engine)
      #expect(next.status == 0, "\(next.errors)")
      #expect(try isServing(engine))
      for forker in try forkers(of: engine, without: [lost]) {
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(forker)/fd").count == 4)
      }
    }
    #expect(try engine.logs("another one takes its place", times: order.count))
    try engine.expectSettles(at: before)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func aPictureWhoseDecoderEndsWithItsParentIsDecodedAgain() throws {
    let folder = try TemporaryFolder()
    let engine = try RunningEngine(in: folder)
    let slow = try SlowCall(engine, in: folder, self)
    let parent = try #require(try forkers(of: engine).first { children(of: $0).contains(slow.decoder) })
    kill(parent, SIGKILL)
    let status = try slow.call.wait()
    let said = try slow.errors
    #expect(status == 0, "\(said)")
    #expect(try count("decoders_lost", of: engine) == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// The engine passes it over and replaces it. When it runs again, it sees that and ends.
  @Test func aProcessThatIsStoppedIsReplaced() throws {
    let engine = try RunningEngine()
    let stopped = try forkers(of: engine)[0]
    for decoder in try decoders(of: engine) { kill(decoder, SIGKILL) }
    kill(stopped, SIGSTOP)
    let next = try detect(engine)
    #expect(next.status == 0, "\(next.errors)")
    #expect(try engine.logs("another one takes its place"))
    kill(stopped, SIGCONT)
    #expect(try forkers(of: engine, without: [stopped]).count == 2)
    #expect(try detect(engine).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test func anEngineWithoutAnAnswerIsNotServingUntilItComes() throws {
    let engine = try RunningEngine()
    let stopped = try forkers(of: engine)
    for decoder in try decoders(of: engine) { kill(decoder, SIGKILL) }
    for forker in stopped { kill(forker, SIGSTOP) }
    let refused = try detect(engine)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("no process that starts decoders answers"), "\(refused.errors)")
    #expect(try !isServing(engine))
    for forker in stopped { kill(forker, SIGCONT) }
    let ready = try Command.faceEngine(["status", "--socket", engine.socket, "--wait-ready=60"])
    #expect(ready.status == 0)
    #expect(try detect(engine).status == 0)
    // The one that answers first may have the other one replaced.
    #expect(try !Set(forkers(of: engine)).isDisjoint(with: stopped))
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// It cannot start one in its sandbox.
  @Test func anEngineWithoutProcessesThatForkEndsForItsSupervisor() throws {
    let engine = try RunningEngine()
    let forkers = try forkers(of: engine)
    // So that the second one does not replace the first one before it is killed as well.
    for signal in [SIGSTOP, SIGKILL] { for forker in forkers { kill(forker, signal) } }
    #expect(engine.wait() == 1)
    #expect(
      try engine.log.contains("critical face-engine: [Service] all processes that start decoders have ended"))
    #expect(!FileManager.default.fileExists(atPath: engine.socket))
  }

  @Test func anEngineWithoutASandboxStartsTheProgramAgain() throws {
    let engine = try RunningEngine(arguments: ["--sandbox", "off"])
    for _ in 0..<3 {
      for forker in children(of: engine.id) { kill(forker, SIGKILL) }
      let next = try detect(engine)
      #expect(next.status == 0, "\(next.errors)")
      #expect(try isServing(engine))
    }
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// A terminal or a service manager signals all processes of a group.
  @Test func processesEndWithTheirEngineAndNotBefore() throws {
    let engine = try RunningEngine()
    #expect(try detect(engine).status == 0)
    let forkers = try forkers(of: engine)
    let decoders = forkers.flatMap(children)
    #expect(!decoders.isEmpty)
    for id in decoders + forkers { for signal in [SIGTERM, SIGINT, SIGHUP] { kill(id, signal) } }
    #expect(try detect(engine).status == 0)
    #expect(Set(decoders).isSubset(of: forkers.flatMap(children)))
    #expect(engine.end(with: SIGKILL) == -SIGKILL)
    let deadline = ContinuousClock.now + .seconds(30)
    while (decoders + forkers).contains(where: { kill($0, 0) == 0 }), ContinuousClock.now < deadline {
      usleep(10_000)
    }
    for id in decoders + forkers { #expect(kill(id, 0) == -1) }
  }
}
