public import FaceCore
public import Imaging
public import Inference

/// A detector of faces in pictures that are decoded already. The options must be valid.
public protocol PictureDetector: Sendable {
  /// Returns the faces in pixels of `picture`, the most confident first, without overlaps.
  func findFaces(in picture: UprightImage, _ options: DetectionOptions) throws(Status) -> DetectionResult
}

/// Finds faces in a picture with one network: letterbox, network, decoding, non-maximum suppression, and back
/// to pixels of the picture.
///
/// If a face may be larger than networks can detect, the picture is searched again at a smaller size
/// (`SearchResult`), unless the options set a size in pixels.
public final class DetectionPipeline: PictureDetector {
  private let network: any Network
  private let family: any DetectorFamily
  /// The outputs of the family.
  private let outputs: [String]
  private let input: InputSpecification
  let maxInputPixels: Int

  /// - Parameter maxInputPixels: the most pixels of the network's input: memory for each is about 15 bytes
  ///   with the fused kernels, on ncnn 110 for a network as light as YuNet and 400 for CenterFace.
  public init(
    network: any Network, family: any DetectorFamily, input: InputSpecification, maxInputPixels: Int = .max
  ) {
    self.network = network
    self.family = family
    outputs = family.outputs
    self.input = input
    self.maxInputPixels = maxInputPixels
  }

  public func findFaces(
    in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    // Searches at smaller sizes need the less confident faces as votes.
    let isAllSizes = options.maxSide ?? 0 == 0
    let minConfidence =
      isAllSizes ? min(options.minConfidence, SearchResult.minConfidence) : options.minConfidence
    var result = try search(picture, maxSide: options.effectiveMaxSide, minConfidence: minConfidence)
    if isAllSizes, let side = result.smallerSide {
      result = try correct(result, bySearchAt: side, picture, options)
    }
    let clock = picture.input.clock
    clock?.begin(.boxes)
    defer { clock?.end() }
    var faces = result.faces
    faces.removeAll { $0.confidence < options.minConfidence || !options.isLargeEnough($0, in: picture.size) }
    return DetectionResult(
      imageSize: picture.size,
      faces: NonMaximumSuppression.apply(
        faces, overlapThreshold: options.overlapThreshold, limit: options.maxFaces))
  }

