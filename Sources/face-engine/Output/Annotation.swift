import FaceCore
import Imaging
import Posix
import Rendering

/// The picture with its faces marked.
enum Annotation {
  /// Draws `faces` on the whole upright image and saves it as PNG.
  static func save(_ image: ImageInput, _ faces: [Face], to path: String) throws(Status) {
    var whole = image
    whole.region = nil
    let canvas = try Canvas(try NetworkInput(whole, maxSide: 0, multiple: 1).bitmap)
    canvas.draw(faces)
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
