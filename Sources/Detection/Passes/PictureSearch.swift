import FaceCore
import Imaging

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
