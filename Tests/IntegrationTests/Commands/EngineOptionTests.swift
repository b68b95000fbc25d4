import Foundation
import TestSupport
import Testing

/// `--engine` of commands and of the engine, in their sandboxes.
@Suite struct EngineOptionTests {
  private let folder: TemporaryFolder
  private static let fixture = "\(Fixture.repository)/Tests/Fixtures/onnx/yunet_elu.onnx"

  init() throws { folder = try TemporaryFolder() }

  /// Runs the command on the photo. Few faces: the fixture's weights are random.
  private func detect(
    _ engine: String, _ model: String, _ more: [String] = [], onnxruntime: String? = nil
  ) throws -> Command {
    var environment = ["XDG_RUNTIME_DIR": folder.path]
    if let onnxruntime { environment[OnnxruntimePlugin.variable] = onnxruntime }
    return try Command.run(
      Checkout.engine,
      ["detect", "--engine", engine, "--model", model, "--min-confidence", "0.9", "--max-side", "128"] + more
        + [Checkout.photo], environment: environment)
  }

  @Test(.needsOnnxruntime) func onnxruntimeRunsInTheSandbox() throws {
    let found = try detect("onnxruntime:CPU", Self.fixture)
    #expect(found.status == 0, "\(found.errors)")
    let refused = try detect("kernels", Self.fixture)
    #expect(refused.status == 1 && refused.errors.contains("Elu"), "\(refused.errors)")
    let provider = try detect("onnxruntime:Abacus", Self.fixture)
    #expect(
      provider.status == 1 && provider.errors.contains("no provider \"Abacus\", only: "), "\(provider.errors)"
    )
    #expect(provider.errors.contains("CPU"))
  }

  /// onnxruntime's own telemetry would put a file into the user's cache, unless it thinks that it is tested.
  @Test(.needsOnnxruntime) func onnxruntimeReportsNothing() throws {
    try Command.run(
      "/usr/bin/env",
      ["-u", "CI", Checkout.engine, "detect", "--sandbox", "off", "--engine", "onnxruntime"]
        + ["--model", Self.fixture, "--max-side", "128", "--max-faces", "1", Checkout.photo],
      environment: ["XDG_RUNTIME_DIR": folder.path, "XDG_CACHE_HOME": folder.path, "HOME": folder.path]
    ).succeeded()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }

  @Test(.needsOnnxruntime, .needsRealModel) func anEngineServesAndReloadsAnOnnxFile() throws {
    guard let file = try PublishedNetwork.unpack("yunet", into: folder) else { return }
    let engine = try RunningEngine(model: file, arguments: ["--engine", "onnxruntime"])
    for _ in 1...2 {
      let found = try engine.run(["detect", Checkout.photo])
      #expect(found.status == 0 && found.output.contains("1 face"), "\(found.errors)")
      engine.signal(SIGHUP)
      #expect(try engine.logs("models reloaded"))
    }
    let status = try engine.run(["status"])
    #expect(status.output.contains("onnxruntime"), "\(status.output)")
    #expect(engine.end(with: SIGTERM) == 0)
  }

  @Test(.needsOnnxruntime) func aMissingOnnxruntimeIsNamed() throws {
    let library = try folder.write("libonnxruntime.so", "no library".utf8)
    for (path, words) in [
      (folder.path("none.so"), "none.so"), (library, "libonnxruntime.so"),
      ("libonnxruntime.so", "full path"),
    ] {
      let command = try detect("onnxruntime", Self.fixture, onnxruntime: path)
      #expect(command.status == 1 && command.errors.contains(words), "\(command.errors)")
      #expect(command.errors.contains(OnnxruntimePlugin.variable), "\(command.errors)")
    }
  }

  /// A library that is too old, or another one.
  @Test(
    .needsOnnxruntime,
    arguments: [
      ("1.11.1", "version 1.11.1 is too old"), ("2", "version 2 is too old"),
    ])
  func anOldOnnxruntimeIsNamed(version: String, words: String) throws {
    let source = try folder.write(
      "old.c",
      """
      static const void *get_api(unsigned version) { (void)version; return 0; }
      static const char *get_version(void) { return "\(version)"; }
      static const struct { const void *(*api)(unsigned); const char *(*version)(void); } base = {get_api, get_version};
      const void *OrtGetApiBase(void) { return &base; }
      """.utf8)
    let library = folder.path("libonnxruntime.so")
    try Command.run("/usr/bin/env", ["cc", "-shared", "-fPIC", source, "-o", library]).succeeded()
    let command = try detect("onnxruntime", Self.fixture, onnxruntime: library)
    #expect(command.status == 1 && command.errors.contains(words), "\(command.errors)")
  }
}
