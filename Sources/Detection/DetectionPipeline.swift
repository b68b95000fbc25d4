public import FaceCore
public import Imaging
public import Inference

/// The way from an image to its faces: letterbox, tensor, network, decode, suppress, back to image pixels. Where a face is
/// larger than networks can see, the image is searched once more (`PictureSearch`), unless options say at which size.
public struct DetectionPipeline: PictureDetector {
  private let network: any Network
  private let family: any DetectorFamily
  /// The family's.
  private let outputs: [String]
  private let input: InputSpecification
  let maxInputPixels: Int

  /// - Parameter maxInputPixels: of what the network sees: memory for each is about 15 bytes with the fused kernels, on
  ///   ncnn 110 for a network as light as YuNet and 400 for CenterFace.
  public init(
    network: any Network, family: any DetectorFamily, input: InputSpecification, maxInputPixels: Int = .max
  ) {
    self.network = network
    self.family = family
    outputs = family.outputs
    self.input = input
    self.maxInputPixels = maxInputPixels
  }

  public func detect(
    _ picture: UprightImage, options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    try options.validate()
    let mayLookAgain = options.maxSide == nil
    let minConfidence =
      mayLookAgain
      ? min(options.minConfidence, PictureSearch.leastConfidenceOfLarge) : options.minConfidence
    let whole = try search(picture, maxSide: options.effectiveMaxSide, minConfidence: minConfidence)
    var faces = whole.faces
    if mayLookAgain, whole.hasLargeFaces {
      faces = whole.faces(
        withNear: try search(picture, maxSide: PictureSearch.nearSide, minConfidence: minConfidence))
    }
    faces.removeAll { $0.confidence < options.minConfidence }
    let clock = picture.input.clock
    clock?.begin(.boxes)
    defer { clock?.end() }
    if options.minFaceSize > 0 { faces.removeAll { !$0.isAtLeast(options.minFaceSize) } }
    return DetectionResult(
      imageSize: whole.letterbox.image,
      faces: NonMaximumSuppression.apply(
        faces, overlapThreshold: options.overlapThreshold, limit: options.maxFaces))
  }

  /// Pixels that the network would see of a picture of `size`.
  func inputPixels(_ size: PixelSize, maxSide: Int) -> Int {
    let input = Letterbox(image: size, maxSide: maxSide, multiple: family.inputMultiple).input
    return input.width * input.height
  }

  /// All that the network takes for faces, in pixels of the upright image, in no order, overlapping ones included.
  /// - Parameters:
  ///   - part: as of `UprightImage.networkInput`.
  ///   - maxSide: as of `Letterbox.init`.
  package func candidates(
    _ picture: UprightImage, in part: Box? = nil, maxSide: Int, minConfidence: Float
  ) throws(Status) -> DetectionResult {
    let found = try search(picture, in: part, maxSide: maxSide, minConfidence: minConfidence)
    return DetectionResult(imageSize: found.letterbox.image, faces: found.faces)
  }

  private func search(
    _ picture: UprightImage, in part: Box? = nil, maxSide: Int, minConfidence: Float
  ) throws(Status) -> PictureSearch {
    var (found, letterbox) = try picture.withNetworkInput(
      of: part, maxSide: maxSide, multiple: family.inputMultiple
    ) { (pixels, letterbox) throws(Status) in
      (try run(pixels, in: letterbox.input, of: picture.input, minConfidence: minConfidence), letterbox)
    }
    for index in found.indices { found[index] = letterbox.toImage(found[index]) }
    return PictureSearch(faces: found, letterbox: letterbox)
  }

  /// The same for several parts at once, side by side in one input of the network, which costs less than one after the
  /// other.
  /// - Parameters:
  ///   - parts: one or more, with the bounds of `UprightImage.networkInput`'s.
  ///   - maxSide: of each part as the network sees it.
  /// - Returns: the faces with their middle in each part.
  package func candidates(
    _ picture: UprightImage, inEach parts: [Box], maxSide: Int, minConfidence: Float
  ) throws(Status) -> [[Face]] {
    let sheet = try RegionAtlas(
      picture, parts, maxSide: maxSide, multiple: family.inputMultiple, background: input.background)
    let found = try run(
      sheet.bitmap.borrowed, in: sheet.bitmap.size, of: picture.input, minConfidence: minConfidence)
    return sheet.sorted(found)
  }

  /// All faces in an input of `size` with `pixels` in its corner, in pixels of the input.
  private func run(
    _ pixels: BorrowedPixels, in size: PixelSize, of image: ImageInput, minConfidence: Float
  ) throws(Status) -> [Face] {
    try check(size)
    try image.cancellation?.check()
    let clock = image.clock
    clock?.begin(.network)
    defer { clock?.end() }
    let seen = try PixelInput(pixels, in: size, as: input)
    return try network.run(seen, inputBlob: input.blob, outputs: outputs) { (maps) throws(Status) in
      clock?.begin(.boxes)
      defer { clock?.end() }
      var faces = try family.decode(maps, minConfidence: minConfidence)
      faces.removeAll { !$0.isSound }
      return faces
    }
  }

