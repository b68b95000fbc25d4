public import FaceCore

/// The pixels a network is to see: upright, scaled by its letterbox, not yet padded.
public struct NetworkInput: ~Copyable {
  public let letterbox: Letterbox
  public let bitmap: Bitmap

  /// Decodes, scales and turns `image`.
  /// - Parameters: as of `Letterbox.init`.
  public init(_ image: ImageInput, maxSide: Int, multiple: Int) throws(Status) {
    switch image.source {
    case .encoded(let file):
      let decoded = try ImageDecoder.decode(file)
      let orientation = image.orientation ?? decoded.orientation ?? .up
      let letterbox = Letterbox(
        image: orientation.uprightSize(of: decoded.bitmap.size), maxSide: maxSide, multiple: multiple)
      let stored = orientation.uprightSize(of: letterbox.content)
      self.init(letterbox, try PixelConverter.upright(decoded.scaled(to: stored), from: orientation))
    case .pixels(let view):
      let orientation = image.orientation ?? .up
      let letterbox = Letterbox(
        image: orientation.uprightSize(of: view.size), maxSide: maxSide, multiple: multiple)
      // Scaled before it is turned: fewer pixels to move.
      let stored = orientation.uprightSize(of: letterbox.content)
      self.init(
        letterbox,
        try PixelConverter.upright(try PixelConverter.bitmap(from: view, scaledTo: stored), from: orientation)
      )
    }
  }

  private init(_ letterbox: Letterbox, _ bitmap: consuming Bitmap) {
    self.letterbox = letterbox
    self.bitmap = bitmap
  }
}

extension ImageDecoder.Decoded {
  consuming func scaled(to size: PixelSize) throws(Status) -> Bitmap {
    bitmap.size == size ? bitmap : try PixelConverter.scaled(try bitmap.view, to: size)
  }
}

extension PixelConverter {
  static func bitmap(from view: ImageView, scaledTo size: PixelSize) throws(Status) -> Bitmap {
    if size == view.size { return try bitmap(from: view) }
    if view.format == .bgra { return try scaled(view, to: size) }
    let converted = try bitmap(from: view)
    return try scaled(try converted.view, to: size)
  }
}