  /// Returns `result` with its large faces corrected by searches at smaller sizes.
  /// - Parameter side: the long side of the first of those searches.
  private func correct(
    _ result: SearchResult, bySearchAt side: Int, _ picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> SearchResult {
    var smaller = try search(
      picture, maxSide: side, minConfidence: min(options.minConfidence, SearchResult.minConfidence))
    if let next = smaller.smallerSide {
      smaller = try correct(smaller, bySearchAt: next, picture, options)
    }
    picture.input.clock?.begin(.boxes)
    defer { picture.input.clock?.end() }
    return result.merged(withSmaller: smaller, overlapThreshold: options.overlapThreshold)
  }

  /// Searches the whole picture, or its region, once. Returns all faces of the network, including overlapping
  /// ones.
  /// - Parameter maxSide: as in `Letterbox.init`.
  func search(
    _ picture: UprightImage, maxSide: Int, minConfidence: Float
  ) throws(Status) -> SearchResult {
    let letterbox: Letterbox
    var found: [Face]
    if network.readsRows,
      let rows = try picture.networkRows(maxSide: maxSide, multiple: family.inputMultiple)
    {
      letterbox = rows.letterbox
      found = try runNetwork(
        on: input.pixels(rows), of: picture.input, minConfidence: minConfidence)
    } else {
      let seen = try picture.networkInput(
        maxSide: maxSide, multiple: family.inputMultiple, mayBorrow: true)
      letterbox = seen.letterbox
      found = try runNetwork(
        on: input.pixels(seen.pixels, in: letterbox.input), of: picture.input, minConfidence: minConfidence)
      extendLifetime(seen)
    }
    for index in found.indices { found[index] = letterbox.toImage(found[index]) }
    return SearchResult(faces: found, letterbox: letterbox)
  }

  /// Searches several regions of the picture, side by side in one input of the network, which costs less than
  /// one search after the other.
  /// - Parameters:
  ///   - regions: one or more, with the bounds of `UprightImage.networkInput`'s.
  ///   - maxSide: the longest side of each region in the network's input.
  /// - Returns: for each region the faces whose middle is in it, including overlapping ones.
  package func search(
    _ picture: UprightImage, regions: [Box], maxSide: Int, minConfidence: Float
  ) throws(Status) -> [[Face]] {
    let atlas = try RegionAtlas(
      picture, regions, maxSide: maxSide, multiple: family.inputMultiple, background: input.background)
    let found = try runNetwork(
      on: input.pixels(atlas.bitmap.borrowed, in: atlas.bitmap.size), of: picture.input,
      minConfidence: minConfidence)
    return atlas.byRegion(found)
  }

  /// Searches several squares of the picture, each rotated upright, side by side in one input of the network.
  /// - Parameters:
  ///   - squares: with the bounds of `UprightImage.crop`.
  ///   - side: the least side of each square in the network's input, in pixels.
  /// - Returns: for each square the face in its middle, in pixels of the picture.
  package func search(
    _ picture: UprightImage, squares: [RotatedSquare], side: Int, minConfidence: Float
  ) throws(Status) -> [Face?] {
    guard !squares.isEmpty else { return [] }
    let atlas = try SquareAtlas(
      picture, squares, side: side, multiple: family.inputMultiple, background: input.background)
    let found = try runNetwork(
      on: input.pixels(atlas.bitmap.borrowed, in: atlas.bitmap.size), of: picture.input,
      minConfidence: minConfidence)
    return atlas.faces(found)
  }

  /// Runs the network and decodes its outputs. Returns all faces, in pixels of the input.
  /// - Parameter image: the call's image, with its clock and cancellation.
  private func runNetwork(
    on pixels: PixelInput, of image: ImageInput, minConfidence: Float
  ) throws(Status) -> [Face] {
    try check(PixelSize(width: pixels.inputWidth, height: pixels.inputHeight))
    try image.cancellation?.check()
    let clock = image.clock
    clock?.begin(.network)
    defer { clock?.end() }
    var seen = pixels
    seen.cancellation = image.cancellation
    return try network.run(seen, inputBlob: input.blob, outputs: outputs) { (maps) throws(Status) in
      clock?.begin(.boxes)
      defer { clock?.end() }
      var faces = try family.decode(maps, minConfidence: minConfidence)
      faces.removeAll { !$0.isSound }
      return faces
    }
  }

  /// Returns the number of pixels of the network's input for a picture of `size`.
  func inputPixels(_ size: PixelSize, maxSide: Int) -> Int {
    let input = Letterbox(image: size, maxSide: maxSide, multiple: family.inputMultiple).input
    return input.width * input.height
  }

  /// Returns the network's input for the first search of `image`.
  public func networkInput(_ image: ImageInput, options: DetectionOptions) throws(Status) -> NetworkInput {
    let pixels = try UprightImage(image).networkInput(
      maxSide: options.effectiveMaxSide, multiple: family.inputMultiple)
    try check(pixels.letterbox.input)
    return pixels
  }

  /// Throws `resourceExhausted` for an input of more pixels than this pipeline may take.
  private func check(_ seen: PixelSize) throws(Status) {
    guard seen.width * seen.height <= maxInputPixels else {
      throw Status(
        .resourceExhausted,
        "the network would see \(seen.width)×\(seen.height) pixels and this engine takes \(maxInputPixels); "
          + "set a max side")
    }
  }
}

extension NetworkRows: PixelRows {}

extension InputSpecification {
  /// - Parameter pixels: pixels in the corner of an input of `size`.
  fileprivate func pixels(_ pixels: BorrowedPixels, in size: PixelSize) throws(Status) -> PixelInput {
    try PixelInput(
      pixels: pixels.bytes.bindMemory(to: UInt8.self), stride: pixels.stride, width: pixels.size.width,
      height: pixels.size.height, inputWidth: size.width, inputHeight: size.height,
      isRedFirst: colour == .rgb,
      mean: SIMD3(mean[0], mean[1], mean[2]), scale: SIMD3(scale[0], scale[1], scale[2]))
  }

  fileprivate func pixels(_ rows: NetworkRows) throws(Status) -> PixelInput {
    let (content, size) = (rows.letterbox.content, rows.letterbox.input)
    return try PixelInput(
      rows: rows, width: content.width, height: content.height, inputWidth: size.width,
      inputHeight: size.height, isRedFirst: colour == .rgb, mean: SIMD3(mean[0], mean[1], mean[2]),
      scale: SIMD3(scale[0], scale[1], scale[2]))
  }
}

extension Letterbox {
  /// Maps a box in the upright image to the input.
  package func toInput(_ box: Box) -> Box {
    let corner = toInput(Point(x: box.x, y: box.y))
    return Box(x: corner.x, y: corner.y, width: box.width / scaleX, height: box.height / scaleY)
  }

