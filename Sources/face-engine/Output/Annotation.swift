import Engine
import FaceCore
import Imaging
import Posix
import Rendering

/// The picture with its faces marked.
enum Annotation {
  /// The whole upright image to be drawn on.
  static func canvas(_ image: ImageInput) throws(Status) -> Canvas {
    var whole = image
    whole.region = nil
    return try Canvas(on: try UprightImage(whole, willCrop: true).whole())
  }

  /// The same with `faces` drawn on it, and the outlines of those whose dense points are known.
  static func canvas(_ image: ImageInput, _ faces: [Face]) throws(Status) -> Canvas {
    let canvas = try canvas(image)
    var style = FaceStyle().scaled(by: FaceStyle.factor(for: canvas.size))
    style.marks.insert(.landmarkLines)
    canvas.draw(faces, style: style)
    return canvas
  }

  /// Draws a guided check's circle, and its tip at the bottom.
  static func draw(_ check: CheckReport, on canvas: borrowing Canvas) {
    let style = FaceStyle()
    canvas.drawMask(check.circle, hollow: false, style: style)
    let (width, height) = (Float(canvas.size.width), Float(canvas.size.height))
    let tip = "\(check.tip.text)"
    // Letters are about 0.6 of their height wide: the line fills 0.9 of the width at most.
    let size = min(height / 16, 1.5 * width / Float(tip.count))
    canvas.drawText(
      tip, at: Point(x: width / 2, y: height - size), size: size, anchor: .middle,
      colour: style.textColour, font: style.font)
  }

  /// Saves that as PNG.
  static func save(_ image: ImageInput, _ faces: [Face], to path: String) throws(Status) {
    try save(try canvas(image, faces), to: path)
  }

  /// Throws `invalidArgument` for a file that is named as another kind of picture.
  static func save(_ canvas: borrowing Canvas, to path: String) throws(Status) {
    for ending in [".jpg", ".jpeg", ".webp"] where path.hasSuffix(ending) {
      throw Status(.invalidArgument, "\(path): pictures are written as PNG; name it .png")
    }
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

/// What the network sees: decoded, upright, scaled and padded.
enum InputDump {
  /// Saves as PNG what the network of `engine` sees of the image.
  static func save(
    _ image: ImageInput, as engine: Engine, _ options: DetectionOptions, to path: String
  ) throws(Status) {
    try Annotation.save(
      try Canvas(on: try engine.networkInput(image, options: options).padded()), to: path)
  }
}
