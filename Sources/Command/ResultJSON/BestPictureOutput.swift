public import FaceCore

/// The best picture of a face as text.
public enum BestPictureOutput {
  /// The members of the picture's JSON object.
  /// - Parameters:
  ///   - faces: the picture's face, in the coordinates to print.
  ///   - path: the picture's file.
  public static func members(_ picture: BestPicture, _ faces: [Face], _ path: String) -> [(String, JSON)] {
    [
      JSON.schemaVersion, ("event", .string("best")),
      ("timestamp", .integer(Int(clamping: picture.timestamp))), ("hasLeft", .boolean(picture.hasLeft)),
      ("score", .number(picture.score)), ("picture", .string(path)), ("cropBox", JSON(picture.cropBox)),
    ] + faces.map { ("face", JSON($0)) }
  }
}
