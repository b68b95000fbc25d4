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
  static let leastOverlap: Float = 0.2

  /// - Parameter boxes: where faces are expected, in the picture's pixels.
  /// - Returns: the faces found, in no order, overlapping ones included; `nil` where to search the whole frame is the
  ///   better way: the places together are not much smaller.
  func search(
    _ picture: UprightImage, around boxes: [Box], options: DetectionOptions
  ) throws(Status) -> [Face]? {
    let searched = options.effectiveMaxSide
    let whole = Letterbox(image: picture.size, maxSide: searched, multiple: 1).content
    let area = RegionalSearch.inputSide * RegionalSearch.inputSide
    guard boxes.count * area * 2 < whole.width * whole.height else { return nil }
    return try withPixels(of: picture, maxSide: searched) { (picture, letterbox) throws(Status) in
      let pipeline = try pipeline(options)
      var faces: [Face] = []
      for box in boxes {
        let region = RegionalSearch.region(around: letterbox.map { $0.toInput(box) } ?? box)
        let inside = region.clamped(to: picture.size)
        guard min(inside.width, inside.height) >= Float(ImageLimits.minSide) else { continue }
        let found = try pipeline.candidates(
          picture, in: region, maxSide: RegionalSearch.inputSide, minConfidence: options.minConfidence)
        faces += found.faces.map { face in letterbox.map { $0.toImage(face) } ?? face }.filter {
          $0.box.intersectionOverUnion(box) >= RegionalSearch.leastOverlap
        }
      }
      return faces
    }
  }

  /// Pixels are searched where they lie. A file is searched in a picture no larger than a whole search would see:
  /// then `body` is given the letterbox between its picture and the file's.
  private func withPixels(
    of picture: UprightImage, maxSide: Int,
    _ body: (UprightImage, Letterbox?) throws(Status) -> [Face]?
  ) throws(Status) -> [Face]? {
    guard picture.input.region == nil, case .pixels = picture.input.source else {
      let whole = try picture.networkInput(maxSide: maxSide, multiple: 1)
      guard whole.letterbox.content.shortSide >= ImageLimits.minSide else { return nil }
      let scaled = picture.input.made(into: .pixels(try whole.bitmap.view), orientation: .up)
      return try body(UprightImage(scaled), whole.letterbox)
    }
    return try body(picture, nil)
  }

  private static func region(around box: Box) -> Box {
    let side = max(max(box.width, box.height) * reach, Float(inputSide) / 2)
    return Box(
      x: box.x + box.width / 2 - side / 2, y: box.y + box.height / 2 - side / 2, width: side, height: side)
  }
}
