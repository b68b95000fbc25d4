public import FaceCore

extension UprightImage {
  /// The picture itself, all of it and at its own size.
  public func whole() throws(Status) -> Bitmap {
    try networkInput(of: PixelRect(size).box, maxSide: 0, multiple: 1).intoBitmap()
  }

  /// D6: the part of the picture that shows `face`, as a picture of `crop.size`. Throws as `FaceCrop.part`.
  public func portrait(of face: Box, _ crop: FaceCrop) throws(Status) -> Bitmap {
    let part = try crop.part(around: face, in: size)
    return try self.crop(
      crop.size,
      toImage: AffineMap(
        scaleX: Double(part.width) / Double(crop.size.width),
        scaleY: Double(part.height) / Double(crop.size.height), dx: Double(part.x), dy: Double(part.y)))
  }

  /// The face with its eyes level and at fixed places. Throws as `AlignedCrop.toImage`.
  public func aligned(_ face: FivePoints, _ crop: AlignedCrop) throws(Status) -> Bitmap {
    try self.crop(PixelSize(width: crop.side, height: crop.side), toImage: try crop.toImage(face))
  }
}
