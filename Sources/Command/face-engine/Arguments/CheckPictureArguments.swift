import ArgumentParser
import FaceCore

/// The files for the pictures of a check's result, on the command line.
struct CheckPictureArguments: ParsableArguments {
  @Option(help: "Save the result's picture. The file's name chooses PNG, JPEG or WebP.", completion: .file())
  var picture: String?

  @Option(help: "Save the result's crop, in a format chosen as for --picture.", completion: .file())
  var crop: String?

  func validate() throws {
    try PictureTargets.checkName(picture, "--picture")
    try PictureTargets.checkName(crop, "--crop")
  }

  var areAsked: Bool { picture != nil || crop != nil }

  /// Saves the pictures of a result; other events have none.
  func save(_ event: CheckEvent) throws(Status) {
    guard case .result(let taken) = event else { return }
    if let picture { try save(taken.picture, to: picture) }
    if let crop { try save(taken.crop, to: crop) }
  }

  private func save(_ picture: CheckPicture, to path: String) throws(Status) {
    try picture.withImage { (image) throws(Status) in try Annotation.save(image, [], to: path) }
  }
}