  /// Maps a face in the input to the upright image.
  package func toImage(_ face: Face) -> Face {
    Face(box: toImage(face.box), confidence: face.confidence, points: face.points?.map(toImage))
  }
}

extension Face {
  /// Whether all numbers are finite and the box has a size: NaN must not reach a caller.
  fileprivate var isSound: Bool {
    // Written without arrays because it runs for every candidate.
    guard box.x.isFinite, box.y.isFinite, box.maxX.isFinite, box.maxY.isFinite, box.area.isFinite,
      confidence.isFinite, box.width > 0, box.height > 0
    else { return false }
    guard let points else { return true }
    return points.leftEye.isFinite && points.rightEye.isFinite && points.noseTip.isFinite
      && points.mouthLeft.isFinite && points.mouthRight.isFinite
  }
}

extension Point {
  fileprivate var isFinite: Bool { x.isFinite && y.isFinite }
}

/// The faces of one search of a picture, which a search at a smaller size can correct.
///
/// Networks detect faces of up to some 320 pixels of their input. At 400 to 500 pixels boxes become wrong,
/// and from 600 on networks report halves and parts of a face, or miss it; at `smallSide` the same faces are
/// found with correct boxes (39 photos whose faces fill them, scaled to all these sizes). In an input of up
/// to `maxSideOfOne` something that large is always reported as some face, if with low confidence, so such
/// pictures are searched once if they have no large face. In a larger one nothing may be reported.
///
/// About faces in the range of both searches they vote: near a large face networks mistake hands, hair and
/// ears for faces, but hardly ever the same ones at both sizes.
struct SearchResult {
  /// The faces in pixels of the upright image, including overlapping ones.
  let faces: [Face]
  let letterbox: Letterbox

  /// The side in its own input from which on the smaller search has its full vote: smaller faces it detects
  /// too much worse than the other to deny them.
  private static let minSideOfVote: Float = 40
  /// Faces with less confidence have no vote.
  static let minConfidence: Float = 0.05

  /// The long side of the picture in the last search: a face that fills it has the size that networks detect
  /// best.
  private static let smallSide = 448
  /// The long side of the largest picture that is searched only once if no face in it is large.
  private static let maxSideOfOne = 1024
  /// Each search has at least this fraction of the sides of the one before, so that one of them detects each
  /// size of face well.
  private static let sideStep = 4
  /// A large face with less confidence starts no further search: of the 39, scaled to up to 800 pixels, none
  /// was below 0.45.
  private static let minConfidenceOfLarge: Float = 0.3

  /// The side of the largest face that this search detects well, in pixels of the upright image.
  private var largestSeenWell: Float { DetectionEnsemble.goodSizes.upperBound * letterbox.scaleX }

  /// The long side of the next search, if one may be more exact.
  var smallerSide: Int? {
    let side = letterbox.content.longSide
    guard side > SearchResult.smallSide else { return nil }
    let hasLargeFaces = faces.contains {
      $0.box.meanSide > largestSeenWell && $0.confidence >= SearchResult.minConfidenceOfLarge
    }
    guard hasLargeFaces || side > SearchResult.maxSideOfOne else { return nil }
    let next = side / SearchResult.sideStep
    // A search hardly larger than the last one is left out.
    return next >= SearchResult.smallSide * 3 / 2 ? next : SearchResult.smallSide
  }

  /// Returns the faces of this search and of `smaller`, fused: small ones of this one, large ones of the
  /// other.
  func merged(withSmaller smaller: SearchResult, overlapThreshold: Float) -> SearchResult {
    func detections(_ result: SearchResult, _ sizes: ClosedRange<Float>) -> WeightedBoxesFusion.Detections {
      let certain = result.faces.filter { $0.confidence >= SearchResult.minConfidence }
      return WeightedBoxesFusion.Detections(
        faces: NonMaximumSuppression.apply(certain, overlapThreshold: overlapThreshold, limit: 0), weight: 1,
        sizes: FaceSizes(sizes))
    }
    let smallest = SearchResult.minSideOfVote * smaller.letterbox.scaleX
    return SearchResult(
      faces: WeightedBoxesFusion.fuse([
        detections(self, 0...largestSeenWell), detections(smaller, smallest...(.infinity)),
      ]), letterbox: letterbox)
  }
}
