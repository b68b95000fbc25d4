package import FaceCore
import Wire

extension FrameEvent {
  /// The response as a frame. One that is too large for a message becomes a failure, which still names the faces that left
  /// and carries the report of a guided check.
  package func fitted(stream: UInt32) throws(Status) -> (frame: [UInt8], failure: Status?) {
    do throws(Status) {
      return (try WatchCall.responseFrame(stream: stream, self), nil)
    } catch {
      var rest = self
      rest.outcome = .failed(error)
      rest.check = check?.withoutFaces
      // It is the faces, as a rule, which are many.
      if let frame = try? WatchCall.responseFrame(stream: stream, rest) { return (frame, error) }
      rest.check = rest.check?.withoutPictures(error)
      return (try WatchCall.responseFrame(stream: stream, rest), error)
    }
  }
}

extension CheckReport {
  /// Without what points at the frame's faces.
  fileprivate var withoutFaces: CheckReport {
    var report = self
    report.events.removeAll { if case .draw = $0 { true } else { false } }
    return report
  }

  /// A result becomes a failure, which is an end as well.
  fileprivate func withoutPictures(_ reason: Status) -> CheckReport {
    var report = self
    report.events = events.map { if case .result = $0 { .failed(.noPicture(reason.message)) } else { $0 } }
    return report
  }
}
