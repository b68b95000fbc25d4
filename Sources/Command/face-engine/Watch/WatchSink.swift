import Capture
import FaceCore

/// Writes the results of a watch in the order of the frames, on one thread.
protocol WatchSink: AnyObject {
  /// - Returns: whether more frames are wanted.
  func write(_ report: FrameReport) throws(Status) -> Bool

  /// - Returns: whether more frames are wanted.
  func write(_ event: CameraEvent) throws(Status) -> Bool

  /// - Parameter path: the picture's file.
  /// - Returns: whether more frames are wanted.
  func write(_ picture: BestPicture, savedAt path: String) throws(Status) -> Bool

  /// Writes what remains at the end of the frames.
  func end() throws(Status)
}

extension WatchSink {
  func end() throws(Status) {}
}

/// The outcome of one frame.
struct FrameReport {
  /// The number in the source's order, from 1; dropped frames count.
  let number: UInt64
  let origin: FrameOrigin
  /// The rate of the source, if known.
  let rate: FrameRate?
  /// The image, valid as long as `keeper`; `nil` for a broken frame.
  let image: ImageInput?
  let keeper: CapturedFrame?
  let outcome: Result<DetectionResult, Status>
  /// The ids of faces that are no longer in view.
  let left: [UInt64]
  /// The report of the guided check, if there is one and the frame was searched.
  let check: CheckReport?
  /// The total number of frames dropped before this one.
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

  func write(_ picture: BestPicture, savedAt path: String) throws(Status) -> Bool {
    try next.write(picture, savedAt: path)
  }

  func end() throws(Status) { try next.end() }
}
