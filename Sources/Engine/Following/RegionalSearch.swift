import Detection
import FaceCore
import Imaging

/// Looks for faces only where they are expected: a small picture of each place goes through the network.
struct RegionalSearch: Sendable {
  /// The model that options name.
  let pipeline: @Sendable (DetectionOptions) throws(Status) -> DetectionPipeline

  /// Sides of the square searched, in long sides of the expected box: room for half a box of surprise.
  private static let reach: Float = 2
  /// Pixels of the network's input on each side: a face has about half of them.
  private static let inputSide = 64
  /// What is found must be the face that was expected rather than a part of its neighbour at the region's edge.
  private static let leastOverlap: Float = 0.2

  /// - Parameters:
  ///   - imageSize: that of the last frame.
  ///   - boxes: where faces are expected, in its pixels.
  /// - Returns: the faces found, without overlaps; `nil` where to search the whole frame is the better way: it is of
  ///   another size, or the places together are not much smaller.
  func search(
    _ image: ImageInput, imageSize: PixelSize, around boxes: [Box], options: DetectionOptions
  ) throws(Status) -> DetectionResult? {
    let searched = options.effectiveMaxSide
    let whole = Letterbox(image: imageSize, maxSide: searched, multiple: 1).content
    let area = RegionalSearch.inputSide * RegionalSearch.inputSide
    guard boxes.count * area * 2 < whole.width * whole.height else { return nil }
    if case .pixels(let view) = image.source {
      guard (image.orientation ?? .up).uprightSize(of: view.size) == imageSize else { return nil }
    }
    return try withPixels(of: image, maxSide: searched) { (image, letterbox) throws(Status) in
      if let letterbox, letterbox.image != imageSize { return nil }
      let pipeline = try pipeline(options)
      var faces: [Face] = []
      for box in boxes {
        var part = image
        let region = RegionalSearch.region(around: letterbox.map { $0.toInput(box) } ?? box)
        let bounds = letterbox?.content ?? imageSize
        let inside = region.clamped(to: bounds)
        guard min(inside.width, inside.height) >= Float(ImageLimits.minSide) else { continue }
        part.region = region
        let found = try pipeline.candidates(
          part, maxSide: RegionalSearch.inputSide, minConfidence: options.minConfidence)
        guard found.imageSize == bounds else { return nil }
        faces += found.faces.map { face in letterbox.map { $0.toImage(face) } ?? face }.filter {
          $0.box.intersectionOverUnion(box) >= RegionalSearch.leastOverlap
            && $0.isAtLeast(options.minFaceSize)
        }
      }
      return DetectionResult(
        imageSize: imageSize,
        faces: NonMaximumSuppression.apply(faces, overlapThreshold: options.overlapThreshold, limit: 0))
    }
  }

  /// Pixels are searched where they lie. A file is decoded once, no larger than a whole search would see it: then
  /// `body` is given the letterbox between its picture and the file's.
  private func withPixels(
    of image: ImageInput, maxSide: Int,
    _ body: (ImageInput, Letterbox?) throws(Status) -> DetectionResult?
  ) throws(Status) -> DetectionResult? {
    guard image.region == nil, case .pixels = image.source else {
      let whole = try NetworkInput(image, maxSide: maxSide, multiple: 1)
      guard whole.letterbox.content.shortSide >= ImageLimits.minSide else { return nil }
      var picture = ImageInput(.pixels(try whole.bitmap.view), orientation: .up)
      picture.clock = image.clock
      return try body(picture, whole.letterbox)
    }
    return try body(image, nil)
  }

  private static func region(around box: Box) -> Box {
    let side = max(max(box.width, box.height) * reach, Float(inputSide) / 2)
    return Box(
      x: box.x + box.width / 2 - side / 2, y: box.y + box.height / 2 - side / 2, width: side, height: side)
  }
}
