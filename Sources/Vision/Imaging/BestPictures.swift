package import FaceCore

/// Keeps the best picture so far of each tracked face of a stream: a crop for each face, and never a frame.
package struct BestPictures: Sendable {
  /// The largest number of faces with a picture; more faces get none until one of these leaves.
  package static let maxFaces = 64

  private let options: BestPictureOptions
  private var kept: [UInt64: BestPicture] = [:]

  /// - Parameter options: valid.
  package init(_ options: BestPictureOptions) {
    self.options = options
  }

  /// Replaces the pictures of the faces that a frame shows better than the frames before. A crop for which there is no
  /// memory, or that was cancelled, is not taken.
  /// - Parameter image: the frame's image; called only if a face gets a new picture.
  package mutating func update(
    _ result: DetectionResult, of frame: FrameInfo, _ image: () throws(Status) -> ImageInput
  ) {
    var picture: UprightImage?
    for face in result.faces {
      guard let id = face.track?.id, let score = face.pictureScore,
        kept[id] != nil || kept.count < BestPictures.maxFaces,
        CaptureQuality.replaces(kept[id]?.score, with: score)
      else { continue }
      do throws(Status) {
        let upright = if let picture { picture } else { try UprightImage(try image(), willCrop: true) }
        picture = upright
        let (crop, box) = try upright.crop(around: face.box, options)
        kept[id] = BestPicture(
          face: face, imageSize: result.imageSize, frame: frame, score: score, crop: crop, cropBox: box)
      } catch {
        continue
      }
    }
  }

  /// Removes the pictures of faces that have left, and returns them.
  package mutating func take(_ left: [UInt64]) -> [BestPicture] {
    left.compactMap { id in
      var picture = kept.removeValue(forKey: id)
      picture?.hasLeft = true
      return picture
    }
  }

  /// Returns the picture of one face, or those of all in the order of their ids.
  package func pictures(of id: UInt64?) -> [BestPicture] {
    if let id { return kept[id].map { [$0] } ?? [] }
    return kept.values.sorted { $0.id < $1.id }
  }

  package mutating func removeAll() { kept = [:] }
}

extension UprightImage {
  /// Returns the square around a face, in its true shape, and the part of this picture that it shows.
  fileprivate func crop(
    around face: Box, _ options: BestPictureOptions
  ) throws(Status) -> (crop: CropPixels, box: Box) {
    let (width, height) = (face.width * pixelAspect, face.height)
    let side = max(width, height) * (1 + 2 * options.margin)
    let box = Box(center: face.center, width: side / pixelAspect, height: side)
    let size = PixelSize(width: options.size, height: options.size)
    let scale = 1 / Double(options.size)
    let bitmap = try crop(
      size,
      toImage: AffineMap(
        scaleX: Double(box.width) * scale, scaleY: Double(box.height) * scale, dx: Double(box.x),
        dy: Double(box.y)))
    return (try CropPixels(copying: UnsafeRawBufferPointer(bitmap.pixels), size: size), box)
  }
}
