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
  private let outputs: [String]
  private let input: InputSpecification
  let maxInputPixels: Int

  /// How the network draws its boxes; `nil` if nobody measured it.
  public var boxes: DetectedBoxes? { family.boxes }

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
    faces(of: try searchAllSizes(picture, options), in: picture, options)
  }

  /// Searches the picture, and at smaller sizes again if a face may be too large for the network. Returns at
  /// least all faces of `options.minConfidence`, including overlapping ones.
  func searchAllSizes(
    _ picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> SearchResult {
    // Searches at other sizes need the less confident faces as votes.
    let isAllSizes = options.maxSide ?? 0 == 0
    let minConfidence =
      isAllSizes ? min(options.minConfidence, SearchResult.minConfidence) : options.minConfidence
    let result = try search(picture, maxSide: options.effectiveMaxSide, minConfidence: minConfidence)
    guard isAllSizes, let side = result.smallerSide else { return result }
    return try correct(result, bySearchAt: side, picture, options)
  }

  /// Returns the faces of `result` that `options` ask for, without overlaps.
  func faces(
    of result: SearchResult, in picture: UprightImage, _ options: DetectionOptions
  ) -> DetectionResult {
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
    let maxSide = input.limited(maxSide)
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

  /// Whether the network takes inputs of any size, as `search(_:regions:maxSide:minConfidence:)` needs.
  package var takesAnySize: Bool { input.maxSide == nil }

  /// Searches `view`, of BGRA pixels, enlarged. Returns all faces, in pixels of `view`.
  /// - Parameters:
  ///   - scale: 1 or more.
  ///   - image: the call's image.
  func search(
    _ view: ImageView, enlargedBy scale: Float, as orientation: Orientation = .up, of image: ImageInput,
    minConfidence: Float
  ) throws(Status) -> [Face] {
    image.clock?.begin(.convert)
    let pixels: Bitmap
    do {
      defer { image.clock?.end() }
      pixels = try PixelConverter.enlarged(view, by: scale, image.cancellation)
    }
    let enlarged = image.made(into: .pixels(try pixels.view), orientation: orientation)
    let found = try search(UprightImage(enlarged), maxSide: 0, minConfidence: minConfidence).faces
    let scaleX = Float(view.size.width) / Float(pixels.size.width)
    let scaleY = Float(view.size.height) / Float(pixels.size.height)
    extendLifetime(pixels)
    return found.map { $0.scaled(scaleX, scaleY) }
  }

  var inputMultiple: Int { family.inputMultiple }
  /// The longest side that the network takes; `nil` for any.
  var maxInputSide: Int? { input.maxSide }

  func makeAtlas(_ count: Int, side: Int) throws(Status) -> PictureAtlas {
    try PictureAtlas(count, side: side, multiple: family.inputMultiple, background: input.background)
  }

  /// Returns all faces of an atlas, in its pixels.
  func search(
    _ atlas: borrowing PictureAtlas, of picture: UprightImage, minConfidence: Float
  ) throws(Status) -> [Face] {
    try runNetwork(
      on: input.pixels(atlas.bitmap.borrowed, in: atlas.bitmap.size), of: picture.input,
      minConfidence: minConfidence)
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
      maxSide: input.limited(options.effectiveMaxSide), multiple: family.inputMultiple)
    try check(pixels.letterbox.input)
    return pixels
  }

  /// Throws `resourceExhausted` for an input of more pixels than this pipeline may take.
  private func check(_ seen: PixelSize) throws(Status) {
    guard seen.width * seen.height <= maxInputPixels else {
      throw Status(
        .resourceExhausted,
        "the network's input would be \(seen.width)×\(seen.height) pixels, and this engine allows at most "
          + "\(maxInputPixels) pixels; set a lower max_side")
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
