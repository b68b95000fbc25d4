import Detection
import FaceCore
import Imaging

/// Searches only the regions where faces are expected: small pictures of them go through the network side by side.
struct RegionDetector: Sendable {
  let models: ModelRegistry

  /// Side of the region, in long sides of the expected box: a face may move by half a box.
  private static let regionScale: Float = 2
  /// Pixels of the network's input on each side of a region, half of them the face's: the more, the more exact its box.
  private static let inputSides = [128, 96, 64]
  /// The largest of them is used with which all regions together are no more than this part of a whole search.
  private static let share = 8
  /// At once: more would make an input that is larger than networks take.
  private static let maxRegions = 512
  /// Of a region, in pixels of the picture.
  private static let minRegionSide: Float = 32
  /// With the expected box: else a face found is a part of another one at the region's edge.
  static let minOverlap: Float = 0.2

  /// - Parameter boxes: where faces are expected, in the picture's pixels.
  /// - Returns: the faces found, in no order, overlapping ones included; `nil` where to search the whole frame is the
  ///   better way: the regions together are not much smaller.
  func findFaces(
    near boxes: [Box], in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> [Face]? {
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
      let found = try models.model(for: options).pipeline.search(
        picture, regions: expected.map(\.region), maxSide: inputSide,
        minConfidence: options.minConfidence)
      var faces: [Face] = []
      for (expected, found) in zip(expected, found) {
        faces += found.map { face in letterbox.map { $0.toImage(face) } ?? face }.filter {
          $0.box.intersectionOverUnion(expected.box) >= RegionDetector.minOverlap
        }
      }
      return faces
    }
  }

  /// Gives `body` the picture to search: pixels as they lie, a file as a picture no larger than a whole search would see,
  /// with the letterbox between that and the file's.
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

  /// `nil` for too many, or where even the smallest ones are more than half of a whole search.
  private static func inputSide(for regions: Int, insteadOf whole: PixelSize) -> Int? {
    guard regions <= maxRegions else { return nil }
    func pixels(_ side: Int) -> Int { regions * side * side }
    let area = whole.width * whole.height
    if let side = inputSides.first(where: { pixels($0) * share <= area }) { return side }
    return inputSides.last.flatMap { pixels($0) * 2 < area ? $0 : nil }
  }

  private static func region(around box: Box) -> Box {
    let side = max(max(box.width, box.height) * regionScale, minRegionSide)
    return Box(
      x: box.x + box.width / 2 - side / 2, y: box.y + box.height / 2 - side / 2, width: side, height: side)
  }
}
