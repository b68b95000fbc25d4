import ArgumentParser
import Engine
import FaceCore
import ModelStore
import Posix

/// `face-engine models`
struct ModelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "models",
    abstract: "List the model packages and check their files, or fetch them.",
    subcommands: [List.self, Fetch.self],
    defaultSubcommand: List.self)

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the model packages and check every file's size and hash.",
      discussion: "Exit code: 0 all files are there and right, 1 one is not.")

    @OptionGroup var catalogue: CatalogueArgument

    func run() throws {
      let folders = try catalogue.open().folders()
      guard !folders.isEmpty else {
        throw Status(
          .notFound, "there is no model package in \(try catalogue.open().path); give another --models")
      }
      var failed = false
      for folder in folders {
        do {
          let manifest = try folder.manifest()
          print("\(manifest.name): \(manifest.title)")
          print("  \(manifest.role), family \(manifest.family), licence \(manifest.licence)")
          for file in [manifest.graph, manifest.weights] {
            failed = !report(file, in: folder) || failed
          }
          // Without its files, which were reported, or for another role, there is nothing to say.
          if let engine = try? ModelPackage(folder: folder.path).engine() { print("  runs on  \(engine)") }
        } catch {
          StandardError.write("face-engine: \(error.message)\n")
          failed = true
        }
      }
      if failed { throw ExitCode(1) }
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
      abstract: "Fetch and convert what is missing, checked by hash, into the cache.")

    @OptionGroup var catalogue: CatalogueArgument

    @Argument(help: "The packages to fetch; all without a name.")
    var names: [String] = []

    func run() throws {
      let catalogue = try catalogue.open()
      let script = "\(catalogue.path)/../Tools/models/fetch.py"
      guard FileSystem.isReadable(script) else {
        throw Status(.notFound, "there is no \(script); run this from a checkout or a whole installation")
      }
      try CurrentProcess.become(["python3", script, "--models", catalogue.path] + names)
    }
  }
}

/// Where the model packages are.
struct CatalogueArgument: ParsableArguments {
  @Option(help: "The folder that has the model packages.")
  var models: String?

  func open() throws(Status) -> ModelCatalog {
    if let models { return ModelCatalog(path: models) }
    return try ModelCatalog.standard()
  }
}
