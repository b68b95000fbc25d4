public import FaceCore

/// Prints a result as JSON or as a table.
public enum ResultOutput {
  /// - Parameters:
  ///   - left: the ids of faces that left; omitted if there are none.
  ///   - mask: the circle in pixels of the upright image; `nil` if none was requested.
  ///   - constellation: the constellation of the landmarks; `nil` for the mesh.
  ///   - screen: as in `JSON.init`.
  ///   - outputs: the paths of the pictures made from the result; `nil` for commands that make none.
  public static func json(
    _ image: String, _ result: DetectionResult, left: [UInt64] = [], mask: Circle? = nil,
    constellation: ShownConstellation? = nil, screen: Screen? = nil, outputs: [String]? = nil
  ) -> String {
    var all =
      [JSON.schemaVersion, ("image", .string(image))]
      + members(result, left: left, mask: mask, constellation: constellation, screen: screen)
    if let outputs { all.append(("outputs", .array(outputs.map { .string($0) }))) }
    return JSON.object(all).description
  }

  /// The line for a picture that failed.
  public static func failure(_ image: String, _ status: Status) -> String {
    JSON.object([JSON.schemaVersion, ("image", .string(image)), ("error", JSON(status))]).description
  }

  /// The members of a result's JSON object.
  public static func members(
    _ result: DetectionResult, left: [UInt64], mask: Circle?,
    constellation: ShownConstellation? = nil, screen: Screen? = nil
  ) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("width", .integer(result.imageSize.width)),
      ("height", .integer(result.imageSize.height)),
      ("faces", .array(result.faces.map { JSON($0, constellation: constellation, screen: screen) })),
    ]
    if !result.models.isEmpty { members.append(("models", .array(result.models.map { JSON($0) }))) }
    if result.unanalysedFaces > 0 { members.append(("unanalysedFaces", .integer(result.unanalysedFaces))) }
    if !left.isEmpty { members.append(("left", .array(left.map { JSON(id: $0) }))) }
    if let mask { members.append(("mask", JSON(mask))) }
    return members
  }

  /// The picture's size and the number of faces.
  public static func title(_ image: String, _ result: DetectionResult) -> String {
    let count =
      result.faces.isEmpty ? "no face" : result.faces.count == 1 ? "1 face" : "\(result.faces.count) faces"
    return "\(image): \(result.imageSize.width)×\(result.imageSize.height), \(count)"
  }

  public static func table(_ image: String, _ result: DetectionResult, left: [UInt64]) -> String {
    var lines = [title(image, result)]
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

  public static func padded(_ text: String, to width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  /// `value` rounded to `places` digits behind the point.
  public static func decimal(_ value: Float, places: Int) -> String {
    // A network of random weights has boxes of any size.
    guard value.magnitude < 1e12 else { return "\(value)" }
    let unit = (0..<places).reduce(1) { power, _ in power * 10 }
    let scaled = Int((Double(value) * Double(unit)).rounded())
    let fraction = String(abs(scaled) % unit)
    let sign = scaled < 0 ? "-" : ""
    return "\(sign)\(abs(scaled) / unit)." + String(repeating: "0", count: places - fraction.count) + fraction
  }
}

extension JSON {
  /// The first member of each JSON line, for programs: docs/face-engine.schema.json describes the lines of
  /// this version. The version is raised when a member changes its meaning or is removed; new members leave
  /// it unchanged.
  public static var schemaVersion: (String, JSON) { ("schemaVersion", .integer(1)) }

  /// An error: a code for programs and a sentence for people.
  public init(_ status: Status) {
    self = .object(["code": .string("\(status.code.name)"), "message": .string(status.message)])
  }

  fileprivate init(_ model: ModelIdentity) {
    let digits = Array("0123456789abcdef".utf8)
    let hash = String(
      decoding: model.weightsHash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    self = .object([
      "name": .string(model.name), "revision": .integer(model.revision), "sha256": .string(hash),
    ])
  }
}
