import FaceCore
import Imaging
import Posix
import Rendering

/// The picture with its faces marked.
enum Annotation {
  /// Draws `faces` on the upright image of `file` and saves it as PNG.
  static func save(_ file: [UInt8], _ faces: [Face], to path: String) throws(Status) {
    let png = try withBytes(of: file) { (bytes) throws(Status) -> [UInt8] in
      let canvas = try Canvas(try NetworkInput(ImageInput(.encoded(bytes)), maxSide: 0, multiple: 1).bitmap)
      canvas.draw(faces)
      return try canvas.png()
    }
    try withBytes(of: png) { (bytes) throws(Status) in try File.writeAtomically(path, bytes) }
  }

  /// Where the picture of `image` goes: `target` itself, or a file of the image's name in the folder `target`.
  static func path(_ target: String, for image: String, several: Bool) -> String {
    guard several else { return target }
    let name = image.split(separator: "/").last.map(String.init) ?? "image"
    let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
    return "\(target)/\(stem).faces.png"
  }
}
