import Capture
import FaceCore
import Posix

/// One JSON object a line for each frame, or for each event of its guided check; and for what happens to a camera.
final class JSONSink: WatchSink {
  private let coordinates: SpaceArguments

  init(_ coordinates: SpaceArguments) {
    self.coordinates = coordinates
  }

  func take(_ report: FrameReport) throws(Status) -> Bool {
    var members: [(String, JSON)] = [
      ("frame", .integer(Int(clamping: report.number))),
      ("timestamp", .integer(Int(clamping: report.origin.timestamp))),
      ("dropped", .integer(Int(clamping: report.dropped))),
    ]
    if let path = report.origin.path { members.append(("image", .string(path))) }
    switch report.outcome {
    case .success(let result):
      if let check = report.check {
        for event in check.events {
          guard try write(members + CheckOutput.members(event, check, result)) else { return false }
        }
        return true
      }
      members += ResultOutput.members(
        try coordinates.placed(result), left: report.left,
        mask: try coordinates.mask(inImageOf: result.imageSize))
    case .failure(let status):
      members.append(("error", .string(status.message)))
      if !report.left.isEmpty { members.append(("left", .array(report.left.map { JSON(id: $0) }))) }
    }
    return try write(members)
  }

  func take(_ event: CameraEvent) throws(Status) -> Bool {
    switch event {
    case .opened(let camera):
      var members: [(String, JSON)] = [
        ("camera", .string(camera.path)), ("event", .string("opened")), ("name", .string(camera.name)),
        ("format", .string(camera.format.rawValue)), ("width", .integer(camera.size.width)),
        ("height", .integer(camera.size.height)),
      ]
      if let rate = camera.rate { members.append(("rate", .number(Float(rate)))) }
      return try write(members)
    case .lost(let path, let reason):
      return try write([
        ("camera", .string(path)), ("event", .string("lost")), ("reason", .string(reason)),
      ])
    }
  }

  private func write(_ members: [(String, JSON)]) throws(Status) -> Bool {
    let line = Array((JSON.object(members).description + "\n").utf8)
    return try withBytes(of: line) { (bytes) throws(Status) in try StandardOutput.write(bytes) }
  }
}
