public import FaceCore

/// The picture of one call in upright pixels, decoded once: scaled as a network's input, and in crops.
///
/// Raw pixels are read in place and only as far as needed. They are borrowed: the image must not outlive what
/// `ImageInput` borrows. A file is decoded at the first use of its pixels. One thread at a time.
public final class UprightImage {
  /// The size of the whole upright image, in whose pixels all coordinates are given.
  public let size: PixelSize
  /// The image as the caller gave it.
  public let input: ImageInput
  let orientation: Orientation
  /// The part to be searched, in stored pixels.
  private var region: PixelRect
  let stored: StoredPixels
  /// The width of an upright pixel divided by its height.
  public var pixelAspect: Float { orientation.swapsAxes ? 1 / input.pixelAspect : input.pixelAspect }
  private let toStored: AffineMap
  private let toUpright: AffineMap

  /// Throws `outOfRange` for an image or region too small or large, `invalidArgument` for a damaged file and
  /// for a region that is not in the image.
  /// - Parameter willCrop: whether `crop` will be called: then a file is decoded once, at its own size.
  public convenience init(_ image: ImageInput, willCrop: Bool = false) throws(Status) {
    try self.init(image, willCrop: willCrop, toCopy: false)
  }

  /// - Parameter toCopy: whether a file's transparency is kept, and `metadata` read.
  init(_ image: ImageInput, willCrop: Bool, toCopy: Bool) throws(Status) {
    input = image
    stored = try StoredPixels(image, inFull: willCrop, toCopy: toCopy)
    let given = image.orientation ?? stored.orientation ?? .up
    orientation = image.isMirrored ? given.mirrored : given
    size = orientation.uprightSize(of: stored.size)
    toUpright = orientation.toUpright(stored.size)
    toStored = toUpright.inverse
    region = PixelRect(stored.size)
    if let searched = image.region { region = try storedPart(searched) }
  }

  /// Reserves memory for a picture that is made of this one and lives no longer. Called before this one's pixels are
  /// used.
  public func willMake(_ made: PixelSize) { stored.willMake(made) }

  /// Returns the picture, or a part of it, as a network's input.
  /// - Parameters:
  ///   - part: in pixels of the upright image, with the bounds of `ImageInput.region`, which it replaces.
  ///   - maxSide: as in `Letterbox.init`, and so is `multiple`.
  ///   - mayBorrow: allows pixels that a network can read directly to stay in place, so that the input is
  ///     valid only until this picture is used again.
  public func networkInput(
    of part: Box? = nil, maxSide: Int, multiple: Int, mayBorrow: Bool = false
  ) throws(Status) -> NetworkInput {
    let region = if let part { try storedPart(part) } else { region }
    let (view, letterbox) = try fit(region, maxSide: maxSide, multiple: multiple)
    let content = orientation.uprightSize(of: letterbox.content)
    if mayBorrow, orientation == .up, view.format == .bgra, view.size == content {
      return NetworkInput(letterbox: letterbox, borrowing: view)
    }
    input.clock?.begin(.convert)
    defer { input.clock?.end() }
    // Scaled before it is rotated: fewer pixels to move.
    let scaled = try PixelConverter.bitmap(from: view, scaledTo: content, input.cancellation)
    if orientation == .up { return NetworkInput(letterbox: letterbox, bitmap: scaled) }
    return NetworkInput(
      letterbox: letterbox, bitmap: try PixelConverter.upright(scaled, from: orientation, input.cancellation))
  }

  /// Returns the picture as a network's input whose rows are made when they are read; `nil` if all of them
  /// must be or are available before: for rotated pictures, and those that are not scaled. Valid until this
  /// picture is used again.
  /// - Parameters: as in `networkInput`.
  public func networkRows(maxSide: Int, multiple: Int) throws(Status) -> NetworkRows? {
    guard orientation == .up else { return nil }
    let (view, letterbox) = try fit(region, maxSide: maxSide, multiple: multiple)
    guard view.size != letterbox.content else { return nil }
    return try NetworkRows(view, letterbox: letterbox, of: input)
  }

  /// Returns the stored pixels of `region`, and how they are scaled; the letterbox's content is turned.
  private func fit(
    _ region: PixelRect, maxSide: Int, multiple: Int
  ) throws(Status) -> (view: ImageView, letterbox: Letterbox) {
    let longest = stored.longestSide(of: region)
    let fitted = Letterbox(
      image: size, shown: toUpright(region.box), maxSide: maxSide == 0 ? longest : min(maxSide, longest),
      multiple: multiple)
    // The size as stored, not rotated; exchanging the axes is its own inverse.
    let source = try stored.part(region, noSmallerThan: orientation.uprightSize(of: fitted.content))
    return (source.view, fitted.showing(toUpright(source.shown)))
  }

  /// Returns a square of the picture as an unrotated bitmap of `side` × `side` pixels.
  ///
  /// Taken from the picture in full detail: bilinear, after area averaging where two pixels or more become
  /// one. Beyond the picture's edge its last pixels are repeated. Throws `invalidArgument` for a square
  /// without size or place.
  /// - Parameter asDecoded: takes a file in no more detail than it was decoded in before, or at its smallest
  ///   scale if it was not.
  public func crop(_ square: RotatedSquare, side: Int, asDecoded: Bool = false) throws(Status) -> Bitmap {
    let numbers = [square.center.x, square.center.y, square.side, square.angle]
    guard (1...ImageLimits.maxTargetSide).contains(side), square.side > 0, numbers.allSatisfy(\.isFinite)
    else {
      throw Status(
        .invalidArgument, "a crop needs a finite position and a finite size above 0; give such numbers")
    }
    return try sample(
      PixelSize(width: side, height: side), square.toImage(cropSide: side), scale: square.side / Float(side),
      asDecoded: asDecoded)
  }

