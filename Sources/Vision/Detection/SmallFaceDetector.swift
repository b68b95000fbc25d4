public import FaceCore
public import Imaging

/// Finds faces with one network as its pipeline does, and searches pictures with small faces once more,
/// enlarged. Both searches vote on small faces: the second detects those of 10 pixels as well as the first
/// those of 15, and false ones are hardly ever the same in both. A second network looks at doubtful faces.
public struct SmallFaceDetector: PictureDetector {
  private let pipeline: DetectionPipeline
  private let sizePrior: SizePrior
  private let enlarges: Bool
  private let secondLook: SecondLook?
  private let ensemble: (@Sendable () -> DetectionEnsemble?)?

  /// The most pixels that the ensemble searches in the time that this detector takes for a picture of 1024×683.
  private static let maxAreaOfEnsemble: Float = 100_000

  /// The sides of the second search's input relative to those of the first.
  private static let enlargement: Float = 1.75

  /// - Parameters:
  ///   - sizePrior: applied to the confidences, by the face's side in the first search's input.
  ///   - enlarges: whether pictures with small faces are searched once more.
  ///   - secondLook: at doubtful faces.
  ///   - ensemble: searches small pictures instead.
  public init(
    _ pipeline: DetectionPipeline, sizePrior: SizePrior = .none, enlarges: Bool = true,
    secondLook: SecondLook? = nil, ensemble: (@Sendable () -> DetectionEnsemble?)? = nil
  ) {
    self.pipeline = pipeline
    self.sizePrior = sizePrior
    self.enlarges = enlarges
    self.secondLook = secondLook
    self.ensemble = ensemble
  }

  /// Searches once more only if the options set no size in pixels.
  public func findFaces(
    in picture: UprightImage, _ options: DetectionOptions
  ) throws(Status) -> DetectionResult {
    guard options.maxSide == nil else { return try pipeline.findFaces(in: picture, options) }
    let area =
      picture.input.region?.clamped(to: picture.size).area
      ?? Float(picture.size.width) * Float(picture.size.height)
    if area <= SmallFaceDetector.maxAreaOfEnsemble, let ensemble = ensemble?() {
      return try ensemble.findFaces(in: picture, options)
    }
    var result = try pipeline.searchAllSizes(picture, options)
    if enlarges, result.hasSmallFaces, let enlarged = try search(picture, enlarging: result.letterbox) {
      picture.input.clock?.begin(.boxes)
      defer { picture.input.clock?.end() }
      result = result.merged(withEnlarged: enlarged, overlapThreshold: options.overlapThreshold)
    }
    var options = options
    options.overlapThreshold = DetectionEnsemble.overlapOfMeans(options.overlapThreshold)
    result = SearchResult(
      faces: NonMaximumSuppression.applyWithMeans(result.faces, overlapThreshold: options.overlapThreshold),
      letterbox: result.letterbox)
    result = try secondLook?.confirmed(result, sizePrior, in: picture) ?? result
    return pipeline.faces(of: result.with(sizePrior), in: picture, options)
  }

  /// Returns the faces of the picture at `enlargement` times the size it had in the first search, including
  /// overlapping ones; `nil` if that is too large for this engine.
  /// - Parameter first: the first search's.
  private func search(_ picture: UprightImage, enlarging first: Letterbox) throws(Status) -> [Face]? {
    let size = first.content.scaled(by: SmallFaceDetector.enlargement)
    guard pipeline.inputPixels(size, maxSide: 0) <= pipeline.maxInputPixels else { return nil }
    let least = SearchResult.minConfidence
    if max(first.shown.width, first.shown.height) >= Float(size.longSide) {
      return try pipeline.search(picture, maxSide: size.longSide, minConfidence: least).faces
    }
    let whole = try picture.networkInput(maxSide: 0, multiple: 1, mayBorrow: true)
    let letterbox = whole.letterbox
    let found = try pipeline.search(
      try ImageView(whole.pixels), enlargedBy: Float(size.longSide) / Float(letterbox.content.longSide),
      of: picture.input, minConfidence: least)
    extendLifetime(whole)
    return found.map(letterbox.toImage)
  }
}
