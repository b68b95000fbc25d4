import Capture
import FaceCore

/// Writes what a watch finds, in the order of the frames, on one thread.
protocol WatchSink: AnyObject {
  /// - Returns: whether more is wanted.
  func write(_ report: FrameReport) throws(Status) -> Bool

  /// - Returns: whether more is wanted.
  func write(_ event: CameraEvent) throws(Status) -> Bool
}

/// What became of one frame.
struct FrameReport {
  /// From 1, in the order in which the source gave them, the dropped ones counted.
  let number: UInt64
  let origin: FrameOrigin
  /// Of the source, where it says.
  let rate: FrameRate?
  /// Valid as long as `keeper`; `nil` for a frame that came broken.
  let image: ImageInput?
  let keeper: CapturedFrame?
  let outcome: Result<DetectionResult, Status>
  /// Ids of the faces that are in view no more.
  let left: [UInt64]
  /// Of a frame that was searched, where there is a guided check.
  let check: CheckReport?
  /// Frames dropped before this one, in all.
  let dropped: UInt64
}

/// Saves the pictures of a guided check before its result is written.
final class CheckPictureSink: WatchSink {
  private let pictures: CheckPictureArguments
  private let next: any WatchSink

  init(_ pictures: CheckPictureArguments, then next: any WatchSink) {
    self.pictures = pictures
    self.next = next
  }

  func write(_ report: FrameReport) throws(Status) -> Bool {
    for event in report.check?.events ?? [] { try pictures.save(event) }
    return try next.write(report)
  }

  func write(_ event: CameraEvent) throws(Status) -> Bool { try next.write(event) }
}
