import Capture
import FaceCore
import Posix
import ResultJSON

/// Counts the people in the frames of a watch. Writes a line of JSON for each event, and the totals to a file.
///
/// Frames that failed and changes of a camera have the same lines as without the count.
final class VisitSink: WatchSink {
  private let metrics: String?
  private let others: JSONSink
  private var visits: Visits
  private var totals = VisitStatistics()
  /// The members that name the last frame.
  private var place: [(String, JSON)] = []

  /// - Parameter metrics: path of the file for the totals.
  init(_ options: VisitOptions, metrics: String?, others: JSONSink) throws(Status) {
    visits = Visits(options)
    (self.metrics, self.others) = (metrics, others)
    try save()
  }

  func write(_ report: FrameReport) throws(Status) -> Bool {
    place = report.place
    switch report.outcome {
    case .success(let result): return try write(visits.update(result.faces, at: report.origin.timestamp))
    case .failure:
      let events = visits.update([], at: report.origin.timestamp)
      guard try others.write(report) else { return false }
      return try write(events)
    }
  }

  func write(_ event: CameraEvent) throws(Status) -> Bool { try others.write(event) }

  func write(_ picture: BestPicture, savedAt path: String) throws(Status) -> Bool {
    try others.write(picture, savedAt: path)
  }

  /// The people in view leave with the last frame.
  func end() throws(Status) { _ = try write(visits.end()) }

  /// - Returns: whether more frames are wanted.
  private func write(_ events: [VisitEvent]) throws(Status) -> Bool {
    guard !events.isEmpty else { return true }
    totals.count(events)
    try save()
    for event in events {
      guard try StandardOutput.write(line: place + VisitOutput.members(event)) else { return false }
    }
    return true
  }

  /// Replaces the file of the totals.
  private func save() throws(Status) {
    guard let metrics else { return }
    var text = MetricsText(isOpenMetrics: true)
    text.add(totals, prefix: "face_watch")
    text.end()
    try withBytes(of: Array(text.text.utf8)) { (bytes) throws(Status) in
      try File.writeAtomically(metrics, bytes)
    }
  }
}
