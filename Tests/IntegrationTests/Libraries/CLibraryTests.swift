import Foundation
import TestSupport
import Testing

/// Tests the library as a C programmer uses it: compiled with the system's compiler, linked by name.
@Suite struct CLibraryTests {
  /// Compiles C or C++ against the headers and the library with warnings as errors; returns the program's
  /// path.
  static func compile(
    _ sources: [String], in folder: TemporaryFolder, with compiler: String = "gcc", options: [String] = [],
    headers: String = "include"
  ) throws -> String {
    let program = folder.path("program")
    let standard = compiler.hasSuffix("++") ? "-std=c++17" : "-std=c99"
    try Command.run(
      compiler,
      [standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-I\(headers)"] + sources
        + [
          "-o", program, "-L\(Checkout.build.path)", "-lfaceengine", "-Wl,-rpath,\(Checkout.build.path)",
          "-pthread", "-lm",
        ] + options
    ).succeeded()
    return program
  }

  /// Runs a program of the form `program load MODEL_DIR PHOTO`, then the same connected.
  static func expectSuccessBothWays(_ program: String) throws {
    try Command.run(program, ["load", Checkout.model, Checkout.photo]).succeeded()
    let engine = try RunningEngine()
    try Command.run(program, ["connect", engine.socket, Checkout.photo]).succeeded()
  }

  /// The photo as raw pixels.
  static func ppm(in folder: TemporaryFolder) throws -> String {
    let path = folder.path("photo.ppm")
    try #require(try Command.run("djpeg", ["-outfile", path, Checkout.photo]).status == 0)
    return path
  }

  @Test func exampleGivesTheSameLoadedAndConnected() throws {
    let folder = try TemporaryFolder()
    let program = try Self.compile(["Examples/c/detect.c"], in: folder)
    let photo = try Self.ppm(in: folder)
    let engine = try RunningEngine()
    let loaded = try Command.run(program, ["load", Checkout.model, photo])
    let connected = try Command.run(program, ["connect", engine.socket, photo])
    #expect(loaded.status == 0)
    #expect(connected.status == 0)
    #expect(loaded.lines.count == 1)
    #expect(connected.output == loaded.output)
  }

  @Test func exampleReportsErrors() throws {
    let folder = try TemporaryFolder()
    let program = try Self.compile(["Examples/c/detect.c"], in: folder)
    let photo = try Self.ppm(in: folder)
    let unloaded = try Command.run(program, ["load", folder.path("none"), photo])
    #expect(unloaded.status == 1)
    #expect(unloaded.errors.contains("NOT_FOUND"))
    let unconnected = try Command.run(program, ["connect", folder.path("none"), photo])
    #expect(unconnected.status == 1)
    #expect(unconnected.errors.contains("UNAVAILABLE"))
    let unread = try Command.run(program, ["load", Checkout.model, Checkout.photo])
    #expect(unread.status == 1)
    #expect(unread.errors.contains(Checkout.photo))
  }

  /// Tests every promise of the header, function by function.
  @Test(arguments: ["gcc", "clang"])
  func suiteHoldsLoadedAndConnected(compiler: String) throws {
    let folder = try TemporaryFolder()
    let found = try FileManager.default.contentsOfDirectory(atPath: "Tests/CTests/abi".fromCheckout)
    #expect(
      Set(found.filter { $0.hasSuffix(".c") }.map { "Tests/CTests/abi/\($0)" }) == Set(Self.suiteSources))
    let program = try Self.compile(Self.suiteSources, in: folder, with: compiler)
    // What the library does is the same whoever compiled its caller.
    if compiler == "gcc" || LongForm.isOn { try Self.expectSuccessBothWays(program) }
  }

  static let suiteSources = [
    "main", "calls", "images", "results", "listeners", "coordinates", "handles", "sessions", "ownership",
    "features", "feature_inputs", "feature_results", "feature_tracking", "feature_best", "feature_check",
    "feature_contract",
  ].map { "Tests/CTests/abi/\($0).c" }

  /// A program of the last release, and one whose structs have two members fewer, as in releases before it.
  @Test(.needsAnalysisModels, arguments: [0, 2]) func olderProgramsWork(fewer: Int) throws {
    let folder = try TemporaryFolder()
    try Command.run("/usr/bin/python3", ["Tests/CTests/older/header.py", folder.path, "\(fewer)"]).succeeded()
    let program = try Self.compile(
      ["Tests/CTests/older/older.c"], in: folder, options: ["-lfaceengine-draw"], headers: folder.path)
    try Self.expectSuccessBothWays(program)
  }

