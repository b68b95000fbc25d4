public import FaceCore

/// The events of a guided check as text.
public enum CheckOutput {
  /// The members of an event's JSON object.
  /// - Parameter result: the frame's result; `nil` if the frame failed.
  public static func members(
    _ event: CheckEvent, _ report: CheckReport, _ result: DetectionResult?
  ) -> [(String, JSON)] {
    let (kind, members) = kindAndMembers(event, report, result)
    return [("event", .string(kind))] + members
  }

  private static func kindAndMembers(
    _ event: CheckEvent, _ report: CheckReport, _ result: DetectionResult?
  ) -> (String, [(String, JSON)]) {
    switch event {
    case .status(let state): return ("status", [("state", .string("\(state.name)"))])
    case .tip(let tip):
      return ("tip", [("tip", .string("\(tip.name)")), ("text", .string("\(tip.text)"))])
    case .draw(let index):
      var members = [("circle", JSON(report.circle)), ("progress", JSON.number(report.progress))]
      if report.actionCount > 0 {
        members += [
          ("actionsDone", .integer(report.actionsDone)), ("actions", .integer(report.actionCount)),
        ]
      }
      if let result, result.faces.indices.contains(index) {
        members.append(("face", JSON(result.faces[index])))
      }
      return ("draw", members)
    case .clear: return ("clear", [])
    case .result(let taken):
      return (
        "result",
        [
          ("width", .integer(taken.picture.size.width)), ("height", .integer(taken.picture.size.height)),
          ("cropBox", JSON(taken.cropBox)), ("face", JSON(taken.face)),
        ]
      )
    case .failed(let failure):
      return ("failed", [("code", .string(failure.code)), ("message", .string(failure.message))])
    }
  }
}
