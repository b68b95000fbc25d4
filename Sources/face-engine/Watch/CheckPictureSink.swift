import Capture
import FaceCore

/// Saves the pictures of a guided check before its result is told.
final class CheckPictureSink: WatchSink {
  private let pictures: CheckPictureArguments
  private let next: any WatchSink

  init(_ pictures: CheckPictureArguments, then next: any WatchSink) {
    self.pictures = pictures
    self.next = next
  }

  func take(_ report: FrameReport) throws(Status) -> Bool {
    for event in report.check?.events ?? [] { try pictures.save(event) }
    return try next.take(report)
  }

  func take(_ event: CameraEvent) throws(Status) -> Bool { try next.take(event) }
}
