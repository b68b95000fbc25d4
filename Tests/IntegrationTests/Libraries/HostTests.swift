import Foundation
import TestSupport
import Testing

/// The library in host programs of unusual kinds.
@Suite struct HostTests {
  @Test func libraryCanBeReopenedWithDlopen() throws {
    let folder = try TemporaryFolder()
    let program = try Self.compileUnlinked("reopen", in: folder)
    let library = Checkout.build.appending(path: "libfaceengine.so.1").path
    let command = try Command.run(program, [library, Checkout.model, Checkout.photo])
    #expect(command.status == 0, "\(command.errors)")
  }

  /// Compiles a program that opens the library by itself. It takes functions from data pointers, which C99
  /// cannot express.
  private static func compileUnlinked(_ name: String, in folder: TemporaryFolder) throws -> String {
    let program = folder.path(name)
    let compiler = try Command.run(
      "gcc",
      [
        "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-Iinclude", "Tests/CTests/hosts/\(name).c", "-o",
        program, "-rdynamic", "-ldl", "-pthread",
      ])
    try #require(compiler.status == 0, "\(compiler.errors)")
    return program
  }

  /// Each of the libraries, and a function of it that leaves an error text for its thread.
  @Test(arguments: [
    ["libfaceengine.so.1", "face_load_model"], ["libfaceengine-draw.so.1", "face_picture_create"],
  ])
  func librariesStayAfterDlclose(library: [String]) throws {
    let folder = try TemporaryFolder()
    let program = try Self.compileUnlinked("unloaded", in: folder)
    let command = try Command.run(program, ["\(Checkout.build.path)/\(library[0])"] + library.dropFirst())
    #expect(command.status == 0, "\(command.errors)")
  }

  @Test(.needsNcnn, arguments: ["ncnn", "onnxruntime"])
  func plugInsStayAfterDlclose(name: String) throws {
    try librariesStayAfterDlclose(library: ["libfaceengine-\(name).so.1"])
  }

  @Test func cancelledThreadsEndAfterTheirCalls() throws {
    let folder = try TemporaryFolder()
    try CLibraryTests.expectSuccessBothWays(
      try CLibraryTests.compile(["Tests/CTests/hosts/cancelled.c"], in: folder))
  }

  @Test(arguments: [("libfaceengine", "FaceEngineLibrary"), ("libfaceengine-draw", "FaceDrawLibrary")])
  func everyExportedFunctionDisablesCancellation(library: String, target: String) throws {
    let folder = try TemporaryFolder()
    let program = try Self.compileUnlinked("uncancelled", in: folder)
    let command = try Command.run(
      program, ["\(Checkout.build.path)/\(library).so.1", "Sources/Bindings/\(target)/exports.map"])
    #expect(command.status == 0, "\(command.errors)")
  }

