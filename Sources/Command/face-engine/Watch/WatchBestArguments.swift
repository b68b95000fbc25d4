import ArgumentParser
import CallerOptions
import FaceCore
import Posix

/// The best pictures of `face-engine watch`, on the command line.
struct WatchBestArguments: ParsableArguments {
  @Option(
    help:
      "Save the best picture of each face in this folder when the face leaves, or when the input ends, as faceID.jpg, and print a line of JSON for it. Measures quality and openness of the eyes in each frame.",
    completion: .directory
  )
  var best: String?

  @Option(help: "Width and height of the best pictures in pixels, 16 to 1024.")
  var bestSize = BestPictureOptions.standardSize

  @Option(help: "Space around the face's box in the best pictures, in long sides of the box, 0 to 4.")
  var bestMargin = BestPictureOptions.standardMargin

  func validate() throws {
    try ValidationError.reporting { _ = try options?.validate() }
    guard let best, !FileSystem.isDirectory(best) else { return }
    throw ValidationError("--best \(best) must be an existing folder; make it with mkdir.")
  }

  /// `nil` if no pictures are asked for.
  var options: BestPictureOptions? {
    guard best != nil else { return nil }
    var options = BestPictureOptions()
    (options.size, options.margin) = (bestSize, bestMargin)
    return options
  }

  var folder: BestPictureFolder? { best.map(BestPictureFolder.init) }
}

/// A folder in which the best pictures of faces are saved.
struct BestPictureFolder {
  private let path: String

  init(_ path: String) {
    self.path = path
  }

  /// Saves a picture under a name that the folder does not have yet: the ids of each run begin at 1.
  /// - Returns: the path of the file.
  func save(_ picture: BestPicture) throws(Status) -> String {
    let target = try freePath("\(path)/face\(picture.id)")
    try picture.crop.withImage { (image) throws(Status) in try Annotation.save(image, [], to: target) }
    return target
  }

  private func freePath(_ stem: String) throws(Status) -> String {
    var (path, number) = ("\(stem).jpg", 1)
    while try FileSystem.isThere(path) {
      number += 1
      path = "\(stem)-\(number).jpg"
    }
    return path
  }
}
