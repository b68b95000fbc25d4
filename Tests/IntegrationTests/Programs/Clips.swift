import Foundation
import Testing

/// Programs and clips that not every machine has.
enum Clips {
  /// The sample clips: those that the environment names, or those beside the checkout.
  static let folder =
    ProcessInfo.processInfo.environment["FACE_ENGINE_CLIPS"]
    ?? Checkout.root.appending(path: "../shared/data/video").standardized.path

  static let hasFFmpeg = (try? Command.run("ffmpeg", ["-version"]).status) == 0

  static func ffmpeg(
    _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try Command.run("ffmpeg", ["-nostdin", "-v", "error", "-y"] + arguments)
      .succeeded(sourceLocation: sourceLocation)
  }

  /// Whether ffmpeg can read the sample clips; if not, a message says so.
  static let arePlayable: Bool = {
    let reason =
      !hasFFmpeg
      ? "ffmpeg is not installed"
      : FileManager.default.fileExists(atPath: folder) ? nil : "\(folder) is not there"
    guard let reason else { return true }
    FileHandle.standardError.write(Data("SKIPPED: guided checks of clips, because \(reason)\n".utf8))
    return false
  }()
}

extension Trait where Self == ConditionTrait {
  static var needsClips: Self {
    .enabled(if: Clips.arePlayable, "ffmpeg or the sample clips are not there")
  }
}
