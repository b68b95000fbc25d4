import ArgumentParser
import CallerOptions
import FaceCore
import Rendering

/// How `face-engine watch --y4m` covers faces.
struct WatchCoverArguments: ParsableArguments {
  @OptionGroup var how: CoverArguments

  @Option(
    name: .customLong("cover-hold"),
    help: "How long a followed face stays covered after it is lost, in seconds, 0 to 60.")
  var hold = 0.5

  func validate() throws {
    guard (0...60).contains(hold) else {
      throw ValidationError("--cover-hold \(hold) must be 0 to 60 seconds.")
    }
  }

  /// The covers of a video; `nil` if its faces are marked instead.
  var covers: VideoCovers? {
    how.areAsked ? VideoCovers(how.marks, how.cover, hold: UInt64(hold * 1e9)) : nil
  }
}

/// Covers the faces of one frame after the other, and those that were lost a moment ago.
struct VideoCovers {
  private let style: FaceStyle
  private var held: HeldCovers

  init(_ marks: FaceStyle.Marks, _ cover: FaceCover, hold: UInt64) {
    var style = FaceStyle()
    style.marks = marks
    style.cover = cover
    self.style = style
    held = HeldCovers(for: hold)
  }

  mutating func draw(_ faces: [Face], at time: UInt64, on canvas: borrowing Canvas) {
    canvas.cover(held.boxes(besides: faces, at: time) + faces.map(\.box), style: style)
  }
}
