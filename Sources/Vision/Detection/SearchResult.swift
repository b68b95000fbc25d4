import FaceCore
import Imaging

/// The faces of one search of a picture, which a search at a smaller size can correct, and one of the enlarged
/// picture.
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
    let smallest = SearchResult.minSideOfVote * smaller.letterbox.scaleX
    return SearchResult(
      faces: WeightedBoxesFusion.fuse([
        votes(of: faces, FaceSizes(0...largestSeenWell), overlapThreshold),
        votes(of: smaller.faces, FaceSizes(smallest...(.infinity)), overlapThreshold),
      ]), letterbox: letterbox)
  }

  /// Whether there is a small face, as for the enlarged passes of `DetectionEnsemble`.
  var hasSmallFaces: Bool {
    let (side, confidence) = DetectionEnsemble.smallFace
    let certain = faces.filter { $0.confidence >= confidence }
    return NonMaximumSuppression.apply(
      certain, overlapThreshold: DetectionEnsemble.passOverlapThreshold, limit: 0
    ).contains { $0.box.meanSide < side * letterbox.scaleX }
  }

  /// Returns the faces of this search and those of the enlarged picture, fused: the smallest ones of the
  /// other, small ones by the votes of both.
  ///
  /// The other has its full vote up to four thirds of `smallFace`, and none from twice that on, so that larger
  /// faces are the same whether it ran or not.
  func merged(withEnlarged enlarged: [Face], overlapThreshold: Float) -> SearchResult {
    let least = DetectionEnsemble.goodSizes.lowerBound * letterbox.scaleX
    let most = 2 * DetectionEnsemble.smallFace.side / FaceSizes.margin * letterbox.scaleX
    return SearchResult(
      faces: WeightedBoxesFusion.fuse([
        votes(of: faces, FaceSizes(least...(.infinity)), overlapThreshold),
        votes(of: enlarged, FaceSizes(0...most), overlapThreshold),
      ]), letterbox: letterbox)
  }

  /// Returns the same result with `prior` applied, by the sides of faces in this search's input.
  func with(_ prior: SizePrior) -> SearchResult {
    SearchResult(
      faces: faces.map { face in
        var face = face
        face.confidence = prior.applied(to: face.confidence, side: face.box.meanSide / letterbox.scaleX)
        return face
      }, letterbox: letterbox)
  }

  private func votes(
    of faces: [Face], _ sizes: FaceSizes, _ overlapThreshold: Float
  ) -> WeightedBoxesFusion.Detections {
    let certain = faces.filter { $0.confidence >= SearchResult.minConfidence }
    return WeightedBoxesFusion.Detections(
      faces: NonMaximumSuppression.applyWithMeans(
        certain, overlapThreshold: DetectionEnsemble.overlapOfMeans(overlapThreshold)), weight: 1,
      sizes: sizes)
  }
}
