import Foundation
import TestSupport
import Testing

/// Where commands and the engine find plug-ins, and what they say without one.
@Suite(.needsRealModel) struct PluginCommandTests {
  private let folder: TemporaryFolder
  /// The folder of the default detector without a model.json, and with a layer that the fused kernels do not
  /// have: a rectifier whose slope below zero is a parameter, here 0.
  private let model: String
  /// The same with the layers that it had.
  private let original: String
  /// What is said where the plug-in is missing.
  private static let instructions =
    "install the package libfaceengine-ncnn1 (in the sources: make plug-ins)"

  init() throws {
    folder = try TemporaryFolder()
    (model, original) = (folder.path("mine"), folder.path("original"))
    for (ending, file) in try Checkout.modelFiles() where ending != "int8" {
      let bytes = try Data(contentsOf: URL(filePath: file))
      try folder.write("original/original.\(ending)", bytes)
      try folder.write("mine/mine.\(ending)", ending == "param" ? Self.changed(bytes) : bytes)
    }
  }

  private static func changed(_ graph: Data) throws -> Data {
    var text = String(decoding: graph, as: UTF8.self)
    text.replaceSubrange(try #require(text.firstRange(of: " 9=1")), with: " 9=2 -23310=1,0.0")
    return Data(text.utf8)
  }

  /// Runs the command with its own folder as the current one.
  private func faceEngine(_ arguments: [String], plugins: String? = nil) throws -> Command {
    var environment = ["XDG_RUNTIME_DIR": folder.path]
    if let plugins { environment["FACE_ENGINE_PLUGINS"] = plugins }
    return try Command.run(Checkout.engine, arguments, environment: environment, in: folder.path)
  }

  /// What `face-engine models` says of the model.
  private func listed(plugins: String? = nil) throws -> Command {
    let catalogue = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: model, toPath: catalogue.path("mine"))
    return try faceEngine(["models", "--models", catalogue.path], plugins: plugins)
  }

  @Test func theNamedFolderIsTheOnlyOne() throws {
    let plugins = try TemporaryFolder()
    let without = try listed(plugins: plugins.path)
    #expect(without.status == 1 && without.errors.contains(Self.instructions), "\(without.errors)")
    _ = try DummyPlugin.make(in: plugins, name: "ncnn")
    let found = try listed(plugins: plugins.path)
    #expect(found.lines.last == "  runs on  dummy", "\(found.errors)")
  }

  @Test func theCurrentFolderIsNeverSearched() throws {
    _ = try DummyPlugin.make(in: folder, name: "ncnn")
    for relative in [".", "./", "mine/.."] {
      let command = try listed(plugins: relative)
      #expect(command.status == 1 && command.errors.contains(Self.instructions), "\(command.errors)")
    }
    #expect(try !listed().output.contains("dummy"))
  }

  @Test func aPluginThatCannotBeUsedIsNamed() throws {
    let plugins = try TemporaryFolder()
    let path = try DummyPlugin.make(in: plugins, name: "ncnn", .otherInterface)
    let command = try faceEngine(["detect", "--model", model, Checkout.photo], plugins: plugins.path)
    #expect(command.status == 1)
    #expect(command.errors.contains("\(path): it does not have the interface 1"), "\(command.errors)")
  }

  @Test func withoutThePluginTheModelsThatComeWithTheEngineRun() throws {
    let plugins = try TemporaryFolder()
    let found = try faceEngine(
      ["detect", "--accuracy", "high", "--all", "--json", Checkout.photo], plugins: plugins.path)
    #expect(found.status == 0, "\(found.errors)")
    #expect(found.output.contains(#""regions":"#) && found.output.contains(#""smile":"#))
  }

  @Test func anEngineWithoutThePluginNamesIt() throws {
    let plugins = try TemporaryFolder()
    let environment = ["FACE_ENGINE_PLUGINS": plugins.path]
    let refused = try Command.run(
      Checkout.engine, ["serve", "--socket", folder.path("socket"), "--model", model],
      environment: environment)
    #expect(refused.status == 1 && refused.errors.contains(Self.instructions), "\(refused.errors)")

    let engine = try RunningEngine(model: original, environment: environment)
    try folder.write("original/original.param", Data(contentsOf: URL(filePath: "\(model)/mine.param")))
    engine.signal(SIGHUP)
    #expect(try engine.logs("models not reloaded"))
    #expect(try engine.log.contains(Self.instructions))
    #expect(try engine.run(["detect", Checkout.photo]).status == 0)
    #expect(engine.end(with: SIGTERM) == 0)
  }

  /// In the sandboxes of the engine and of the command, and with a model that comes later.
  @Test(.needsNcnn) func ncnnFindsTheSameFaces() throws {
    let expected = try faceEngine(["detect", "--json", "--model", original, Checkout.photo])
    let found = try faceEngine(["detect", "--json", "--model", model, Checkout.photo])
    let engine = try RunningEngine(model: original)
    try folder.write("original/original.param", Data(contentsOf: URL(filePath: "\(model)/mine.param")))
    engine.signal(SIGHUP)
    #expect(try engine.logs("models reloaded"))
    let served = try faceEngine(["detect", "--json", "--socket", engine.socket, Checkout.photo])
    let faces = try [expected, found, served].flatMap { try $0.succeeded().json.flatMap(\.found) }
    try #require(faces.count == 3)
    for face in faces {
      #expect(abs(face.confidence - faces[0].confidence) < 1e-4)
      for side in [\Line.Box.x, \.y, \.width, \.height] {
        #expect(abs(face.box[keyPath: side] - faces[0].box[keyPath: side]) < 0.02)
      }
    }
    #expect(try listed().lines.last == "  runs on  ncnn")
  }

  /// In a tree that was moved, with libraries in another folder than the usual one.
  @Test(.needsNcnn, arguments: ["lib", "lib64", "lib/x86_64-linux-gnu"])
  func anInstalledCommandFindsThePlugin(libdir: String) throws {
    let prefix = try InstallTests.install(in: folder, libdir: libdir)
    let found = try Command.run(
      "\(prefix)/bin/face-engine", ["detect", "--model", model, Checkout.photo],
      environment: ["XDG_RUNTIME_DIR": folder.path, "FACE_ENGINE_MODELS": "\(Fixture.repository)/Models"])
    #expect(found.status == 0 && found.output.contains("1 face"), "\(found.errors)")
  }
}
