import FaceCore
import Foundation
public import Inference
public import Testing

/// The plug-in libfaceengine-onnxruntime.so.1, as `make plug-ins` builds it, with the onnxruntime that
/// Tools/setup/onnxruntime.sh fetches, or that of FACE_ENGINE_ONNXRUNTIME.
public enum OnnxruntimePlugin {
  public static let variable = "FACE_ENGINE_ONNXRUNTIME"

  /// The path of onnxruntime's library; `nil` if there is none.
  private static let library: String? = {
    if let named = ProcessInfo.processInfo.environment[variable] { return named }
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "\(Fixture.repository)/Tools/setup/onnxruntime.sh")
    process.arguments = ["--library"]
    process.standardOutput = pipe
    guard (try? process.run()) != nil else { return nil }
    let said = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let path = String(decoding: said, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  /// Whether it runs networks; if not, a message on standard error says so. Then this process and those that it
  /// starts find onnxruntime.
  public static let isUsable: Bool = {
    var problem = "Tools/setup/onnxruntime.sh has not fetched onnxruntime"
    if let library {
      setenv(variable, library, 1)
      do {
        _ = try plugin
        return true
      } catch { problem = "\(error)" }
    }
    FileHandle.standardError.write(
      Data("SKIPPED: every test that needs the plug-in onnxruntime, because \(problem)\n".utf8))
    return false
  }()

  public static var plugin: NetworkPlugin {
    get throws { try .named(NetworkPlugin.onnxruntime) }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips the test, with a message, if there is no onnxruntime, or no plug-in for it.
  public static var needsOnnxruntime: Self {
    .enabled(if: OnnxruntimePlugin.isUsable, "the plug-in onnxruntime cannot run: make plug-ins test-tools")
  }
}
