import FaceCore

/// Prints rows of comma-separated values. Source: RFC 4180, with this system's line ends.
enum CSV {
  static func line(_ cells: [String]) -> String { cells.map(quoted).joined(separator: ",") }

  private static func quoted(_ cell: String) -> String {
    guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  /// A row for each face of a picture, or one row without a face: the picture's cells, the face's, and no
  /// error.
  /// - Parameter names: the columns of a face, which are empty if there is none.
  static func rows(
    _ image: String, _ result: DetectionResult, names: [String], _ cells: (Face) -> [String]
  ) -> String {
    let picture = [image, "\(result.imageSize.width)", "\(result.imageSize.height)"]
    let none = picture + [""] + names.map { _ in "" } + [""]
    let rows = result.faces.enumerated().map { index, face in picture + ["\(index + 1)"] + cells(face) + [""]
    }
    return (rows.isEmpty ? [none] : rows).map(line).joined(separator: "\n")
  }

  /// The header: the columns of the picture, its faces and failures.
  static func columns(_ names: [String]) -> [String] {
    ["image", "image_width", "image_height", "face"] + names + ["error"]
  }
}

/// The columns of a face as `face-engine detect --csv` prints them.
enum FaceColumns {
  /// The optional outputs that have columns.
  static let outputs: FaceOutputs = [.pose, .expressions, .eyes, .mouth, .quality]

  static let names =
    ["id", "confidence", "x", "y", "width", "height"]
    + ["left_eye", "right_eye", "nose_tip", "mouth_left", "mouth_right"].flatMap { ["\($0)_x", "\($0)_y"] }
    + ["yaw", "pitch", "roll", "smile", "mouth_open", "left_eye_open", "right_eye_open", "quality"]

  /// The cells of a face; empty for unknown values.
  static func cells(_ face: Face) -> [String] {
    let points = face.points.map { [$0.leftEye, $0.rightEye, $0.noseTip, $0.mouthLeft, $0.mouthRight] }
    let numbers: [Float?] =
      [face.confidence, face.box.x, face.box.y, face.box.width, face.box.height]
      + (points?.flatMap { [$0.x, $0.y] } ?? Array(repeating: nil, count: 10))
      + [
        face.pose?.yaw, face.pose?.pitch, face.pose?.roll, face.mouth?.smile, face.mouth?.open,
        face.eyes?.leftOpen, face.eyes?.rightOpen, face.quality?.overall,
      ]
    return [face.track.map { "\($0.id)" } ?? ""] + numbers.map { $0.map { "\($0)" } ?? "" }
  }
}
