import ArgumentParser
import Engine
import FaceCore
import ModelStore
import Posix

/// `face-engine models`
struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "List and verify the models, fetch missing ones, or quantise your own detector.",
    subcommands: [List.self, Fetch.self, Quantise.self],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the models and verify the size and hash of every file.",
      discussion: """
        If the model is an .onnx file or a folder without a model.json, its family is inferred from its network.

        Exit code: 0 all files are valid, 1 a file is missing or damaged.
        """)

    @OptionGroup var catalogue: CatalogueArgument

    func run() throws {
      let catalog = try catalogue.open()
      let (folders, bare) = (try catalog.folders(), try catalog.bareModels())
      guard !folders.isEmpty || !bare.isEmpty else {
        throw Status(.notFound, "there is no model in \(catalog.path); give another folder with --models")
      }
      var failed = false
      func attempt(_ folder: String, _ report: () throws(Status) -> Bool) {
        do {
          if try !report() { failed = true }
        } catch {
          // Errors of reading a file already name it.
          let place = error.message.hasPart(folder) ? "" : "\(folder): "
          StandardError.write("face-engine: \(place)\(error.message)\n")
          failed = true
        }
      }
      for folder in folders { attempt(folder.path) { () throws(Status) in try report(folder) } }
      for path in bare { attempt(path) { () throws(Status) in try report(bare: path) } }
      if failed { throw ExitCode(1) }
    }

    /// - Returns: whether its files are valid.
    private func report(_ folder: ModelFolder) throws(Status) -> Bool {
      let manifest = try folder.manifest()
      printHead(ModelInfo(manifest), manifest.title)
      let areValid = manifest.files.map { report($0, in: folder) }
      // Fails if files are missing, which was reported, or if the model is not a detector.
      if let engine = try? ModelPackage(folder: folder.path).runtime() { print("  runs on  \(engine)") }
      return areValid.allSatisfy { $0 }
    }

    private func report(bare path: String) throws(Status) -> Bool {
      let model = try BareModel(path: path)
      let (info, title) = try model.inferred()
      printHead(info, title)
      let files: [(String, [UInt8]?)] =
        switch model.content {
        case .ncnn(let graph, let weights, let quantised):
          [("param", graph), ("bin", weights), ("int8", quantised)]
        case .onnx(let file): [("onnx", file)]
        }
      for (ending, bytes) in files {
        guard let bytes else { continue }
        print("  present  \(info.name).\(ending), \(bytes.count) bytes, without a hash to verify")
      }
      print("  runs on  \(info.engine)")
      return true
    }

    private func printHead(_ info: ModelInfo, _ title: String) {
      print("\(info.name): \(title)")
      print("  \(info.role), family \(info.family), licence \(info.licence)")
    }

    private func report(_ file: ModelManifest.File, in folder: ModelFolder) -> Bool {
      do {
        _ = try folder.read(file)
        print("  ok       \(file.name), \(file.size) bytes, sha256 \(file.sha256.prefix(16))…")
        return true
      } catch {
        print("  \(error.code == .notFound ? "missing" : "damaged")  \(file.name): \(error.message)")
        return false
      }
    }
  }

  struct Fetch: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Fetch missing models, verify their hashes and convert them into the cache.",
      discussion: "Runs only in FaceEngine's source tree. An installation already has its models.")

    @OptionGroup var catalogue: CatalogueArgument

    @Argument(help: "Model packages to fetch. (default: all)")
    var names: [String] = []

    func run() throws {
      let catalogue = try catalogue.open()
      let script = "\(catalogue.path)/../Tools/models/fetch.py"
      guard FileSystem.isReadable(script) else {
        throw Status(
          .notFound,
          "there is no \(script): only FaceEngine's source tree can make models from published weights. An installation "
            + "includes its models (`face-engine models` verifies them); to make them again, run `make models` in the source "
            + "tree")
      }
      try CurrentProcess.become(["python3", script, "--models", catalogue.path] + names)
    }
  }

  struct Quantise: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Quantise a detector of your own, so that it runs in eight bits.",
      discussion: """
        Measures the ranges of the network's values on your pictures and writes NAME.int8 beside NAME.param and NAME.bin. \
        Then prints, as JSON, how the faces found in eight bits differ from those found in floats. Give 40 pictures or more, \
        with faces of all sizes. Networks like YuNet and CenterFace can run in eight bits. Runs only in FaceEngine's source tree.
        """)

    @OptionGroup var catalogue: CatalogueArgument

    @Argument(
      help: "Folder with the network's .param and .bin files, and without a model.json.",
      completion: .directory)
    var folder: String

    @Argument(help: "Pictures, or folders of pictures.", completion: .file())
    var pictures: [String]

    func run() throws {
      let input = try BareModel(path: folder).inferredInput()
      guard input.isBytes else {
        throw Status(
          .unimplemented,
          "\(folder): networks of this family are trained with scaled values and cannot run in eight bits; run it in floats"
        )
      }
      let script = "\(try catalogue.open().path)/../Tools/models/quantise_model.py"
      guard FileSystem.isReadable(script) else {
        throw Status(
          .notFound,
          "there is no \(script); run this command in FaceEngine's source tree")
      }
      let arguments = [
        "--engine", CurrentProcess.program ?? "face-engine", "--input", input.blob,
      ]
      try CurrentProcess.become(
        ["python3", script] + arguments + (input.isRedFirst ? ["--rgb"] : []) + ["--", folder] + pictures)
    }
  }
}

/// The folder of the model packages.
struct CatalogueArgument: ParsableArguments {
  @Option(help: "Folder of the model packages.", completion: .directory)
  var models: String?

  func open() throws(Status) -> ModelCatalog {
    if let models { return ModelCatalog(path: models) }
    return try ModelCatalog.standard()
  }
}
