import Foundation

/// Programs and clips that not every machine has.
enum Clips {
  /// The sample clips beside the checkout; `nil` without them.
  static let folder = Checkout.root.appending(path: "../shared/data/video").standardized.path

  static let hasFFmpeg = (try? Command.run("ffmpeg", ["-version"]).status) == 0

  /// Whether ffmpeg can read the sample clips; if not, a message says so.
  static let arePlayable: Bool = {
    let reason =
      !hasFFmpeg
      ? "ffmpeg is not installed"
      : FileManager.default.fileExists(atPath: folder) ? nil : "\(folder) is not there"
    guard let reason else { return true }
    FileHandle.standardError.write(Data("SKIPPED: every test that watches a clip, because \(reason)\n".utf8))
    return false
  }()

  static let headPose = "\(folder)/head-pose-face-detection-female-and-male.gif"

  /// A shell command that writes the clip as a Y4M stream.
  static func stream(_ clip: String, _ options: String = "") -> String {
    "ffmpeg -v error -i '\(clip)' \(options) -pix_fmt yuv420p -f yuv4mpegpipe -"
  }
}
