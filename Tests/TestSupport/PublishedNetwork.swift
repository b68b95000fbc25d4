import Foundation

/// The ONNX file from which a model of Models was made: out of the package in which it was fetched, or one that was
/// brought if its numbers are committed.
public enum PublishedNetwork {
  private struct Manifest: Decodable {
    struct Origin: Decodable {
      let sha256: String?
      let member: String
    }
    let origin: Origin
  }

  /// Writes the file of a model into `folder`, under a name of its own. Returns its path; `nil`, with a message on
  /// standard error, if its package is not in the cache any more.
  public static func unpack(_ model: String, into folder: TemporaryFolder) throws -> String? {
    let description = try Data(contentsOf: URL(filePath: "\(Fixture.repository)/Models/\(model)/model.json"))
    let origin = try JSONDecoder().decode(Manifest.self, from: description).origin
    guard let sha256 = origin.sha256 else { return brought("\(model)_n/\(model)_n.onnx") }
    let environment = ProcessInfo.processInfo.environment
    let home = environment["XDG_CACHE_HOME"] ?? "\(environment["HOME"] ?? "")/.cache"
    let cache = environment["FACE_ENGINE_CACHE"] ?? "\(home)/face-engine"
    let downloads = "\(cache)/downloads/\(sha256)"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: downloads)) ?? []
    guard let wheel = names.first(where: { $0.hasSuffix(".whl") }) else {
      skip("the published network of \(model), because its package is not in \(downloads)")
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

  private static func brought(_ name: String) -> String? {
    let path = "\(Fixture.repository)/../shared/models/\(name)"
    if FileManager.default.fileExists(atPath: path) { return path }
    skip("a published network, because there is no \(path)")
    return nil
  }

  private static func skip(_ what: String) {
    FileHandle.standardError.write(Data("SKIPPED: \(what)\n".utf8))
  }
}
