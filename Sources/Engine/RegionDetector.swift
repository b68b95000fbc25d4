import Detection
import FaceCore
import Imaging

/// Looks for faces only where they are expected: small pictures of the places go through the network side by side.
struct RegionDetector: Sendable {
  /// The model that options name.
  let pipeline: @Sendable (DetectionOptions) throws(Status) -> DetectionPipeline

  /// Sides of the square searched, in long sides of the expected box: room for half a box of surprise.
  private static let reach: Float = 2
  /// Pixels of the network's input on each side of a place, half of them the face's: the more, the more exact its box.
  private static let inputSides = [128, 96, 64]
  /// The largest of them are taken with which all places together are no more than this part of a whole search.
  private static let share = 8
  /// At once: more would make an input that is larger than networks take.
  private static let maxPlaces = 512
  /// Of the square searched, in pixels of the picture.
  private static let leastSide: Float = 32
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
    guard let inputSide = RegionDetector.inputSide(for: boxes.count, insteadOf: whole) else { return nil }
    return try withPixels(of: picture, maxSide: searched) { (picture, letterbox) throws(Status) in
      let places = boxes.compactMap { box -> (box: Box, region: Box)? in
        let region = RegionDetector.region(around: letterbox.map { $0.toInput(box) } ?? box)
        let inside = region.clamped(to: picture.size)
        return min(inside.width, inside.height) >= Float(ImageLimits.minSide) ? (box, region) : nil
      }
      guard !places.isEmpty else { return [] }
      let found = try pipeline(options).candidates(
        picture, inEach: places.map(\.region), maxSide: inputSide,
        minConfidence: options.minConfidence)
      var faces: [Face] = []
      for (place, found) in zip(places, found) {
        faces += found.map { face in letterbox.map { $0.toImage(face) } ?? face }.filter {
          $0.box.intersectionOverUnion(place.box) >= RegionDetector.leastOverlap
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
      return try picture.withNetworkInput(maxSide: maxSide, multiple: 1) {
        (whole, letterbox) throws(Status) in
        guard letterbox.content.shortSide >= ImageLimits.minSide else { return nil }
        let scaled = picture.input.made(into: .pixels(try ImageView(whole)), orientation: .up)
        return try body(UprightImage(scaled), letterbox)
      }
    }
    return try body(picture, nil)
  }

  /// `nil` for too many, or where even the smallest ones are more than half of a whole search.
  private static func inputSide(for places: Int, insteadOf whole: PixelSize) -> Int? {
    guard places <= maxPlaces else { return nil }
    func pixels(_ side: Int) -> Int { places * side * side }
    let area = whole.width * whole.height
    if let side = inputSides.first(where: { pixels($0) * share <= area }) { return side }
    return inputSides.last.flatMap { pixels($0) * 2 < area ? $0 : nil }
  }

  private static func region(around box: Box) -> Box {
    let side = max(max(box.width, box.height) * reach, leastSide)
    return Box(
      x: box.x + box.width / 2 - side / 2, y: box.y + box.height / 2 - side / 2, width: side, height: side)
  }
}
