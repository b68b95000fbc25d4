import FaceCore

/// A result as text.
enum ResultOutput {
  static func json(_ image: String, _ result: DetectionResult) -> String {
    JSON.object([
      "image": .string(image),
      "width": .integer(result.imageSize.width),
      "height": .integer(result.imageSize.height),
      "faces": .array(result.faces.map(json)),
    ]).description
  }

  private static func json(_ face: Face) -> JSON {
    let box: JSON = .object([
      "x": .number(face.box.x), "y": .number(face.box.y),
      "width": .number(face.box.width), "height": .number(face.box.height),
    ])
    guard let points = face.points else {
      return .object(["box": box, "confidence": .number(face.confidence)])
    }
    return .object([
      "box": box,
      "confidence": .number(face.confidence),
      "points": .object([
        "leftEye": json(points.leftEye), "rightEye": json(points.rightEye), "noseTip": json(points.noseTip),
        "mouthLeft": json(points.mouthLeft), "mouthRight": json(points.mouthRight),
      ]),
    ])
  }

  private static func json(_ point: Point) -> JSON {
    .array([.number(point.x), .number(point.y)])
  }

  static func table(_ image: String, _ result: DetectionResult) -> String {
    let count =
      result.faces.isEmpty ? "no face" : result.faces.count == 1 ? "1 face" : "\(result.faces.count) faces"
    var lines = ["\(image): \(result.imageSize.width)×\(result.imageSize.height), \(count)"]
    if !result.faces.isEmpty { lines.append(row("#", ["confidence", "x", "y", "width", "height"])) }
    for (index, face) in result.faces.enumerated() {
      lines.append(
        row(
          String(index + 1),
          [
            decimal(face.confidence, places: 3), decimal(face.box.x, places: 1),
            decimal(face.box.y, places: 1),
            decimal(face.box.width, places: 1), decimal(face.box.height, places: 1),
          ]))
    }
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
