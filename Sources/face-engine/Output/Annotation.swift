import FaceCore
import Imaging
import Posix
import Rendering

/// The picture with its faces marked.
enum Annotation {
  /// The whole upright image with `faces` drawn on it.
  static func canvas(_ image: ImageInput, _ faces: [Face]) throws(Status) -> Canvas {
    var whole = image
    whole.region = nil
    let canvas = try Canvas(try NetworkInput(whole, maxSide: 0, multiple: 1).bitmap)
    canvas.draw(faces)
    return canvas
  }

  /// Saves that as PNG.
  static func save(_ image: ImageInput, _ faces: [Face], to path: String) throws(Status) {
    let canvas = try canvas(image, faces)
    try withBytes(of: try canvas.png()) { (bytes) throws(Status) in try File.writeAtomically(path, bytes) }
  }

  /// Where the picture of `image` goes: `target` itself, or a file of the image's name in the folder `target`.
  static func path(_ target: String, for image: String, several: Bool) -> String {
    guard several else { return target }
    let name = image.split(separator: "/").last.map(String.init) ?? "image"
    let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    return "\(target)/\(stem).faces.png"
  }
}
