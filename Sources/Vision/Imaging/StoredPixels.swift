import FaceCore

/// The pixels of an image as they are stored, not rotated; a file is decoded at the first use.
final class StoredPixels {
  /// The size of the whole image.
  let size: PixelSize
  /// The orientation of a file, from its EXIF.
  let orientation: Orientation?
  private enum Source {
    case pixels(ImageView)
    case file(PictureFile)
  }

  private let source: Source
  /// Whether to decode a file at its own size.
  private let inFull: Bool
  /// Of a file that is copied: also its transparency and the colours of its profile are kept.
  let metadata: PictureMetadata?
  private let clock: StageClock?
  private var decoded: DecodedPixels?
  /// The largest scale at which a file is decoded: below its full size if that has more pixels than may be
  /// held.
  private let largestScale: JPEGScale

  /// - Parameter toCopy: whether `metadata` and transparency are wanted.
  init(_ image: ImageInput, inFull: Bool, toCopy: Bool) throws(Status) {
    self.inFull = inFull
    clock = image.clock
    switch image.source {
    case .encoded(let bytes):
      image.clock?.begin(.decode)
      defer { image.clock?.end() }
      let file = try PictureFile(bytes, of: image)
      metadata = toCopy ? try file.metadata() : nil
      source = .file(file)
      size = file.header.size
      orientation = file.header.orientation
      largestScale = file.isReducible ? .largest(of: size) : .full
    case .pixels(let view):
      metadata = nil
      source = .pixels(view)
      size = view.size
      orientation = nil
      largestScale = .full
    }
  }

  /// Whether the pixels that were decoded are multiplied by alpha; else they are opaque.
  var isTransparent: Bool { decoded?.isTransparent ?? false }

  // The memory is free before another call gets it.
  deinit { decoded = nil }

  /// Reserves memory for a picture that is made of these pixels, too. Called before they are used.
  func willMake(_ made: PixelSize) {
    if case .file(let file) = source { file.bytesMade = made.width * made.height * Bitmap.bytesPerPixel }
  }

  /// A view of some of the pixels.
  struct Part {
    /// The pixels: fewer than `shown` has where a file was decoded at a reduced scale.
    let view: ImageView
    /// The area that the view shows, in pixels of the whole image; a little more than requested where a pixel
    /// shows several.
    let shown: Box
  }

  /// Returns `rect`, grown so that it begins where a view can begin.
  func aligned(_ rect: PixelRect) -> PixelRect {
    guard case .pixels(let view) = source, view.format.isYUV else { return rect }
    let (x, y) = (rect.x & ~1, rect.y & ~1)
    return PixelRect(x: x, y: y, width: rect.maxX - x, height: rect.maxY - y)
  }

  /// Returns the largest long side that a part can have, in pixels: its own, unless that is more than may be
  /// held.
  func longestSide(of rect: PixelRect) -> Int {
    let (longSide, count) = (max(rect.width, rect.height), rect.width * rect.height)
    guard count > ImageLimits.maxHeldPixels else { return longSide * largestScale.eighths / 8 }
    return longSide
      * min(
        largestScale.eighths, Int(8 * (Double(ImageLimits.maxHeldPixels) / Double(count)).squareRoot())) / 8
  }

  /// Returns a part of the pixels.
  /// - Parameters:
  ///   - rect: inside the image, and aligned.
  ///   - needed: the least size of the part in pixels, no side above that of `rect`, the long one not above
  ///     `longestSide`.
  func part(_ rect: PixelRect, noSmallerThan needed: PixelSize) throws(Status) -> Part {
    switch source {
    case .pixels(let view):
      return Part(view: view.window(rect), shown: rect.box)
    case .file(let file):
      let scale = inFull ? largestScale : JPEGScale.smallest(of: size, showing: rect.size, in: needed)
      let pixels = try decode(file, at: min(scale, largestScale))
      let reduced = pixels.scale.reduced(rect)
      return Part(view: try pixels.bitmap.view.window(reduced), shown: pixels.scale.shown(reduced))
    }
  }

  private func decode(_ file: PictureFile, at scale: JPEGScale) throws(Status) -> DecodedPixels {
    if let decoded, decoded.scale >= scale { return decoded }
    // First, so that there are never two.
    decoded = nil
    clock?.begin(.decode)
    defer { clock?.end() }
    let isCopy = metadata != nil
    let fresh = try file.decode(
      PixelForm(eighths: scale.eighths, keepsAlpha: isCopy, keepsProfile: metadata?.profile.isEmpty == false))
    decoded = fresh
    if fresh.scale >= largestScale { file.close() }
    return fresh
  }
}