  /// What the network sees of `image` when it is first searched.
  public func networkInput(_ image: ImageInput, options: DetectionOptions) throws(Status) -> NetworkInput {
    try options.validate()
    let pixels = try UprightImage(image).networkInput(
      maxSide: options.effectiveMaxSide, multiple: family.inputMultiple)
    try check(pixels.letterbox.input)
    return pixels
  }

  private func check(_ seen: PixelSize) throws(Status) {
    guard seen.width * seen.height <= maxInputPixels else {
      throw Status(
        .resourceExhausted,
        "the network would see \(seen.width)×\(seen.height) pixels and this engine takes \(maxInputPixels); "
          + "set a max side")
    }
  }
}

extension Letterbox {
  /// From a box in the upright image to the one in the input.
  package func toInput(_ box: Box) -> Box {
    let corner = toInput(Point(x: box.x, y: box.y))
    return Box(x: corner.x, y: corner.y, width: box.width / scaleX, height: box.height / scaleY)
  }

  /// From a face in the input to the one in the upright image.
  package func toImage(_ face: Face) -> Face {
    Face(box: toImage(face.box), confidence: face.confidence, points: face.points?.map(toImage))
  }
}

extension Face {
  /// What has no finite place or no size is no face; numbers that are none must not reach a caller.
  fileprivate var isSound: Bool {
    // Asked of every candidate, so without lists.
    guard box.x.isFinite, box.y.isFinite, box.maxX.isFinite, box.maxY.isFinite, box.area.isFinite,
      confidence.isFinite, box.width > 0, box.height > 0
    else { return false }
    guard let points else { return true }
    return points.leftEye.isFinite && points.rightEye.isFinite && points.noseTip.isFinite
      && points.mouthLeft.isFinite && points.mouthRight.isFinite
  }

  /// Whether the shorter side of the box has `size` pixels.
  package func isAtLeast(_ size: Float) -> Bool { min(box.width, box.height) >= size }
}

extension Point {
  fileprivate var isFinite: Bool { x.isFinite && y.isFinite }
}

/// What one search of a picture found, and what a second search of it at a smaller size has to say about large faces.
///
/// Networks see faces of up to some 320 pixels of their input. Of those of 400 to 500 the box begins to be wrong, and
/// from 600 on they are taken for their halves and parts, or missed; at `nearSide` the same faces are found, and their
/// boxes are right (39 photos whose faces fill them, scaled to all these sizes). What is that large is seen for some
/// face in any case, if not for a certain one, so pictures without a large face are searched once.
struct PictureSearch {
  /// In pixels of the upright image, overlapping ones included.
  let faces: [Face]
  let letterbox: Letterbox

  /// Long side of the picture of the second search: a face that fills it has the size that networks know best.
  static let nearSide = 448
  /// A large face that is less certain is not looked at again: of the 39, scaled to up to 800 pixels, none was below 0.45.
  static let leastConfidenceOfLarge: Float = 0.3
  /// The second search decides about faces from this part of the largest size on that the first one sees well, so that
  /// none is lost that one of them takes for a little larger than the other does.
  private static let margin: Float = 0.7

  /// Whether a second search may know better.
  var hasLargeFaces: Bool {
    letterbox.content.longSide > PictureSearch.nearSide
      && faces.contains {
        $0.box.meanSide > goodSizes.upperBound && $0.confidence >= PictureSearch.leastConfidenceOfLarge
      }
  }

  /// The faces of this search, but of `near`, the second one, those that are large, and within those whatever it can see.
  func faces(withNear near: PictureSearch) -> [Face] {
    let least = goodSizes.upperBound * PictureSearch.margin
    let large = NonMaximumSuppression.apply(
      near.faces.filter {
        $0.box.meanSide >= least && $0.confidence >= PictureSearch.leastConfidenceOfLarge
      }, overlapThreshold: 0.3, limit: 0)
    // At its own size a network takes parts of a large face for faces.
    func isPart(_ face: Face) -> Bool { large.contains { $0.box.holds(face.box.center) } }
    let far = faces.filter {
      let size = $0.box.meanSide
      return size <= goodSizes.upperBound && (size < near.goodSizes.lowerBound || !isPart($0))
    }
    return far + near.faces.filter { $0.box.meanSide >= least || isPart($0) }
  }

  /// Of the faces that the network sees well here, in pixels of the upright image.
  private var goodSizes: ClosedRange<Float> {
    let good = DetectionEnsemble.goodSizes
    return good.lowerBound * letterbox.scaleX...good.upperBound * letterbox.scaleX
  }
}