  @Test(arguments: ["g++", "clang++"])
  func wrapperWorksInCPlusPlus(compiler: String) throws {
    let folder = try TemporaryFolder()
    try Self.expectSuccessBothWays(
      try Self.compile(["Tests/CTests/wrapper.cpp"], in: folder, with: compiler))
  }

  /// S10: a program written for the older SDK, and the guided check through that SDK's listener.
  @Test(arguments: ["g++", "clang++"], ["smart_detector", "smart_detector_check"])
  func olderNamesWork(compiler: String, program: String) throws {
    let folder = try TemporaryFolder()
    let built = try Self.compile(["Tests/CTests/\(program).cpp"], in: folder, with: compiler)
    try Command.run(built, [Checkout.model, try Self.ppm(in: folder)]).succeeded()
  }

  @Test(
    "S11: the older SDK's folder, by this library's names and by the older ones", .needsBroughtModels,
    .needsNcnn)
  func theOlderSDKsFolderIsLoaded() throws {
    let folder = try TemporaryFolder()
    let (models, photo) = ("\(Checkout.broughtModels)/yolov5n-0.5", try Self.ppm(in: folder))
    let example = try Self.compile(["Examples/c/detect.c"], in: folder)
    let found = try Command.run(example, ["load", models, photo])
    #expect(found.status == 0 && found.lines.count == 1, "\(found.errors)")
    let older = try Self.compile(["Tests/CTests/smart_detector.cpp"], in: folder, with: "g++")
    try Command.run(older, [models, photo]).succeeded()
  }

  /// The inputs that fuzzing has found so far: calls, and files, which are pictures, networks and descriptions of
  /// packages.
  @Test(
    arguments: [("abi_fuzz", "corpus", 20, [Checkout.photo]), ("files_fuzz", "files", 8, [])]
      as [(String, String, Int, [String])])
  func fuzzCorpusGivesStatuses(name: String, corpus: String, least: Int, arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let program = try Self.compile(["Tests/CTests/fuzz/\(name).c"], in: folder, options: ["-DREPLAY"])
    let files = try FileManager.default.contentsOfDirectory(
      atPath: "Tests/CTests/fuzz/\(corpus)".fromCheckout)
    #expect(files.count >= least)
    try Command.run(
      program, [Checkout.model] + arguments + files.map { "Tests/CTests/fuzz/\(corpus)/\($0)" }
    ).succeeded()
  }

  /// The shipped examples continue with the next engine: the last frame is answered, and they do not end.
  @Test(arguments: ["c/watch.c", "c/share.c", "cpp/watch.cpp", "cpp/share.cpp"])
  func examplesSurviveARestart(example: String) throws {
    let folder = try TemporaryFolder()
    let program = try Self.compile(
      ["Examples/\(example)"], in: folder, with: example.hasSuffix(".c") ? "gcc" : "g++")
    let ppm = try Data(contentsOf: URL(filePath: try Self.ppm(in: folder)))
    let fields = String(decoding: ppm.prefix(15), as: UTF8.self).split(whereSeparator: \.isWhitespace)
    let (width, height) = (try #require(Int(fields[1])), try #require(Int(fields[2])))
    let frame = ppm.suffix(width * height * 3)
    let engines = try TemporaryFolder()
    let first = try RunningEngine(in: engines)
    let host = try InteractiveProgram([program, "connect", first.socket, "\(width)", "\(height)"])
    try host.write(frame)
    // This writes half of the next frame: once it was taken, the program has submitted the previous one.
    try host.write(frame.prefix(frame.count / 2))
    #expect(first.end(with: SIGKILL) == -SIGKILL)
    try host.write(frame.suffix(frame.count - frame.count / 2))
    let second = try RunningEngine(in: engines)
    try host.write(frame)
    try host.closeInput()
    var lines: [String] = []
    while let line = try host.line() { lines.append(line) }
    #expect(host.wait() == 0, "\(host.errors)")
    #expect(lines.contains { $0.hasPrefix("3: ") }, "\(lines) \(host.errors)")
    #expect(second.end(with: SIGTERM) == 0)
  }
}