  /// Returns any part of the picture as a bitmap of `target` pixels, sampled as `crop` does for a square.
  ///
  /// Throws `outOfRange` for a size beyond `ImageLimits`, `invalidArgument` for an invalid map.
  /// - Parameter toImage: the map from positions in the crop to the upright image.
  public func crop(_ target: PixelSize, toImage: AffineMap) throws(Status) -> Bitmap {
    try ImageLimits.check(
      width: target.width, height: target.height, maxSide: ImageLimits.maxTargetSide)
    let corners = [toImage(0, 0), toImage(Double(target.width), Double(target.height))]
    guard corners.allSatisfy({ $0.x.magnitude <= 1e6 && $0.y.magnitude <= 1e6 }), toImage.areaScale > 0 else {
      throw Status(.invalidArgument, "the crop is far outside the picture, or has no size")
    }
    return try sample(target, toImage, scale: Float(toImage.areaScale.squareRoot()))
  }

  /// - Parameter scale: pixels of the picture per pixel of the crop, along a side.
  private func sample(
    _ target: PixelSize, _ toImage: AffineMap, scale: Float, asDecoded: Bool = false
  ) throws(Status) -> Bitmap {
    let fromCrop = toImage.then(toStored)
    let covered = fromCrop(PixelRect(target).box)
    let shrink = Int(max(1, min(Float(ImageLimits.maxSide), scale)))
    let rect = stored.aligned(PixelRect(around: covered.grown(by: Float(shrink)), in: stored.size))
    let wanted = PixelSize(width: max(1, rect.width / shrink), height: max(1, rect.height / shrink))
    let part = try stored.part(rect, noSmallerThan: asDecoded ? PixelSize(width: 1, height: 1) : wanted)
    let size = PixelSize(
      width: min(wanted.width, part.view.size.width), height: min(wanted.height, part.view.size.height))
    let target = try Bitmap(size: target)
    func sample(
      _ bytes: UnsafeRawBufferPointer, stride: Int, _ size: PixelSize, _ target: borrowing Bitmap
    ) throws(Status) {
      guard let source = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      let (scaleX, scaleY) = (
        Double(size.width) / Double(part.shown.width), Double(size.height) / Double(part.shown.height)
      )
      let toPart = AffineMap(
        scaleX: scaleX, scaleY: scaleY, dx: -Double(part.shown.x) * scaleX, dy: -Double(part.shown.y) * scaleY
      )
      try BilinearSampler(source: source, stride: stride, size: size)
        .sample(into: target, toSource: fromCrop.then(toPart), input.cancellation)
    }
    if part.view.format == .bgra, shrink == 1 || size == part.view.size {
      try sample(part.view.bytes, stride: part.view.stride, part.view.size, target)
    } else {
      try ImageLimits.checkHeld(
        width: max(size.width, ImageLimits.minSide), height: max(size.height, ImageLimits.minSide))
      let pixels = try PixelConverter.bitmap(from: part.view, scaledTo: size, input.cancellation)
      try sample(UnsafeRawBufferPointer(pixels.pixels), stride: pixels.stride, size, target)
    }
    return target
  }

  private func storedPart(_ region: Box) throws(Status) -> PixelRect {
    guard [region.x, region.y, region.maxX, region.maxY].allSatisfy(\.isFinite) else {
      throw Status(
        .invalidArgument, "the region has a side that is not finite; give pixels of the upright image")
    }
    let inside = region.clamped(to: size)
    guard min(inside.width, inside.height) >= Float(ImageLimits.minSide) else {
      throw Status(
        .outOfRange,
        "the region covers \(inside.width)×\(inside.height) pixels of the \(size.width)×\(size.height) image; "
          + "it must cover \(ImageLimits.minSide)×\(ImageLimits.minSide) or more")
    }
    let whole = PixelRect(around: inside, in: size)
    return stored.aligned(PixelRect(around: toStored(whole.box), in: stored.size))
  }
}

extension Box {
  fileprivate func grown(by margin: Float) -> Box {
    Box(x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin)
  }
}

extension UprightImage {
  /// Returns the whole picture at its own size. Throws `outOfRange` if it is too large to be held.
  public func whole() throws(Status) -> Bitmap {
    try ImageLimits.checkHeld(width: size.width, height: size.height)
    willMake(size)
    return try networkInput(of: PixelRect(size).box, maxSide: 0, multiple: 1).intoBitmap()
  }

  /// Returns the part of the picture that shows `face`, as a picture of `crop.size`. Throws as
  /// `FaceCrop.part`.
  public func portrait(of face: Box, _ crop: FaceCrop) throws(Status) -> Bitmap {
    let part = try crop.part(around: face, in: size)
    return try self.crop(
      crop.size,
      toImage: AffineMap(
        scaleX: Double(part.width) / Double(crop.size.width),
        scaleY: Double(part.height) / Double(crop.size.height), dx: Double(part.x), dy: Double(part.y)))
  }

  /// Returns the face with its eyes level and at fixed places. Throws as `AlignedCrop.toImage`.
  public func aligned(_ face: FivePoints, _ crop: AlignedCrop) throws(Status) -> Bitmap {
    try self.crop(PixelSize(width: crop.side, height: crop.side), toImage: try crop.toImage(face))
  }
}