  @Test func closedStandardDescriptorsStayTheHosts() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/closed_descriptors.c"], in: folder, options: ["-lfaceengine-draw"])
    let engine = try RunningEngine()
    for mask in 1...7 {
      for way in [["load", Checkout.model], ["connect", engine.socket]] {
        let command = try Command.run(program, ["\(mask)"] + way + [Checkout.photo, folder.path])
        #expect(command.status == 0, "\(way[0]), mask \(mask): \(command.errors)")
      }
    }
  }

  @Test func limitOfFileSizesIsAnError() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/file_limit.c"], in: folder, options: ["-lfaceengine-draw"])
    let engine = try RunningEngine()
    for way in [["load", Checkout.model], ["connect", engine.socket]] {
      let command = try Command.run(program, way + [Checkout.photo, folder.path])
      #expect(command.status == 0, "\(way[0]): \(command.errors)")
    }
  }

  @Test(.needsAnalysisModels) func aRestartedCheckIsForgotten() throws {
    let folder = try TemporaryFolder()
    try CLibraryTests.expectSuccessBothWays(
      try CLibraryTests.compile(["Tests/CTests/hosts/forgotten_check.c"], in: folder))
  }

  /// Large allocations that fail are refused, as the header lists them. What is small ends the process.
  @Test(.needsAnalysisModels) func largeAllocationsThatFailAreRefused() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/no_memory.c"], in: folder, options: ["-rdynamic", "-lfaceengine-draw"])
    let command = try Command.run(program, [Checkout.model, Checkout.photo, folder.path])
    #expect(command.status == 0, "\(command.errors)")
  }

  /// The stack that the header names, with all keys of threads (pthread_key_create) in use by the host, and with none.
  @Test(arguments: ["free", "used"]) func aThreadNeedsLittleStackAndNoKey(keys: String) throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/scarce.c"], in: folder, options: ["-lfaceengine-draw"])
    let names = [
      "quarters.heic", "quarters.avif", "rgb.webp", "rgb.tiff", "rgb.bmp", "rgb16.png", "palette.gif",
    ].filter { keys == "free" || $0 != "rgb.bmp" }
    let pictures = [Checkout.photo] + names.map { "Tests/Fixtures/images/\($0)".fromCheckout }
    let command = try Command.run(program, [Checkout.model, folder.path, "\(128 << 10)", keys] + pictures)
    #expect(command.status == 0, "\(command.errors)")
  }

  @Test func childrenOfAForkDetectInThreads() throws {
    let folder = try TemporaryFolder()
    try CLibraryTests.expectSuccessBothWays(
      try CLibraryTests.compile(["Tests/CTests/hosts/forked.c"], in: folder))
  }

  @Test func severalModelsAndThreadsInOneEngine() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(["Tests/CTests/hosts/several_models.c"], in: folder)
    let command = try Command.run(
      program, [Checkout.model, "Models/centerface".fromCheckout, Checkout.photo])
    #expect(command.status == 0, "\(command.errors)")
  }

  @Test func libraryRunsBesideOpenMPAndProtobuf() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/neighbours.c"], in: folder, options: ["-fopenmp", "-lprotobuf-c"])
    let command = try Command.run(program, [Checkout.model, Checkout.photo])
    #expect(command.status == 0, "\(command.errors)")
  }

  @Test func libraryLeavesTheHostsSignals() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(["Tests/CTests/hosts/quiet.c"], in: folder)
    let engine = try RunningEngine()
    let command = try Command.run(
      program, [engine.socket, Checkout.photo], input: Data("\(engine.id)\n".utf8))
    #expect(command.status == 0, "\(command.errors)")
    #expect(command.output.isEmpty && command.errors.isEmpty)
  }

  /// Runs a part of the suite, since everything takes thirty times as long.
  @Test func nothingLeaks() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(["Tests/CTests/hosts/leaks.c"], in: folder)
    try Self.expectClean(
      program, [Checkout.model, Checkout.photo], in: folder, kinds: "definite,possible")
  }

  /// Runs the suite, without its part "features" in the short form: the networks run in the engine, at their
  /// usual pace. The child of a fork is left out, in which the memory of its parent's threads looks lost.
  @Test func connectedSuiteLeaksNothing() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(CLibraryTests.suiteSources, in: folder)
    let engine = try RunningEngine()
    try Self.expectClean(
      program,
      [
        "connect", engine.socket, Checkout.photo, "calls", "images", "results", "batches", "coordinates",
        "listeners", "logs", "memories", "cancellers", "sessions", "ownership", "no_handlers",
      ] + LongForm.choose(["features"], short: []), in: folder)
  }

  /// Runs a program under valgrind.
  /// - Parameters:
  ///   - attempts: the number of runs; one must be clean, if a library frees in a thread of its own
  ///     whose progress at the end of the program is chance. Memory that is never freed shows in each.
  ///   - kinds: the kinds of leaks that count, of valgrind's option --errors-for-leak-kinds.
  static func expectClean(
    _ program: String, _ arguments: [String], in folder: TemporaryFolder, attempts: Int = 1,
    kinds: String = "definite"
  ) throws {
    guard try Command.run("valgrind", ["--version"]).status == 0 else {
      Issue.record("valgrind is not installed; run Tools/setup/packages.sh test")
      return
    }
    // Valgrind does not read all debugging information that Swift writes.
    for library in ["libfaceengine.so", "libfaceengine-draw.so"] {
      let strip = try Command.run(
        "strip", ["--strip-debug", "-o", folder.path("\(library).1"), "\(Checkout.build.path)/\(library)"])
      try #require(strip.status == 0, "\(strip.errors)")
    }
    var command: Command
    var runs = 0
    repeat {
      runs += 1
      command = try Command.run(
        "valgrind",
        [
          "--quiet", "--fair-sched=yes", "--error-exitcode=9", "--leak-check=full",
          "--show-leak-kinds=\(kinds)", "--errors-for-leak-kinds=\(kinds)",
          "--suppressions=\("Tools/package/faceengine.supp".fromCheckout)", program,
        ] + arguments, environment: ["LD_LIBRARY_PATH": folder.path],
        timeLimit: ChildProcess.timeLimit * 4)
    } while command.status != 0 && runs < attempts
    #expect(command.status == 0, "\(command.errors)")
  }
}
