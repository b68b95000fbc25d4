import Engine
import FaceCore
import Imaging
import Posix
import Rendering

/// Draws marks on pictures, and saves them.
enum Annotation {
  /// The whole upright image as a canvas.
  static func canvas(_ image: ImageInput) throws(Status) -> Canvas {
    try Canvas(on: try PictureCopy(of: image))
  }

  /// Draws `faces`: with outlines if their dense points are known, and with ids, each in a colour of its own, if they
  /// are tracked.
  static func draw(_ faces: [Face], on canvas: borrowing Canvas) {
    var style = FaceStyle()
    style.scalesToFaces = true
    style.coloursByID = true
    style.plates = true
    style.marks.formUnion([.landmarkLines, .ids])
    canvas.draw(faces, style: style)
  }

  /// Draws a guided check's circle, and its tip at the bottom.
  static func draw(_ check: CheckReport, on canvas: borrowing Canvas) {
    let style = FaceStyle()
    canvas.drawMask(check.circle, hollow: false, style: style)
    let (width, height) = (Float(canvas.size.width), Float(canvas.size.height))
    let tip = "\(check.tip.text)"
    // A letter is about 0.6 of its height wide, so the line fills at most 0.9 of the width.
    let size = min(height / 16, 1.5 * width / Float(tip.count))
    canvas.drawText(
      tip, at: Point(x: width / 2, y: height - size), size: size, anchor: .middle,
      colour: style.textColour, font: style.font)
  }

  /// Saves the whole upright image with `faces` drawn on it.
  static func save(_ image: ImageInput, _ faces: [Face], to path: String) throws(Status) {
    let canvas = try canvas(image)
    draw(faces, on: canvas)
    try save(canvas, to: path)
  }

  /// Saves the canvas in the format that the file name says. Throws as `PictureFormat.init`.
  static func save(_ canvas: borrowing Canvas, to path: String) throws(Status) {
    let format = try PictureFormat(ofFile: path)
    try withBytes(of: try canvas.file(format)) { (bytes) throws(Status) in
      try File.writeAtomically(path, bytes)
    }
  }
}

/// The network's input: decoded, upright, scaled and padded.
enum InputDump {
  /// Saves the input of the engine's network.
  static func save(
    _ image: ImageInput, as engine: Engine, _ options: DetectionOptions, to path: String
  ) throws(Status) {
    try Annotation.save(
      try Canvas(on: try engine.networkInput(image, options: options).padded()), to: path)
  }
}
