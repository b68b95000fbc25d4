import Detection
import FaceCore
import Imaging

/// Searches only the regions where faces are expected. Small pictures of the regions pass through the network
/// side by side.
struct RegionDetector: Sendable {
  let models: ModelRegistry

  /// Side of a region in long sides of the expected box: a face may move by half a box.
  private static let regionScale: Float = 2
  /// Possible sides of a region in the network's input, in pixels. The face takes half of a side: the more
  /// pixels, the more exact its box.
  private static let inputSides = [128, 96, 64]
  /// The largest input side is used with which all regions together have at most this fraction of a whole
  /// search's pixels.
  private static let share = 8
  /// The maximum number of regions at once: more would make the input larger than networks accept.
  private static let maxRegions = 512
  /// The smallest side of a region, in pixels of the picture.
  private static let minRegionSide: Float = 32
  /// The least overlap with the expected box. A face that overlaps less is part of another one at the
  /// region's edge.
  static let minOverlap: Float = 0.2
  /// The distance from a region's edge, in parts of its side, below which a face may be cut there.
  private static let edge: Float = 0.08

  /// - Parameter boxes: where faces are expected, in the picture's pixels.
  /// - Returns: the faces found, unordered, with overlapping ones; `nil` if it is better to search the whole
  ///   frame, since the regions together are not much smaller, or one of them shows only a part of its face.
  func findFaces(
    near boxes: [Box], in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> [Face]? {
    let pipeline = try models.model(for: options).pipeline
    guard pipeline.takesAnySize else { return nil }
    let searched = options.effectiveMaxSide
    let whole = Letterbox(image: picture.size, maxSide: searched, multiple: 1).content
    guard let inputSide = RegionDetector.inputSide(for: boxes.count, insteadOf: whole) else { return nil }
    return try withPixels(of: picture, maxSide: searched) { (picture, letterbox) throws(Status) in
      let expected = boxes.compactMap { box -> (box: Box, region: Box)? in
        let region = RegionDetector.region(around: letterbox.map { $0.toInput(box) } ?? box)
        let inside = region.clamped(to: picture.size)
        return min(inside.width, inside.height) >= Float(ImageLimits.minSide) ? (box, region) : nil
      }
      guard !expected.isEmpty else { return [] }
      let found = try pipeline.search(
        picture, regions: expected.map(\.region), maxSide: inputSide, minConfidence: options.minConfidence)
      var faces: [Face] = []
      for (expected, found) in zip(expected, found) {
        // The boxes of a whole search with these options, so that they stand still between searches.
        let boxes =
          options.hasMeanBoxes
          ? NonMaximumSuppression.applyWithMeans(found, overlapThreshold: options.overlapThresholdOfFrames)
          : found
        let near = boxes.filter { face in
          let box = letterbox.map { $0.toImage(face.box) } ?? face.box
          return box.intersectionOverUnion(expected.box) >= RegionDetector.minOverlap
        }
        // The network's weaker guesses about the same face may be of any size.
        if let best = near.max(by: { $0.confidence < $1.confidence }),
          RegionDetector.mayCut(best.box, at: expected.region, in: picture.size)
        {
          return nil
        }
        faces += near.map { face in letterbox.map { $0.toImage(face) } ?? face }
      }
      return faces
    }
  }

  /// Calls `body` with the picture to search. Pixels are passed as they are. A file is passed as a picture no
  /// larger than a whole search would use, with the letterbox that maps it to the file's pixels.
  private func withPixels(
    of picture: UprightImage, maxSide: Int,
    _ body: (UprightImage, Letterbox?) throws(Status) -> [Face]?
  ) throws(Status) -> [Face]? {
    guard picture.input.region == nil, case .pixels = picture.input.source else {
      let whole = try picture.networkInput(maxSide: maxSide, multiple: 1, mayBorrow: true)
      guard whole.letterbox.content.shortSide >= ImageLimits.minSide else { return nil }
      let scaled = picture.input.made(into: .pixels(try ImageView(whole.pixels)), orientation: .up)
      let faces = try body(UprightImage(scaled), whole.letterbox)
      extendLifetime(whole)
      return faces
    }
    return try body(picture, nil)
  }

  /// The input side for so many regions; `nil` if there are too many, or if even the smallest ones exceed
  /// half of a whole search.
  private static func inputSide(for regions: Int, insteadOf whole: PixelSize) -> Int? {
    guard regions <= maxRegions else { return nil }
    func pixels(_ side: Int) -> Int { regions * side * side }
    let area = whole.width * whole.height
    if let side = inputSides.first(where: { pixels($0) * share <= area }) { return side }
    return inputSides.last.flatMap { pixels($0) * 2 < area ? $0 : nil }
  }

  /// Returns whether a face that moved far may be cut by its region's edge, other than that of the picture. The
  /// box of a cut face is too small, and its tracklet might not be recognised.
  private static func mayCut(_ face: Box, at region: Box, in size: PixelSize) -> Bool {
    let margin = region.width * edge
    return region.x > 0 && face.x < region.x + margin
      || region.y > 0 && face.y < region.y + margin
      || region.maxX < Float(size.width) && face.maxX > region.maxX - margin
      || region.maxY < Float(size.height) && face.maxY > region.maxY - margin
  }

  private static func region(around box: Box) -> Box {
    let side = max(max(box.width, box.height) * regionScale, minRegionSide)
    return Box(
      x: box.x + box.width / 2 - side / 2, y: box.y + box.height / 2 - side / 2, width: side, height: side)
  }
}

extension DetectionOptions {
  /// Whether whole searches with these options average boxes.
  fileprivate var hasMeanBoxes: Bool {
    switch accuracy {
    case .low: false
    case .balanced: maxSide == nil
    case .high: true
    }
  }

  /// The overlap that whole searches with these options allow. With less, a person before another one would
  /// come and go between searches.
  var overlapThresholdOfFrames: Float {
    hasMeanBoxes ? DetectionEnsemble.overlapOfMeans(overlapThreshold) : overlapThreshold
  }
}
