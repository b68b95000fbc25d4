package import FaceCore
import Wire

extension FrameEvent {
  /// The response as a frame. If it is too large for a message, it becomes a failure that still lists the
  /// faces that left and contains the report of a guided check.
  package func fitted(stream: UInt32) throws(Status) -> (frame: [UInt8], failure: Status?) {
    do throws(Status) {
      return (try WatchCall.responseFrame(stream: stream, self), nil)
    } catch {
      var rest = self
      rest.outcome = .failed(error)
      rest.check = check?.withoutFaces
      // Usually the faces, which may be many, are too large.
      if let frame = try? WatchCall.responseFrame(stream: stream, rest) { return (frame, error) }
      rest.check = rest.check?.withoutPictures(error)
      return (try WatchCall.responseFrame(stream: stream, rest), error)
    }
  }
}

extension CheckReport {
  /// The report without the parts that refer to the frame's faces.
  fileprivate var withoutFaces: CheckReport {
    var report = self
    report.events.removeAll { if case .draw = $0 { true } else { false } }
    return report
  }

  /// The report with a failure in place of a result; either one ends the check.
  fileprivate func withoutPictures(_ reason: Status) -> CheckReport {
    var report = self
    report.events = events.map { if case .result = $0 { .failed(.noPicture(reason.message)) } else { $0 } }
    return report
  }
}
