import Foundation

/// The ONNX file from which a model of Models was made, out of the package in which it was fetched.
public enum PublishedNetwork {
  private struct Manifest: Decodable {
    struct Origin: Decodable {
      let sha256: String
      let member: String
    }
    let origin: Origin
  }

  /// Writes the file of a model into `folder`, under a name of its own. Returns its path; `nil`, with a message on
  /// standard error, if its package is not in the cache any more.
  public static func unpack(_ model: String, into folder: TemporaryFolder) throws -> String? {
    let description = try Data(contentsOf: URL(filePath: "\(Fixture.repository)/Models/\(model)/model.json"))
    let origin = try JSONDecoder().decode(Manifest.self, from: description).origin
    let environment = ProcessInfo.processInfo.environment
    let home = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "")/.cache"
    let cache = environment["FACE_ENGINE_CACHE"] ?? "\(home)/face-engine"
    let downloads = "\(cache)/downloads/\(origin.sha256)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: downloads)) ?? []
    guard let wheel = names.first(where: { $0.hasSuffix(".whl") }) else {
      FileHandle.standardError.write(
        Data("SKIPPED: the published network of \(model), because its package is not in \(downloads)\n".utf8))
      return nil
    }
    let path = folder.path("published-\(model).onnx")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      "import sys, zipfile; open(sys.argv[3], 'wb').write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))",
      "\(downloads)/\(wheel)", origin.member, path,
    ]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? path : nil
  }
}
