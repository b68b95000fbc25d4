import Foundation
import TestSupport
import Testing

/// The processes of an engine that decode pictures: what they have, and who ends first without memory.
@Suite struct DecoderTests {
  private static let picture = "Tests/Fixtures/images/palette.gif".fromCheckout

  private func decoders(of engine: RunningEngine) -> [pid_t] { children(of: engine.id).flatMap(children) }

  private func score(of id: pid_t) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(id)/oom_score_adj", encoding: .utf8)
    return try #require(Int(text.trimmingCharacters(in: .newlines)))
  }

  @Test func aDecoderHasNoFilesAndFewCalls() throws {
    let engine = try RunningEngine()
    #expect(try engine.run(["detect", Self.picture]).status == 0)
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

  /// Small files that keep libheif busy for minutes, or end it.
  @Test func theEngineOutlivesPicturesThatAttackTheirDecoder() throws {
    let folder = try TemporaryFolder()
    let parts = LongForm.choose(
      ["overlay", "identities", "shared"], short: ["overlay-of", "overlay-lies", "identities", "shared"])
    try Command.run(
      "python3", ["Tests/Hostile/make_corpus.py".fromCheckout, folder.path("pictures")] + parts
    ).succeeded()
    let pictures = try FileManager.default.contentsOfDirectory(atPath: folder.path("pictures")).sorted()
    try #require(pictures.count >= parts.count)
    let engine = try RunningEngine(arguments: ["--limit", "processor-time-per-call=1"])
    let forkers = children(of: engine.id)
    let damaged = "Tests/Hostile/missing_item.avif".fromCheckout  // libheif 1.15 aborts
    for picture in pictures.map({ folder.path("pictures/\($0)") }) + [damaged] {
      let command = try engine.run(["detect", picture])
      #expect(command.status == 0 || !command.errors.contains("UNAVAILABLE"), "\(picture): \(command.errors)")
    }
    #expect(children(of: engine.id) == forkers)
    #expect(try engine.run(["detect", "Tests/Fixtures/images/quarters.avif".fromCheckout]).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// The kernel ends processes with a higher score first, and a process that forks could not be missed.
  private func expectDecodersEndFirst(_ engine: RunningEngine, of user: uid_t) throws {
    var scores: [Int] = []
    // A decoder ends after two seconds without a picture, which a busy machine may take until it is looked for.
    for _ in 0..<20 where scores.isEmpty {
      let detect = ["detect", "--socket", engine.socket, "--engine-user", "\(user)", Self.picture]
      #expect(try Command.faceEngine(detect).status == 0)
      scores = decoders(of: engine).compactMap { try? score(of: $0) }
    }
    #expect(!scores.isEmpty && scores.allSatisfy { $0 == 1000 }, "\(scores)")
    for forker in children(of: engine.id) { #expect(try score(of: forker) == score(of: engine.id)) }
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
}
