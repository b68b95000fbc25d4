import Foundation
import TestSupport
import Testing

/// The library in host programs of unusual kinds.
@Suite struct HostTests {
  @Test func libraryCanBeReopenedWithDlopen() throws {
    let folder = try TemporaryFolder()
    let program = try Self.compileUnlinked("reopen", in: folder)
    let library = Checkout.build.appending(path: "libfaceengine.so.1").path
    try Command.run(program, [library, Checkout.model, Checkout.photo]).succeeded()
  }

  /// Compiles a program that opens the library by itself. It takes functions from data pointers, which C99
  /// cannot express.
  private static func compileUnlinked(_ name: String, in folder: TemporaryFolder) throws -> String {
    let program = folder.path(name)
    try Command.run(
      "gcc",
      [
        "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-Iinclude", "Tests/CTests/hosts/\(name).c", "-o",
        program, "-rdynamic", "-ldl", "-pthread",
      ]
    ).succeeded()
    return program
  }

  /// Each of the libraries, and a function of it that leaves an error text for its thread.
  @Test(arguments: [
    ["libfaceengine.so.1", "face_load_model"], ["libfaceengine-draw.so.1", "face_picture_create"],
  ])
  func librariesStayAfterDlclose(library: [String]) throws {
    let folder = try TemporaryFolder()
    let program = try Self.compileUnlinked("unloaded", in: folder)
    try Command.run(program, ["\(Checkout.build.path)/\(library[0])"] + library.dropFirst()).succeeded()
  }

  @Test(.needsNcnn, arguments: ["ncnn", "onnxruntime"])
  func plugInsStayAfterDlclose(name: String) throws {
    try librariesStayAfterDlclose(library: ["libfaceengine-\(name).so.1"])
  }

  /// The program says in its head what holds; it is run loaded and connected.
  @Test(.needsAnalysisModels, arguments: ["cancelled", "forgotten_check", "forked"])
  func aHostIsServedBothWays(name: String) throws {
    let folder = try TemporaryFolder()
    try CLibraryTests.expectSuccessBothWays(
      try CLibraryTests.compile(["Tests/CTests/hosts/\(name).c"], in: folder))
  }

  /// The same of programs that load the model.
  @Test(
    .needsAnalysisModels,
    arguments: [
      ("several_models", [], ["Models/centerface".fromCheckout, Checkout.photo]),
      ("neighbours", ["-fopenmp", "-lprotobuf-c"], [Checkout.photo]),
      ("no_memory", ["-rdynamic", "-lfaceengine-draw"], [Checkout.photo, "FOLDER"]),
    ] as [(String, [String], [String])])
  func aHostLoadsTheModel(name: String, options: [String], arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/\(name).c"], in: folder, options: options)
    try Command.run(program, [Checkout.model] + arguments.map { $0 == "FOLDER" ? folder.path : $0 })
      .succeeded()
  }

  @Test(arguments: [("libfaceengine", "FaceEngineLibrary"), ("libfaceengine-draw", "FaceDrawLibrary")])
  func everyExportedFunctionDisablesCancellation(library: String, target: String) throws {
    let folder = try TemporaryFolder()
    let program = try Self.compileUnlinked("uncancelled", in: folder)
    try Command.run(
      program, ["\(Checkout.build.path)/\(library).so.1", "Sources/Library/\(target)/exports.map"]
    ).succeeded()
  }

  /// Closed standard descriptors stay the host's, and a limit of file sizes is an error.
  @Test(
    arguments: [("closed_descriptors", (1...7).map { ["\($0)"] }), ("file_limit", [[]])]
      as [(String, [[String]])])
  func scarceDescriptorsAndFiles(name: String, cases: [[String]]) throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(
      ["Tests/CTests/hosts/\(name).c"], in: folder, options: ["-lfaceengine-draw"])
    let engine = try RunningEngine()
    for first in cases {
      for way in [["load", Checkout.model], ["connect", engine.socket]] {
        let command = try Command.run(program, first + way + [Checkout.photo, folder.path])
        #expect(command.status == 0, "\(way[0]), \(first): \(command.errors)")
      }
    }
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
    try Command.run(program, [Checkout.model, folder.path, "\(128 << 10)", keys] + pictures).succeeded()
  }

  @Test func libraryLeavesTheHostsSignals() throws {
    let folder = try TemporaryFolder()
    let program = try CLibraryTests.compile(["Tests/CTests/hosts/quiet.c"], in: folder)
    let engine = try RunningEngine()
    let command = try Command.run(
      program, [engine.socket, Checkout.photo], input: Data("\(engine.id)\n".utf8)
    ).succeeded()
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
      try Command.run(
        "strip", ["--strip-debug", "-o", folder.path("\(library).1"), "\(Checkout.build.path)/\(library)"]
      ).succeeded()
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
