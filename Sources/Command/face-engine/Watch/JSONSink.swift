import CallerOptions
import Capture
import FaceCore
import Posix
import ResultJSON

/// Writes a line of JSON for each frame, or for each event of its guided check, and for each change of a
/// camera.
final class JSONSink: WatchSink {
  private let coordinates: SpaceArguments

  init(_ coordinates: SpaceArguments) {
    self.coordinates = coordinates
  }

  func write(_ report: FrameReport) throws(Status) -> Bool {
    let members = report.place
    switch report.outcome {
    case .success(let result):
      if let check = report.check { return try write(check, members, result) }
      return try write(
        members
          + ResultOutput.members(
            try coordinates.placed(result), left: report.left,
            mask: try coordinates.mask(inImageOf: result.imageSize)))
    case .failure(let status):
      var failed = members + [("error", JSON(status))]
      if !report.left.isEmpty { failed.append(("left", .array(report.left.map { JSON(id: $0) }))) }
      guard try write(failed) else { return false }
      // Only the list of faces is missing.
      return try report.check.map { (check) throws(Status) in try write(check, members, nil) } ?? true
    }
  }

  func write(_ event: CameraEvent) throws(Status) -> Bool {
    switch event {
    case .opened(let camera):
      var members: [(String, JSON)] = [
        JSON.schemaVersion, ("camera", .string(camera.path)), ("event", .string("opened")),
        ("name", .string(camera.name)),
        ("format", .string(camera.format.rawValue)), ("width", .integer(camera.size.width)),
        ("height", .integer(camera.size.height)),
      ]
      if let rate = camera.rate { members.append(("rate", .number(Float(rate)))) }
      return try write(members)
    case .lost(let path, let reason):
      return try write([
        JSON.schemaVersion, ("camera", .string(path)), ("event", .string("lost")),
        ("reason", .string(reason)),
      ])
    }
  }

  func write(_ picture: BestPicture, savedAt path: String) throws(Status) -> Bool {
    let result = DetectionResult(imageSize: picture.imageSize, faces: [picture.face])
    return try write(BestPictureOutput.members(picture, try coordinates.placed(result).faces, path))
  }

  /// Writes a line for each event.
  private func write(
    _ check: CheckReport, _ members: [(String, JSON)], _ result: DetectionResult?
  ) throws(Status) -> Bool {
    for event in check.events {
      guard try write(members + CheckOutput.members(event, check, result)) else { return false }
    }
    return true
  }

  private func write(_ members: [(String, JSON)]) throws(Status) -> Bool { try StandardOutput.write(line: members) }
}

extension FrameReport {
  /// The members that name the frame in a line of JSON.
  var place: [(String, JSON)] {
    var members: [(String, JSON)] = [
      JSON.schemaVersion, ("frame", .integer(Int(clamping: number))),
      ("timestamp", .integer(Int(clamping: origin.timestamp))), ("dropped", .integer(Int(clamping: dropped))),
    ]
    if let path = origin.path { members.append(("image", .string(path))) }
    return members
  }
}

extension StandardOutput {
  /// Writes an object as one line.
  /// - Returns: whether the reader wants more.
  static func write(line members: [(String, JSON)]) throws(Status) -> Bool {
    let line = Array((JSON.object(members).description + "\n").utf8)
    return try withBytes(of: line) { (bytes) throws(Status) in try write(bytes) }
  }
}
