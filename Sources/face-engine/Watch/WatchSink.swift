import Capture
import FaceCore

/// Takes what a watch finds, in the order of the frames, on one thread.
protocol WatchSink: AnyObject {
  /// - Returns: whether more is wanted.
  func take(_ report: FrameReport) throws(Status) -> Bool

  /// - Returns: whether more is wanted.
  func take(_ event: CameraEvent) throws(Status) -> Bool
}

/// What became of one frame.
struct FrameReport {
  /// From 1, in the order in which the source gave them, the dropped ones counted.
  let number: UInt64
  let origin: FrameOrigin
  /// Of the source, where it says.
  let rate: FrameRate?
  /// Borrowed for the call that hands it over; `nil` for a frame that came broken.
  let image: ImageInput?
  let outcome: Result<DetectionResult, Status>
  /// Ids of the faces that are in view no more.
  let left: [UInt64]
  /// Of a frame that was searched, where there is a guided check.
  let check: CheckReport?
  /// Frames dropped before this one, in all.
  let dropped: UInt64
}
