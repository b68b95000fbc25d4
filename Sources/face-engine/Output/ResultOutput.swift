import FaceCore

/// A result as text.
enum ResultOutput {
  /// - Parameter left: ids of those in view no more; told where there are some.
  static func json(_ image: String, _ result: DetectionResult, left: [UInt64]) -> String {
    var members: [(String, JSON)] = [
      ("image", .string(image)),
      ("width", .integer(result.imageSize.width)),
      ("height", .integer(result.imageSize.height)),
      ("faces", .array(result.faces.map(json))),
    ]
    if !left.isEmpty { members.append(("left", .array(left.map(json)))) }
    return JSON.object(members).description
  }

  /// An id counts from 1 and never gets near the largest number there is.
  private static func json(_ id: UInt64) -> JSON { .integer(Int(clamping: id)) }

  private static func json(_ face: Face) -> JSON {
    var members: [(String, JSON)] = []
    if let track = face.track { members.append(("id", json(track.id))) }
    members.append(
      (
        "box",
        .object([
          "x": .number(face.box.x), "y": .number(face.box.y),
          "width": .number(face.box.width), "height": .number(face.box.height),
        ])
      ))
    members.append(("confidence", .number(face.confidence)))
    if let points = face.points {
      members.append(
        (
          "points",
          .object([
            "leftEye": json(points.leftEye), "rightEye": json(points.rightEye),
            "noseTip": json(points.noseTip),
            "mouthLeft": json(points.mouthLeft), "mouthRight": json(points.mouthRight),
          ])
        ))
    }
    return .object(members)
  }

  private static func json(_ point: Point) -> JSON {
    .array([.number(point.x), .number(point.y)])
  }

  static func table(_ image: String, _ result: DetectionResult, left: [UInt64]) -> String {
    let count =
      result.faces.isEmpty ? "no face" : result.faces.count == 1 ? "1 face" : "\(result.faces.count) faces"
    var lines = ["\(image): \(result.imageSize.width)×\(result.imageSize.height), \(count)"]
    if !result.faces.isEmpty { lines.append(row("#", ["confidence", "x", "y", "width", "height"])) }
    for (index, face) in result.faces.enumerated() {
      lines.append(
        row(
          face.track.map { "id \($0.id)" } ?? String(index + 1),
          [
            decimal(face.confidence, places: 3), decimal(face.box.x, places: 1),
            decimal(face.box.y, places: 1),
            decimal(face.box.width, places: 1), decimal(face.box.height, places: 1),
          ]))
    }
    if !left.isEmpty { lines.append("left: " + left.map { "id \($0)" }.joined(separator: ", ")) }
    return lines.joined(separator: "\n")
  }

  private static func row(_ number: String, _ cells: [String]) -> String {
    padded(number, to: 5) + cells.map { padded($0, to: 11) }.joined()
  }

  private static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// `value` rounded, with exactly `places` digits behind the point.
  private static func decimal(_ value: Float, places: Int) -> String {
    let unit = (0..<places).reduce(1) { power, _ in power * 10 }
    let scaled = Int((Double(value) * Double(unit)).rounded())
    let fraction = String(abs(scaled) % unit)
    let sign = scaled < 0 ? "-" : ""
    return "\(sign)\(abs(scaled) / unit)." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}
